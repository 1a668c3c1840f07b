//! Events: where they are, what happens there, and that they end.

use super::plants::{Oscillator, falling, rising};
use std::cell::Cell;
use std::rc::Rc;
use stiffstep::drive::{After, Crossing, Events, Watch};
use stiffstep::prelude::*;
use stiffstep_plants::rectifier::{Diode, Rectifier};

const G: f64 = 9.81;

/// A ball above a floor: a mechanism without joints.
#[derive(Clone, Copy, Debug)]
struct Ball;

mechanical! {
    impl [R: Real] Mechanical<R, 1, 0, 0> for Ball;
    joints(self) -> Rigid { Rigid }
    force(self, _t, _q, _v, _u) { [T::constant(R::from_f64(-G))] }
    constraint(self, _t, _q) { [] }
}

/// When the ball, dropped from a height of 1, bounces.
fn bounces(restitution: f64) -> impl Iterator<Item = f64> {
    let fall = (2.0 / G).sqrt();
    let mut flight = 2.0 * fall;
    let mut time = fall;
    std::iter::once(fall).chain(std::iter::from_fn(move || {
        flight *= restitution;
        time += flight;
        Some(time)
    }))
}

/// A falling ball after so many bounces, and their times. The floor gives back a part of the speed.
fn drop<R: Real>(
    restitution: f64,
    most: usize,
    tolerance: f64,
) -> Result<(Motion<R, 1, 0>, Vec<f64>), Error> {
    let start = ([R::ONE].into(), [R::ZERO].into());
    let (tolerance, first) = (R::from_f64(tolerance), R::from_f64(1e-3));
    let mut ball = Adaptive::new(Ball, Lean(RadauIIA::<3>), tolerance, first, start)?;
    let mut times = Vec::new();
    let mut floor = falling::<R, Ball, Motion<R, 1, 0>, _, _>(
        |_, _, at| at.q[0],
        |t, _, at| {
            at.q[0] = R::ZERO;
            at.v[0] *= R::from_f64(-restitution);
            times.push(t.to_f64());
            if times.len() == most {
                After::Stop
            } else {
                After::GoOn
            }
        },
    );
    let stopped = ball.run_with(&mut floor, R::from_f64(100.0))?;
    assert_eq!(stopped, Some(0));
    Ok((*ball.state(), times))
}

#[test]
fn a_ball_bounces_when_it_should() -> Result<(), Error> {
    let (ball, times) = drop::<f64>(0.9, 21, 1e-10)?;
    for (time, exact) in times.iter().zip(bounces(0.9)) {
        assert!((time - exact).abs() < 1e-9, "{time}, exactly {exact}");
    }
    // Twenty bounces after the first it starts with 0.81^21 of its energy.
    let energy = 0.5 * ball.v[0].powi(2);
    let exact = G * 0.81_f64.powi(21);
    assert!((energy / exact - 1.0).abs() < 1e-9, "{energy}, {exact}");
    Ok(())
}

#[test]
fn single_precision_bounces_too() -> Result<(), Error> {
    let (_, times) = drop::<f32>(0.9, 10, 1e-4)?;
    for (time, exact) in times.iter().zip(bounces(0.9)) {
        assert!((time - exact).abs() < 1e-5, "{time}, exactly {exact}");
    }
    Ok(())
}

/// What becomes of a height.
type Shape = fn(f64) -> f64;

/// Where values that fall as a line, as a cubic, or as an exponential that is flat first and steep then, pass zero is found to the last digits, and with few questions: neither a slope of the wrong sign nor an end that
/// keeps its weight is as quick.
#[test]
fn a_root_takes_few_evaluations() -> Result<(), Error> {
    let shapes: [(Shape, u32); 4] = [
        // One question after the event is whether it bounced.
        (|q| q - 0.3, 21),
        (|q| (8.0 * (q - 0.3)).exp() - 1.0, 22),
        (|q| 1.0 - (-8.0 * (q - 0.3)).exp(), 27),
        // As flat as that, and one end would stay for ever.
        (|q| (q - 0.3).powi(3), 213),
    ];
    for (shape, most) in shapes {
        let asked = Cell::new(0);
        let mut ball =
            Simulation::new(Ball, Lean(RadauIIA::<3>), 0.5, ([1.0].into(), [0.0].into()))?;
        let mut passed = Vec::new();
        let mut watch = falling::<f64, Ball, Motion<f64, 1, 0>, _, _>(
            |_, _, at| {
                asked.set(asked.get() + 1);
                shape(at.q[0])
            },
            |t, _, _| {
                passed.push(t);
                After::Stop
            },
        );
        ball.step_with(&mut watch)?;
        let exact = (2.0 * 0.7 / G).sqrt();
        assert_eq!(passed.len(), 1);
        let missed = (passed[0] - exact).abs();
        assert!(missed < 1e-14, "{missed:e}");
        assert!(asked.get() <= most, "{} of {most}", asked.get());
    }
    Ok(())
}

/// What the dense output says of an event is corrected by steps that end there: the value is zero to far more digits than the
/// tolerance asks for.
#[test]
fn events_are_more_exact_than_dense_output() -> Result<(), Error> {
    let model = Oscillator(1.0);
    let mut plant = Adaptive::new(model, RadauIIA::<3>, 1e-3, 1e-2, [1.0, 0.0].into())?;
    let mut level = falling(
        |_, _: &Oscillator, x: &Vector<f64, 2>| x[0],
        |_, _, _| After::Stop,
    );
    assert_eq!(plant.run_with(&mut level, 10.0)?, Some(0));
    assert!(plant.state()[0].abs() < 1e-9, "{:e}", plant.state()[0]);
    Ok(())
}

#[test]
fn a_ball_that_comes_to_rest_is_an_error_and_no_hang() {
    // The bounces end at (1 + r) / (1 - r) times the first fall.
    let error = drop::<f64>(0.5, usize::MAX, 1e-9).map(|_| ());
    assert_eq!(error, Err(Error::Zeno { index: 0 }));
    let error = drop::<f32>(0.5, usize::MAX, 1e-4).map(|_| ());
    assert_eq!(error, Err(Error::Zeno { index: 0 }));
}

/// A diode that feeds an inductance with a resistance: the current ends where its closed form does.
#[derive(Clone, Copy)]
struct Choke {
    conducting: bool,
}

const OMEGA: f64 = 314.159_265_358_979_3;
const TAU: f64 = 5e-3;

impl FirstOrder<f64, 1, 0> for Choke {
    type Mass = Unit;
    fn rhs<T: Scalar<f64>>(&self, t: T, x: &Vector<T, 1>, _u: &Vector<f64, 0>) -> Vector<T, 1> {
        if self.conducting {
            [((t * OMEGA).sin() - x[0]) / TAU].into()
        } else {
            [T::constant(0.0)].into()
        }
    }
}

#[test]
fn a_rectifier_switches_when_it_should() -> Result<(), Error> {
    // i = [sin(w t - phi) + sin(phi) exp(-t / tau)] / |Z| until it is zero, by bisection between half and a whole period.
    let phi = (OMEGA * TAU).atan();
    let current = |t: f64| (OMEGA * t - phi).sin() + phi.sin() * (-t / TAU).exp();
    let (mut low, mut high) = (0.01, 0.02);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if current(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    for tolerance in [1e-8, 1e-11] {
        let model = Choke { conducting: true };
        let mut circuit = Adaptive::new(model, RadauIIA::<3>, tolerance, 1e-6, [0.0].into())?;
        let mut times = Vec::new();
        let mut valve = falling::<f64, Choke, Vector<f64, 1>, _, _>(
            |t, model, x| match model.conducting {
                true => x[0],
                false => -(t * OMEGA).sin(),
            },
            |t, model, x| {
                model.conducting = !model.conducting;
                x[0] = 0.0;
                times.push(t);
                After::GoOn
            },
        );
        assert_eq!(circuit.run_with(&mut valve, 0.1)?, None);
        assert_eq!(circuit.time(), 0.1);
        // Off, on, off, ... five times in five periods; it turns on again at the end of each.
        assert!(times.len() >= 9, "{times:?}");
        for (k, time) in times.iter().enumerate() {
            let period = 0.02 * (k / 2) as f64;
            let exact = period + if k % 2 == 0 { low } else { 0.02 };
            assert!((time - exact).abs() < 1e-9, "{k}: {time}, exactly {exact}");
        }
    }
    Ok(())
}

/// The rectifier with its LC filter in steps of 10 us, beside the adaptive solution.
#[test]
fn a_rectifier_runs_at_a_fixed_step() -> Result<(), Error> {
    let (model, start) = (Rectifier::<f64>::mains(), [0.0; 2].into());
    let mut exact = Adaptive::new(model, RadauIIA::<3>, 1e-11, 1e-6, start)?;
    let mut watch = Watch::new(Diode::default());
    exact.run_with(&mut watch, 0.1)?;
    let expected = exact.state();
    assert!(expected[1] > 5.0 && watch.events.switched >= 8);

    let mut fixed = Simulation::new(model, RadauIIA::<3>, 1e-5, start)?;
    let model = Rectifier::<f32>::mains();
    let mut single = Simulation::new(model, RadauIIA::<3>, 1e-5, [0.0; 2].into())?;
    let mut diodes = (Watch::new(Diode::default()), Watch::new(Diode::default()));
    for _ in 0..10_000 {
        assert!(fixed.step_with(&mut diodes.0)?.events <= 2);
        single.step_with(&mut diodes.1)?;
    }
    let switched = watch.events.switched;
    assert_eq!(diodes.0.events.switched, switched);
    assert_eq!(diodes.1.events.switched, switched);
    for i in 0..2 {
        let error = (fixed.state()[i] - expected[i]).abs();
        assert!(error < 1e-8, "state {i}: error {error:e}");
    }
    let error = (f64::from(single.state()[1]) - expected[1]).abs();
    assert!(error < 1e-3, "single precision: error {error:e}");
    Ok(())
}

/// An end stop that will not let go: events without end within one fixed step.
#[test]
fn chatter_in_a_fixed_step_is_an_error_that_changes_nothing() -> Result<(), Error> {
    let model = Choke { conducting: true };
    let mut circuit = Simulation::new(model, RadauIIA::<3>, 1e-4, [0.0].into())?;
    let mut watch = rising::<f64, Choke, Vector<f64, 1>, _, _>(
        |_, _, x| x[0] - 0.1,
        |_, _, x| {
            x[0] = 0.1 - 5e-4;
            After::GoOn
        },
    );
    for _ in 0..1000 {
        let before = (*circuit.state(), circuit.time());
        if let Err(error) = circuit.step_with(&mut watch) {
            assert_eq!(error, Error::Zeno { index: 0 });
            assert_eq!((*circuit.state(), circuit.time()), before);
            return Ok(());
        }
    }
    unreachable!("no chatter");
}

/// It rises with this slope to one, and falls to zero.
#[derive(Clone, Copy)]
struct Sawtooth<'a> {
    slope: f64,
    /// Of evaluations and of Jacobians.
    counts: &'a [Cell<u32>; 2],
}

impl FirstOrder<f64, 1, 0> for Sawtooth<'_> {
    type Mass = Unit;
    const AFFINE: bool = true;
    fn rhs<T: Scalar<f64>>(&self, _t: T, _x: &Vector<T, 1>, _u: &Vector<f64, 0>) -> Vector<T, 1> {
        self.counts[0].update(|n| n + 1);
        [T::constant(self.slope)].into()
    }
    fn jacobian(&self, _t: f64, _x: &Vector<f64, 1>, _u: &Vector<f64, 0>) -> Matrix<f64, 1, 1> {
        self.counts[1].update(|n| n + 1);
        [[0.0]].into()
    }
}

struct Fall(After);

impl<U> Events<f64, Sawtooth<'_>, Vector<f64, 1>, U, 1> for Fall {
    const CROSSINGS: [Crossing; 1] = [Crossing::Rising];
    fn values(&self, _t: f64, _model: &Sawtooth, x: &Vector<f64, 1>, _u: &U) -> [f64; 1] {
        [x[0] - 1.0]
    }
    fn happen(&mut self, _i: usize, _t: f64, _: &mut Sawtooth, x: &mut Vector<f64, 1>) -> After {
        x[0] = 0.0;
        self.0
    }
}

/// A step with e events is 2 e + 1 steps, and a linear plant is factorised 3 e + 1 times at most.
#[test]
fn an_event_costs_two_steps() -> Result<(), Error> {
    let cost = |slope| -> Result<[u32; 3], Error> {
        let counts = &[const { Cell::new(0) }; 2];
        let model = Sawtooth { slope, counts };
        let mut plant = Simulation::new(model, RadauIIA::<3>, 1.0, [0.0].into())?;
        let before = [0, 1].map(|n: usize| counts[n].get());
        let step = plant.step_with(&mut Watch::new(Fall(After::GoOn)))?;
        let [evaluations, jacobians] = [0, 1].map(|n: usize| counts[n].get() - before[n]);
        Ok([step.events as u32, evaluations, jacobians])
    };
    let [none, usual, _] = cost(0.5)?;
    assert_eq!(none, 0);
    for e in 1..=4 {
        let expected = [e, (2 * e + 1) * usual, 3 * e + 1];
        assert_eq!(cost(0.5 + f64::from(e))?, expected);
    }
    Ok(())
}

#[test]
fn a_step_has_as_many_events_as_are_allowed() -> Result<(), Error> {
    let counts = &[const { Cell::new(0) }; 2];
    let slopes = [0.5, 4.5, 5.5, 16.5, 17.5, 99.5];
    for (slope, most) in slopes.into_iter().zip([0, 4, 4, 16, 16, 99]) {
        let model = Sawtooth { slope, counts };
        let mut plant = Simulation::new(model, RadauIIA::<3>, 1.0, [0.0].into())?;
        let mut watch = Watch::new(Fall(After::GoOn));
        assert_eq!(watch.most, 16);
        watch.most = most;
        let stepped = plant.step_with(&mut watch);
        if slope < f64::from(most) + 1.0 {
            assert_eq!(stepped?.events, slope as usize);
            assert!((plant.state()[0] - 0.5).abs() < 1e-11);
        } else {
            assert_eq!(stepped, Err(Error::Zeno { index: 0 }));
            assert_eq!((plant.time(), plant.state()[0]), (0.0, 0.0));
        }
    }
    Ok(())
}

#[test]
fn a_step_goes_on_after_a_stop() -> Result<(), Error> {
    let counts = &[const { Cell::new(0) }; 2];
    let model = Sawtooth { slope: 1.5, counts };
    let mut plant = Simulation::new(model, RadauIIA::<3>, 1.0, [0.0].into())?;
    let step = plant.step_with(&mut Watch::new(Fall(After::Stop)))?;
    assert_eq!((step.stop, plant.time()), (Some(0), 1.0));
    assert!((plant.state()[0] - 0.5).abs() < 1e-12);
    Ok(())
}

/// x' = -1, which after the event was seen fails for some evaluations, as a step does that is taken again with another size
/// and does not converge.
#[derive(Clone)]
struct Stubborn {
    seen: Rc<Cell<bool>>,
    failing: Rc<Cell<u32>>,
}

impl FirstOrder<f64, 1, 0> for Stubborn {
    type Mass = Unit;
    fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 1>, _u: &Vector<f64, 0>) -> Vector<T, 1> {
        if self.seen.get() && self.failing.get() > 0 {
            self.failing.update(|n| n - 1);
            return [T::constant(f64::NAN)].into();
        }
        [-x[0]].into()
    }
}

#[test]
fn a_step_to_an_event_that_does_not_converge_is_taken_in_smaller_ones() -> Result<(), Error> {
    for failures in [0, 1, 3, 10, u32::MAX] {
        let (seen, failing) = (Rc::default(), Rc::new(Cell::new(failures)));
        let model = Stubborn { seen, failing };
        let mut plant = Adaptive::new(model, RadauIIA::<3>, 1e-9, 1e-2, [1.0].into())?;
        let mut half = falling::<f64, Stubborn, Vector<f64, 1>, _, _>(
            |_, model, x| {
                if x[0] < 0.5 {
                    model.seen.set(true);
                }
                x[0] - 0.5
            },
            |_, _, _| After::Stop,
        );
        let ended = plant.run_with(&mut half, 10.0);
        // But not for ever.
        if failures == u32::MAX {
            assert_eq!(ended, Err(Error::NonFinite));
            break;
        }
        assert_eq!(ended, Ok(Some(0)), "{failures}");
        let missed = (plant.time() - 2.0_f64.ln()).abs();
        assert!(missed < 1e-8, "{failures}: {missed:e}");
    }
    Ok(())
}
