//! What can be wrong with a circuit is named, with the part and its nodes.
#![allow(clippy::unwrap_used)]

use stiffstep::switched::{Circuit, CircuitError, Named, Scale, Sizes};
use stiffstep_switched_tests::cases::{ON, SCALE};

/// A buck converter without its diode.
fn without_diode<'a>() -> Circuit<'a, 16> {
    Circuit::new()
        .source("in", "0")
        .switch("in", "sw", 0, 0.02)
        .coil("sw", "out", 100e-6)
        .capacitor("out", "0", 100e-6)
        .resistor("out", "0", 3.0)
}

fn fault<'a>(circuit: &Circuit<'a, 16>) -> CircuitError<'a> {
    circuit.sizes(SCALE, 5).unwrap_err()
}

fn named<'a>(kind: &'static str, from: &'a str, to: &'a str) -> Named<'a> {
    Named { kind, from, to }
}

#[test]
fn a_whole_converter_has_tables() {
    let buck = without_diode().diode("0", "sw", ON);
    let sizes = buck.sizes(SCALE, 5).unwrap();
    let expected = Sizes {
        states: 2,
        inputs: 1,
        devices: 2,
        modes: 4,
        maps: 0,
        slots: 0,
    };
    assert_eq!(sizes, expected);
    assert!(buck.build::<f32, 2, 1, 2, 4, 0, 5, 0>(SCALE).is_ok());
    let wrong = buck.build::<f32, 3, 1, 2, 4, 0, 5, 0>(SCALE).unwrap_err();
    assert_eq!(wrong, CircuitError::Sizes(expected));
}

#[test]
fn a_coil_without_a_path_is_named() {
    let expected = CircuitError::CoilWithoutPath(named("coil", "sw", "out"));
    assert_eq!(fault(&without_diode()), expected);
}

#[test]
fn a_floating_node_is_named() {
    let circuit = without_diode().diode("0", "sw", ON);
    let circuit = circuit.resistor("x", "y", 1.0);
    assert_eq!(fault(&circuit), CircuitError::FloatingNode("x"));
}

#[test]
fn a_shorted_source_is_named() {
    let circuit = without_diode().diode("0", "sw", ON).source("in", "0");
    let expected = CircuitError::ShortedSource(named("voltage source", "in", "0"));
    assert_eq!(fault(&circuit), expected);
}

#[test]
fn capacitors_in_a_loop_are_named() {
    let circuit = without_diode().diode("0", "sw", ON);
    for (from, to) in [("out", "0"), ("in", "0"), ("0", "out")] {
        let circuit = circuit.clone().capacitor(from, to, 1e-6);
        let expected = CircuitError::CapacitorLoop(named("capacitor", from, to));
        assert_eq!(fault(&circuit), expected);
    }
}

#[test]
fn a_current_into_coils_alone_is_named() {
    let circuit = without_diode().diode("0", "sw", ON);
    let circuit = circuit.coil("out", "x", 1e-6).current_source("x", "0");
    let expected = CircuitError::CoilCutset(named("current source", "x", "0"));
    assert_eq!(fault(&circuit), expected);
}

#[test]
fn values_gates_and_couplings_are_checked() {
    let circuit = without_diode();
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let expected = CircuitError::Value(named("resistor", "a", "b"));
        assert_eq!(fault(&circuit.clone().resistor("a", "b", value)), expected);
    }
    let expected = CircuitError::Gate(named("switch", "a", "b"));
    assert_eq!(fault(&circuit.clone().switch("a", "b", 32, 1.0)), expected);
    let circuit = circuit.diode("0", "sw", ON);
    for (first, second, factor) in [(0, 0, 0.5), (0, 1, 1.0), (0, 1, 0.5)] {
        let coupled = circuit.clone().coupled(first, second, factor);
        assert!(matches!(fault(&coupled), CircuitError::Coupling(_)));
    }
    for scale in [
        Scale { step: 0.0, ..SCALE },
        Scale {
            current: f64::NAN,
            ..SCALE
        },
        Scale {
            voltage: -1.0,
            ..SCALE
        },
    ] {
        let error = circuit
            .build::<f32, 2, 1, 2, 4, 0, 5, 0>(scale)
            .unwrap_err();
        assert_eq!(error, CircuitError::Nominal);
    }
}

#[test]
fn a_circuit_that_does_not_fit_is_too_large() {
    let small = Circuit::<4>::new()
        .source("in", "0")
        .resistor("in", "a", 1.0)
        .coil("a", "b", 1.0)
        .resistor("b", "0", 1.0);
    assert!(small.sizes(SCALE, 3).is_ok());
    let more = small.resistor("b", "0", 1.0);
    assert_eq!(more.sizes(SCALE, 3).unwrap_err(), CircuitError::TooLarge);
}

/// States, twice the inputs and a constant have to fit.
#[test]
fn a_circuit_has_as_many_states_as_there_is_room_for() {
    let coils = |count| {
        let one = |circuit: Circuit<'static, 8>, _| circuit.coil("in", "0", 1.0);
        let circuit = Circuit::new().source("in", "0");
        (0..count).fold(circuit, one).sizes(SCALE, 3)
    };
    assert_eq!(coils(5).unwrap().states, 5);
    assert_eq!(coils(6).unwrap_err(), CircuitError::TooLarge);
}

/// The equations of the buck converter, by hand: the switch is closed.
#[test]
fn equations_are_those_of_the_textbook() {
    let buck = without_diode().diode("0", "sw", ON);
    let tables = buck.build::<f64, 2, 1, 2, 4, 0, 5, 0>(SCALE).unwrap();
    let (h, l, c) = (20e-6, 100e-6, 100e-6);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    // Mode 1: the channel conducts.
    let mode = &tables.modes[1];
    close(mode.a[0][0], -0.02 * h / l);
    close(mode.a[0][1], -h / l);
    close(mode.a[1][0], h / c);
    close(mode.a[1][1], -h / (3.0 * c));
    close(mode.b[0][0], h / l);
    close(mode.b[1][0], 0.0);
    // Mode 2: the diode conducts, and takes its forward voltage.
    close(tables.modes[2].e[0], -0.7 * h / l);
    // Mode 0: nothing conducts. The current is zero, exactly, and stays so.
    let mode = &tables.modes[0];
    assert_eq!(mode.p, [[0.0, 0.0], [0.0, 1.0]]);
    assert_eq!(mode.a[0], [0.0; 2]);
    close(mode.a[1][1], -h / (3.0 * c));
}

/// Three coils in a star have two independent currents.
#[test]
fn coils_in_a_star_leave_the_last_current_to_the_others() {
    let mut circuit = Circuit::<24>::new().source("P", "0");
    for (phase, middle) in [("a", 0), ("b", 1), ("c", 2)] {
        circuit = circuit
            .bridge_leg(("P", "0"), phase, (middle, middle + 3), ON)
            .coil(phase, "n", 1e-3);
    }
    let sizes = circuit.sizes(SCALE, 3).unwrap();
    assert_eq!((sizes.states, sizes.modes), (2, 125));
}
