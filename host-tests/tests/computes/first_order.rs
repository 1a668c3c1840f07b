//! The step for `E x' = f(t, x, u)`: its order, its agreement with the reference solver, and what it keeps between steps.

use core::cell::Cell;
use nalgebra::DVector;
use stiffstep::method::{Modes, RadauIIA, Stages};
use stiffstep::prelude::*;
use stiffstep::step::FirstOrderStepper;
use stiffstep_host_tests::reference::{OfModel, Tableau, descriptor};
use stiffstep_host_tests::{Go, until};
use stiffstep_plants::akzo_nobel::{self, AkzoNobel};
use stiffstep_plants::known_solution::KnownSolution;
use stiffstep_plants::nonlinear::Galvanometer;
use stiffstep_plants::rlc::{Rlc, wunderlich};
use stiffstep_plants::transistor_amplifier::{self, TransistorAmplifier};
use stiffstep_plants::van_der_pol::VanDerPol;

/// As exact as the stage equations can be solved on the desk.
const TIGHT: Until<f64> = until(1e-13, 30);

/// The error at t = 2 after `steps` steps.
fn error<const S: usize>(steps: u32) -> Result<f64, Error>
where
    Stages<S>: Modes,
{
    let h = 2.0 / f64::from(steps);
    let start = KnownSolution::at(0.0);
    let mut simulation =
        Simulation::new(KnownSolution, RadauIIA::<S>, h, start)?.with_budget(TIGHT);
    simulation.go(steps)?;
    Ok((simulation.state() - KnownSolution::at(2.0)).amax())
}

/// The slopes of error over step in a table of steps; each must be `2 S - 1`.
fn assert_order<const S: usize>(steps: &[u32]) -> Result<(), Error>
where
    Stages<S>: Modes,
{
    let mut previous: Option<(u32, f64)> = None;
    for &n in steps {
        let e = error::<S>(n)?;
        if let Some((m, f)) = previous {
            let order = (f / e).ln() / (f64::from(n) / f64::from(m)).ln();
            println!("s = {S}, {n:4} steps: error {e:.2e}, order {order:.2}");
            let expected = (2 * S - 1) as f64;
            assert!((order - expected).abs() < 0.15, "s = {S}: {order}");
        }
        previous = Some((n, e));
    }
    Ok(())
}

#[test]
fn orders_are_1_3_5_and_9() -> Result<(), Error> {
    assert_order::<1>(&[512, 1024, 2048, 4096])?;
    assert_order::<2>(&[64, 128, 256, 512])?;
    assert_order::<3>(&[64, 96, 128, 192])?;
    // Nine powers of h: with more steps the error is below rounding.
    assert_order::<5>(&[12, 16, 20, 24])
}

/// Steps the core and the reference side by side, each from its own last state, and answers the largest difference
/// relative to the nominal magnitudes.
fn distance<const S: usize, const N: usize, const U: usize, M>(
    model: M,
    start: [f64; N],
    input: [f64; U],
    h: f64,
    steps: usize,
) -> Result<f64, Box<dyn std::error::Error>>
where
    M: FirstOrder<f64, N, U> + Copy,
    Stages<S>: Modes,
{
    let input = input.into();
    let system = OfModel {
        model: &model,
        input,
    };
    let method = Tableau::radau_iia(S);
    // More than enough, so that only rounding is left to differ.
    let mut simulation =
        Simulation::new(model, RadauIIA::<S>, h, start.into())?.with_budget(Fixed(12));
    simulation.input = input;
    let mut reference = DVector::from_row_slice(&start);
    let mut largest = 0f64;
    for _ in 0..steps {
        reference = descriptor::step(&system, &method, simulation.time(), &reference, h)?;
        simulation.step()?;
        for i in 0..N {
            let difference = (simulation.state()[i] - reference[i]) / model.nominal()[i];
            largest = largest.max(difference.abs());
        }
    }
    Ok(largest)
}

/// All numbers of stages; `tolerance` is what rounding amounts to in this problem.
fn assert_agreement<const N: usize, const U: usize, M>(
    what: &str,
    model: M,
    start: [f64; N],
    input: [f64; U],
    h: f64,
    tolerance: f64,
) -> Result<(), Box<dyn std::error::Error>>
where
    M: FirstOrder<f64, N, U> + Copy,
{
    let steps = 20;
    let distances = [
        distance::<1, N, U, M>(model, start, input, h, steps)?,
        distance::<2, N, U, M>(model, start, input, h, steps)?,
        distance::<3, N, U, M>(model, start, input, h, steps)?,
        distance::<5, N, U, M>(model, start, input, h, steps)?,
    ];
    println!("{what}: {distances:?}");
    for (s, distance) in [1, 2, 3, 5].into_iter().zip(distances) {
        assert!(distance <= tolerance, "{what}, s = {s}: {distance:e}");
    }
    Ok(())
}

type Checked = Result<(), Box<dyn std::error::Error>>;

#[test]
fn a_linear_ode_steps_as_the_reference_does() -> Checked {
    let x = wunderlich(0.0);
    let start = [x[0], x[1]];
    assert_agreement("RLC", Rlc::mild().ode(), start, [0.3], 0.01, 1e-14)?;
    assert_agreement("stiff RLC", Rlc::stiff().ode(), [0.0; 2], [1.0], 0.1, 1e-14)
}

#[test]
fn a_linear_dae_steps_as_the_reference_does() -> Checked {
    let start = wunderlich(0.0).into();
    assert_agreement("RLC DAE", Rlc::mild().dae(), start, [0.3], 0.01, 1e-14)?;
    // The one iteration of a linear plant leaves what the transform of five stages amplifies: some hundred units in the
    // last place.
    let stiff = Rlc::stiff().dae();
    assert_agreement("stiff RLC DAE", stiff, [0.0; 4], [1.0], 0.1, 1e-13)
}

#[test]
fn nonlinear_odes_step_as_the_reference_does() -> Checked {
    let start = KnownSolution::at(0.0).into();
    assert_agreement("smooth", KnownSolution, start, [], 0.05, 1e-14)?;
    let galvanometer = Galvanometer::nominal_design();
    let start = [0.1, 0.0, 0.2];
    assert_agreement("galvanometer", galvanometer, start, [1.0], 0.02, 1e-14)?;
    let oscillator = VanDerPol::published();
    assert_agreement("van der Pol", oscillator, [2.0, 0.0], [], 1e-3, 1e-14)
}

#[test]
fn nonlinear_daes_step_as_the_reference_does() -> Checked {
    assert_agreement("Akzo Nobel", AkzoNobel, akzo_nobel::START, [], 0.01, 1e-13)?;
    // Two amplifier stages in series amplify rounding, too, some ten thousand times.
    let start = transistor_amplifier::START;
    assert_agreement("amplifier", TransistorAmplifier, start, [], 1e-4, 1e-12)
}

/// Counts how often its Jacobian is asked for.
#[derive(Default, Clone)]
struct Counted {
    rate: f64,
    jacobians: Cell<usize>,
}

impl FirstOrder<f64, 1, 1> for Counted {
    type Mass = Unit;
    const AFFINE: bool = true;
    fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 1>, u: &Vector<f64, 1>) -> Vector<T, 1> {
        [x[0] * -self.rate + u[0]].into()
    }
    fn jacobian(&self, _t: f64, _x: &Vector<f64, 1>, _u: &Vector<f64, 1>) -> Matrix<f64, 1, 1> {
        self.jacobians.set(self.jacobians.get() + 1);
        [[-self.rate]].into()
    }
}

fn counted() -> Result<Simulation<FirstOrderStepper<f64, Counted, RadauIIA<3>, 1, 1, 3>>, Error> {
    let model = Counted {
        rate: 2.0,
        ..Counted::default()
    };
    Simulation::new(model, RadauIIA::<3>, 0.1, Vector::from([1.0]))
}

#[test]
fn a_linear_plant_factors_once() -> Result<(), Error> {
    let mut plant = counted()?;
    assert_eq!(plant.model().jacobians.get(), 1);
    for k in 0..100 {
        // A changed input does not change the matrices.
        plant.input = [f64::from(k)].into();
        let report = plant.step()?;
        assert_eq!(report.iterations, 1);
        assert_eq!(report.outcome, Outcome::Converged);
    }
    assert_eq!(plant.model().jacobians.get(), 1);
    Ok(())
}

#[test]
fn a_changed_model_or_step_factors_anew() -> Result<(), Error> {
    let mut plant = counted()?;
    plant.step()?;
    plant.change(|model| model.rate = 5.0)?;
    let before = plant.state()[0];
    plant.step()?;
    assert_eq!(plant.model().jacobians.get(), 2);
    // And with the new rate, not with the old factors.
    let ratio = plant.state()[0] / before;
    assert!((ratio - (-0.5f64).exp()).abs() < 1e-4, "{ratio}");
    plant.step()?;
    assert_eq!(plant.model().jacobians.get(), 2);

    plant.set_h(0.2)?;
    let before = plant.state()[0];
    plant.step()?;
    plant.step()?;
    assert_eq!(plant.model().jacobians.get(), 3);
    let ratio = plant.state()[0] / before;
    assert!((ratio - (-2.0f64).exp()).abs() < 2e-3, "{ratio}");
    Ok(())
}

/// Time is the number of steps times the step, also where a running sum would have drifted.
#[test]
fn time_does_not_drift() -> Result<(), Error> {
    let mut plant = Simulation::new(Rlc::<f32>::mild(), RadauIIA::<1>, 1e-3, [1.0, 0.0].into())?;
    plant.go(100_000)?;
    assert_eq!(plant.steps(), 100_000);
    assert_eq!(plant.time(), 100_000.0 * 1e-3f32);
    plant.set_h(2e-3)?;
    assert_eq!(plant.time(), 100_000.0 * 1e-3f32);
    plant.step()?;
    assert_eq!(plant.time(), 100_000.0 * 1e-3f32 + 2e-3);
    Ok(())
}
