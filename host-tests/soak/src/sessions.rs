//! Sessions whose host asks for anything, in any order, and often does not listen: burdens of any size, a full outbox, requests again.

use crate::clocks::drain;
use crate::{Draw, Tally};
use core::cell::Cell;
use stiffstep::hil::frame::{MOST, encode};
use stiffstep::hil::pins::Pins;
use stiffstep::hil::protocol::{Change, Kind, Numbered, Request};
use stiffstep::hil::{Fault, Pace, Policy, Rig, Serving, Session, Silence};
use stiffstep_plants::rigs;

/// Ticks a period, which has a thousandth of a second.
const PERIOD: u32 = 100;

/// A clock that ticks whenever somebody looks at it. Slow, so that a burden is over soon.
struct Clock(Cell<u32>);

impl Pace for Clock {
    fn now(&self) -> u32 {
        self.0.set(self.0.get().wrapping_add(1));
        self.0.get()
    }
    fn frequency(&self) -> u32 {
        1_000 * PERIOD
    }
    fn period(&self) -> u32 {
        PERIOD
    }
}

/// Outputs that must be within their swing, and an enable input.
struct Wires {
    within: bool,
    enabled: bool,
}

impl Pins for Wires {
    fn read(&mut self, _input: usize) -> Option<f32> {
        Some(0.5)
    }
    fn write(&mut self, _output: usize, part: f32) {
        self.within &= (0.0..=1.0).contains(&part);
    }
    fn enabled(&mut self) -> bool {
        self.enabled
    }
}

fn change(draw: &mut Draw) -> Change {
    let (index, output) = (draw.below(12) as u8, draw.below(10) as u8);
    let value = f32::from_bits(draw.bits());
    match draw.below(12) {
        0 => Change::Parameter { index, value },
        1 => {
            let values = (0..draw.below(4)).map(|_| draw.part() as f32);
            Change::Inputs(values.map(Some).collect())
        }
        2 => Change::Fault(Fault::Stuck { output }),
        3 => Change::Fault(Fault::Offset { output, by: value }),
        4 => Change::Fault(Fault::Jump { index, value }),
        5 | 6 => {
            // Of every size, most of them to be refused.
            let microseconds = draw.bits() >> draw.below(32);
            Change::Fault(Fault::Burden { microseconds })
        }
        7 => Change::Heal,
        8 => Change::Keep,
        9 => Change::Restore,
        10 => Change::Policy([Policy::KeepBest, Policy::Hold, Policy::Safe][draw.below(3)]),
        _ if draw.one_in(2) => {
            Change::Silence([Silence::GoOn, Silence::Release, Silence::Safe][draw.below(3)])
        }
        _ => Change::Reset,
    }
}

fn request(draw: &mut Draw) -> Request {
    let kind = [Kind::Input, Kind::Output, Kind::State, Kind::Parameter][draw.below(4)];
    match draw.below(10) {
        0 => Request::Hello,
        1 if draw.one_in(4) => Request::Pins(kind, draw.bits() as u8 % 16),
        1 => Request::Describe(kind, draw.bits() as u8 % 16),
        2 => Request::Status,
        3 => Request::Telemetry {
            divider: draw.below(3) as u16,
            states: draw.one_in(2),
        },
        4 => Request::Snapshot,
        5 if draw.one_in(8) => Request::Disarm,
        5 => Request::Arm,
        _ => Request::Change(change(draw)),
    }
}

/// Requests.
pub fn sessions(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    let rig: Result<Box<dyn Rig>, _> = match draw.below(3) {
        0 => rigs::rlc(1e-3).map(|rig| Box::new(rig) as _),
        1 => rigs::dc_motor(1e-3).map(|rig| Box::new(rig) as _),
        _ => rigs::pendulum(1e-3).map(|rig| Box::new(rig) as _),
    };
    let rig = rig.map_err(|error| format!("no rig: {error}"))?;
    let mut session = Session::new(rig, rigs::setup("soak", true));
    let clock = Clock(Cell::new(draw.bits()));
    let mut serving = Serving::new(&clock);
    let mut wires = Wires {
        within: true,
        enabled: true,
    };
    let (mut answered, mut sequence, mut buffer) = (0, 0, [0; MOST]);
    while tally.cases < cases {
        let message = request(draw);
        // Now and then the number of the last one.
        sequence += u32::from(!draw.one_in(8));
        let frame = encode(&Numbered { sequence, message }, &mut buffer);
        let frame = frame.ok_or("a request does not fit a frame")?;
        frame.iter().for_each(|&byte| session.receive(byte));
        tally.cases += 1;
        if draw.one_in(3) {
            wires.enabled = !draw.one_in(50);
            // Not a loop that waits for a period: a session that never gets to one would hang it.
            for _ in 0..2 * PERIOD {
                if serving.turn(&mut session, &clock, &mut wires).is_some() {
                    break;
                }
            }
        }
        while session.work() {}
        // A host that does not listen finds its outbox full.
        if draw.one_in(40) {
            drain(&mut session);
        }
        let counters = session.supervision().counters;
        answered = counters.granted + counters.refused;
        if !wires.within || answered == 0 {
            return Err(format!("an output out of its swing: {counters:?}"));
        }
    }
    let counters = session.supervision().counters;
    tally.add("answered", answered.into());
    tally.add("events without room", counters.dropped.into());
    tally.add("periods missed", counters.missed.into());
    Ok(())
}
