//! Linear plants by their map: the method's steps but for rounding, at a tenth of their cost.

use stiffstep::hil::{Allowance, PlantRig, Range, Rig};
use stiffstep::memory::{Load, Memory, Save};
use stiffstep::prelude::*;
use stiffstep_host_tests::Go;
use stiffstep_plants::papers::RadauIA;
use stiffstep_plants::rlc::{Rlc, ladder, wunderlich};

/// An input that jumps and drifts.
fn wave(step: u32) -> f64 {
    let high = (step / 37).is_multiple_of(3);
    let jump = if high { 1.0 } else { -0.4 };
    jump + 0.2 * (f64::from(step) * 0.11).sin()
}

/// The largest distance of a map's states from those of the stages, both in double precision, or the map in single.
fn apart<R: Real, const N: usize>(
    circuit: Circuit<f64, N, 1>,
    single: Circuit<R, N, 1>,
    start: [f64; N],
) -> f64 {
    let h = 1.0 / 128.0;
    let narrow = start.map(R::from_f64);
    let mut stages = Simulation::new(circuit, RadauIIA::<3>, h, start.into()).unwrap();
    let mut map =
        Simulation::new(single, Mapped(RadauIIA::<3>), R::from_f64(h), narrow.into()).unwrap();
    let mut most = 0.0_f64;
    for step in 0..2_000 {
        let u = R::from_f64(wave(step));
        (stages.input, map.input) = ([u.to_f64()].into(), [u].into());
        stages.step().unwrap();
        let report = map.step().unwrap();
        assert_eq!((report.iterations, report.outcome), (1, Outcome::Converged));
        most = most.max((map.state().map(R::to_f64) - stages.state()).amax());
    }
    most
}

#[test]
fn the_map_takes_the_steps_of_its_method() {
    let (dae, ode) = (Rlc::mild().dae(), Rlc::mild().ode());
    let (single, ten) = (Rlc::<f32>::mild(), ladder::<f64, 10>());
    let (four, two) = ([0.0, 0.0, 1.0, 0.0], [0.3, -0.2]);
    let of_dae = [apart(dae, dae, four), apart(dae, single.dae(), four)];
    let of_ode = [apart(ode, ode, two), apart(ode, single.ode(), two)];
    let of_ten = [
        apart(ten, ten, [0.1; 10]),
        apart(ten, ladder::<f32, 10>(), [0.1; 10]),
    ];
    for (name, [double, single]) in [
        ("RLC with algebraic equations", of_dae),
        ("RLC", of_ode),
        ("ladder of ten", of_ten),
    ] {
        println!("{name}: {double:e} in double, {single:e} in single precision");
        assert!(double <= 1e-13, "{name}: {double:e}");
        // The inputs are those of single precision; 0.1 is not, nor are the elements -0.1 and -0.2.
        assert!(single <= 2e-6, "{name}: {single:e}");
    }
}

/// Against the exponential itself: the error is the method's own, which with five stages is rounding.
#[test]
fn the_map_is_as_exact_as_its_method() {
    fn error<R: Real>(h: f64) -> f64 {
        let (circuit, start) = (Rlc::<R>::mild().dae(), wunderlich(R::ZERO));
        let mut map =
            Simulation::new(circuit, Mapped(RadauIIA::<5>), R::from_f64(h), start).unwrap();
        map.go((7.0 / h) as u32).unwrap();
        (map.state().map(R::to_f64) - wunderlich(7.0)).amax()
    }
    for h in [0.5, 0.0625, 1.0 / 1024.0] {
        let (double, single) = (error::<f64>(h), error::<f32>(h));
        println!("h = {h}: {double:e}, {single:e}");
        assert!(double <= 1e-12, "h = {h}: {double:e}");
        assert!(single <= 2e-6, "h = {h}: {single:e}");
    }
}

/// A constant term, and every method that has a map.
#[test]
fn constants_and_other_methods_are_mapped() {
    /// x' = 3 - x + u.
    #[derive(Clone, Copy)]
    struct Offset;
    impl FirstOrder<f64, 1, 1> for Offset {
        type Mass = Unit;
        const AFFINE: bool = true;
        fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 1>, u: &Vector<f64, 1>) -> Vector<T, 1> {
            [-x[0] + (3.0 + u[0])].into()
        }
    }
    impl Linear<f64, 1, 1> for Offset {}

    let exact = 5.0 - 5.0 * (-1.0_f64).exp();
    macro_rules! ends {
        ($($method:expr, $within:expr);*) => {$({
            let mut map = Simulation::new(Offset, Mapped($method), 0.1, [0.0].into()).unwrap();
            map.input = [2.0].into();
            map.go(10).unwrap();
            let error = (map.state()[0] - exact).abs();
            assert!(error <= $within, "{:?}: {error:e}", $method);
        })*};
    }
    ends!(RadauIIA::<1>, 0.1; RadauIIA::<2>, 1e-4; RadauIIA::<3>, 1e-8; RadauIIA::<5>, 1e-14;
        RadauIA::<2>, 1e-4; RadauIA::<3>, 1e-8; Gauss::<2>, 1e-5; Gauss::<3>, 1e-9);
}

type Plant2 = stiffstep::step::MapStepper<f32, Rlc<f32>, RadauIIA<2>, 2, 1, 2>;

fn plant() -> Simulation<Plant2> {
    let (model, method) = (Rlc::<f32>::mild(), Mapped(RadauIIA::<2>));
    let mut plant = Simulation::new(model, method, 1e-2, [0.0; 2].into()).unwrap();
    plant.input = [1.0].into();
    plant
}

#[test]
fn a_changed_parameter_changes_the_map_and_a_bad_one_changes_nothing() {
    let (mut changed, mut untouched) = (plant(), plant());
    changed.go(50).unwrap();
    untouched.go(50).unwrap();
    let error = changed.change(|rlc| rlc.inductance = f32::NAN).unwrap_err();
    assert_eq!(error, Error::NonFinite);
    changed.step().unwrap();
    untouched.step().unwrap();
    assert_eq!(changed.state(), untouched.state());
    // A fresh simulation of the new circuit from the same state takes the same steps but for what the sums carry.
    changed.change(|rlc| rlc.resistance = 5.0).unwrap();
    let fresh = Rlc {
        resistance: 5.0,
        ..Rlc::mild()
    };
    let mut fresh = Simulation::new(fresh, Mapped(RadauIIA::<2>), 1e-2, *changed.state()).unwrap();
    fresh.input = [1.0].into();
    for plant in [&mut changed, &mut fresh, &mut untouched] {
        plant.go(100).unwrap();
    }
    let off = (changed.state() - fresh.state()).abs().max();
    assert!(off <= 3e-7, "{off:e}");
    assert!((changed.state() - untouched.state()).abs().max() > 1e-3);
}

#[test]
fn another_step_size_is_another_map() {
    let mut plant = plant();
    plant.step().unwrap();
    plant.set_h(5e-3).unwrap();
    plant.step().unwrap();
    let mut halves =
        Simulation::new(Rlc::<f64>::mild(), RadauIIA::<2>, 1e-2, [0.0; 2].into()).unwrap();
    halves.input = [1.0].into();
    halves.step().unwrap();
    halves.set_h(5e-3).unwrap();
    halves.step().unwrap();
    let off = (plant.state().map(f64::from) - halves.state()).amax();
    assert!(off <= 1e-8, "{off:e}");
}

#[test]
fn a_snapshot_goes_on_with_the_same_bits() {
    let mut plant = plant();
    plant.go(10).unwrap();
    let mut words = [0; 64];
    let mut save = Save::new(&mut words);
    plant.visit(&mut save);
    let count = save.complete().unwrap();
    let back = |plant: &mut Simulation<Plant2>| {
        let mut load = Load::new(&words[..count]);
        plant.visit(&mut load);
        assert!(load.complete());
    };
    plant.change(|rlc| rlc.resistance = 7.0).unwrap();
    let run = |plant: &mut Simulation<Plant2>| {
        plant.go(20).unwrap();
        *plant.state()
    };
    let elsewhere = run(&mut plant);
    back(&mut plant);
    let first = run(&mut plant);
    back(&mut plant);
    assert_eq!(first, run(&mut plant));
    assert_ne!(first, elsewhere);
}

#[test]
fn a_rig_takes_a_mapped_plant() {
    let range = Range::new(-5.0, 5.0);
    let mut rig = PlantRig::new(plant(), [range], [range; 2]).unwrap();
    for _ in 0..10 {
        rig.step(&[1.0], &mut Allowance::new(2, &mut || false))
            .unwrap();
    }
}

/// Two equal capacitors on a large conductance, and a small load: the rate of the slow discharge is a small difference of elements
/// that are rounded. In single precision the map would be off by percents, so there is none; in double precision it is right.
#[test]
fn a_slow_rate_that_rounding_would_spoil_is_refused() {
    fn tied<R: Real>(g: f64) -> Circuit<R, 2, 1> {
        let (z, g1, g) = (R::ZERO, R::from_f64(g + 1.0), R::from_f64(g));
        Circuit {
            e: [[R::ONE, z], [z, R::ONE]].into(),
            a: [[-g, g], [g, -g1]].into(),
            b: [R::ONE, z].into(),
            nominal: [R::ONE; 2].into(),
        }
    }
    let h = 1e-5_f32;
    let start = [1.0_f32; 2].into();
    let refused = Simulation::new(tied::<f32>(1e6), Mapped(RadauIIA::<3>), h, start);
    assert_eq!(refused.err(), Some(Error::Rounding));
    let (circuit, start) = (tied::<f64>(1e6), [1.0_f64; 2].into());
    let mut map = Simulation::new(circuit, Mapped(RadauIIA::<3>), h.into(), start).unwrap();
    let mut stages = Simulation::new(circuit, RadauIIA::<3>, h.into(), start).unwrap();
    map.go(10_000).unwrap();
    stages.go(10_000).unwrap();
    let off = (map.state() - stages.state()).abs().max();
    assert!(off <= 4e-9, "{off:e}");
    assert!(stages.state()[0] < 0.96, "nothing was discharged");
}

#[test]
fn bad_input_is_refused() {
    let mut circuit = Rlc::<f32>::mild().dae();
    circuit.nominal[2] = 0.0;
    let start = Vector::from([0.0; 4]);
    let nominal = Simulation::new(circuit, Mapped(RadauIIA::<2>), 1e-2, start);
    assert_eq!(nominal.err(), Some(Error::Nominal { index: 2 }));
    // A floating node: nothing determines its voltage.
    let mut floating = Rlc::<f32>::mild().dae();
    floating.a.fill_row(2, 0.0);
    let singular = Simulation::new(floating, Mapped(RadauIIA::<2>), 1e-2, start);
    assert!(matches!(singular.err(), Some(Error::Singular { .. })));
    let mut plant = plant().with_budget(Fixed(0));
    assert_eq!(plant.step().err(), Some(Error::Budget));
    let mut plant = self::plant();
    plant.input = [f32::INFINITY].into();
    assert_eq!(plant.step().err(), Some(Error::Input));
    assert_eq!(plant.state(), &Vector::from([0.0; 2]));
}
