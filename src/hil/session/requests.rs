//! What a host asks for, and what it is told.

use super::Session;
use crate::hil::Fault;
use crate::hil::frame::MOST;
use crate::hil::protocol::{
    Change, Event, Hello, Kind, Numbered, Refusal, Request, Status, VERSION, WORDS,
};
use crate::hil::rig::Rig;

/// What a session would do between two periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Something with the plant, which may take as long as a step.
    Plant,
    /// Something with words.
    Talk,
}

impl<R: Rig> Session<R> {
    /// Does what a request asks for, unless it is the last one again, and answers it.
    pub(super) fn carry_out(&mut self, request: Numbered<Request>) {
        let again = self.answered.take().filter(|(last, _)| *last == request);
        let result = match again {
            Some((_, result)) => result,
            None => self.grant_and_count(&request.message),
        };
        let (to, step) = (request.sequence, self.rig.steps());
        self.send(Event::Reply { to, step, result });
        // Questions change nothing: whoever asks again is told again.
        if result.is_ok() {
            self.asked = Some(request.message.clone());
        }
        self.answered = Some((request, result));
    }

    fn grant_and_count(&mut self, request: &Request) -> Result<(), Refusal> {
        let result = self.grant(request);
        let counters = &mut self.supervision.counters;
        match result {
            Ok(()) => counters.granted += 1,
            Err(_) => counters.refused += 1,
        }
        #[cfg(feature = "defmt")]
        if let Err(refusal) = result {
            defmt::warn!("a request was refused: {}", refusal);
        }
        result
    }

    /// What [`work`](Self::work) would do next.
    pub fn waiting(&self) -> Option<Work> {
        match &self.pending {
            Some(Numbered {
                message: Request::Change(_) | Request::Snapshot,
                ..
            }) => Some(Work::Plant),
            Some(_) => Some(Work::Talk),
            None => (self.asked.is_some() || self.snapshot_waits()).then_some(Work::Talk),
        }
    }

    /// Does one thing that may wait, if there is one: carries out a request, answers a question, or sends a part of a snapshot.
    /// One at a time, so that the next period never waits for more than one of them.
    pub fn work(&mut self) -> bool {
        if let Some(request) = self.pending.take() {
            self.carry_out(request);
            return true;
        }
        if let Some(request) = self.asked.take() {
            self.tell(&request);
            return true;
        }
        self.send_snapshot()
    }

    fn snapshot_waits(&self) -> bool {
        self.sent < self.snapshot.words.len() && self.outbox.room_for(4 * MOST)
    }

    /// Does what a request asks for.
    fn grant(&mut self, request: &Request) -> Result<(), Refusal> {
        match request {
            Request::Hello | Request::Status => Ok(()),
            Request::Describe(kind, index) => {
                let known = self.rig.describe(*kind, *index);
                known.map(drop).ok_or(Refusal::Unknown)
            }
            Request::Pins(kind, index) => {
                let known = self.rig.describe(*kind, *index);
                let pins = known.and_then(|_| self.setup.wiring.of(*kind, *index));
                pins.map(drop).ok_or(Refusal::Unknown)
            }
            Request::Telemetry { divider, states } => {
                (self.divider, self.states, self.since) = (*divider, *states, 0);
                self.tell_inputs = true;
                Ok(())
            }
            Request::Snapshot if self.sent < self.snapshot.words.len() => Err(Refusal::Busy),
            Request::Snapshot => {
                self.rig.save(&mut self.snapshot);
                (self.sent, self.tell_inputs) = (0, true);
                Ok(())
            }
            Request::Arm | Request::Disarm => {
                self.armed = *request == Request::Arm;
                Ok(())
            }
            Request::Pause { .. } if !self.setup.emulated => Err(Refusal::Real),
            Request::Pause { before } => {
                self.pause = *before;
                Ok(())
            }
            Request::Change(_) if !self.armed => Err(Refusal::NotArmed),
            Request::Change(change) => self.change(change),
        }
    }

    pub(super) fn change(&mut self, change: &Change) -> Result<(), Refusal> {
        let inputs = self.applied.len();
        match change {
            Change::Inputs(values) => {
                if values.len() != inputs {
                    return Err(Refusal::Unknown);
                }
                for (i, value) in values.iter().enumerate() {
                    let range = self.range(Kind::Input, i);
                    // False for NaN, too.
                    let within = |value: &f32| *value >= range.least && *value <= range.most;
                    if !value.as_ref().is_none_or(within) {
                        return Err(Refusal::OutOfRange);
                    }
                }
                for (given, value) in self.given.iter_mut().zip(values) {
                    *given = *value;
                }
                // Every step logs the inputs that it got; who gave them does not matter to the plant.
                return Ok(());
            }
            Change::Keep => self.rig.save(&mut self.kept),
            Change::Restore if self.kept.words.is_empty() => return Err(Refusal::NothingKept),
            Change::Restore => {
                self.rig.load(&self.kept);
                self.sampled = None;
            }
            Change::Policy(policy) => self.supervision.policy = *policy,
            Change::Silence(silence) => self.supervision.lonely = *silence,
            Change::Fault(Fault::Burden { microseconds }) => {
                if *microseconds > Fault::MOST_BURDEN {
                    return Err(Refusal::OutOfRange);
                }
                self.burden = *microseconds;
            }
            Change::Heal => {
                self.rig.apply(change)?;
                self.burden = 0;
            }
            Change::Reset => {
                self.rig.apply(change)?;
                self.supervision.safe = false;
                self.sampled = None;
            }
            Change::Parameter { .. } | Change::Fault(_) => self.rig.apply(change)?,
        }
        #[cfg(feature = "defmt")]
        defmt::info!("a change before step {=u32}", self.rig.steps());
        let step = self.rig.steps();
        self.send(Event::Changed {
            step,
            change: change.clone(),
        });
        Ok(())
    }

    /// Answers a question.
    fn tell(&mut self, request: &Request) {
        match request {
            Request::Hello => {
                let about = self.rig.about();
                self.send(Event::Hello(Hello {
                    protocol: VERSION,
                    board: self.setup.board,
                    emulated: self.setup.emulated,
                    plant: about.plant,
                    build: self.setup.build,
                    h: about.h,
                    counts: about.counts,
                    words: about.words,
                }));
            }
            Request::Describe(kind, index) => {
                if let Some(description) = self.rig.describe(*kind, *index) {
                    self.send(Event::Description(description));
                }
            }
            Request::Pins(kind, index) => {
                if let Some(names) = self.setup.wiring.of(*kind, *index) {
                    let (kind, index) = (*kind, *index);
                    self.send(Event::Pins { kind, index, names });
                }
            }
            Request::Status => {
                let status = Status {
                    step: self.rig.steps(),
                    armed: self.armed,
                    safe: self.supervision.safe,
                    cause: self.supervision.cause,
                    stack: self.supervision.stack,
                    counters: self.supervision.counters,
                    timing: self.supervision.timing,
                };
                self.send(Event::Status(status));
            }
            _ => {}
        }
    }

    /// Sends on what is left of the snapshot, one part at a time: telemetry goes first.
    fn send_snapshot(&mut self) -> bool {
        let total = self.snapshot.words.len();
        if !self.snapshot_waits() {
            return false;
        }
        let part = self.snapshot.words.iter().skip(self.sent).copied();
        let words: heapless::Vec<u32, { WORDS }> = part.take(WORDS).collect();
        let (first, step) = (self.sent as u16, self.snapshot.step);
        self.sent += words.len();
        self.send(Event::Snapshot {
            step,
            total: total as u16,
            first,
            words,
        });
        true
    }
}
