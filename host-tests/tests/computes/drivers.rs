//! The drivers: what they keep from step to step, and what a step that fails leaves behind.

use super::plants::{Line, falling};
use stiffstep::drive::{After, Crossing, Events, Watch};
use stiffstep::prelude::*;
use stiffstep::step::FirstOrderStepper;

/// x' = u - x, which may say that it has a period.
#[derive(Clone, Copy)]
struct Lag<R> {
    period: Option<R>,
}

impl<R: Real> FirstOrder<R, 1, 1> for Lag<R> {
    type Mass = Unit;
    const AFFINE: bool = true;
    fn rhs<T: Scalar<R>>(&self, _t: T, x: &Vector<T, 1>, u: &Vector<R, 1>) -> Vector<T, 1> {
        [-x[0] + u[0]].into()
    }
    fn period(&self) -> Option<R> {
        self.period
    }
}

type Value<R> = Vector<R, 1>;
type Lagging<R> = FirstOrderStepper<R, Lag<R>, RadauIIA<3>, 1, 1, 3>;

/// A lag that begins at one, with steps that a tolerance chooses.
fn lag<R: Real>(
    period: Option<R>,
    tolerance: f64,
    first: f64,
) -> Result<Adaptive<Lagging<R>>, Error> {
    let [tolerance, first] = [tolerance, first].map(R::from_f64);
    Adaptive::new(
        Lag { period },
        RadauIIA::<3>,
        tolerance,
        first,
        [R::ONE].into(),
    )
}

/// Steps of half a second, after the first of them: no tolerance holds them back.
fn coarse() -> Result<Adaptive<Lagging<f64>>, Error> {
    let mut plant = lag(None, 1e-2, 0.5)?.with_absolute([1e3].into())?;
    plant.longest = 0.5;
    plant.step()?;
    Ok(plant)
}

/// A step up to an event begins where a longer one did, whose size the stepper had.
#[test]
fn a_step_to_an_event_has_factors_of_its_own() -> Result<(), Error> {
    let mut plant = coarse()?;
    plant.longest = 1.0;
    let mut watch = falling(
        |t, _: &Lag<f64>, _: &Value<f64>| 1.0 - t,
        |_, _, _| After::GoOn,
    );
    assert_eq!(plant.run_with(&mut watch, 1.1)?, None);
    let missed = plant.state()[0] - (-1.1_f64).exp();
    assert!(missed.abs() < 1e-3, "{missed:e}");
    Ok(())
}

#[test]
fn an_event_that_fails_leaves_no_factors_of_another_step() -> Result<(), Error> {
    let mut plant = coarse()?;
    let mut watch = falling(
        |t, _: &Lag<f64>, _: &Value<f64>| 0.75 - t,
        |_, _, x| {
            x[0] = f64::INFINITY;
            After::GoOn
        },
    );
    assert_eq!(
        plant.run_with(&mut watch, 1.0),
        Err(Error::Start { index: 0 })
    );
    plant.step()?;
    let missed = plant.state()[0] - (-plant.time()).exp();
    assert!(missed.abs() < 1e-3, "{missed:e} at {}", plant.time());
    Ok(())
}

/// Time is finer than what it shows: 1e-4 s go on after 10,000 s of single precision, which resolve 1e-3 s.
#[test]
fn a_run_with_events_gets_to_its_end() -> Result<(), Error> {
    let mut plant = lag::<f32>(None, 1e-3, 1e-4)?.starting_at(1e4)?;
    let mut never = falling(
        |_, _: &Lag<f32>, _: &Value<f32>| 1.0_f32,
        |_, _, _| After::Stop,
    );
    assert_eq!(plant.run_with(&mut never, 10_008.0)?, None);
    assert_eq!(plant.time(), 10_008.0);
    Ok(())
}

/// A mass on a rail: what pulls along it and across it makes its acceleration and the rail's force.
fn on_a_rail() -> (Line<f64, Rigid, 2, 1, 1>, (Vector<f64, 2>, Vector<f64, 2>)) {
    let mut rail = Line::of(Rigid);
    (rail.input, rail.constraint) = ([[1.0], [1.0]], [[0.0, 1.0]]);
    (rail, ([0.0; 2].into(), [0.0; 2].into()))
}

/// Accelerations and forces of new inputs are there after the first step with them, not after one that was not taken.
#[test]
fn a_step_that_fails_leaves_accelerations_and_forces() -> Result<(), Error> {
    let run = |fails: bool| {
        let (rail, start) = on_a_rail();
        let mut plant = Adaptive::new(rail, Projected(RadauIIA::<3>), 1e-6, 1e-3, start)?;
        plant.input = [1.0].into();
        plant.run_to(0.5)?;
        let (before, longest) = (*plant.state(), plant.longest);
        if fails {
            (plant.input, plant.longest) = ([2.0].into(), 0.0);
            assert_eq!(plant.step(), Err(Error::StepTooSmall));
            assert_eq!((*plant.state(), plant.time()), (before, 0.5));
            (plant.input, plant.longest) = ([1.0].into(), longest);
        }
        plant.run_to(1.0)?;
        Ok::<_, Error>(*plant.state())
    };
    assert_eq!(run(true)?, run(false)?);
    Ok(())
}

/// x' = (1 - 2 t) u: there and back.
#[derive(Clone, Copy)]
struct Push;

impl FirstOrder<f64, 1, 1> for Push {
    type Mass = Unit;
    fn rhs<T: Scalar<f64>>(&self, t: T, _x: &Vector<T, 1>, u: &Value<f64>) -> Vector<T, 1> {
        [(t * -2.0 + 1.0) * u[0]].into()
    }
}

/// A step up is looked at, and its event is found, but there is no time to step there. A step down, tried next, has none.
#[test]
fn a_step_that_fails_before_any_event_leaves_its_watch() -> Result<(), Error> {
    for fails in [false, true] {
        let mut plant = Simulation::new(Push, RadauIIA::<3>, 1.5, [0.0].into())?;
        let mut watch = falling(|_, _: &Push, x: &Value<f64>| x[0], |_, _, _| After::GoOn);
        if fails {
            plant.input = [1.0].into();
            let mut left = 2;
            let expired = || {
                left -= 1;
                left < 0
            };
            let mut budget = Deadline { max: 2, expired };
            let stepped = plant.step_with_within(&mut watch, &mut budget);
            assert_eq!(stepped.err(), Some(Error::Budget));
            assert_eq!((plant.time(), plant.state()[0]), (0.0, 0.0));
        }
        plant.input = [-1.0].into();
        plant.set_h(0.5)?;
        let events = plant.step_with(&mut watch)?.events;
        assert_eq!(events, 0, "after a failure: {fails}");
    }
    Ok(())
}

/// An hour of steps of 1 ms whose size is set before each: to what it is, and to one of two. A sum of single precision would be off by 70 s.
#[test]
fn no_time_is_lost_by_setting_the_step() -> Result<(), Error> {
    for (sizes, end) in [([1e-3, 1e-3], 3600.0), ([1e-3, 5e-4], 2700.0)] {
        let start = [1.0_f32].into();
        let mut plant = Simulation::new(Lag { period: None }, RadauIIA::<3>, 1e-3, start)?;
        for h in sizes.iter().cycle().take(3_600_000) {
            plant.set_h(*h)?;
            plant.step()?;
        }
        let missed = plant.time() - end;
        assert!(missed.abs() < 1e-3, "{sizes:?}: {missed} s");
    }
    Ok(())
}

/// The clock goes on where a step of the same size is set, and a size that is none is refused as ever.
#[test]
fn the_same_step_is_no_other_step() -> Result<(), Error> {
    let start = [1.0].into();
    let mut plant = Simulation::new(Lag { period: None }, RadauIIA::<3>, 0.1, start)?;
    for _ in 0..3 {
        plant.step()?;
    }
    plant.set_h(0.1)?;
    assert_eq!((plant.steps(), plant.time()), (3, 3.0 * 0.1));
    assert_eq!(plant.set_h(f64::NAN), Err(Error::StepSize));
    Ok(())
}

/// Before time zero, and when the period becomes shorter.
#[test]
fn a_phase_is_within_its_period() -> Result<(), Error> {
    let phase = |time: f64| Ok(lag(Some(1.0), 1e-6, 1e-2)?.starting_at(time)?.model_time());
    let phases = [-3.25, -3.0, 0.0, 0.25, 3.25].map(phase);
    assert_eq!(phases, [0.75, 0.0, 0.0, 0.25, 0.25].map(Ok::<_, Error>));
    let period = Some(1.0);
    let mut fixed = Simulation::new(Lag { period }, RadauIIA::<3>, 0.25, [1.0].into())?;
    for _ in 0..3 {
        fixed.step()?;
    }
    let mut free = lag(period, 1e-6, 1e-2)?;
    free.run_to(0.75)?;
    fixed.change(|lag| lag.period = Some(0.5))?;
    free.change(|lag| lag.period = Some(0.5))?;
    assert_eq!((fixed.model_time(), free.model_time()), (0.25, 0.25));
    fixed.restart(|lag, _| lag.period = Some(0.1875))?;
    free.restart(|lag, _| lag.period = Some(0.1875))?;
    assert_eq!((fixed.model_time(), free.model_time()), (0.0625, 0.0625));
    Ok(())
}

/// An event may change the period, too.
#[test]
fn a_period_that_an_event_makes_shorter_holds_at_once() -> Result<(), Error> {
    let mut plant = lag(Some(1.0), 1e-6, 1e-2)?;
    let mut watch = falling(
        |t, lag: &Lag<f64>, _: &Value<f64>| lag.period.map_or(0.0, |period| 0.75 * period - t),
        |_, lag, _| {
            lag.period = Some(0.5);
            After::Stop
        },
    );
    assert_eq!(plant.run_with(&mut watch, 2.0)?, Some(0));
    let missed = plant.model_time() - 0.25;
    assert!(missed.abs() < 1e-12, "{missed:e}");
    Ok(())
}

/// Samples are multiples of their period on both sides of time zero, and far from it, to which nobody counts.
#[test]
fn samples_need_not_begin_at_time_zero() -> Result<(), Error> {
    let sampled = |begin: f64, period: f64, end: f64| {
        let mut seen = Vec::new();
        let mut plant = lag(None, 1e-6, 1e-2)?.starting_at(begin)?;
        plant.sample(period, end, |t, _| seen.push(t))?;
        Ok::<_, Error>(seen)
    };
    assert_eq!(sampled(-2.0, 1.0, 1.0)?, [-2.0, -1.0, 0.0, 1.0]);
    assert_eq!(sampled(-0.75, 0.5, 0.75)?, [-0.5, 0.0, 0.5]);
    assert_eq!(sampled(0.25, 0.5, 1.25)?, [0.5, 1.0]);
    let far = [3.0, 4.0, 5.0].map(|n| (1e12 + n) * 1e-3);
    assert_eq!(sampled(1e9 + 2.5e-3, 1e-3, 1e9 + 5.5e-3)?, far);
    // A period of which time has no count.
    assert_eq!(sampled(1.0, 1e-20, 1.5), Err(Error::StepSize));
    Ok(())
}

/// An affine plant takes one iteration a step, which is one: so many evaluations and solutions as stages and estimates say.
#[test]
fn iterations_of_affine_plants_are_counted() -> Result<(), Error> {
    let mut plant = lag::<f64>(None, 1e-4, 1e-3)?;
    assert_eq!(plant.step()?.iterations, 1);
    let done = plant.statistics();
    assert_eq!((done.steps, done.rejected), (1, 0));
    // Three stages and an estimate of the error; an iteration and an estimate.
    assert_eq!((done.evaluations, done.solves), (4, 2));
    Ok(())
}

/// Two functions that fall at the same time.
#[derive(Default)]
struct Both {
    happened: [u32; 2],
}

impl<M, U> Events<f64, M, Value<f64>, U, 2> for Both {
    const CROSSINGS: [Crossing; 2] = [Crossing::Falling; 2];
    fn values(&self, _t: f64, _model: &M, x: &Value<f64>, _u: &U) -> [f64; 2] {
        [x[0] - 0.5, 2.0 * x[0] - 1.0]
    }
    fn happen(&mut self, index: usize, _t: f64, _model: &mut M, _x: &mut Value<f64>) -> After {
        self.happened[index] += 1;
        After::GoOn
    }
}

#[test]
fn events_at_the_same_time_all_happen_in_adaptive_steps() -> Result<(), Error> {
    let mut plant = lag(None, 1e-6, 1e-4)?;
    let mut both = Watch::new(Both::default());
    assert_eq!(plant.run_with(&mut both, 2.0)?, None);
    assert_eq!(both.events.happened, [1, 1]);
    Ok(())
}

/// Zero crossings of the mains are 20 ms apart, which single precision resolves in any hour of a model that says its period.
#[test]
fn the_mains_is_not_zeno() -> Result<(), Error> {
    for begin in [0.0, 163.0, 36_000.0] {
        let mut plant = lag::<f32>(Some(0.02), 1e-3, 1e-3)?.starting_at(begin)?;
        plant.longest = 5e-3;
        let mut count = 0;
        let mut watch = falling(
            |t: f32, _: &Lag<f32>, _: &Value<f32>| (t * 314.159_27).sin(),
            |_, _, _| {
                count += 1;
                After::GoOn
            },
        );
        let ended = plant.run_with(&mut watch, begin + 4.0);
        assert_eq!(ended, Ok(None), "at {} s", plant.time());
        assert!((199..=201).contains(&count), "{count} from {begin} s");
    }
    Ok(())
}

/// When something happened in one run says nothing of another one.
#[test]
fn a_watch_is_for_another_run_too() -> Result<(), Error> {
    let mut count = 0;
    let mut watch = falling(
        |t, _: &Lag<f64>, _: &Value<f64>| 0.5 - t,
        |_, _, _| {
            count += 1;
            After::GoOn
        },
    );
    for _ in 0..2 {
        assert_eq!(lag(None, 1e-6, 1e-2)?.run_with(&mut watch, 1.0), Ok(None));
    }
    assert_eq!(count, 2);
    Ok(())
}

/// Each tooth is half of the last one, until rounding leaves nothing of it: in both precisions they have an end that no run gets to.
#[test]
fn teeth_that_get_shorter_and_shorter_are_zeno() -> Result<(), Error> {
    fn cut<R: Real>() -> Result<(Option<usize>, R), Error> {
        let mut plant = lag(None, 1e-4, 1e-2)?;
        plant.input = [R::from_f64(2.0)].into();
        let mut tooth = R::ONE;
        let half = R::from_f64(0.5);
        let mut watch = falling(
            |_, _: &Lag<R>, x: &Value<R>| R::from_f64(1.5) - x[0],
            |_, _, x| {
                tooth *= half;
                x[0] -= tooth;
                After::GoOn
            },
        );
        let ended = plant.run_with(&mut watch, R::from_f64(10.0))?;
        Ok((ended, plant.time()))
    }
    assert_eq!(cut::<f64>(), Err(Error::Zeno { index: 0 }));
    assert_eq!(cut::<f32>(), Err(Error::Zeno { index: 0 }));
    Ok(())
}
