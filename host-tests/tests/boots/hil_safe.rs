//! The safe state: what the outputs show when nobody computes them, why, and how a plant gets out of it.

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};
use stiffstep::hil::frame::{MOST, encode};
use stiffstep::hil::pins::Pins;
use stiffstep::hil::protocol::{Change, Numbered, Request};
use stiffstep::hil::{Cause, Fault, Pace, Rig, Serving, Session, Setup, Silence};
use stiffstep_host_tests::hil::client::Client;
use stiffstep_host_tests::hil::emulated::{Emulated, Kit};
use stiffstep_host_tests::hil::reference::by_name;
use stiffstep_plants::rigs::setup;

/// A clock that ticks when it is looked at.
struct Clock(Cell<u32>);

impl Pace for Clock {
    fn now(&self) -> u32 {
        self.0.set(self.0.get() + 1);
        self.0.get()
    }
    fn frequency(&self) -> u32 {
        1_000_000
    }
    fn period(&self) -> u32 {
        1_000
    }
}

/// What four outputs show, what they are to show after a panic, and an enable input.
struct Bench {
    shown: [f32; 4],
    secure: [f32; 4],
    enabled: bool,
}

impl Pins for Bench {
    fn read(&mut self, _input: usize) -> Option<f32> {
        Some(0.75)
    }
    fn write(&mut self, output: usize, part: f32) {
        self.shown[output] = part;
    }
    fn secure(&mut self, output: usize, part: f32) {
        self.secure[output] = part;
    }
    fn enabled(&mut self) -> bool {
        self.enabled
    }
}

struct Rigged {
    session: Session<Box<dyn Rig>>,
    serving: Serving,
    clock: Clock,
    pins: Bench,
    number: u32,
}

impl Rigged {
    fn new(setup: Setup) -> Self {
        let clock = Clock(Cell::new(0));
        let mut rigged = Rigged {
            session: Session::new(by_name("dc-motor", 1e-3).unwrap(), setup),
            serving: Serving::new(&clock),
            clock,
            pins: Bench {
                shown: [-1.0; 4],
                secure: [-1.0; 4],
                enabled: true,
            },
            number: 0,
        };
        rigged.session.secure(&mut rigged.pins);
        rigged
    }

    fn run(&mut self, periods: u32) -> u32 {
        let before = self.session.rig().steps();
        for _ in 0..periods {
            let (session, clock, pins) = (&mut self.session, &self.clock, &mut self.pins);
            while self.serving.turn(session, clock, pins).is_none() {}
            while self.session.work() || !self.session.transmit().is_empty() {
                let count = self.session.transmit().len();
                self.session.transmitted(count);
            }
        }
        self.session.rig().steps() - before
    }

    fn say(&mut self, message: Request) {
        self.number += 1;
        let sequence = self.number;
        let numbered = Numbered { sequence, message };
        let frame = encode(&numbered, &mut [0; MOST]).unwrap().to_vec();
        frame.iter().for_each(|&byte| self.session.receive(byte));
        while self.session.work() {}
    }

    fn cause(&self) -> Option<Cause> {
        let supervision = self.session.supervision();
        supervision.cause.filter(|_| supervision.safe)
    }
}

/// Speeds of zero, which is the middle of their swing; the third output is told to show something else.
fn setup_with_values() -> Setup {
    let mut setup = setup("desk", true);
    setup.safe[2] = -50.0;
    setup.safe[3] = 1e6;
    setup
}

const SAFE: [f32; 4] = [0.5, 0.5, 0.25, 1.0];

/// Before the first step, too: no output is at the end of its swing because nobody has driven it yet.
#[test]
fn outputs_are_safe_before_the_first_step() {
    let mut rigged = Rigged::new(setup_with_values());
    assert_eq!((rigged.pins.shown, rigged.pins.secure), (SAFE, SAFE));
    assert_eq!(rigged.run(100), 100);
    assert_ne!(rigged.pins.shown, SAFE);
}

/// After a reset by the watchdog the plant waits for a host that has seen why.
#[test]
fn after_a_crash_the_plant_waits_for_its_host() {
    for cause in [Cause::Watchdog, Cause::Panic, Cause::Fault] {
        let after = Some(cause);
        let mut rigged = Rigged::new(Setup {
            after,
            ..setup_with_values()
        });
        assert_eq!(rigged.run(100), 0);
        assert_eq!((rigged.cause(), rigged.pins.shown), (after, SAFE));
        rigged.say(Request::Arm);
        rigged.say(Request::Change(Change::Reset));
        assert_eq!(rigged.run(100), 100);
        assert_eq!(rigged.cause(), None);
        assert_ne!(rigged.pins.shown, SAFE);
    }
}

/// What happens to the plant of a host that went away is a matter of choice.
#[test]
fn a_silent_host_gets_what_its_policy_says() {
    for silence in [Silence::GoOn, Silence::Release, Silence::Safe] {
        let mut rigged = Rigged::new(setup_with_values());
        rigged.say(Request::Arm);
        rigged.say(Request::Change(Change::Silence(silence)));
        let given = [Some(6.0), Some(0.1)].into_iter().collect();
        rigged.say(Request::Change(Change::Inputs(given)));
        assert_eq!(rigged.run(500), 500);
        assert_eq!(rigged.session.rig().inputs(), [6.0, 0.1]);
        let steps = rigged.run(2_000);
        match silence {
            Silence::GoOn => assert_eq!(rigged.session.rig().inputs(), [6.0, 0.1]),
            // Three quarters of -24 to 24 V and of -1.5 to 1.5 N m.
            Silence::Release => assert_eq!(rigged.session.rig().inputs(), [12.0, 0.75]),
            Silence::Safe => {
                assert!(steps < 600, "{steps}");
                assert_eq!(rigged.cause(), Some(Cause::Silence));
                assert_eq!(rigged.pins.shown, SAFE);
            }
        }
        if silence != Silence::Safe {
            assert_eq!((steps, rigged.cause()), (2_000, None));
        }
        assert_eq!(rigged.session.supervision().counters.lost_hosts, 1);
    }
}

/// A controller that is switched off takes the plant with it: safe outputs at once, and a start from the beginning when it is back.
#[test]
fn the_enable_input_stops_and_starts_the_plant() {
    let mut rigged = Rigged::new(setup_with_values());
    let start = rigged.session.rig_mut().digest();
    assert_eq!(rigged.run(300), 300);
    rigged.pins.enabled = false;
    assert_eq!(rigged.run(100), 0);
    assert_eq!(rigged.cause(), Some(Cause::Disabled));
    assert_eq!(rigged.pins.shown, SAFE);
    // Nor does a host start it.
    rigged.say(Request::Arm);
    rigged.say(Request::Change(Change::Reset));
    assert_eq!(rigged.run(100), 0);
    assert_eq!(rigged.session.rig_mut().digest(), start);
    rigged.pins.enabled = true;
    assert_eq!(rigged.run(300), 300);
    assert_eq!(rigged.cause(), None);
}

/// A Pico that crashes on request, with its motor turning.
fn crashing() -> (Emulated, Client) {
    let features = ["--no-default-features", "--features", "emulated,plants"];
    let image = Kit::Rp2040
        .build_binaries(&["crash"], &features, "hil-rp2040-crash")
        .unwrap();
    let (board, mut client) = Emulated::start(Kit::Rp2040, &image[0]).unwrap();
    let full = [Some(24.0), Some(0.0)].into_iter().collect();
    client.change(Change::Inputs(full)).unwrap();
    let turning = |part: Option<f64>| part.is_some_and(|part| (part - 0.5).abs() > 0.05);
    wait(|| turning(board.pins("").unwrap().outputs[0]));
    (board, client)
}

/// Waits until something is so.
fn wait(mut so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !so() {
        assert!(began.elapsed() < Duration::from_secs(60), "it never was");
        thread::sleep(Duration::from_millis(5));
    }
}

/// All outputs of the motor are bipolar: the middle of their swing is zero.
fn safe(board: &Emulated) -> bool {
    let middle = |part: &Option<f64>| part.is_some_and(|part| (part - 0.5).abs() < 1e-3);
    board.pins("").unwrap().outputs.iter().all(middle)
}

/// Whatever happens, the outputs get to their safe values, and stay there until a host that was told why resets the plant.
#[test]
fn a_pico_that_crashes_is_safe() {
    for (samples, cause) in [
        (1001, Cause::Panic),
        (1002, Cause::Fault),
        // The core locks up where the memory ends, and a stopped loop stops: both are the watchdog's.
        (1003, Cause::Watchdog),
        (1004, Cause::Watchdog),
    ] {
        let (board, mut client) = crashing();
        let crash = Fault::Lost { output: 0, samples };
        client.send(&Request::Change(Change::Fault(crash))).unwrap();
        // At once after a panic or a fault, and otherwise when the watchdog finds out.
        wait(|| safe(&board));
        let resets = board.pins("").unwrap().resets;
        let at_once = matches!(cause, Cause::Panic | Cause::Fault);
        assert_eq!(resets, u32::from(!at_once), "{cause:?}");
        wait(|| board.pins("").unwrap().resets == 1);
        let status = client.status().unwrap();
        assert_eq!((status.safe, status.cause), (true, Some(cause)));
        assert_eq!(status.step, 0);
        assert!(safe(&board), "{cause:?}");
        client.change(Change::Reset).unwrap();
        let status = client.status().unwrap();
        assert!(!status.safe);
        wait(|| client.status().unwrap().step > 10);
    }
}

#[test]
fn a_pico_without_its_host_or_its_controller_is_safe() {
    let (mut board, mut client) = crashing();
    client.change(Change::Silence(Silence::Safe)).unwrap();
    let mut stack = None;
    // The walk through the stack takes some periods.
    wait(|| {
        stack = client.status().unwrap().stack;
        stack.is_some()
    });
    let stack = stack.unwrap();
    println!("stack: {stack:?}");
    assert!(stack.used > 1_000, "{stack:?}");
    assert!(stack.used < stack.room / 4 * 3, "{stack:?}");
    drop(client);
    wait(|| safe(&board));
    let mut client = board.reconnect().unwrap();
    let status = client.status().unwrap();
    assert_eq!((status.safe, status.cause), (true, Some(Cause::Silence)));
    client.change(Change::Reset).unwrap();
    let full = [Some(24.0), Some(0.0)].into_iter().collect();
    client.change(Change::Inputs(full)).unwrap();
    wait(|| {
        client.insist(&Request::Status).unwrap();
        !safe(&board)
    });
    board.pins(r#"{"enable": false}"#).unwrap();
    wait(|| safe(&board));
    wait(|| client.status().unwrap().cause == Some(Cause::Disabled));
    board.pins(r#"{"enable": true}"#).unwrap();
    wait(|| !client.status().unwrap().safe);
}
