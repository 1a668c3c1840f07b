//! The Newton iteration of the mechanical step: it solves the textbook's equations, with matrices that contract whatever the
//! stiffness of its joints, in as many iterations as published.

use core::marker::PhantomData;
use nalgebra::DVector;
use stiffstep::method::{Modes, Stages};
use stiffstep::prelude::*;
use stiffstep_host_tests::figures::{assert_at_most, assert_figure};
use stiffstep_host_tests::newton_matrices::{NewtonMatrix, SolvedStep};
use stiffstep_host_tests::pendulum::{STIFF_20, State, StiffRun, TIGHT, errors, level};
use stiffstep_host_tests::reference::{self, OfMechanism, Tableau, mechanical};
use stiffstep_plants::arm::{Arm, TORQUES};
use stiffstep_plants::car_axis::{self, CarAxis};
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};

type Failure = Box<dyn std::error::Error>;

/// A run of the core beside one of the reference.
struct Beside<const Q: usize, const U: usize> {
    start: (Vector<f64, Q>, Vector<f64, Q>),
    input: Vector<f64, U>,
    /// How large multipliers are.
    multiplier: f64,
    h: f64,
}

impl<const Q: usize, const U: usize> Beside<Q, U> {
    /// Steps both side by side, each from its own last state, and answers the largest differences in q, h v and
    /// h^2 lambda: rounding of a position, over h, is rounding of a velocity.
    fn distance<const S: usize, const L: usize, M>(&self, model: M) -> Result<f64, Failure>
    where
        M: Mechanical<f64, Q, L, U> + Copy,
        Stages<S>: Modes,
    {
        let h = self.h;
        let mut core = Simulation::new(model, RadauIIA::<S>, h, self.start)?.with_budget(TIGHT);
        core.input = self.input;
        let mechanism = OfMechanism {
            model: &model,
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
    fn assert_same<const L: usize, M>(&self, what: &str, model: M) -> Result<(), Failure>
    where
        M: Mechanical<f64, Q, L, U> + Copy,
    {
        // A^-2 amplifies the rounding of a stage's position: by 800 with five stages.
        for (s, distance, rounding) in [
            (1, self.distance::<1, L, M>(model)?, 1e-13),
            (2, self.distance::<2, L, M>(model)?, 2e-13),
            (3, self.distance::<3, L, M>(model)?, 2e-13),
            (5, self.distance::<5, L, M>(model)?, 1e-12),
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
    pendulum.assert_same("rigid pendulum", RigidPendulum)?;
    for eps in [1e-1, 1e-3, 1e-5] {
        let what = format!("pendulum with eps = {eps}");
        pendulum.assert_same(&what, StiffPendulum::<f64>::new(eps))?;
    }
    let arm = Beside {
        start: ([0.0; 4].into(), [0.0; 4].into()),
        input: TORQUES.into(),
        multiplier: 10.0,
        h: 0.01,
    };
    for stiffness in [1e2, 1e5] {
        let what = format!("arm with K = {stiffness}");
        arm.assert_same(&format!("{what}, full"), Arm::<f64, Full>::new(stiffness))?;
        arm.assert_same(&format!("{what}, lean"), Arm::<f64, Lean>::new(stiffness))?;
    }
    let car = Beside {
        start: (car_axis::START.0.into(), car_axis::START.1.into()),
        input: [].into(),
        multiplier: 1e-2,
        h: 0.01,
    };
    car.assert_same("car axis", CarAxis::<f64>::default())
}

/// The smooth start at t = 1, for the experiments with Newton matrices.
const AT_1: [(f64, State); 3] = [
    (
        1e-3,
        [
            0.879_549_671_911_076_4,
            -0.475_810_077_124_836_75,
            -0.464_154_161_024_666_8,
            -0.858_008_759_576_775_6,
            1.427_425_193_844_108,
        ],
    ),
    (
        1e-4,
        [
            0.879_548_147_806_931_4,
            -0.475_809_924_484_547_73,
            -0.464_157_326_872_654_8,
            -0.858_008_044_545_021,
            1.427_429_723_078_088_4,
        ],
    ),
    (
        1e-5,
        [
            0.879_548_132_565_839_6,
            -0.475_809_922_958_139_06,
            -0.464_157_358_531_210_6,
            -0.858_008_037_394_669,
            1.427_429_768_370_661_6,
        ],
    ),
];

/// Lemma 8.1 of Lubich.
#[test]
fn newton_matrices_contract_as_lubich_says() -> Result<(), Failure> {
    let method = Tableau::radau_iia(3);
    for (eps, h, published) in [
        (1e-3, 0.1, [2.70, 0.64, 0.087]),
        (1e-4, 0.05, [13.6, 0.95, 0.043]),
        (1e-5, 0.01, [2.56, 0.64, 0.0084]),
        (1e-5, 0.1, [2.2e4, 1.0, 0.087]),
    ] {
        for (_, start) in AT_1.iter().filter(|(e, _)| *e == eps) {
            let step = SolvedStep::new(&method, eps, start, h)?;
            let rate = |matrix| step.contraction(&method, matrix);
            let j0 = rate(NewtonMatrix::J0)?;
            let multiplier = rate(NewtonMatrix::Multiplier)?;
            let at = format!("eps = {eps}, h = {h}");
            assert_figure(&format!("{at}, J0"), j0, published[0]);
            assert_figure(&format!("{at}, J1"), rate(NewtonMatrix::J1)?, published[1]);
            assert_figure(&format!("{at}, (8.4)"), multiplier, published[2]);
            // With the rigid stages nothing is left but what eps^2 moves them, at the price of computing them first.
            assert_at_most(&format!("{at}, J2"), rate(NewtonMatrix::J2)?, 0.2 * h * h);
            // The curvature of h = 0.1 shows in the third digit.
            assert!((multiplier / (0.84 * h) - 1.0).abs() < 0.05, "{multiplier}");
            assert!(j0 > 1.0, "{at}: J0 converges");
        }
    }
    Ok(())
}

#[test]
fn a_smooth_start_is_followed_as_published() -> Result<(), Error> {
    for (s, run, published) in [
        (
            3,
            StiffRun::new(RadauIIA::<3>, 0.0, TIGHT)?,
            [2.9e-11, 8.7e-11, 8.5e-8, 6.5, 10.0],
        ),
        (
            2,
            StiffRun::new(RadauIIA::<2>, 0.0, TIGHT)?,
            [2.0e-6, 6.1e-6, 1.2e-5, 5.8, 7.0],
        ),
    ] {
        assert_eq!(run.steps, StiffRun::STEPS);
        let [q, v, _] = errors(&run.end, &STIFF_20);
        assert_figure(&format!("Radau {s}, energy"), run.deviation(), published[0]);
        assert_figure(&format!("Radau {s}, q"), q, published[1]);
        assert_figure(&format!("Radau {s}, v"), v, published[2]);
        // Fewer than published: ours start from the last step's polynomial and have the Jacobian half a step ahead.
        assert_at_most(&format!("Radau {s}, mean"), run.mean, published[3] + 1.5);
        assert_at_most(&format!("Radau {s}, most"), run.most.into(), published[4]);
    }
    Ok(())
}

/// A start off the slow manifold: the spring's energy of 0.5 is gone after two steps. The first one needs four iterations
/// if it starts from the multiplier of the slow motion, and 27 from the spring's own of 1e5.
#[test]
fn a_perturbed_start_calms_down_as_published() -> Result<(), Error> {
    let model = StiffPendulum::<f64>::new(1e-5);
    let (mut q, v) = level();
    q[0] += 1e-5;
    let mut pendulum = Simulation::new(model, RadauIIA::<3>, 0.01, (q, v))?.with_budget(TIGHT);
    assert_figure("energy at the start", model.energy(pendulum.state()), 0.5);
    for (step, published) in [(1, 4.500e-6), (2, -2.595e-10)] {
        let iterations = pendulum.step()?.iterations;
        let energy = model.energy(pendulum.state());
        // Four digits, as published: the second one is far above the rounding of an energy of 0.5, too.
        println!("step {step}: {iterations} iterations, energy {energy:.4e}");
        assert!((energy / published - 1.0).abs() < 1e-3, "{energy:e}");
        assert!(iterations <= 4, "{iterations} iterations");
    }
    Ok(())
}

/// The iterations of each of 100 steps to t = 1.
fn iterations<R, P>(pendulum: Simulation<P>, tolerance: R) -> Result<Vec<u8>, Error>
where
    R: Real,
    P: Stepper<Real = R>,
{
    let mut pendulum = pendulum.with_budget(Until { tolerance, max: 30 });
    (0..100)
        .map(|_| pendulum.step().map(|report| report.iterations))
        .collect()
}

/// The same step takes the same number of iterations, whatever the stiffness.
fn assert_independent<R: Real>(tolerance: R, expected: u8) -> Result<(), Error> {
    let h = R::from_f64(0.01);
    let rigid = iterations(
        Simulation::new(RigidPendulum, RadauIIA::<3>, h, level())?,
        tolerance,
    )?;
    assert_eq!(rigid, [expected; 100], "rigid");
    for eps in [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7] {
        let pendulum = StiffPendulum::<R>::new(eps);
        let stiff = Simulation::new(pendulum, RadauIIA::<3>, h, level())?;
        assert_eq!(iterations(stiff, tolerance)?, rigid, "eps = {eps}");
    }
    Ok(())
}

#[test]
fn stiffness_costs_no_iterations() -> Result<(), Error> {
    assert_independent(1e-9_f64, 2)?;
    assert_independent(1e-6_f32, 1)
}

/// Down to the last digits, too: from eps = 1e-4 on the pendulum is rigid as far as the iteration can see.
#[test]
fn stiffness_costs_no_digits() -> Result<(), Error> {
    let counts = |eps: f64| {
        let pendulum = StiffPendulum::<f64>::new(eps);
        iterations(
            Simulation::new(pendulum, RadauIIA::<3>, 0.01, level())?,
            1e-12,
        )
        .map(|counts| counts.into_iter().map(u32::from).sum::<u32>())
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
#[derive(Clone, Copy)]
struct Viscous<J> {
    c: f64,
    jacobian: PhantomData<J>,
}

impl<J: Jacobian> Mechanical<f64, 2, 1, 0> for Viscous<J> {
    type Joints = Rigid;
    type Mass<T: Scalar<f64>> = Unit;
    type Jacobian = J;
    fn joints(&self) -> Rigid {
        Rigid
    }
    fn mass<T: Scalar<f64>>(&self, _q: &Vector<T, 2>) -> Unit {
        Unit
    }
    fn force<T: Scalar<f64>>(
        &self,
        _t: T,
        _q: &Vector<T, 2>,
        v: &Vector<T, 2>,
        _u: &Vector<f64, 0>,
    ) -> Vector<T, 2> {
        [v[0] * -self.c + 1.0, v[1] * -self.c].into()
    }
    fn constraint<T: Scalar<f64>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        [q[1]].into()
    }
}

/// A second of the viscous mass, or the error that ended it. Whatever a step accepts is near the solution: as near as the
/// method's error of its own, a tenth of the start, and what the step says it lacks allow.
fn viscous<J: Jacobian>(c: f64, budget: impl Budget<f64>) -> Result<(), Error> {
    let model = Viscous::<J> {
        c,
        jacobian: PhantomData,
    };
    let start = ([0.0; 2].into(), [0.5, 0.0].into());
    let mut mass = Simulation::new(model, RadauIIA::<3>, 0.01, start)?.with_budget(budget);
    let mut lacks = 0.0;
    for _ in 0..100 {
        lacks += mass.step()?.defect;
        let exact = 1.0 / c + (0.5 - 1.0 / c) * (-c * mass.time()).exp();
        let error = (mass.state().v[0] - exact).abs();
        assert!(error <= 0.05 + 2.0 * lacks, "c = {c}: {error:e}, {lacks:e}");
        assert!(error < 2.0, "c = {c}: {error:e} was accepted");
    }
    Ok(())
}

/// A lean Jacobian does not know of stiff forces. Where it still contracts it gets there, where it does not it says so,
/// and in between no garbage is returned; a full one has no difficulty.
#[test]
fn stiff_forces_diverge_with_a_lean_jacobian_and_do_not_with_a_full_one() {
    let patient = Until {
        tolerance: 1e-10,
        max: 50,
    };
    for c in [1.0, 10.0, 100.0, 150.0, 200.0, 300.0, 400.0, 1e3, 1e4, 1e6] {
        for iterations in [2, 3, 5] {
            let lean = viscous::<Lean>(c, Fixed(iterations));
            println!("c = {c}, {iterations} iterations: {lean:?}");
            assert!(matches!(lean, Ok(()) | Err(Error::Diverged)), "{lean:?}");
            assert_eq!(viscous::<Full>(c, Fixed(iterations)), Ok(()), "c = {c}");
        }
        let lean = viscous::<Lean>(c, patient);
        println!("c = {c}, patient: {lean:?}");
        assert_eq!(lean.is_ok(), c <= 200.0, "c = {c}: {lean:?}");
        assert_eq!(viscous::<Full>(c, patient), Ok(()), "c = {c}");
    }
    assert_eq!(viscous::<Lean>(1e3, Fixed(2)), Err(Error::Diverged));
}
