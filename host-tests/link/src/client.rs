//! A host's end of the protocol.

use super::noise::Noise;
use super::port::Port;
use anyhow::{Result, bail};
use std::collections::VecDeque;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use stiffstep::hil::frame::{Decoder, MOST, encode};
use stiffstep::hil::protocol::{Change, Event, Hello, Numbered, Refusal, Request, Status, VERSION};

/// What a board told.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// How many events before it were lost.
    pub lost: u32,
    /// What it told.
    pub event: Event<String>,
}

/// How often a request is repeated before the host gives up, and how long each time waits for an answer.
const TIMES: u32 = 100;
const ANSWER: Duration = Duration::from_millis(100);

/// How long a granted question waits for what was asked: an emulated board may be many times slower than a real one, and asking
/// again and again would keep it from answering.
const TOLD: Duration = Duration::from_secs(1);

/// A board counts a host as lost after a second of silence.
const SIGN_OF_LIFE: Duration = Duration::from_millis(250);

/// A connected board.
pub struct Client {
    port: Port,
    decoder: Decoder,
    sequence: u32,
    expected: Option<u32>,
    waiting: VecDeque<Heard>,
    spoke: Instant,
    /// Frames that came broken.
    pub broken: u64,
    /// Events that were lost.
    pub lost: u64,
}

impl Client {
    /// A host on this wire.
    pub fn new(port: Port) -> Self {
        // Another host may have been there before: its last number must not be our first, or the board would take our
        // request for its repetition.
        let clock = SystemTime::now().duration_since(UNIX_EPOCH);
        Client {
            port,
            decoder: Decoder::new(),
            sequence: clock.map_or(1, |time| time.as_micros() as u32),
            expected: None,
            waiting: VecDeque::new(),
            spoke: Instant::now(),
            broken: 0,
            lost: 0,
        }
    }

    /// The same on a wire that damages this part of all bytes, in percent.
    pub fn on_a_noisy_wire(self, seed: u64, percent: u64) -> Self {
        Client {
            port: Port::Noisy(Box::new(self.port), Noise::new(seed), percent),
            ..self
        }
    }

    /// Sends a request without waiting for its answer, and gives its number.
    pub fn send(&mut self, request: &Request) -> Result<u32> {
        self.sequence = self.sequence.wrapping_add(1);
        self.transmit(self.sequence, request)?;
        Ok(self.sequence)
    }

    fn transmit(&mut self, sequence: u32, request: &Request) -> Result<()> {
        let numbered = Numbered {
            sequence,
            message: request.clone(),
        };
        let mut buffer = [0; MOST];
        let Some(frame) = encode(&numbered, &mut buffer) else {
            bail!("this request does not fit a frame: {request:?}");
        };
        // A zero first: what is left of a broken frame on the wire ends there.
        let mut bytes = vec![0];
        bytes.extend_from_slice(frame);
        self.spoke = Instant::now();
        self.port.send(&bytes)
    }

    /// Sends bytes as they are, for whoever wants to see what a board does with them.
    pub fn send_raw(&mut self, bytes: &[u8]) -> Result<()> {
        self.port.send(bytes)
    }

    /// Sends a request until it is answered. The step that the board was at, and whether it granted the request.
    pub fn ask(&mut self, request: &Request) -> Result<(u32, Result<(), Refusal>)> {
        let sequence = self.send(request)?;
        for _ in 0..TIMES {
            let asked = Instant::now();
            while asked.elapsed() < ANSWER {
                let heard = self.listen()?;
                let answer = heard.iter().find_map(|heard| match &heard.event {
                    Event::Reply { to, step, result } if *to == sequence => Some((*step, *result)),
                    _ => None,
                });
                // What came together with the answer counts, too.
                self.waiting.extend(heard);
                if let Some(answer) = answer {
                    return Ok(answer);
                }
            }
            self.transmit(sequence, request)?;
        }
        bail!("the board does not answer; is it running, and is this the right port?")
    }

    /// The same, where a refusal is an error.
    pub fn insist(&mut self, request: &Request) -> Result<u32> {
        let (step, result) = self.ask(request)?;
        result.map_err(|refusal| anyhow::anyhow!("the board refused: {refusal}"))?;
        Ok(step)
    }

    /// Has every so many steps told, or none; the step that the board was at.
    pub fn telemetry(&mut self, divider: u16) -> Result<u32> {
        let states = false;
        self.insist(&Request::Telemetry { divider, states })
    }

    /// Changes something, for which the board is armed first.
    pub fn change(&mut self, change: Change) -> Result<u32> {
        self.insist(&Request::Arm)?;
        self.insist(&Request::Change(change))
    }

    /// Asks a question until `answer` recognises the answer.
    pub fn question<T>(
        &mut self,
        request: &Request,
        mut answer: impl FnMut(&Event<String>) -> Option<T>,
    ) -> Result<T> {
        for _ in 0..TIMES {
            self.insist(request)?;
            let asked = Instant::now();
            while asked.elapsed() < TOLD {
                if let Some(found) = self.waiting.iter().find_map(|heard| answer(&heard.event)) {
                    return Ok(found);
                }
                let heard = self.listen()?;
                self.waiting.extend(heard);
            }
        }
        bail!("the board answers, but not what it was asked")
    }

    /// Who the board is. A board of another version is an error.
    pub fn hello(&mut self) -> Result<Hello<String>> {
        let hello = self.question(&Request::Hello, |event| match event {
            Event::Hello(hello) => Some(hello.clone()),
            _ => None,
        })?;
        if hello.protocol != VERSION {
            bail!(
                "the board speaks version {} of the protocol, this program version {VERSION}",
                hello.protocol
            );
        }
        Ok(hello)
    }

    /// How it goes on the board.
    pub fn status(&mut self) -> Result<Status> {
        // An earlier status may still wait to be read.
        self.waiting
            .retain(|heard| !matches!(heard.event, Event::Status(_)));
        self.question(&Request::Status, |event| match event {
            Event::Status(status) => Some(*status),
            _ => None,
        })
    }

    /// The next event, if one comes within this time. Meanwhile the board hears that we are there.
    pub fn next(&mut self, within: Duration) -> Result<Option<Heard>> {
        let began = Instant::now();
        loop {
            if let Some(heard) = self.waiting.pop_front() {
                return Ok(Some(heard));
            }
            if self.spoke.elapsed() > SIGN_OF_LIFE {
                self.send(&Request::Status)?;
            }
            let heard = self.listen()?;
            self.waiting.extend(heard);
            if self.waiting.is_empty() && began.elapsed() > within {
                return Ok(None);
            }
        }
    }

    /// Takes in what came on the wire.
    fn listen(&mut self) -> Result<Vec<Heard>> {
        let mut bytes = [0; 4096];
        let count = self.port.receive(&mut bytes)?;
        let mut all = Vec::new();
        for &byte in bytes.iter().take(count) {
            match self.decoder.push::<Numbered<Event<String>>>(byte) {
                None => {}
                Some(Err(_)) => self.broken += 1,
                Some(Ok(Numbered { sequence, message })) => {
                    let lost = self.expected.map_or(0, |next| sequence.wrapping_sub(next));
                    self.expected = Some(sequence.wrapping_add(1));
                    self.lost += u64::from(lost);
                    all.push(Heard {
                        lost,
                        event: message,
                    });
                }
            }
        }
        Ok(all)
    }
}
