//! Mechanisms with known answers: the benchmark's pendulums and arm, the car axis, Andrews' squeezing mechanism.

use super::plants::Moves;
use nalgebra::DVector;
use stiffstep::manifold::free_motion;
use stiffstep::prelude::*;
use stiffstep_host_tests::benchmark::{P1_SOFT, P1_STIFF, P2, P4_SOFT, P4_STIFF};
use stiffstep_host_tests::figures::{assert_at_most, assert_order};
use stiffstep_host_tests::reference::{self, OfMechanism, Tableau, mechanical};
use stiffstep_host_tests::{Go, until};
use stiffstep_plants::andrews::{self, Andrews};
use stiffstep_plants::arm::{Arm, TORQUES};
use stiffstep_plants::car_axis::{self, CarAxis};
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};

type Start<const Q: usize> = ([f64; Q], [f64; Q]);

/// The state after `steps` steps of size `h`, with the same inputs all the time.
fn run<R: Real, M, Kind, const Q: usize, const L: usize, const U: usize>(
    model: M,
    method: impl Moves<M, Kind, R, Q, L, U>,
    (h, steps): (f64, u32),
    budget: impl Budget<R>,
    start: Start<Q>,
    input: [f64; U],
) -> Result<Motion<R, Q, L>, Error> {
    let vector = |x: [f64; Q]| Vector::from(x.map(R::from_f64));
    let start = (vector(start.0), vector(start.1));
    let mut plant = Simulation::new(model, method, R::from_f64(h), start)?.with_budget(budget);
    plant.input = Vector::from(input.map(R::from_f64));
    plant.go(steps)?;
    Ok(*plant.state())
}

/// The largest difference.
fn distance<R: Real, const N: usize>(x: &Vector<R, N>, expected: &[f64; N]) -> f64 {
    x.iter()
        .zip(expected)
        .map(|(x, e)| (x.to_f64() - e).abs())
        .fold(0.0, f64::max)
}

/// The largest errors of P1, over both stiffnesses, and of P2 with `iterations` a step.
fn pendulums<R: Real, A, B>(
    method: impl Moves<StiffPendulum<R>, A, R, 2, 1, 0> + Moves<RigidPendulum, B, R, 2, 1, 0>,
    iterations: u8,
) -> Result<[f64; 2], Error> {
    let level = ([1.0, 0.0], [0.0, 0.0]);
    let (second, budget) = ((0.01, 100), Fixed(iterations));
    let error = |at: Motion<R, 2, 1>, &[q1, q2, v1, v2]: &[f64; 4]| {
        distance(&at.q, &[q1, q2]).max(distance(&at.v, &[v1, v2]))
    };
    let mut p1 = 0.0_f64;
    for (eps, expected) in [(1e-3, &P1_SOFT), (1e-5, &P1_STIFF)] {
        let model = StiffPendulum::<R>::new(eps);
        let end = run(model, method, second, budget, level, [])?;
        p1 = p1.max(error(end, expected));
    }
    let p2 = error(run(RigidPendulum, method, second, budget, level, [])?, &P2);
    Ok([p1, p2])
}

#[test]
fn the_benchmarks_pendulums_meet_their_errors() -> Result<(), Error> {
    for iterations in [1, 2] {
        let what = |name: &str| format!("{name}, {iterations} iterations");
        let [p1, p2] = pendulums::<f32, _, _>(Lean(RadauIIA::<3>), iterations)?;
        assert_at_most(&what("f32 P1"), p1, 2e-7);
        assert_at_most(&what("f32 P2"), p2, 2e-7);
        let [p1, p2] = pendulums::<f32, _, _>(Projected(Lean(RadauIIA::<2>)), iterations)?;
        assert_at_most(&what("f32 P1, fast"), p1, 5e-6);
        assert_at_most(&what("f32 P2, fast"), p2, 5e-6);
    }
    let [p1, p2] = pendulums::<f64, _, _>(Lean(RadauIIA::<3>), 2)?;
    assert_at_most("f64 P1", p1, 1.2e-8);
    assert_at_most("f64 P2", p2, 4.8e-7);
    Ok(())
}

/// The largest error of P4 with two iterations.
fn arm<R: Real, Kind>(method: impl Moves<Arm<R>, Kind, R, 4, 2, 2>) -> Result<f64, Error> {
    let rest = ([0.0; 4], [0.0; 4]);
    let mut error = 0.0_f64;
    for (stiffness, expected) in [(1e5, P4_SOFT), (1e6, P4_STIFF)] {
        let model = Arm::<R>::new(stiffness);
        let at = run(model, method, (1e-3, 100), Fixed(2), rest, TORQUES)?;
        error = error.max(distance(&at.q, &expected));
    }
    Ok(error)
}

#[test]
fn the_benchmarks_arm_meets_its_errors() -> Result<(), Error> {
    let (two, three) = (RadauIIA::<2>, RadauIIA::<3>);
    // Dampers: nothing is projected there, and nothing is lost.
    let projected_2 = arm::<f64, _>(Projected(Lean(two)))?;
    let projected_3 = arm::<f64, _>(Projected(Lean(three)))?;
    for (what, error, most) in [
        ("f32, Radau 2, lean", arm::<f32, _>(Lean(two))?, 7e-7),
        ("f32, Radau 3, lean", arm::<f32, _>(Lean(three))?, 7e-7),
        ("f32, Radau 2, full", arm::<f32, _>(two)?, 7e-7),
        ("f32, Radau 3, full", arm::<f32, _>(three)?, 7e-7),
        ("f64, Radau 2, lean", arm::<f64, _>(Lean(two))?, 6.5e-7),
        ("f64, Radau 3, lean", arm::<f64, _>(Lean(three))?, 6.5e-7),
        ("f64, projected 2", projected_2, 6.5e-7),
        ("f64, projected 3", projected_3, 6.5e-7),
        ("f64, Radau 3, full", arm::<f64, _>(three)?, 6.5e-7),
    ] {
        assert_at_most(&format!("P4, {what}"), error, most);
    }
    Ok(())
}

/// The arm with torques that swing smoothly: the benchmark's start from rest is not resolved by any of its steps.
#[derive(Clone, Copy)]
struct Swinging<R>(Arm<R>);

mechanical! {
    impl [R: Real] Mechanical<R, 4, 2, 0> for Swinging<R>;
    joints(self) -> Damped<R, 2> { self.0.joints() }
    mass(self, q) -> Block<T, 2, 4> { self.0.mass(q) }
    force(self, t, q, v, _u) {
        let mut force = self.0.force(t, q, v, &Vector::from([R::ZERO; 2]));
        let swing = (t * R::from_f64(core::f64::consts::TAU)).cos();
        force[2] = swing * R::from_f64(-3.0) + R::from_f64(12.0);
        force[3] = swing * R::from_f64(-1.0) + R::from_f64(3.5);
        force
    }
    constraint(self, t, q) { self.0.constraint(t, q) }
    fn nominal(&self) -> Nominal<R, 4> {
        self.0.nominal()
    }
}

/// A second of the swinging arm, from rest with its joints strained as they are on the slow motion.
#[test]
fn a_swinging_arm_follows_the_reference() -> Result<(), Box<dyn std::error::Error>> {
    for stiffness in [1e5, 1e6] {
        let model = Swinging(Arm::<f64>::new(stiffness));
        let rest = Vector::from([0.0; 4]);
        let slow = free_motion(&model, 0.0, &rest, &rest, &[].into())?;
        let strain = slow.lambda / stiffness;
        let start: Start<4> = ([0.0, 0.0, strain[0], strain[1]], [0.0; 4]);

        let mechanism = OfMechanism {
            model: &model,
            input: [].into(),
            multiplier: 10.0,
        };
        let expected = mechanical::integrate(
            &mechanism,
            &Tableau::radau_iia(5),
            &reference::Motion {
                q: DVector::from_row_slice(&start.0),
                v: DVector::from_row_slice(&start.1),
                lambda: DVector::from_row_slice(slow.lambda.as_slice()),
            },
            5e-3,
            200,
        )?;
        let expected: [f64; 4] = core::array::from_fn(|n| expected.q[n]);
        let error = |end: Motion<f64, 4, 2>| distance(&end.q, &expected);
        let what = format!("K = {stiffness}");
        let lean = Lean(RadauIIA::<3>);
        let coarse = error(run(model, lean, (5e-3, 200), TIGHT, start, [])?);
        assert_at_most(&format!("{what}, h = 5e-3"), coarse, 1e-8);
        let fine = error(run(model, lean, (2.5e-3, 400), TIGHT, start, [])?);
        assert_order(&what, coarse, fine, 5.0, 0.5);
        let quick = error(run(model, lean, (1e-3, 1000), Fixed(2), start, [])?);
        assert_at_most(&format!("{what}, h = 1e-3, quick"), quick, 5e-9);
        let single = Swinging(Arm::<f32>::new(stiffness));
        let single = run(single, lean, (1e-3, 1000), Fixed(2), start, [])?;
        let error = distance(&single.q, &expected);
        assert_at_most(&format!("{what}, h = 1e-3, f32"), error, 5e-7);
    }
    Ok(())
}

const TIGHT: Until<f64> = until(1e-11, 30);

/// Errors of q, v and lambda at the end of the car axis' three seconds.
fn car_axis<Kind>(
    method: impl Moves<CarAxis<f64>, Kind, f64, 4, 2, 0>,
    steps: u32,
) -> Result<[f64; 3], Error> {
    let (model, h) = (CarAxis::<f64>::default(), 3.0 / f64::from(steps));
    let at = run(model, method, (h, steps), TIGHT, car_axis::START, [])?;
    Ok([
        distance(&at.q, &car_axis::END_Q),
        distance(&at.v, &car_axis::END_V),
        distance(&at.lambda, &car_axis::END_LAMBDA),
    ])
}

/// Errors of q, v and lambda of Andrews' mechanism at t = 0.03.
fn andrews<Kind>(
    method: impl Moves<Andrews<f64>, Kind, f64, 7, 6, 0>,
    steps: u32,
) -> Result<[f64; 3], Error> {
    let (model, h) = (Andrews::<f64>::default(), 0.03 / f64::from(steps));
    let start = (andrews::START, [0.0; 7]);
    let at = run(model, method, (h, steps), TIGHT, start, [])?;
    Ok([
        distance(&at.q, &andrews::END_Q),
        distance(&at.v, &andrews::END_V),
        distance(&at.lambda, &andrews::END_LAMBDA),
    ])
}

/// Errors with so many steps, and with twice as many.
fn halved(
    errors: impl Fn(u32) -> Result<[f64; 3], Error>,
    steps: u32,
) -> Result<[[f64; 3]; 2], Error> {
    Ok([errors(steps)?, errors(2 * steps)?])
}

/// Asserts orders of q, v and lambda, where they are given, and the error of q at the finer step.
fn assert_orders(
    what: &str,
    [coarse, fine]: [[f64; 3]; 2],
    orders: [Option<f64>; 3],
    reached: f64,
) {
    for (k, name) in ["q", "v", "lambda"].into_iter().enumerate() {
        if let Some(order) = orders[k] {
            assert_order(&format!("{what}, {name}"), coarse[k], fine[k], order, 0.3);
        }
    }
    assert_at_most(&format!("{what}, q"), fine[0], reached);
}

/// v of Radau 2 does what q does, one better than its theorem, at any step that a board would take; v and lambda of the others need
/// small steps to settle.
#[test]
fn the_car_axis_converges() -> Result<(), Error> {
    let two = |n| halved(|n| car_axis(RadauIIA::<2>, n), n);
    let three = |n| halved(|n| car_axis(RadauIIA::<3>, n), n);
    let projected = |n| halved(|n| car_axis(Projected(RadauIIA::<3>), n), n);
    let five = |n| halved(|n| car_axis(RadauIIA::<5>, n), n);
    let orders = |q, v, lambda| [Some(q), Some(v), Some(lambda)];
    for (what, runs, orders, reached) in [
        ("Radau 2", two(1200)?, orders(3.0, 3.0, 1.0), 7e-6),
        ("Radau 3", three(2400)?, orders(5.0, 3.0, 2.0), 7e-12),
        ("projected", projected(600)?, orders(5.0, 5.0, 2.3), 7e-9),
        ("Radau 5", five(150)?, [Some(9.0), None, None], 7e-12),
        // Where q is rounding.
        ("Radau 5", five(600)?, [None, Some(5.2), Some(4.2)], 7e-13),
    ] {
        assert_orders(what, runs, orders, reached);
    }
    Ok(())
}

#[test]
fn andrews_mechanism_converges() -> Result<(), Error> {
    let two = halved(|n| andrews(RadauIIA::<2>, n), 4800)?;
    let three = halved(|n| andrews(RadauIIA::<3>, n), 300)?;
    let projected = halved(|n| andrews(Projected(RadauIIA::<3>), n), 300)?;
    for (what, runs, orders, reached) in [
        ("Radau 2", two, [3.0, 2.0, 1.0], 8e-9),
        ("Radau 3", three, [5.0, 3.0, 2.0], 8e-8),
        ("projected", projected, [5.0, 5.0, 2.0], 4e-8),
    ] {
        assert_orders(what, runs, orders.map(Some), reached);
    }
    assert_at_most("Radau 5, q", andrews(RadauIIA::<5>, 150)?[0], 1e-9);
    Ok(())
}
