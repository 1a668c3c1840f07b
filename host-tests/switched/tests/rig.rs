//! A converter on a rig: edges from a host's frames and from captured pins, errors, snapshots, looks between two steps.
#![allow(clippy::unwrap_used)]

use fastrand::Rng;
use stiffstep::Error;
use stiffstep::hil::protocol::{Change, Kind};
use stiffstep::hil::{Allowance, Window};
use stiffstep::hil::{Converter, ConverterRig, Edge as Captured, Gating, Range, Rig};
use stiffstep::hil::{SignalNames, Snapshot};
use stiffstep::model::Quantity;
use stiffstep::switched::{Edge, Input, Switched};
use stiffstep_switched_tests::library::{Half, half_bridge};

fn plant(tables: &Half) -> Switched<'_, f32, 2, 1, 2, 5> {
    Switched::new(tables.view(), [1.0, 5.0], [24.0]).unwrap()
}

fn rig(tables: &Half) -> ConverterRig<'_, 2, 1, 2, 5, 5> {
    let named = |name, unit, most| (Quantity { name, unit }, Range::new(0.0, most));
    let names = SignalNames {
        plant: "half-bridge",
        h: 20e-6,
        inputs: [
            named("supply", "V", 30.0),
            named("upper on", "", 1.0),
            named("upper off", "", 1.0),
            named("lower on", "", 1.0),
            named("lower off", "", 1.0),
        ],
        outputs: [named("current", "A", 10.0), named("voltage", "V", 30.0)],
    };
    let plant = Converter::new(tables.view(), [1.0, 5.0], [24.0], Gating::Gates).unwrap();
    ConverterRig::new(plant, names).unwrap()
}

fn step(rig: &mut impl Rig, inputs: &[f32]) -> Result<(), Error> {
    let mut never = || false;
    rig.step(inputs, &mut Allowance::new(3, &mut never))
        .map(drop)
}

/// Ticks of a period, and of the dead time.
const PERIOD: u32 = 2000;
const DEAD: u32 = 40;

/// The upper device is on from one tick to the other, the lower one before and after: their inputs.
fn shares(on: u32, off: u32) -> [f32; 4] {
    let share = |tick: u32| tick as f32 / PERIOD as f32;
    [
        share(on),
        share(off),
        share(off + DEAD),
        share(on.wrapping_sub(DEAD)),
    ]
}

#[test]
fn frames_and_captured_pins_are_alike() {
    let tables = half_bridge().unwrap();
    let (mut framed, mut captured) = (rig(&tables), rig(&tables));
    let mut direct = plant(&tables);
    let mut random = Rng::with_seed(3);
    let mut windows = [Window::new(false, 0), Window::new(true, 0)];
    for period in 0..2000 {
        let began = period * PERIOD;
        let on = random.u32(100..900);
        let off = on + random.u32(50..900);
        let [a, b, c, d] = shares(on, off);
        step(&mut framed, &[24.0, a, b, c, d]).unwrap();
        // The same by edges on pins.
        let edge = |tick: u32, high: bool| Captured {
            at: began + tick,
            high,
        };
        windows[1].take(edge(on - DEAD, false));
        windows[0].take(edge(on, true));
        windows[0].take(edge(off, false));
        windows[1].take(edge(off + DEAD, true));
        let [upper, lower] = windows
            .each_mut()
            .map(|window| window.end(began + PERIOD).unwrap());
        step(
            &mut captured,
            &[24.0, upper[0], upper[1], lower[0], lower[1]],
        )
        .unwrap();
        assert_eq!(framed.digest(), captured.digest(), "period {period}");
        // And by the plant alone.
        let edges = [(0.0, 2), (d, 0), (a, 1), (b, 0), (c, 2)];
        let edges = edges.map(|(at, gates)| Edge { at, gates });
        direct.step(&Input::held([24.0]), &edges).unwrap();
        let mut states = Vec::new();
        framed.states(&mut |x| states.push(x));
        assert_eq!(states, direct.state().x, "period {period}");
    }
    assert!(framed.outputs()[1] > 5.0);
}

#[test]
fn errors_leave_the_rig() {
    let tables = half_bridge().unwrap();
    let mut rig = rig(&tables);
    let good = [24.0, 0.2, 0.7, 0.75, 0.15];
    step(&mut rig, &good).unwrap();
    let before = rig.digest();
    for inputs in [
        // Both at once.
        [24.0, 0.2, 0.7, 0.6, 0.15],
        [24.0, -0.1, 0.7, 0.75, 0.15],
        [24.0, 0.2, f32::NAN, 0.75, 0.15],
        [f32::INFINITY, 0.2, 0.7, 0.75, 0.15],
    ] {
        assert_eq!(step(&mut rig, &inputs), Err(Error::Input));
        assert_eq!(rig.digest(), before);
    }
}

#[test]
fn a_snapshot_goes_on_as_if_nothing_had_happened() {
    let tables = half_bridge().unwrap();
    let mut first = rig(&tables);
    let good = [24.0, 0.2, 0.7, 0.75, 0.15];
    (0..10).for_each(|_| step(&mut first, &good).unwrap());
    let (mut kept, mut second) = (Snapshot::default(), rig(&tables));
    first.save(&mut kept);
    assert!(second.load(&kept));
    (0..10).for_each(|_| {
        step(&mut first, &good).unwrap();
        step(&mut second, &good).unwrap();
    });
    assert_eq!(first.digest(), second.digest());
    let words = first.about().words;
    assert_eq!(usize::from(words), kept.words.len());
    first.apply(&Change::Reset).unwrap();
    assert_eq!(first.digest(), rig(&tables).digest());
    assert_eq!(first.describe(Kind::Input, 1).unwrap().name, "upper on");
    assert!(first.describe(Kind::Parameter, 0).is_none());
}

/// Between two steps the outputs are those of the step, which has a corner where a gate changes.
#[test]
fn looks_between_two_steps_follow_the_edges() {
    let tables = half_bridge().unwrap();
    let mut rig = rig(&tables);
    let seen = |rig: &ConverterRig<'_, 2, 1, 2, 5, 5>, part: f32| {
        let mut seen = [0.0; 2];
        rig.between(part, &mut |i, x| seen[i] = x);
        seen
    };
    step(&mut rig, &[24.0, 0.2, 0.7, 0.75, 0.15]).unwrap();
    assert_eq!(seen(&rig, 1.0), rig.outputs());
    // 24 V less 5 V across 100 uH for half of 20 us.
    let rise = seen(&rig, 0.7)[0] - seen(&rig, 0.2)[0];
    assert!((rise - 1.9).abs() < 0.1, "{rise}");
    let fall = seen(&rig, 1.0)[0] - seen(&rig, 0.75)[0];
    assert!((fall + 0.25).abs() < 0.05, "{fall}");
}
