//! The Newton iteration of the mechanical step: it solves the textbook's equations, and takes no more iterations whatever the
//! stiffness of its joints.

use super::plants::{Line, Moves, Places};
use nalgebra::DVector;
use stiffstep::method::{Modes, Stages};
use stiffstep::prelude::*;
use stiffstep_host_tests::figures::assert_at_most;
use stiffstep_host_tests::pendulum::{TIGHT, level};
use stiffstep_host_tests::reference::{self, OfMechanism, Tableau, mechanical};
use stiffstep_host_tests::until;
use stiffstep_plants::arm::{Arm, TORQUES};
use stiffstep_plants::car_axis::{self, CarAxis};
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};

type Failure = Box<dyn std::error::Error>;

/// A run of the core beside one of the reference.
struct Beside<const Q: usize, const U: usize> {
    start: Places<f64, Q>,
    input: Vector<f64, U>,
    /// How large multipliers are.
    multiplier: f64,
    h: f64,
}

impl<const Q: usize, const U: usize> Beside<Q, U> {
    /// Steps both side by side, each from its own last state, and answers the largest differences in q, h v and
    /// h^2 lambda: rounding of a position, over h, is rounding of a velocity.
    fn distance<const S: usize, const L: usize, M>(
        &self,
        model: M,
        lean: bool,
    ) -> Result<f64, Failure>
    where
        M: Mechanical<f64, Q, L, U> + Copy,
        Stages<S>: Modes,
    {
        if lean {
            let core = Simulation::new(model, Lean(RadauIIA::<S>), self.h, self.start)?;
            self.beside::<S, L, M, _>(&model, core)
        } else {
            let core = Simulation::new(model, RadauIIA::<S>, self.h, self.start)?;
            self.beside::<S, L, M, _>(&model, core)
        }
    }

    fn beside<const S: usize, const L: usize, M, P>(
        &self,
        model: &M,
        core: Simulation<P>,
    ) -> Result<f64, Failure>
    where
        M: Mechanical<f64, Q, L, U>,
        P: Stepper<Real = f64, Input = Vector<f64, U>, State = Motion<f64, Q, L>>,
    {
        let (h, mut core) = (self.h, core.with_budget(TIGHT));
        core.input = self.input;
        let mechanism = OfMechanism {
            model,
            input: self.input,
            multiplier: self.multiplier,
        };
        let method = Tableau::radau_iia(S);
        let mut expected = reference::Motion {
            q: DVector::from_row_slice(self.start.0.as_slice()),
            v: DVector::from_row_slice(self.start.1.as_slice()),
            lambda: DVector::from_row_slice(core.state().lambda.as_slice()),
        };
        let mut distance = 0.0_f64;
        for k in 0..10 {
            core.step()?;
            expected = mechanical::step(&mechanism, &method, k as f64 * h, &expected, h)?;
            let at = core.state();
            for n in 0..Q {
                distance = distance.max((at.q[n] - expected.q[n]).abs());
                distance = distance.max(h * (at.v[n] - expected.v[n]).abs());
            }
            for j in 0..L {
                let difference = (at.lambda[j] - expected.lambda[j]) / self.multiplier;
                distance = distance.max(h * h * difference.abs());
            }
        }
        Ok(distance)
    }

    /// The same for 1, 2, 3 and 5 stages; asserts that nothing but rounding is left.
    fn assert_same<const L: usize, M>(
        &self,
        what: &str,
        model: M,
        lean: bool,
    ) -> Result<(), Failure>
    where
        M: Mechanical<f64, Q, L, U> + Copy,
    {
        // A^-2 amplifies the rounding of a stage's position: by 800 with five stages.
        for (s, distance, rounding) in [
            (1, self.distance::<1, L, M>(model, lean)?, 1e-13),
            (2, self.distance::<2, L, M>(model, lean)?, 2e-13),
            (3, self.distance::<3, L, M>(model, lean)?, 2e-13),
            (5, self.distance::<5, L, M>(model, lean)?, 1e-12),
        ] {
            assert_at_most(&format!("{what}, Radau {s}"), distance, rounding);
        }
        Ok(())
    }
}

/// One block a mode, with velocities eliminated, gives the same step as all stages in one system.
#[test]
fn the_decoupled_step_is_the_coupled_one() -> Result<(), Failure> {
    let pendulum = Beside {
        start: level(),
        input: [].into(),
        multiplier: 1.0,
        h: 0.05,
    };
    pendulum.assert_same("rigid pendulum", RigidPendulum, true)?;
    for eps in [1e-1, 1e-3, 1e-5] {
        let what = format!("pendulum with eps = {eps}");
        pendulum.assert_same(&what, StiffPendulum::<f64>::new(eps), true)?;
    }
    let arm = Beside {
        start: ([0.0; 4].into(), [0.0; 4].into()),
        input: TORQUES.into(),
        multiplier: 10.0,
        h: 0.01,
    };
    for stiffness in [1e2, 1e5] {
        let what = format!("arm with K = {stiffness}");
        arm.assert_same(&format!("{what}, full"), Arm::new(stiffness), false)?;
        arm.assert_same(&format!("{what}, lean"), Arm::new(stiffness), true)?;
    }
    let car = Beside {
        start: (car_axis::START.0.into(), car_axis::START.1.into()),
        input: [].into(),
        multiplier: 1e-2,
        h: 0.01,
    };
    car.assert_same("car axis", CarAxis::<f64>::default(), false)
}

/// A start off the slow manifold: the first steps need four iterations if they start from the multiplier of the slow motion, and
/// 27 from the spring's own of 1e5.
#[test]
fn a_perturbed_start_takes_few_iterations() -> Result<(), Error> {
    let model = StiffPendulum::<f64>::new(1e-5);
    let (mut q, v) = level();
    q[0] += 1e-5;
    let mut pendulum =
        Simulation::new(model, Lean(RadauIIA::<3>), 0.01, (q, v))?.with_budget(TIGHT);
    for step in 1..=2 {
        let iterations = pendulum.step()?.iterations;
        assert!(iterations <= 4, "step {step}: {iterations} iterations");
    }
    Ok(())
}

/// The iterations of each of 100 steps to t = 1.
fn iterations<P: Stepper>(pendulum: Simulation<P>, tolerance: P::Real) -> Result<Vec<u8>, Error> {
    let mut pendulum = pendulum.with_budget(until(tolerance, 30));
    let mut step = || pendulum.step().map(|report| report.iterations);
    (0..100).map(|_| step()).collect()
}

/// The same step takes the same number of iterations, whatever the stiffness; one in fifty may take one more, because a claim at
/// the tolerance falls on one side or the other.
fn assert_independent<R: Real>(tolerance: R, expected: u8) -> Result<(), Error> {
    let h = R::from_f64(0.01);
    let rigid = Simulation::new(RigidPendulum, Lean(RadauIIA::<3>), h, level())?;
    let rigid = iterations(rigid, tolerance)?;
    assert_eq!(rigid, [expected; 100], "rigid");
    for eps in [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7] {
        let pendulum = StiffPendulum::<R>::new(eps);
        let stiff = Simulation::new(pendulum, Lean(RadauIIA::<3>), h, level())?;
        let stiff = iterations(stiff, tolerance)?;
        let others = stiff.iter().zip(&rigid).filter(|(a, b)| a != b).count();
        assert!(others <= 2, "eps = {eps}: {stiff:?}");
    }
    Ok(())
}

#[test]
fn stiffness_costs_no_iterations() -> Result<(), Error> {
    assert_independent(1e-9_f64, 2)?;
    assert_independent(1e-6_f32, 1)
}

/// Down to the last digits above rounding, too: from eps = 1e-4 on the pendulum is rigid as far as the iteration can see.
#[test]
fn stiffness_costs_no_digits() -> Result<(), Error> {
    let counts = |eps: f64| -> Result<u32, Error> {
        let pendulum = StiffPendulum::<f64>::new(eps);
        let pendulum = Simulation::new(pendulum, Lean(RadauIIA::<3>), 0.01, level())?;
        let counts = iterations(pendulum, 1e-11)?;
        Ok(counts.into_iter().map(u32::from).sum::<u32>())
    };
    let rigid = counts(1e-7)?;
    for (eps, within) in [(1e-2, 30), (1e-3, 30), (1e-4, 2), (1e-5, 2), (1e-6, 2)] {
        let stiff = counts(eps)?;
        println!("eps = {eps}: {stiff} iterations, eps = 1e-7: {rigid}");
        assert!(stiff.abs_diff(rigid) <= within, "eps = {eps}");
    }
    Ok(())
}

/// A mass on a line, pushed with force 1 through a liquid: `v' = 1 - c v`, stiff in its *forces*.
type Viscous = Line<f64, Rigid, 2, 1, 0>;

fn pushed(c: f64) -> Viscous {
    Line {
        push: [1.0, 0.0],
        damper: [[c, 0.0], [0.0, c]],
        constraint: [[0.0, 1.0]],
        ..Line::of(Rigid)
    }
}

/// A second of the viscous mass, or the error that ended it. The equation is linear, so that where a step's iteration tends to is known:
/// `R(-h c)` times what was missing of the last velocity, with Radau IIA 3's stability function R. Whatever a step accepts is as near to
/// that as it claims, and after many time constants the velocity is the force by the friction.
fn viscous<Kind>(
    method: impl Moves<Viscous, Kind, f64, 2, 1, 0>,
    c: f64,
    budget: impl Budget<f64>,
) -> Result<(), Error> {
    let (h, tolerance) = (0.01, Budget::<f64>::tolerance(&budget));
    let z = -h * c;
    let decay = (1.0 + z * (0.4 + z * 0.05)) / (1.0 - z * (0.6 - z * (0.15 - z / 60.0)));
    let start = ([0.0; 2].into(), [0.5, 0.0].into());
    let mut mass = Simulation::new(pushed(c), method, h, start)?.with_budget(budget);
    for _ in 0..100 {
        let missing = mass.state().v[0] - 1.0 / c;
        let report = mass.step()?;
        let error = (mass.state().v[0] - 1.0 / c - decay * missing).abs();
        let claimed = report.defect().max(tolerance);
        assert!(error <= 3.0 * claimed, "c = {c}: {error:e}, {report:?}");
    }
    let rest = 1.0 + (0.5 * c - 1.0) * (-c).exp();
    let error = (mass.state().v[0] * c - rest).abs();
    assert!(error <= 1e-3, "c = {c}: {error:e} of the last velocity");
    Ok(())
}

/// A lean Newton matrix does not know of stiff forces. Where it still contracts it gets there, where it does not it says so,
/// and in between no garbage is returned; a full one has no difficulty.
#[test]
fn stiff_forces_diverge_with_a_lean_jacobian_and_do_not_with_a_full_one() {
    let patient = until(1e-10, 50);
    for c in [1.0, 10.0, 100.0, 150.0, 200.0, 300.0, 400.0, 1e3, 1e4, 1e6] {
        for iterations in [2, 3, 5] {
            let lean = viscous(Lean(RadauIIA::<3>), c, Fixed(iterations));
            println!("c = {c}, {iterations} iterations: {lean:?}");
            assert!(matches!(lean, Ok(()) | Err(Error::Diverged)), "{lean:?}");
            let full = viscous(RadauIIA::<3>, c, Fixed(iterations));
            assert_eq!(full, Ok(()), "c = {c}");
        }
        let lean = viscous(Lean(RadauIIA::<3>), c, patient);
        println!("c = {c}, patient: {lean:?}");
        assert_eq!(lean.is_ok(), c <= 200.0, "c = {c}: {lean:?}");
        assert_eq!(viscous(RadauIIA::<3>, c, patient), Ok(()), "c = {c}");
    }
    let lean = viscous(Lean(RadauIIA::<3>), 1e3, Fixed(2));
    assert_eq!(lean, Err(Error::Diverged));
}
