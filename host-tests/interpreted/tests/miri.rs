//! A few steps of everything, for the interpreter that sees undefined behaviour: `cargo xtask soak --miri`. Numbers are judged
//! by tolerances, never by the bits of a NaN, which the interpreter chooses by chance.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use stiffstep::drive::Watch;
use stiffstep::hil::frame::{Decoder, MOST, encode};
use stiffstep::hil::protocol::{Numbered, Request};
use stiffstep::hil::{Pace, Serving, Session};
use stiffstep::manifold::{Diagnostics, Ipa, consistent};
use stiffstep::memory::{Digest, Load, Memory, Save};
use stiffstep::prelude::*;
use stiffstep::step::Method;
use stiffstep_plants::arm::Arm;
use stiffstep_plants::double_spring::{DoubleSpring, ON, start};
use stiffstep_plants::exponentials::Exponentials;
use stiffstep_plants::nonlinear::Galvanometer;
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};
use stiffstep_plants::rectifier::{Diode, Rectifier};
use stiffstep_plants::rigs;
use stiffstep_plants::rlc::Rlc;
use stiffstep_plants::second_order::Bob;
use stiffstep_plants::valley::Valley;

/// Two steps, one with an input that is none, a change, another step size, and a step more.
fn exercise<M, Kind, K>(model: M, method: K, h: f32, start: K::Start)
where
    M: Clone,
    K: Method<M, Kind, Real = f32>,
    K::Stepper: Stepper<Real = f32, Model = M>,
{
    let mut plant = Simulation::new(model, method, h, start).unwrap();
    plant.step().unwrap();
    plant.step_within(&mut Fixed(0)).unwrap_err();
    plant.change(|_| ()).unwrap();
    plant.set_h(h * 0.5).unwrap();
    plant.step().unwrap();
    assert!((plant.time() - 1.5 * h).abs() < 1e-6);
}

fn level() -> (Vector<f32, 2>, Vector<f32, 2>) {
    ([1.0, 0.0].into(), [0.0; 2].into())
}

#[test]
fn every_stepper() {
    let x = || Vector::from([0.1; 3]);
    exercise(Galvanometer::nominal_design(), RadauIIA::<3>, 0.01, x());
    exercise(Galvanometer::nominal_design(), Gauss::<4>, 0.01, x());
    exercise(Rlc::mild().dae(), RadauIIA::<2>, 0.01, [0.0; 4].into());
    exercise(Rlc::mild(), LobattoIIIA::<3>, 0.01, [0.0; 2].into());
    exercise(RigidPendulum, Lean(RadauIIA::<3>), 0.01, level());
    exercise(RigidPendulum, Projected(Lean(RadauIIA::<2>)), 0.01, level());
    exercise(RigidPendulum, LobattoPair::<2>, 0.01, level());
    exercise(
        StiffPendulum::new(1e-3),
        Lean(LobattoIIIA::<4>),
        0.01,
        level(),
    );
    let rest = ([0.0; 4].into(), [0.0; 4].into());
    exercise(Arm::<f32>::new(1e5), RadauIIA::<3>, 1e-3, rest);
    let ones = ([1.0; 2].into(), [1.0; 2].into());
    exercise(Exponentials, RadauIIA::<2>, 0.01, ones);
    exercise(Valley::<f32, 1>::new(1e-3), RadauIIA::<2>, 0.01, level());
    exercise(Bob, Bdf::<3>, 0.01, Bob::level());
    exercise(Bob, RadauIIA::<2>, 0.01, Bob::level());
}

#[test]
fn every_driver() {
    let pendulum = RigidPendulum;
    let mut plant = Adaptive::new(pendulum, RadauIIA::<3>, 1e-3, 1e-2, level()).unwrap();
    plant.run_to(0.05).unwrap();
    let mut plant = Adaptive::new(Bob, Bdf::<3>, 1e-3, 1e-2, Bob::level::<f32>()).unwrap();
    plant.step().unwrap();
    let rectifier = Rectifier::<f32>::mains();
    let mut plant = Simulation::new(rectifier, RadauIIA::<2>, 2e-3, [0.0; 2].into()).unwrap();
    let mut diode = Watch::new(Diode::default());
    for _ in 0..8 {
        plant.step_with(&mut diode).unwrap();
    }
    assert!(diode.events.switched > 0);
}

#[test]
fn manifolds() {
    let none = Vector::from([0.0; 0]);
    let (q, v) = level();
    let at = consistent(&RigidPendulum, 0.0_f32, &(q * 1.1), &v, &none).unwrap();
    assert!((at.q[0] - 1.0).abs() < 1e-6);
    assert!(Diagnostics::of(&RigidPendulum, 0.0, &at).energy().abs() < 1e-6);
    let (q, v) = start::<f32>(ON);
    let springs = DoubleSpring::new(1e3);
    let ipa = Ipa::<f32>::new(1e3).iterations(1);
    ipa.project(&springs, 0.0, &q, &v, &none).unwrap();
}

#[test]
fn memories() {
    let mut rig = rigs::pendulum(1e-3).unwrap();
    let mut words = vec![0; Digest::of(&mut rig).count];
    rig.visit(&mut Save::new(&mut words));
    let digest = Digest::of(&mut rig);
    words[3] ^= 1;
    rig.visit(&mut Load::new(&words));
    assert_ne!(Digest::of(&mut rig), digest);
}

/// A clock that ticks whenever somebody looks at it.
struct Clock(core::cell::Cell<u32>);

impl Pace for Clock {
    fn now(&self) -> u32 {
        self.0.set(self.0.get().wrapping_add(1));
        self.0.get()
    }
    fn frequency(&self) -> u32 {
        1_000_000
    }
    fn period(&self) -> u32 {
        100
    }
}

#[test]
fn a_board() {
    let rig = rigs::dc_motor(1e-4).unwrap();
    let mut session = Session::new(rig, rigs::setup("interpreter", true));
    let (mut buffer, mut decoder) = ([0; MOST], Decoder::new());
    let requests = [Request::Hello, Request::Snapshot, Request::Arm];
    for (sequence, message) in requests.into_iter().enumerate() {
        let sequence = sequence as u32;
        let frame = encode(&Numbered { sequence, message }, &mut buffer).unwrap();
        frame.iter().for_each(|&byte| session.receive(byte));
        // And one that is broken.
        let taken = frame
            .iter()
            .rev()
            .find_map(|&b| decoder.push::<Numbered<Request>>(b));
        assert!(!matches!(taken, Some(Ok(_))));
    }
    let clock = Clock(core::cell::Cell::new(0));
    let mut serving = Serving::new(&clock);
    let mut served = 0;
    while served < 3 {
        served += u32::from(serving.turn(&mut session, &clock, &mut ()).is_some());
        while session.work() || !session.transmit().is_empty() {
            let count = session.transmit().len();
            session.transmitted(count);
        }
    }
    assert_eq!(session.supervision().counters.granted, 3);
}
