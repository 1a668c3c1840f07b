//! Events on the ends of steps, at the same time, in any number, and in a rig, where they depend on inputs.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use stiffstep::drive::{After, Crossing, Events, Watch};
use stiffstep::hil::{self, PlantRig, Range, Rig, Snapshot};
use stiffstep::memory::{Memory, Words};
use stiffstep::model::{Plant, Quantity};
use stiffstep::prelude::*;

const PERIOD: f32 = 100e-6;

/// A coil with a switch, and a clock.
#[derive(Clone, Copy)]
struct Coil {
    on: bool,
}

impl FirstOrder<f32, 2, 1> for Coil {
    type Mass = Unit;
    fn rhs<T: Scalar<f32>>(&self, _t: T, x: &Vector<T, 2>, _u: &Vector<f32, 1>) -> Vector<T, 2> {
        let voltage = if self.on { 1e4 } else { 0.0 };
        [x[0] * -100.0 + voltage, T::constant(1.0)].into()
    }
    fn period(&self) -> Option<f32> {
        Some(PERIOD)
    }
}

impl Plant<f32, 1, 1> for Coil {
    type State = Vector<f32, 2>;
    const NAME: &'static str = "coil";
    const PARAMETERS: &'static [stiffstep::model::Parameter<Self>] = &[];
    const INPUTS: [Quantity; 1] = [Quantity {
        name: "duty",
        unit: "",
    }];
    const OUTPUTS: [Quantity; 1] = [Quantity {
        name: "current",
        unit: "A",
    }];
    fn outputs(&self, _t: f32, x: &Vector<f32, 2>, _u: &Vector<f32, 1>) -> Vector<f32, 1> {
        [x[0]].into()
    }
    fn remember<W: Words>(&mut self, words: &mut W) {
        let mut on = u32::from(self.on);
        on.visit(words);
        self.on = on != 0;
    }
}

/// A PWM: its carrier is the second state, its duty the input.
#[derive(Clone, Copy, Default)]
struct Pwm {
    happened: u32,
}

impl Memory for Pwm {
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.happened.visit(words);
    }
}

impl Events<f32, Coil, Vector<f32, 2>, Vector<f32, 1>, 2> for Pwm {
    const CROSSINGS: [Crossing; 2] = [Crossing::Rising, Crossing::Rising];
    fn values(&self, _t: f32, _coil: &Coil, x: &Vector<f32, 2>, u: &Vector<f32, 1>) -> [f32; 2] {
        [x[1] - u[0] * PERIOD, x[1] - PERIOD]
    }
    fn happen(&mut self, i: usize, _t: f32, coil: &mut Coil, x: &mut Vector<f32, 2>) -> After {
        self.happened += 1;
        coil.on = i == 1;
        if i == 1 {
            x[1] -= PERIOD;
        }
        After::GoOn
    }
}

/// The same by the time within the period.
#[derive(Clone, Copy)]
struct Clocked {
    happened: u32,
}

impl Events<f32, Coil, Vector<f32, 2>, Vector<f32, 1>, 1> for Clocked {
    const CROSSINGS: [Crossing; 1] = [Crossing::Either];
    fn values(&self, t: f32, _coil: &Coil, _x: &Vector<f32, 2>, u: &Vector<f32, 1>) -> [f32; 1] {
        let turns = t / PERIOD;
        [turns - turns.floor() - u[0]]
    }
    fn happen(&mut self, _i: usize, _t: f32, coil: &mut Coil, _x: &mut Vector<f32, 2>) -> After {
        self.happened += 1;
        coil.on = !coil.on;
        After::GoOn
    }
}

fn coil(
    h: f32,
    duty: f32,
) -> Simulation<
    impl stiffstep::step::Dense<
        Real = f32,
        Model = Coil,
        Input = Vector<f32, 1>,
        State = Vector<f32, 2>,
    > + stiffstep::step::Restart
    + stiffstep::step::Remember
    + Clone,
> {
    let mut coil = Simulation::new(Coil { on: true }, RadauIIA::<3>, h, [0.0, 0.0].into()).unwrap();
    coil.input = [duty].into();
    coil
}

/// The current after so many periods, by the closed form.
fn exact(duty: f32, periods: f64) -> f64 {
    let decay = |t: f64| (-100.0 * t).exp();
    let period = f64::from(PERIOD);
    let on = f64::from(duty) * period;
    let mut x = 0.0;
    for _ in 0..periods.round() as usize {
        x = 100.0 + (x - 100.0) * decay(on);
        x *= decay(period - on);
    }
    x
}

#[test]
fn a_pwm_may_be_commensurate_with_its_steps() {
    for h in [10e-6, 20e-6, 25e-6, 50e-6, 100e-6, 200e-6, 400e-6_f32] {
        for duty in [0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 0.8_f32] {
            // Whole periods, and a whole number of steps.
            let steps = (1000.0 * 400e-6 / h / 4.0).round() as usize;
            let periods = (f64::from(h) * steps as f64 / f64::from(PERIOD)).round();
            let what = format!("h {h} duty {duty}");
            let mut by_state = coil(h, duty);
            let mut watch = Watch::new(Pwm::default());
            watch.looks = 16;
            for _ in 0..steps {
                by_state.step_with(&mut watch).expect(&what);
            }
            // The last edge may be this step's or the next one's.
            let events = f64::from(watch.events.happened);
            assert!(
                (events - 2.0 * periods).abs() <= 1.0,
                "{what}: {events} events"
            );
            let error = (f64::from(by_state.state()[0]) - exact(duty, periods)).abs();
            assert!(error < 0.02, "{what}: {error}");
            let mut by_time = coil(h, duty);
            let mut watch = Watch::new(Clocked { happened: 0 });
            watch.looks = 32;
            for _ in 0..steps {
                by_time.step_with(&mut watch).expect(&what);
            }
            let events = f64::from(watch.events.happened);
            assert!(
                (events - 2.0 * periods).abs() <= 1.0,
                "{what}: {events} events by time"
            );
            let error = (f64::from(by_time.state()[0]) - exact(duty, periods)).abs();
            assert!(error < 0.02, "{what}: {error} by time");
        }
    }
}

/// Three functions that pass through zero together, one of them the other way.
#[derive(Clone, Copy, Default)]
struct Together {
    happened: [u32; 3],
}

impl<U> Events<f32, Coil, Vector<f32, 2>, U, 3> for Together {
    const CROSSINGS: [Crossing; 3] = [Crossing::Rising, Crossing::Falling, Crossing::Rising];
    fn values(&self, _t: f32, _coil: &Coil, x: &Vector<f32, 2>, _u: &U) -> [f32; 3] {
        let late = x[1] - 35e-6;
        [late, -late, late * 2.0]
    }
    fn happen(&mut self, i: usize, _t: f32, _coil: &mut Coil, _x: &mut Vector<f32, 2>) -> After {
        self.happened[i] += 1;
        After::GoOn
    }
}

#[test]
fn events_at_the_same_time_all_happen() {
    for h in [10e-6, 35e-6, 17.5e-6, 7e-6, 5e-6, 100e-6_f32] {
        let mut coil = coil(h, 0.5);
        let mut watch = Watch::new(Together::default());
        for _ in 0..(100e-6 / h).round() as usize {
            coil.step_with(&mut watch).unwrap();
        }
        assert_eq!(watch.events.happened, [1; 3], "{h}");
    }
}

fn stepped(rig: &mut impl Rig, duty: f32) -> Result<f32, Error> {
    let mut never = || false;
    rig.step(&[duty], &mut hil::Allowance::new(2, &mut never))?;
    Ok(rig.outputs()[0])
}

#[test]
fn a_rig_has_events() {
    let new = || {
        let ranges = ([Range::new(0.0, 1.0)], [Range::new(0.0, 100.0)]);
        let watch = Watch::new(Pwm::default());
        PlantRig::with_events(coil(20e-6, 0.0), watch, ranges.0, ranges.1).unwrap()
    };
    let duty = |n: usize| [0.4, 0.55, 0.2, 0.8][n / 50 % 4];
    let (mut rig, mut desk) = (new(), coil(20e-6, 0.0));
    let mut watch = Watch::new(Pwm::default());
    let mut snapshot = Snapshot::default();
    let mut seen = Vec::new();
    for n in 0..400 {
        if n == 203 {
            rig.save(&mut snapshot);
        }
        let shown = stepped(&mut rig, duty(n)).unwrap();
        desk.input = [duty(n)].into();
        desk.step_with(&mut watch).unwrap();
        assert_eq!(shown, desk.state()[0], "{n}");
        seen.push((shown, rig.digest()));
    }
    assert!(watch.events.happened > 150);
    // A snapshot brings back the switch and the side of every function; an error brings back all of it, too.
    assert!(rig.load(&snapshot));
    for n in 203..400 {
        let before = rig.digest();
        assert!(stepped(&mut rig, f32::NAN).is_err());
        // The input is what was asked for; all else is as it was.
        let after = rig.digest();
        let shown = stepped(&mut rig, duty(n)).unwrap();
        assert_eq!((shown, rig.digest()), seen[n], "{n}: {before} {after}");
    }
    // Looks between two steps stay within what the last part reaches.
    rig.between(0.0, &mut |_, value| assert!(value.is_finite()));
}
