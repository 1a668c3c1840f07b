//! Adaptive runs that are looked at in equal intervals of time.

use super::{Adaptive, Paced};
use crate::number::{Field, Real};
use crate::step::{Dense, Error};

impl<P: Paced + Dense> Adaptive<P> {
    /// Runs to the time `end` and shows the state at every multiple of `period` on the way, whatever the steps: the start
    /// and the end included, if they are multiples.
    pub fn sample(
        &mut self,
        period: P::Real,
        end: P::Real,
        mut show: impl FnMut(P::Real, &P::State),
    ) -> Result<(), Error> {
        if !(period > P::Real::ZERO && period.finite()) {
            return Err(Error::StepSize);
        }
        let due = |count: u64| P::Real::from_count(count) * period;
        let mut count = 0;
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
