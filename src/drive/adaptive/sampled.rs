//! Adaptive runs that are looked at in equal intervals of time.

use super::{Adaptive, Paced};
use crate::number::{Field, Real};
use crate::step::{Dense, Error};

impl<P: Paced + Dense> Adaptive<P> {
    /// Runs to the time `end` and shows the state at every multiple of `period` on the way, whatever the steps: the start
    /// and the end included, if they are multiples. A period of which time has no count is [`Error::StepSize`].
    pub fn sample(
        &mut self,
        period: P::Real,
        end: P::Real,
        mut show: impl FnMut(P::Real, &P::State),
    ) -> Result<(), Error> {
        if !(period > P::Real::ZERO && period.finite()) {
            return Err(Error::StepSize);
        }
        let due = |count: i64| {
            let due = P::Real::from_count(count.unsigned_abs()) * period;
            if count < 0 { -due } else { due }
        };
        let mut count = first(self.time(), period)?;
        while due(count) < self.time() {
            count += 1;
        }
        if due(count) == self.time() {
            show(due(count), self.state());
            count += 1;
        }
        for _ in 0..self.most_steps {
            let reached = self.approach(end)?;
            while due(count) <= self.time() {
                let ago = self.time() - due(count);
                show(due(count), &self.stepper.before(ago));
                count += 1;
            }
            if reached {
                return Ok(());
            }
        }
        Err(Error::TooManySteps)
    }
}

/// The multiple of `period` at or before `time`, or the one before it: division rounds.
fn first<R: Real>(time: R, period: R) -> Result<i64, Error> {
    // Beyond this a double is no count.
    let most = (1_u64 << 52) as f64;
    let count = time.to_f64() / period.to_f64();
    if count > -most && count < most {
        // Towards zero, and so up to one above the floor.
        Ok(count as i64 - 1)
    } else {
        Err(Error::StepSize)
    }
}
