//! A period of a plant: inputs in, a step, outputs out, and what is told of it.

use super::Session;
use crate::hil::periodic::Pace;
use crate::hil::pins::Pins;
use crate::hil::protocol::{Change, Event, Kind, Sample};
use crate::hil::rig::Rig;
use crate::hil::{Allowance, Range};
use crate::hil::{Cause, MOST_SIGNALS, Signals, Silence};
use crate::step::{Error, Outcome, Report};

impl<R: Rig> Session<R> {
    /// Periods went by without a step.
    pub fn missed(&mut self, periods: u32) {
        self.supervision.missed(periods);
        #[cfg(feature = "defmt")]
        defmt::warn!("{=u32} periods missed", periods);
        // What was sampled then is too old to be continued.
        self.sampled = None;
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
        pins.begin(beginning);
        if self.paused() {
            pins.alive();
            return;
        }
        let since = |pace: &P| pace.now().wrapping_sub(beginning);
        let timing = &mut self.supervision.timing;
        (timing.frequency, timing.period) = (pace.frequency(), pace.period());
        timing.latched = self.setup.latched;
        let began = since(pace);
        timing.began.take(began);
        if self.supervision.listen() {
            self.abandoned();
        }
        pins.alive();
        self.supervision.stack = pins.stack();
        self.obey(pins.enabled());
        if self.supervision.safe {
            self.drive(pins, true);
            pins.latch();
            return;
        }
        let changed = self.sample(pins) | core::mem::take(&mut self.tell_inputs);
        let started = since(pace);
        let limit = self.supervision.limit();
        let (burden, mut carried) = (self.burden, 0);
        let mut expired = || {
            carry(burden, pace);
            carried += 1;
            limit.is_some_and(|limit| since(pace) >= limit)
        };
        let mut allowance = Allowance::new(self.setup.iterations, &mut expired);
        let report = self.rig.step(&self.applied, &mut allowance);
        let shortened = allowance.shortened;
        // The last iteration asks nobody.
        let iterations = report.as_ref().map_or(1, |report| report.iterations.max(1));
        (carried..iterations).for_each(|_| carry(burden, pace));
        self.failed = report.is_err();
        let finished = since(pace);
        if self.drives() > 1 && !self.failed {
            self.drive_between(pins, 0);
        } else {
            self.drive(pins, false);
        }
        pins.latch();
        let timing = &mut self.supervision.timing;
        timing.stepped.take(finished.wrapping_sub(started));
        timing.drove.take(since(pace));
        self.publish(report, shortened, changed);
        let finished = since(pace);
        let timing = &mut self.supervision.timing;
        timing.worked.take(finished.wrapping_sub(began));
    }

    /// The host is silent. Whoever comes back has to arm again.
    fn abandoned(&mut self) {
        self.armed = false;
        match self.supervision.lonely {
            Silence::GoOn => {}
            Silence::Release => self.given = [None; MOST_SIGNALS],
            Silence::Safe => self.supervision.secure(Cause::Silence),
        }
        #[cfg(feature = "defmt")]
        defmt::warn!("the host is silent");
    }

    /// Does what the enable input says. A plant that is enabled again starts from its beginning.
    fn obey(&mut self, enabled: bool) {
        if !enabled {
            self.supervision.secure(Cause::Disabled);
        } else if self.supervision.safe && self.supervision.cause == Some(Cause::Disabled) {
            // Refused or not, there is nobody to tell.
            let _ = self.change(&Change::Reset);
        }
    }

    /// Tells the pins what each output shows in the safe state, and has them show it until the first step.
    pub fn secure<I: Pins + ?Sized>(&mut self, pins: &mut I) {
        for i in 0..self.rig.outputs().len().min(MOST_SIGNALS) {
            let part = self.range(Kind::Output, i).part(self.setup.safe[i]);
            pins.secure(i, part);
            pins.write(i, part);
        }
    }

    /// Reads the inputs. Returns true if any of them changed.
    fn sample<I: Pins + ?Sized>(&mut self, pins: &mut I) -> bool {
        let (mut changed, mut sampled) = (false, [0.0; MOST_SIGNALS]);
        for i in 0..self.applied.len().min(MOST_SIGNALS) {
            let part = pins.read(i);
            let range = self.range(Kind::Input, i);
            let read = part.map_or(0.0, |part| range.at(part));
            let now = self.given[i].unwrap_or(read);
            let before = self.sampled.map_or(now, |sampled| sampled[i]);
            let input = self.setup.hold.over(before, now);
            sampled[i] = now;
            if let Some(applied) = self.applied.get_mut(i) {
                changed |= applied.to_bits() != input.to_bits();
                *applied = input;
            }
        }
        self.sampled = Some(sampled);
        changed
    }

    pub(super) fn range(&mut self, kind: Kind, index: usize) -> Range {
        let described = self.rig.describe(kind, index as u8);
        described.map_or(Range::new(0.0, 1.0), |d| Range::new(d.range[0], d.range[1]))
    }

    /// Drives the outputs: what the sensors show, or what is safe.
    fn drive<I: Pins + ?Sized>(&mut self, pins: &mut I, safe: bool) {
        for i in 0..self.rig.outputs().len() {
            let shown = self.rig.outputs().get(i).copied().unwrap_or(0.0);
            let secure = self.setup.safe.get(i).copied().unwrap_or(0.0);
            self.write(pins, i, if safe { secure } else { shown });
        }
    }

    /// Drives the outputs of one of the parts of a period.
    pub fn drive_between<I: Pins + ?Sized>(&mut self, pins: &mut I, part: u32) {
        if self.supervision.safe || self.failed {
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
            self.write(pins, i, outputs[i]);
        }
    }

    fn write<I: Pins + ?Sized>(&mut self, pins: &mut I, output: usize, value: f32) {
        let range = self.range(Kind::Output, output);
        pins.show(output, value, range);
    }

    /// Counts and tells what a step did.
    fn publish(&mut self, report: Result<Report<f32>, Error>, shortened: bool, changed: bool) {
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

/// Waits for as long as an iteration takes longer, in microseconds.
fn carry<P: Pace + ?Sized>(burden: u32, pace: &P) {
    if burden == 0 {
        return;
    }
    let ticks = u64::from(burden) * u64::from(pace.frequency()) / 1_000_000;
    let begun = pace.now();
    while u64::from(pace.now().wrapping_sub(begun)) < ticks {}
}
