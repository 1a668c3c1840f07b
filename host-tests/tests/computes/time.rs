//! Time in single precision: a model that says its period sees the same phases after an hour, after 2^24 steps and after 1e9
//! periods as in its first one, with fixed and adaptive steps, events and snapshots; and one that does not say it still moves.

use super::plants::rising;
use std::cell::Cell;
use stiffstep::Error;
use stiffstep::drive::After;
use stiffstep::memory::{Load, Memory, Save, Words};
use stiffstep::prelude::*;
use stiffstep::step::FirstOrderStepper;
use stiffstep_host_tests::Go;

/// A damped pendulum whose pivot moves sideways, once a second. `PERIODIC`: it says so.
#[derive(Clone, Copy)]
struct Moving<R, const PERIODIC: bool> {
    omega: R,
    stroke: R,
}

impl<R: Real, const PERIODIC: bool> Moving<R, PERIODIC> {
    fn new() -> Self {
        Moving {
            omega: R::from_f64(core::f64::consts::TAU),
            stroke: R::from_f64(0.1),
        }
    }
}

mechanical! {
    impl [R: Real, const PERIODIC: bool] Mechanical<R, 2, 1, 0> for Moving<R, PERIODIC>;
    joints(self) -> Rigid { Rigid }
    force(self, _t, _q, v, _u) {
        let drag = R::from_f64(-0.5);
        [v[0] * drag, v[1] * drag + R::from_f64(-9.81)]
    }
    constraint(self, t, q) {
        let x = q[0] - (t * self.omega).sin() * self.stroke;
        [(x * x + q[1] * q[1]).sqrt() - R::ONE]
    }
    fn period(&self) -> Option<R> {
        PERIODIC.then_some(R::ONE)
    }
}

/// The step of the shipped plants, as single precision has it.
const STEP: f32 = 1e-3;

/// The largest error of the pivot's force within `steps` steps that begin after `late` ones, against double precision, and
/// how many steps did not converge.
fn force_error<const PERIODIC: bool>(late: u64, steps: u32) -> (f64, u32) {
    let single = Moving::<f32, PERIODIC>::new();
    let double = Moving::<f64, true>::new();
    let method = Lean(RadauIIA::<3>);
    let start = ([0.0, -1.0].into(), [0.628, 0.0].into());
    let exact = Simulation::new(double, method, f64::from(STEP), start).unwrap();
    let mut exact = exact.with_steps(late);
    // Hanging below its pivot and moving along.
    let (sin, cos) = (exact.model_time() * double.omega).sin_cos();
    let (q, v) = ([0.1 * sin, -1.0], [0.1 * double.omega * cos, 0.0]);
    let along = exact.restart(|_, at| (at.q, at.v) = (q.into(), v.into()));
    along.unwrap();
    let start = ([0.0, -1.0].into(), [0.628, 0.0].into());
    let plant = Simulation::new(single, method, STEP, start).unwrap();
    let mut plant = plant.with_steps(late);
    let (q, v) = (q.map(|q| q as f32), v.map(|v| v as f32));
    let along = plant.restart(|_, at| (at.q, at.v) = (q.into(), v.into()));
    along.unwrap();
    let (mut worst, mut poor) = (0.0_f64, 0);
    for _ in 0..steps {
        let report = plant.step().unwrap();
        exact.step().unwrap();
        poor += u32::from(report.outcome != Outcome::Converged);
        let error = f64::from(plant.state().lambda[0]) - exact.state().lambda[0];
        worst = worst.max(error.abs());
    }
    (worst, poor)
}

#[test]
fn a_moving_pivot_keeps_its_phase() {
    for late in [0, 3_600_000, 1 << 24, 1_000_000_000_000] {
        let (error, poor) = force_error::<true>(late, 20_000);
        println!("after {late} steps: {error:.1e} N of 10 N");
        assert_eq!(poor, 0, "after {late} steps");
        assert!(error < 1e-3, "after {late} steps: {error} N of 10 N");
    }
}

/// What the period is for.
#[test]
fn a_moving_pivot_without_a_period_loses_it() {
    let (error, _) = force_error::<false>(3_600_000, 20_000);
    println!("an hour without a period: {error:.1e} N");
    assert!(error > 0.05, "{error}");
}

/// One hour, step by step.
#[test]
#[ignore = "takes a minute"]
fn a_moving_pivot_keeps_its_phase_for_an_hour() {
    let (error, poor) = force_error::<true>(0, 3_600_000);
    println!("an hour: {error:.1e} N of 10 N");
    assert_eq!(poor, 0);
    assert!(error < 1e-3, "{error} N of 10 N");
}

/// A sled on a conveyor, which holds it by a constraint that moves on for ever.
#[derive(Clone, Copy)]
struct Conveyor;

mechanical! {
    impl [] Mechanical<f32, 1, 1, 0> for Conveyor;
    joints(self) -> Rigid { Rigid }
    force(self, _t, _q, v, _u) { [v[0] * -1000.0] }
    constraint(self, t, q) { [q[0] - t * 1e-3] }
}

/// Beyond 2^24 steps the clock of single precision shows the same time for whole steps. What a constraint moves by within a step
/// does not depend on that: the conveyor goes on, at its speed and with its force.
#[test]
fn motion_within_a_step_outlasts_the_clock() {
    let late = (1 << 24) + 1;
    let start = ([0.0].into(), [1e-3].into());
    let mut sled = Simulation::new(Conveyor, RadauIIA::<3>, STEP, start)
        .unwrap()
        .with_steps(late);
    let t = sled.time();
    sled.restart(|_, at| at.q = [t * 1e-3].into()).unwrap();
    let (began, mut still, mut last) = (sled.state().q[0], 0, t);
    for _ in 0..100_000 {
        sled.step().unwrap();
        still += u32::from(sled.time() == last);
        last = sled.time();
        // The belt pulls with what the drag takes: the multiplier acts against the growth of q - s.
        let force = sled.state().lambda[0];
        assert!((force + 1.0).abs() < 1e-3, "{force}");
    }
    assert!(still > 1000, "the clock stood still {still} times");
    let moved = sled.state().q[0] - began;
    assert!((moved - 0.1).abs() < 1e-4, "{moved}");
}

/// x' = sin(2 pi t / P) - x, with a time that is never far outside its period.
#[derive(Clone, Copy)]
struct Lag {
    period: f32,
}

impl FirstOrder<f32, 1, 0> for Lag {
    type Mass = Unit;
    fn rhs<T: Scalar<f32>>(&self, t: T, x: &Vector<T, 1>, _u: &Vector<f32, 0>) -> Vector<T, 1> {
        assert!(t.value() >= -0.25 * self.period && t.value() <= 1.25 * self.period);
        [(t * (core::f32::consts::TAU / self.period)).sin() - x[0]].into()
    }
    fn period(&self) -> Option<f32> {
        Some(self.period)
    }
}

impl Memory for Lag {
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.period.visit(words);
    }
}

/// Where it is in the long run.
fn steady(t: f64, period: f64) -> f64 {
    let omega = core::f64::consts::TAU / period;
    let (sin, cos) = (omega * t).sin_cos();
    (sin - omega * cos) / (1.0 + omega * omega)
}

type Plant = Simulation<FirstOrderStepper<f32, Lag, RadauIIA<3>, 1, 0, 3>>;

fn lag(h: f32) -> Plant {
    Simulation::new(Lag { period: 1.0 }, RadauIIA::<3>, h, [0.0].into()).unwrap()
}

#[test]
fn adaptive_steps_keep_the_phase() {
    let mut plant =
        Adaptive::new(Lag { period: 1.0 }, RadauIIA::<3>, 1e-5, 1e-3, [0.0].into()).unwrap();
    plant.longest = 0.1;
    let end = 2000.25;
    plant.run_to(end).unwrap();
    assert_eq!(plant.time(), end);
    let phase = plant.model_time();
    assert!((phase - 0.25).abs() < 1e-6, "{phase}");
    let error = (f64::from(plant.state()[0]) - steady(0.25, 1.0)).abs();
    assert!(error < 5e-5, "{error}");
}

/// Half a step does not divide the period, and the phase goes on where it was.
#[test]
fn another_step_size_keeps_the_phase() {
    let mut plant = lag(1.0 / 1024.0);
    plant.go(1536).unwrap();
    plant.set_h(1.0 / 4096.0).unwrap();
    plant.go(1024).unwrap();
    assert_eq!((plant.time(), plant.model_time()), (1.75, 0.75));
}

/// The signal rises through zero: five times in five periods.
#[test]
fn events_see_the_phase() {
    use core::f32::consts::TAU;
    let count = Cell::new(0);
    let watch = || {
        rising::<f32, Lag, Vector<f32, 1>, _, _>(
            |t, model, _| {
                assert!((-0.25..=1.25).contains(&t));
                (t * (TAU / model.period) - 1.0).sin()
            },
            |t, _, _| {
                assert!((t * TAU - 1.0).abs() < 1e-4, "{t}");
                count.update(|n| n + 1);
                After::GoOn
            },
        )
    };
    let mut plant = lag(1e-2).with_steps(1 << 25);
    let mut rises = watch();
    for _ in 0..500 {
        plant.step_with(&mut rises).unwrap();
    }
    assert_eq!(count.replace(0), 5);

    let mut plant =
        Adaptive::new(Lag { period: 1.0 }, RadauIIA::<3>, 1e-4, 1e-3, [0.0].into()).unwrap();
    plant.longest = 0.1;
    assert_eq!(plant.run_with(&mut watch(), 5.0), Ok(None));
    assert_eq!(count.get(), 5);
}

#[test]
fn snapshots_keep_the_phase() {
    let mut plant = lag(1e-3).with_steps(1_000_000_007);
    plant.go(100).unwrap();
    let mut words = [0; 64];
    let mut save = Save::new(&mut words);
    plant.visit(&mut save);
    let count = save.complete().unwrap();
    let run = |plant: &mut Plant| {
        plant.go(3000).unwrap();
        (plant.model_time().to_bits(), plant.state()[0].to_bits())
    };
    let first = run(&mut plant);
    let mut load = Load::new(&words[..count]);
    plant.visit(&mut load);
    assert!(load.complete());
    assert_eq!(run(&mut plant), first);
}

#[test]
fn a_period_must_be_positive_and_finite() {
    for period in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let model = Lag { period };
        let fixed = Simulation::new(model, RadauIIA::<3>, 1e-3, [0.0].into());
        assert_eq!(fixed.err(), Some(Error::Period));
        let free = Adaptive::new(model, RadauIIA::<3>, 1e-4, 1e-3, [0.0].into());
        assert_eq!(free.err(), Some(Error::Period));
        let mut plant = lag(1e-3);
        let refused = plant.change(|model| model.period = period);
        assert_eq!(refused, Err(Error::Period));
        assert_eq!(plant.model().period, 1.0);
        plant.step().unwrap();
    }
}
