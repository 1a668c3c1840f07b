//! A plant at work: bytes and periods in, bytes and outputs out.

use super::frame::{Broken, Decoder, MOST};
use super::periodic::Pace;
use super::pins::Pins;
use super::protocol::{Change, Event, Hello, Numbered, Refusal, Request, Sample, Status, VERSION};
use super::rig::{Range, Rig, Watch};
use super::telemetry::Outbox;
use super::{Fault, MOST_SIGNALS, Setup, Signals, Snapshot, Supervision};
use crate::step::{Outcome, Report};

/// A rig with a host: whatever the host asks for happens between two steps.
pub struct Session<R> {
    rig: R,
    setup: Setup,
    supervision: Supervision,
    decoder: Decoder,
    outbox: Outbox,
    /// Whether the host may change things.
    armed: bool,
    /// Steps from sample to sample, and whether states go along.
    divider: u16,
    states: bool,
    /// Steps since the last sample.
    since: u16,
    /// Inputs that the host gave.
    given: [Option<f32>; MOST_SIGNALS],
    /// The samples of the inputs in the last step, and what the step got for them.
    sampled: [f32; MOST_SIGNALS],
    applied: Signals,
    /// The last request's number and answer, in case it comes again.
    answered: Option<(u32, Result<(), Refusal>)>,
    /// A question that is still to be answered.
    asked: Option<Request>,
    /// What the host asked to keep.
    kept: Snapshot,
    /// What is on its way to the host, and how many words of it are gone.
    snapshot: Snapshot,
    sent: usize,
    /// Whether the next step tells its inputs even if they are the same: whoever follows from here needs them.
    tell_inputs: bool,
    /// What every iteration takes longer, in microseconds.
    burden: u32,
    /// The step before which an emulated plant stands still.
    pause: Option<u32>,
}

impl<R: Rig> Session<R> {
    /// A session that waits for its first period. The host counts as lost after a second of silence.
    pub fn new(rig: R, setup: Setup) -> Self {
        let about = rig.about();
        let a_second = (1.0 / about.h) as u32;
        let mut applied = Signals::new();
        let _fits = applied.resize(usize::from(about.counts[0]), 0.0);
        Session {
            rig,
            setup,
            supervision: Supervision::new(setup.policy, a_second),
            decoder: Decoder::new(),
            outbox: Outbox::default(),
            armed: false,
            divider: 0,
            states: false,
            since: 0,
            given: [None; MOST_SIGNALS],
            sampled: [0.0; MOST_SIGNALS],
            applied,
            answered: None,
            asked: None,
            kept: Snapshot::default(),
            snapshot: Snapshot::default(),
            sent: 0,
            tell_inputs: false,
            burden: 0,
            pause: None,
        }
    }

    /// The rig.
    pub fn rig(&self) -> &R {
        &self.rig
    }

    /// What was counted and timed.
    pub fn supervision(&self) -> &Supervision {
        &self.supervision
    }

    /// How often a period the outputs are driven.
    pub fn drives(&self) -> u32 {
        u32::from(self.setup.drives).max(1)
    }

    /// Takes a byte from the host.
    pub fn receive(&mut self, byte: u8) {
        match self.decoder.push(byte) {
            None => {}
            Some(Ok(Numbered { sequence, message })) => self.request(sequence, message),
            Some(Err(Broken::Content)) => {
                self.supervision.heard();
                self.supervision.counters.refused += 1;
                self.send(Event::Refused(Refusal::Malformed));
            }
            Some(Err(_)) => self.supervision.counters.broken += 1,
        }
    }

    /// The bytes that wait for the host.
    pub fn transmit(&self) -> &[u8] {
        self.outbox.next()
    }

    /// So many of them went out.
    pub fn transmitted(&mut self, count: usize) {
        self.outbox.sent(count);
    }

    fn send(&mut self, event: Event<&'static str>) {
        if !self.outbox.send(event) {
            self.supervision.counters.dropped += 1;
        }
    }

    fn request(&mut self, sequence: u32, request: Request) {
        self.supervision.heard();
        let again = self.answered.filter(|(number, _)| *number == sequence);
        let result = match again {
            Some((_, result)) => result,
            None => self.grant(&request),
        };
        if again.is_none() {
            let counters = &mut self.supervision.counters;
            match result {
                Ok(()) => counters.granted += 1,
                Err(_) => counters.refused += 1,
            }
            #[cfg(feature = "defmt")]
            if let Err(refusal) = result {
                defmt::warn!("request {=u32} refused: {}", sequence, refusal);
            }
        }
        self.answered = Some((sequence, result));
        let step = self.rig.steps();
        self.send(Event::Reply {
            to: sequence,
            step,
            result,
        });
        // Questions change nothing: whoever asks again is told again.
        if result.is_ok() {
            self.asked = Some(request);
        }
    }

    /// Does one thing that may wait, if there is one: answers the last question, or sends a part of a snapshot. Apart from
    /// the request itself, so that the next period never waits for more than one of them.
    pub fn work(&mut self) -> bool {
        if let Some(request) = self.asked.take() {
            self.tell(&request);
            return true;
        }
        self.send_snapshot()
    }

    /// Does what a request asks for.
    fn grant(&mut self, request: &Request) -> Result<(), Refusal> {
        match request {
            Request::Hello | Request::Status => Ok(()),
            Request::Describe(kind, index) => {
                let known = self.rig.describe(*kind, *index);
                known.map(drop).ok_or(Refusal::Unknown)
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

    fn change(&mut self, change: &Change) -> Result<(), Refusal> {
        let inputs = self.applied.len();
        match change {
            Change::Inputs(values) => {
                if values.len() != inputs {
                    return Err(Refusal::Unknown);
                }
                if values.iter().flatten().any(|value| !value.is_finite()) {
                    return Err(Refusal::OutOfRange);
                }
                for (given, value) in self.given.iter_mut().zip(values) {
                    *given = *value;
                }
                // Every step logs the inputs that it got; who gave them does not matter to the plant.
                return Ok(());
            }
            Change::Keep => self.rig.save(&mut self.kept),
            Change::Restore if self.kept.words.is_empty() => return Err(Refusal::NothingKept),
            Change::Restore => _ = self.rig.load(&self.kept),
            Change::Policy(policy) => self.supervision.policy = *policy,
            Change::Fault(Fault::Burden { microseconds }) => self.burden = *microseconds,
            Change::Heal => {
                self.rig.apply(change)?;
                self.burden = 0;
            }
            Change::Reset => {
                self.rig.apply(change)?;
                self.supervision.safe = false;
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
            Request::Status => {
                let status = Status {
                    step: self.rig.steps(),
                    armed: self.armed,
                    safe: self.supervision.safe,
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
        if self.sent >= total || !self.outbox.room_for(4 * MOST) {
            return false;
        }
        let part = self.snapshot.words.iter().skip(self.sent).copied();
        let words: heapless::Vec<u32, { super::protocol::WORDS }> =
            part.take(super::protocol::WORDS).collect();
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

    /// Periods went by without a step.
    pub fn missed(&mut self, periods: u32) {
        self.supervision.missed(periods);
        #[cfg(feature = "defmt")]
        defmt::warn!("{=u32} periods missed", periods);
        let (step, policy) = (self.rig.steps(), self.supervision.policy);
        self.send(Event::Overrun {
            step,
            missed: periods,
            policy,
        });
    }

    /// Whether time stands still for the plant.
    fn paused(&self) -> bool {
        let beyond = |before| self.rig.steps().wrapping_sub(before) < u32::MAX / 2;
        self.pause.is_some_and(beyond)
    }

    /// One period: reads the inputs, steps the plant, drives the outputs, publishes. `beginning` is when it began by the
    /// clock of `pace`.
    pub fn period<P: Pace + ?Sized, I: Pins + ?Sized>(
        &mut self,
        pace: &P,
        pins: &mut I,
        beginning: u32,
    ) {
        if self.paused() {
            pins.alive();
            return;
        }
        let since = |pace: &P| pace.now().wrapping_sub(beginning);
        let timing = &mut self.supervision.timing;
        (timing.frequency, timing.period) = (pace.frequency(), pace.period());
        let began = since(pace);
        timing.began.take(began);
        if self.supervision.listen() {
            // Whoever comes back has to arm again; the plant goes on with the inputs it has.
            self.armed = false;
            #[cfg(feature = "defmt")]
            defmt::warn!("the host is silent");
        }
        pins.alive();
        if self.supervision.safe {
            self.drive(pins, true);
            return;
        }
        let changed = self.sample(pins) | core::mem::take(&mut self.tell_inputs);
        let started = since(pace);
        let limit = self.supervision.limit();
        let burden = u64::from(self.burden) * u64::from(pace.frequency()) / 1_000_000;
        let mut expired = || {
            let begun = pace.now();
            while u64::from(pace.now().wrapping_sub(begun)) < burden {}
            limit.is_some_and(|limit| since(pace) >= limit)
        };
        let mut watch = Watch::new(self.setup.iterations, &mut expired);
        let report = self.rig.step(&self.applied, &mut watch);
        let shortened = watch.shortened;
        let finished = since(pace);
        if self.drives() > 1 {
            self.drive_between(pins, 0);
        } else {
            self.drive(pins, false);
        }
        let timing = &mut self.supervision.timing;
        timing.stepped.take(finished.wrapping_sub(started));
        timing.drove.take(since(pace));
        self.publish(report, shortened, changed);
        let finished = since(pace);
        let timing = &mut self.supervision.timing;
        timing.worked.take(finished.wrapping_sub(began));
    }

    /// Reads the inputs. Whether they are others than in the last step.
    fn sample<I: Pins + ?Sized>(&mut self, pins: &mut I) -> bool {
        let mut changed = false;
        for i in 0..self.applied.len().min(MOST_SIGNALS) {
            let part = pins.read(i);
            let range = self.range(super::protocol::Kind::Input, i);
            let read = part.map_or(0.0, |part| range.at(part));
            let now = self.given[i].unwrap_or(read);
            let input = self.setup.hold.over(self.sampled[i], now);
            self.sampled[i] = now;
            if let Some(applied) = self.applied.get_mut(i) {
                changed |= applied.to_bits() != input.to_bits();
                *applied = input;
            }
        }
        changed
    }

    fn range(&mut self, kind: super::protocol::Kind, index: usize) -> Range {
        let described = self.rig.describe(kind, index as u8);
        described.map_or(Range::new(0.0, 1.0), |d| Range::new(d.range[0], d.range[1]))
    }

    /// Drives the outputs: what the sensors show, or zero.
    fn drive<I: Pins + ?Sized>(&mut self, pins: &mut I, safe: bool) {
        for i in 0..self.rig.outputs().len() {
            let shown = self.rig.outputs().get(i).copied().unwrap_or(0.0);
            let range = self.range(super::protocol::Kind::Output, i);
            pins.write(i, range.part(if safe { 0.0 } else { shown }));
        }
    }

    /// Drives the outputs of one of the parts of a period.
    pub fn drive_between<I: Pins + ?Sized>(&mut self, pins: &mut I, part: u32) {
        if self.supervision.safe {
            return;
        }
        let mut outputs = [0.0; MOST_SIGNALS];
        let part = (part + 1) as f32 / self.drives() as f32;
        self.rig.between(part, &mut |i, value| {
            if let Some(slot) = outputs.get_mut(i) {
                *slot = value;
            }
        });
        for i in 0..self.rig.outputs().len().min(MOST_SIGNALS) {
            let range = self.range(super::protocol::Kind::Output, i);
            pins.write(i, range.part(outputs[i]));
        }
    }

    /// Counts and tells what a step did.
    fn publish(
        &mut self,
        report: Result<Report<f32>, crate::step::Error>,
        shortened: bool,
        changed: bool,
    ) {
        let step = self.rig.steps().wrapping_sub(1);
        let counters = &mut self.supervision.counters;
        let mut iterations = 0;
        match report {
            Ok(report) => {
                iterations = report.iterations;
                counters.shortened += u32::from(shortened);
                counters.unconverged += u32::from(report.outcome == Outcome::Unconverged);
            }
            Err(error) => {
                counters.failed += 1;
                #[cfg(feature = "defmt")]
                defmt::error!("step {=u32} failed: {}", step, error);
                self.send(Event::Failed { step, error });
            }
        }
        self.since = self.since.wrapping_add(1);
        if self.divider > 0 && self.since >= self.divider {
            self.since = 0;
            let outputs = Signals::from_slice(self.rig.outputs()).unwrap_or_default();
            let sample = Sample {
                step,
                iterations,
                inputs: self.applied.clone(),
                outputs,
                digest: self.rig.digest(),
            };
            self.send(Event::Sample(sample));
            if self.states {
                let mut values = heapless::Vec::new();
                self.rig.states(&mut |state| _ = values.push(state));
                self.send(Event::States { step, values });
            }
        } else if self.divider > 0 {
            if changed {
                let values = self.applied.clone();
                self.send(Event::Input { step, values });
            }
            if shortened {
                self.send(Event::Shortened { step, iterations });
            }
        }
    }
}
