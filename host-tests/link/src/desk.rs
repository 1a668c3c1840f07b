//! A board on the desk: the same session, with a clock of our own and no wire.

use super::client::Heard;
use std::cell::Cell;
use stiffstep::hil::frame::{Decoder, MOST, encode};
use stiffstep::hil::protocol::{Event, Numbered, Refusal, Request};
use stiffstep::hil::{Pace, Rig, Serving, Session};
use stiffstep_plants::rigs::setup;

/// A clock that ticks whenever somebody looks at it, a million times a second.
#[derive(Debug)]
pub struct Clock {
    now: Cell<u32>,
    period: u32,
}

impl Clock {
    /// At zero, with so many ticks a period.
    pub fn new(period: u32) -> Self {
        let now = Cell::new(0);
        Clock { now, period }
    }

    /// The time, which nobody looked at.
    pub fn at(&self) -> u32 {
        self.now.get()
    }

    /// Time goes by.
    pub fn wait(&self, ticks: u32) {
        self.now.set(self.now.get().wrapping_add(ticks));
    }
}

impl Pace for Clock {
    fn now(&self) -> u32 {
        self.wait(1);
        self.at()
    }

    fn frequency(&self) -> u32 {
        1_000_000
    }

    fn period(&self) -> u32 {
        self.period
    }
}

/// The board.
pub struct Desk {
    /// Its session.
    pub session: Session<Box<dyn Rig>>,
    /// What it told so far.
    pub heard: Vec<Heard>,
    clock: Clock,
    serving: Serving,
    decoder: Decoder,
    sequence: u32,
    expected: Option<u32>,
}

impl Desk {
    /// A plant on the desk.
    pub fn new(rig: Box<dyn Rig>) -> Self {
        Self::board(rig, true)
    }

    /// The same that takes itself for a real board.
    pub fn real(rig: Box<dyn Rig>) -> Self {
        Self::board(rig, false)
    }

    fn board(rig: Box<dyn Rig>, emulated: bool) -> Self {
        let period = (rig.about().h * 1e6).round() as u32;
        let clock = Clock::new(period);
        Desk {
            serving: Serving::new(&clock),
            session: Session::new(rig, setup("desk", emulated)),
            heard: Vec::new(),
            clock,
            decoder: Decoder::new(),
            sequence: 0,
            expected: None,
        }
    }

    /// Lets so many steps happen, as far as they do: a plant in its safe state takes none.
    pub fn run(&mut self, periods: u32) {
        for _ in 0..periods {
            while (self.serving)
                .turn(&mut self.session, &self.clock, &mut ())
                .is_none()
            {}
            self.listen();
        }
    }

    /// The board gets these bytes.
    pub fn receive(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.session.receive(byte));
        self.listen();
    }

    /// The board gets a message that may be anything.
    pub fn say<T: serde::Serialize>(&mut self, message: T) -> u32 {
        self.sequence += 1;
        let numbered = Numbered {
            sequence: self.sequence,
            message,
        };
        let mut buffer = [0; MOST];
        if let Some(frame) = encode(&numbered, &mut buffer) {
            let frame = frame.to_vec();
            self.receive(&frame);
        }
        self.sequence
    }

    /// The answer to a request; `None` if there was none.
    pub fn ask(&mut self, request: Request) -> Option<Result<(), Refusal>> {
        let number = self.say(request);
        self.heard.iter().rev().find_map(|heard| match heard.event {
            Event::Reply { to, result, .. } if to == number => Some(result),
            _ => None,
        })
    }

    /// A request that must be granted: whatever else became of it ends a test.
    ///
    /// # Panics
    ///
    /// If it was refused or not answered.
    #[track_caller]
    pub fn must(&mut self, request: Request) {
        assert_eq!(self.ask(request), Some(Ok(())));
    }

    fn listen(&mut self) {
        while self.session.work() || !self.session.transmit().is_empty() {
            let bytes = self.session.transmit().to_vec();
            self.session.transmitted(bytes.len());
            for byte in bytes {
                if let Some(Ok(Numbered { sequence, message })) = self.decoder.push(byte) {
                    let lost = self.expected.map_or(0, |next| sequence.wrapping_sub(next));
                    self.expected = Some(sequence.wrapping_add(1));
                    self.heard.push(Heard {
                        lost,
                        event: message,
                    });
                }
            }
        }
    }
}
