//! A session between its clock and its host: burdens of any size, requests that come at any time, samples that are too old, steps
//! that fail.

use std::collections::VecDeque;
use std::convert::Infallible;
use stiffstep::hil::frame::{MOST, encode};
use stiffstep::hil::pins::Pins;
use stiffstep::hil::protocol::{Change, Description, Kind, Numbered, Refusal, Request};
use stiffstep::hil::{
    About, Allowance, Fault, Hold, Policy, Rig, Serving, Session, Setup, Snapshot,
};
use stiffstep::step::{Error, Report};
use stiffstep_host_tests::hil::desk::{Clock, Desk};
use stiffstep_host_tests::hil::reference::by_name;
use stiffstep_plants::rigs::{NAMES, setup};

fn frame(sequence: u32, message: Request) -> Vec<u8> {
    let numbered = Numbered { sequence, message };
    encode(&numbered, &mut [0; MOST]).unwrap().to_vec()
}

fn burden(microseconds: u32) -> Request {
    Request::Change(Change::Fault(Fault::Burden { microseconds }))
}

/// On a linear plant, too, which needs one iteration and never asks for the time.
#[test]
fn a_burden_lengthens_the_steps_of_every_plant() {
    for name in NAMES {
        let mut desk = Desk::new(by_name(name, 1e-3).unwrap());
        desk.must(Request::Arm);
        desk.run(5);
        let free = desk.session.supervision().timing.stepped.most;
        assert!(free < 100, "{name}: {free}");
        desk.must(burden(300));
        desk.run(5);
        let timing = desk.session.supervision().timing;
        assert!(timing.stepped.most >= 300, "{name}: {timing:?}");
        assert_eq!(desk.session.supervision().counters.missed, 0, "{name}");
        desk.must(burden(1_300));
        desk.must(Request::Change(Change::Policy(Policy::Hold)));
        desk.run(5);
        assert!(desk.session.supervision().counters.missed > 0, "{name}");
    }
}

/// A board with this burden would be gone for seconds, or for ever: its clock has 32 bits.
#[test]
fn a_burden_beyond_reason_is_refused() {
    let mut desk = Desk::new(by_name("arm", 1e-3).unwrap());
    desk.must(Request::Arm);
    for microseconds in [Fault::MOST_BURDEN + 1, 26_000_000, u32::MAX] {
        let answer = desk.ask(burden(microseconds));
        assert_eq!(answer, Some(Err(Refusal::OutOfRange)), "{microseconds}");
    }
    assert_eq!(desk.ask(burden(Fault::MOST_BURDEN)), Some(Ok(())));
    desk.run(2);
    assert_eq!(desk.session.rig().steps(), 2);
}

/// A loop that was away for so many ticks is late, however many there are, and in step again after that.
#[test]
fn a_delay_of_any_length_is_a_delay() {
    for period in [1_000, 1 << 24, 16_800_000] {
        let long = u32::MAX - 3 * period;
        for ticks in [1 << 30, 1 << 31, (1 << 31) + 7, 3 << 30, long] {
            let mut session = Session::new(by_name("rlc", 1e-3).unwrap(), setup("desk", true));
            let clock = Clock::new(period);
            let mut serving = Serving::new(&clock);
            clock.wait(period);
            assert_eq!(serving.turn(&mut session, &clock, &mut ()), Some(0));
            clock.wait(ticks);
            let missed = serving.turn(&mut session, &clock, &mut ());
            assert!(missed >= Some(ticks / period - 1), "{ticks}: {missed:?}");
            assert!(missed <= Some(ticks / period + 1), "{ticks}: {missed:?}");
            assert_eq!(serving.turn(&mut session, &clock, &mut ()), None);
            clock.wait(period);
            assert_eq!(serving.turn(&mut session, &clock, &mut ()), Some(0));
        }
    }
}

/// A wire that brings what is put on it, and takes everything.
#[derive(Default)]
struct Wire(VecDeque<u8>);

impl embedded_io::ErrorType for Wire {
    type Error = Infallible;
}
impl embedded_io::ReadReady for Wire {
    fn read_ready(&mut self) -> Result<bool, Infallible> {
        Ok(!self.0.is_empty())
    }
}
impl embedded_io::WriteReady for Wire {
    fn write_ready(&mut self) -> Result<bool, Infallible> {
        Ok(true)
    }
}
impl embedded_io::Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Infallible> {
        let count = buffer.len().min(self.0.len());
        for (slot, byte) in buffer.iter_mut().zip(self.0.drain(..count)) {
            *slot = byte;
        }
        Ok(count)
    }
}
impl embedded_io::Write for Wire {
    fn write(&mut self, buffer: &[u8]) -> Result<usize, Infallible> {
        Ok(buffer.len())
    }
    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// A rig whose changes and descriptions take time by a clock.
struct Slow<'a> {
    rig: Box<dyn Rig>,
    clock: &'a Clock,
    fails: bool,
}

impl<'a> Slow<'a> {
    fn new(name: &str, clock: &'a Clock) -> Self {
        Slow {
            rig: by_name(name, 1e-3).unwrap(),
            clock,
            fails: false,
        }
    }
}

impl Rig for Slow<'_> {
    fn about(&self) -> About {
        self.rig.about()
    }
    fn describe(&mut self, kind: Kind, index: u8) -> Option<Description<&'static str>> {
        self.rig.describe(kind, index)
    }
    fn apply(&mut self, change: &Change) -> Result<(), Refusal> {
        self.clock.wait(369);
        self.rig.apply(change)
    }
    fn step(
        &mut self,
        inputs: &[f32],
        allowance: &mut Allowance<'_>,
    ) -> Result<Report<f32>, Error> {
        self.clock.wait(400);
        if self.fails {
            return Err(Error::NonFinite);
        }
        self.rig.step(inputs, allowance)
    }
    fn steps(&self) -> u32 {
        self.rig.steps()
    }
    fn inputs(&self) -> &[f32] {
        self.rig.inputs()
    }
    fn outputs(&self) -> &[f32] {
        self.rig.outputs()
    }
    fn between(&self, part: f32, see: &mut dyn FnMut(usize, f32)) {
        self.rig.between(part, see);
    }
    fn states(&self, see: &mut dyn FnMut(f32)) {
        self.rig.states(see);
    }
    fn digest(&mut self) -> u32 {
        self.rig.digest()
    }
    fn save(&mut self, into: &mut Snapshot) {
        self.clock.wait(200);
        self.rig.save(into);
    }
    fn load(&mut self, from: &Snapshot) -> bool {
        self.rig.load(from)
    }
    fn join(&mut self, step: u32) {
        self.rig.join(step);
    }
}

/// Wherever in a period a request comes, the next period begins on time.
#[test]
fn requests_do_not_delay_periods() {
    let clock = Clock::new(1_000);
    let mut session = Session::new(Slow::new("dc-motor", &clock), setup("desk", true));
    let (mut serving, mut wire) = (Serving::new(&clock), Wire::default());
    wire.0.extend(frame(1, Request::Arm));
    let requests = [
        Request::Change(Change::Parameter {
            index: 0,
            value: 1.01,
        }),
        Request::Snapshot,
        Request::Status,
        Request::Change(Change::Keep),
        Request::Describe(Kind::Parameter, 0),
    ];
    for k in 0..2_000_u32 {
        while serving.turn(&mut session, &clock, &mut ()).is_none() {
            serving.link(&mut session, &mut wire, &clock);
        }
        // Somewhere in the rest of the period, with the link served as often as there is time.
        let phase = 400 + k % 7 * 90;
        while clock.at() % 1_000 < phase {
            clock.wait(10);
            serving.link(&mut session, &mut wire, &clock);
        }
        let request = requests[k as usize % requests.len()].clone();
        wire.0.extend(frame(2 + k, request));
    }
    let supervision = session.supervision();
    let (began, counters) = (supervision.timing.began, supervision.counters);
    assert!(counters.granted > 1_500, "{counters:?}");
    assert_eq!(counters.missed, 0, "{counters:?}");
    assert!(began.most < 20, "{began:?}");
}

/// A step that takes all of its period leaves the link what it needs to be heard.
#[test]
fn a_link_without_time_is_served() {
    let clock = Clock::new(401);
    let mut session = Session::new(Slow::new("dc-motor", &clock), setup("desk", true));
    let (mut serving, mut wire) = (Serving::new(&clock), Wire::default());
    for k in 0..20 {
        wire.0.extend(frame(k, Request::Status));
    }
    for _ in 0..1_000 {
        serving.turn(&mut session, &clock, &mut ());
        serving.link(&mut session, &mut wire, &clock);
    }
    assert_eq!(session.supervision().counters.granted, 20);
}

/// Another request of the same number is another request.
#[test]
fn repetitions_are_the_same_request() {
    let mut desk = Desk::new(by_name("rlc", 1e-3).unwrap());
    let changes = [
        Request::Arm,
        Request::Change(Change::Inputs([Some(1.0)].into_iter().collect())),
        Request::Change(Change::Inputs([Some(2.0)].into_iter().collect())),
    ];
    for request in &changes {
        desk.receive(&frame(7, request.clone()));
    }
    desk.receive(&frame(7, changes[2].clone()));
    desk.run(1);
    assert_eq!(desk.session.rig().inputs(), [2.0]);
    assert_eq!(desk.session.supervision().counters.granted, 3);
}

/// Pins whose first input is what it is set to.
struct Level(f32, Vec<f32>);

impl Pins for Level {
    fn read(&mut self, input: usize) -> Option<f32> {
        (input == 0).then_some(self.0)
    }
    fn write(&mut self, output: usize, part: f32) {
        if output == 0 {
            self.1.push(part);
        }
    }
}

/// The line through the last two samples needs two of them: not at the start, nor after a reset, a restored state or missed periods.
#[test]
fn a_hold_of_first_order_starts_anew() {
    let setup = Setup {
        hold: Hold::First,
        ..setup("desk", true)
    };
    let clock = Clock::new(1_000);
    let mut session = Session::new(by_name("rlc", 1e-3).unwrap(), setup);
    let (mut serving, mut pins) = (Serving::new(&clock), Level(0.8, Vec::new()));
    let mut step = |session: &mut Session<Box<dyn Rig>>, pins: &mut Level, periods: u32| {
        clock.wait(periods * 1_000);
        serving.turn(session, &clock, pins).unwrap();
        session.rig().inputs()[0]
    };
    let close = |a: f32, b: f32| (a - b).abs() < 1e-5;
    // From -5 to 5 V.
    assert!(close(step(&mut session, &mut pins, 1), 3.0));
    pins.0 = 0.9;
    assert!(close(step(&mut session, &mut pins, 1), 4.5));
    let ask = |session: &mut Session<Box<dyn Rig>>, number, request| {
        for byte in frame(number, request) {
            session.receive(byte);
        }
        while session.work() {}
    };
    ask(&mut session, 1, Request::Arm);
    for (number, change) in [(2, Change::Reset), (3, Change::Keep), (4, Change::Restore)] {
        pins.0 = 1.2 - pins.0;
        let expected = -5.0 + 10.0 * pins.0;
        let starts = change != Change::Keep;
        ask(&mut session, number, Request::Change(change));
        assert_eq!(close(step(&mut session, &mut pins, 1), expected), starts);
    }
    pins.0 = 1.2 - pins.0;
    let expected = -5.0 + 10.0 * pins.0;
    assert!(close(step(&mut session, &mut pins, 4), expected));
}

/// What a pin could not show, a host cannot set either.
#[test]
fn inputs_from_the_host_keep_to_their_range() {
    for name in NAMES {
        let mut desk = Desk::new(by_name(name, 1e-3).unwrap());
        desk.must(Request::Arm);
        let mut rig = by_name(name, 1e-3).unwrap();
        let count = rig.about().counts[0];
        for k in 0..count {
            let range = rig.describe(Kind::Input, k).unwrap().range;
            let beyond = (range[1] - range[0]) * 1e-3;
            for (value, expected) in [
                (range[0], Ok(())),
                (range[1], Ok(())),
                (range[0] - beyond, Err(Refusal::OutOfRange)),
                (range[1] + beyond, Err(Refusal::OutOfRange)),
            ] {
                let values = (0..count).map(|i| (i == k).then_some(value));
                let change = Request::Change(Change::Inputs(values.collect()));
                assert_eq!(desk.ask(change), Some(expected), "{name}, {k}: {value}");
            }
        }
    }
}

/// After a step that failed, the outputs stay where they were: the last step is not played again.
#[test]
fn a_failed_step_holds_the_outputs() {
    let clock = Clock::new(1_000);
    let setup = Setup {
        drives: 4,
        ..setup("desk", true)
    };
    let mut session = Session::new(Slow::new("rlc", &clock), setup);
    let (mut serving, mut pins) = (Serving::new(&clock), Level(0.9, Vec::new()));
    let run = |session: &mut Session<Slow<'_>>, serving: &mut Serving, pins: &mut Level| {
        for _ in 0..100 {
            clock.wait(50);
            serving.turn(session, &clock, pins);
        }
    };
    run(&mut session, &mut serving, &mut pins);
    assert!(pins.1.len() >= 16, "{:?}", pins.1);
    assert!(pins.1.windows(2).all(|pair| pair[1] > pair[0]));
    session.rig_mut().fails = true;
    let last = *pins.1.last().unwrap();
    pins.1.clear();
    run(&mut session, &mut serving, &mut pins);
    assert!(!pins.1.is_empty());
    let turned = pins.1.windows(2).find(|pair| pair[1] < pair[0]);
    assert_eq!(turned, None, "{:?} after {last}", pins.1);
    assert!(session.supervision().counters.failed >= 4);
}
