//! Adaptive steps with events.

use super::{Adaptive, Paced};
use crate::drive::clock::Clock;
use crate::drive::events::{After, Events, Stretch, Watch};
use crate::number::{Field, Real, Scalar};
use crate::step::{Dense, Error, Restart};

impl<P: Paced + Dense + Restart + Clone> Adaptive<P>
where
    P::Model: Clone,
{
    /// Runs to the time `end` or to an event that stops the plant, and answers which. Each event is located on the dense
    /// output, then the step is taken again up to it, in smaller steps if it does not converge, and once more if that shows it to
    /// be elsewhere.
    pub fn run_with<V: Events<P::Real, P::Model, P::State, P::Input, E>, const E: usize>(
        &mut self,
        watch: &mut Watch<P::Real, V, E>,
        end: P::Real,
    ) -> Result<Option<usize>, Error> {
        watch.go_on(self.clock, self.resolution());
        for _ in 0..self.most_steps {
            let (before, began) = (self.stepper.clone(), self.clock);
            let steps = self.statistics.steps;
            let reached = self.approach(end)?;
            let h = self.stepper.h();
            // Time is finer than what it shows.
            if self.statistics.steps == steps {
                return Ok(None);
            }
            let (t, resolution) = (began.model_time(self.stepper.period()), P::Real::ZERO);
            let step = Stretch { t, h, resolution };
            let seen = watch.look(&self.stepper, &self.input, step);
            watch.sides = seen.sides;
            match seen.first {
                None if reached => return Ok(None),
                None => {}
                Some(found) => {
                    let (after, ended) = (self.stepper.clone(), self.clock);
                    let there =
                        self.go_back(&before, began, h - found.before_end, watch, found.index);
                    let happened = there.and_then(|()| self.happen(watch, found.index));
                    if happened.is_err() {
                        (self.stepper, self.clock) = (after, ended);
                    }
                    if happened? == After::Stop {
                        return Ok(Some(found.index));
                    }
                }
            }
        }
        Err(Error::TooManySteps)
    }

    /// Takes the last step again, with the size `h` that leads to an event.
    fn go_back<V: Events<P::Real, P::Model, P::State, P::Input, E>, const E: usize>(
        &mut self,
        before: &P,
        began: Clock<P::Real>,
        h: P::Real,
        watch: &Watch<P::Real, V, E>,
        index: usize,
    ) -> Result<(), Error> {
        let tick = self.tick();
        let mut h = h;
        for _ in 0..4 {
            self.stepper = before.clone();
            self.clock = began;
            if h <= tick {
                // At the very start of the step.
                return Ok(());
            }
            self.advance(h, tick)?;
            let (value, rate) = watch.at_end(&self.stepper, &self.input, index, self.model_time());
            let correction = value / rate;
            // False for NaN and infinity, too: then the event stays where the dense output has it.
            let worthwhile =
                correction.abs() > tick && correction.abs() < h * P::Real::from_f64(0.1);
            if !worthwhile {
                break;
            }
            h -= correction;
        }
        Ok(())
    }

    /// Goes on by `h`, in one step or, where that does not converge, in several. Its error need not be asked for: a longer step
    /// was good enough.
    fn advance(&mut self, h: P::Real, tick: P::Real) -> Result<(), Error> {
        let (began, half) = (self.clock, P::Real::from_f64(0.5));
        let (mut done, mut size) = (P::Real::ZERO, h);
        let least = tick.max(h * P::Real::from_f64(1.0 / 1024.0));
        loop {
            let t = self.model_time();
            match self.attempt(t, size) {
                Ok((trial, _, _)) => {
                    done += size;
                    let last = done >= h;
                    let period = self.stepper.period();
                    let clock = began.after(if last { h } else { done }, period);
                    self.stepper
                        .take(clock.model_time(period), &self.input, trial)?;
                    self.clock = clock;
                    if last {
                        return Ok(());
                    }
                    size = (h - done).min(size);
                }
                Err(Error::Diverged | Error::NonFinite | Error::Singular { .. })
                    if size * half > least =>
                {
                    P::doubt(&mut self.pace);
                    size *= half;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// An event that happens again within this time is one too often. State and time of the model are rounded: where teeth get
    /// shorter and shorter, the last ones are some roundings of what it took to get there, with a period of some periods. Besides
    /// it is some ticks of the clock, and, where all that resolves more than anybody waits for, what takes `2^42` events to double
    /// the time.
    fn resolution(&self) -> P::Real {
        let c = P::Real::from_f64;
        let (time, period) = (self.time().abs(), self.stepper.period());
        let seen = period.map_or(time, |period| time.min(period * c(16.0)));
        let rounding = seen * P::Real::EPSILON * c(64.0);
        let ticks = self.tick() * c(4.0);
        rounding
            .max(ticks)
            .max(time * c(1.0 / (1_u64 << 42) as f64))
    }

    /// Lets an event happen here and now.
    fn happen<V: Events<P::Real, P::Model, P::State, P::Input, E>, const E: usize>(
        &mut self,
        watch: &mut Watch<P::Real, V, E>,
        index: usize,
    ) -> Result<After, Error> {
        let t = self.model_time();
        let since = watch.note(index, self.clock, self.resolution())?;
        let sides = watch.sides;
        let after = watch.happen(&mut self.stepper, &self.input, (index, t), sides)?;
        self.stepper.begin(t, &self.input)?;
        self.clock = self.clock.folded(self.stepper.period());
        P::forget(&mut self.pace);
        // Events that come faster and faster must not be stepped over.
        if let Some(since) = since {
            self.next = self.next.min(since);
        }
        Ok(after)
    }
}
