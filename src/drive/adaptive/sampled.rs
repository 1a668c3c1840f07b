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
        let mut count = 0_u64;
        let mut due = P::Real::from_count(count) * period;
        while due < self.time() {
            count += 1;
            due = P::Real::from_count(count) * period;
        }
        if due == self.time() {
            show(due, self.state());
            count += 1;
            due = P::Real::from_count(count) * period;
        }
        for _ in 0..self.most_steps {
            let reached = self.approach(end)?;
            while due <= self.time() {
                show(due, &self.stepper.before(self.time() - due));
                count += 1;
                due = P::Real::from_count(count) * period;
            }
            if reached {
                return Ok(());
            }
        }
        Err(Error::TooManySteps)
    }
}
