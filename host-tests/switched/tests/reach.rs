//! Modes that cannot be reached have no tables: the same steps in less room, and an error where a step would need one.
#![allow(clippy::unwrap_used)]

use fastrand::Rng;
use stiffstep::number::Real;
use stiffstep::switched::{
    Circuit, CircuitError, Edge, Input, Switched, SwitchedError, Tables, View,
};
use stiffstep_switched_tests::cases::{Case, ON, SCALE, cases};
use stiffstep_switched_tests::library::arguments;
use stiffstep_switched_tests::scenario::Given;

/// All eight combinations of upper and lower devices, without dead times: 0 is the upper device of the first leg.
const COMPLEMENTARY: [u32; 8] = [
    0b111_000, 0b110_001, 0b101_010, 0b100_011, 0b011_100, 0b010_101, 0b001_110, 0b000_111,
];

fn case(name: &str) -> Case {
    cases().into_iter().find(|case| case.name == name).unwrap()
}

/// The buck of the cases, whose supply, current and voltage stay in their ranges.
fn buck<'a>(load: f64) -> Circuit<'a, 16> {
    Circuit::new()
        .source("in", "0")
        .within(5.0, 60.0)
        .switch("in", "sw", 0, 0.02)
        .diode("0", "sw", ON)
        .coil("sw", "m", 100e-6)
        .within(-50.0, 50.0)
        .resistor("m", "out", 0.02)
        .capacitor("out", "0", 100e-6)
        .resistor("out", "0", load)
}

/// A step of both tables, which end in the same state.
fn both<R: Real, const N: usize, const U: usize, const Y: usize, const K: usize>(
    plants: &mut [Switched<'_, R, N, U, Y, K>; 2],
    given: &Given,
) {
    let (input, edges) = arguments(given);
    let [few, all] = plants;
    few.step(&input, &edges).unwrap();
    all.step(&input, &edges).unwrap();
    assert_eq!(few.state().x, all.state().x);
    assert_eq!(few.state().diodes, all.state().diodes);
}

fn started<'t, R: Real, const N: usize, const U: usize, const Y: usize, const K: usize>(
    views: [View<'t, R, N, U, Y, K>; 2],
    inputs: [R; U],
) -> [Switched<'t, R, N, U, Y, K>; 2] {
    views.map(|view| Switched::new(view, [R::ZERO; N], inputs).unwrap())
}

/// Switch and diode of a buck never conduct together: the supply is above zero.
#[test]
fn a_buck_has_three_modes() {
    for (name, load) in [("buck CCM", 3.0), ("buck DCM", 60.0)] {
        let case = case(name);
        let few = buck(load)
            .build::<f32, 2, 1, 2, 3, 0, 5, 4>(case.scale)
            .unwrap();
        let circuit = case.net.circuit();
        let all: Tables<f32, 2, 1, 2, 4, 0, 5> = circuit.build(case.scale).unwrap();
        println!(
            "{name}: {} and {} bytes",
            size_of_val(&few),
            size_of_val(&all)
        );
        assert!(size_of_val(&few) < size_of_val(&all));
        let mut plants = started([few.view(), all.view()], [24.0]);
        for given in case.given(4000) {
            both(&mut plants, &given);
        }
    }
}

/// An inverter without dead times needs 35 of its 125 modes: what its channels do, and its diodes while all of them are off.
#[test]
fn gates_that_are_not_permitted_take_no_room() {
    let case = case("LCL inverter");
    let circuit = case.net.circuit().permitting(&COMPLEMENTARY);
    let few: Box<Tables<f32, 7, 4, 6, 35, 0, 6, 125>> =
        Box::new(circuit.build(case.scale).unwrap());
    let all: Box<Tables<f32, 7, 4, 6, 125, 0, 6>> =
        Box::new(case.net.circuit().build(case.scale).unwrap());
    println!("{} and {} bytes", size_of_val(&*few), size_of_val(&*all));
    assert!(3 * size_of_val(&*few) < size_of_val(&*all));
    let mut plants = started([few.view(), all.view()], [700.0, 0.0, 0.0, 0.0]);
    let mut random = Rng::with_seed(1);
    for mut given in case.given(2000) {
        // Gates of one's own, with all of them off now and then.
        for edge in &mut given.edges {
            let word = random.usize(0..9);
            edge.1 = COMPLEMENTARY.get(word).copied().unwrap_or(0);
        }
        both(&mut plants, &given);
    }
    let [few, _] = &mut plants;
    let before = *few.state();
    let input = Input::held([700.0, 0.0, 0.0, 0.0]);
    // A dead time of the first leg.
    let dead = [Edge {
        at: 0.5,
        gates: 0b110_000,
    }];
    assert_eq!(few.step(&input, &dead), Err(SwitchedError::OutOfReach));
    assert_eq!(*few.state(), before);
}

/// Two devices with one gate are on together: modes with one of them alone have no tables.
#[test]
fn devices_with_the_same_gate_go_together() {
    let bridge = |gates: [(u8, u8); 2]| {
        Circuit::<16>::new()
            .source("P", "0")
            .bridge_leg(("P", "0"), "a", gates[0], ON)
            .bridge_leg(("P", "0"), "b", gates[1], ON)
            .coil("a", "m", 1e-3)
            .resistor("m", "b", 0.5)
    };
    let apart = bridge([(0, 2), (1, 3)]).sizes(SCALE, 3).unwrap();
    let together = bridge([(0, 1), (1, 0)]).sizes(SCALE, 3).unwrap();
    assert_eq!((apart.modes, apart.slots), (25, 0));
    // Two with channels, nine with diodes.
    assert_eq!((together.modes, together.slots), (11, 25));
}

/// Outside of its range an input may lead where there is no table: an error, and the state as it was.
#[test]
fn what_leaves_its_range_is_out_of_reach() {
    let tables = buck(3.0).build::<f32, 2, 1, 2, 3, 0, 5, 4>(SCALE).unwrap();
    let mut plant = Switched::new(tables.view(), [0.0; 2], [24.0]).unwrap();
    let on = [Edge { at: 0.0, gates: 1 }, Edge { at: 0.4, gates: 0 }];
    for _ in 0..100 {
        plant.step(&Input::held([24.0]), &on).unwrap();
    }
    let before = *plant.state();
    // The switch closes on a supply of -24 V while the diode conducts: both would.
    let reversed = plant.step(&Input::held([-24.0]), &on);
    assert_eq!(reversed, Err(SwitchedError::OutOfReach));
    assert_eq!(*plant.state(), before);
    // Where no such mode is met nothing looks at the range.
    plant.step(&Input::held([3.0]), &[]).unwrap();
    let fault = |circuit: Circuit<'static, 16>| circuit.sizes(SCALE, 5).unwrap_err();
    let source = || Circuit::new().source("in", "0");
    for circuit in [
        source().within(1.0, 0.0),
        source().within(f64::NAN, 1.0),
        source().resistor("in", "0", 1.0).within(0.0, 1.0),
    ] {
        assert!(matches!(fault(circuit), CircuitError::Range(_)));
    }
}

/// From random states and inputs within the ranges a mode is found, in few iterations, and it is that of all tables.
#[test]
fn a_search_passes_modes_without_tables() {
    let case = case("buck CCM");
    let few = buck(3.0).build::<f32, 2, 1, 2, 3, 0, 5, 4>(SCALE).unwrap();
    let all: Tables<f32, 2, 1, 2, 4, 0, 5> = case.net.circuit().build(SCALE).unwrap();
    let (mut random, mut most) = (Rng::with_seed(2), 0);
    for _ in 0..100_000 {
        let x = [random.f32() * 20.0, random.f32() * 30.0];
        let u = [5.0 + 50.0 * random.f32()];
        let mut plants = [few.view(), all.view()].map(|view| Switched::new(view, x, u).unwrap());
        for _ in 0..4 {
            let gates = random.u32(0..2);
            let reports = plants
                .each_mut()
                .map(|plant| plant.set_gates(gates, &u).unwrap());
            most = most.max(reports[0].iterations);
            assert_eq!(plants[0].state().x, plants[1].state().x);
            assert!(plants[0].agrees(&u));
        }
    }
    assert!(most <= 8, "{most}");
}
