//! A step that is tried: its Newton matrix, new or kept, its iteration, its error.

use super::Adaptive;
use crate::number::{Field, Real};
use crate::step::{Control, Controlled, Error, Estimate, Stepper};

/// A step that was tried, its error in units of what is allowed, and its iterations.
pub(super) type Attempt<P> = (<P as Controlled>::Trial, Estimate<<P as Stepper>::Real>, u8);

impl<P: Controlled> Adaptive<P> {
    /// Whether rounding, which is known to a factor of three or so, is as large as what the iteration must get below.
    pub(super) fn drowns(&self) -> bool {
        let measure = (&self.tolerance, self.control);
        let rounding = |factors| self.stepper.rounding(factors, measure) * P::Real::from_f64(3.0);
        self.factors.as_ref().map(rounding) > Some(self.newton.tolerance)
    }

    /// Tries a step of size `h`: the trial, its error in units of what is allowed, and its iterations. If the Jacobian from half
    /// a step ahead turns out to be from where nothing leads, again with one from here: it may be far stiffer than anything on
    /// the way, and would make increments and estimates of errors vanish.
    pub(super) fn attempt(&mut self, t: P::Real, h: P::Real) -> Result<Attempt<P>, Error> {
        let ahead = self.control == Control::Radau5 || self.controller.steady(h);
        let tried = self.attempt_with(t, h, ahead);
        if tried.is_err() && self.newton.misled() {
            self.stale = true;
            return self.attempt_with(t, h, false);
        }
        tried
    }

    fn attempt_with(&mut self, t: P::Real, h: P::Real, ahead: bool) -> Result<Attempt<P>, Error> {
        let moved = self.stepper.h() != h;
        if moved {
            self.stepper.set_h(h)?;
        }
        let factors = match self.factors.take() {
            Some(factors) if !(moved || self.stale) => factors,
            old => {
                let kept = if self.stale { None } else { old.as_ref() };
                let evaluated = kept.is_none();
                let factors = self.stepper.factor(t, &self.input, kept, ahead)?;
                self.statistics.factorisations += 1;
                self.statistics.jacobians += u32::from(evaluated);
                self.fresh |= evaluated;
                if evaluated {
                    self.newton.ahead = ahead;
                }
                self.stale = false;
                factors
            }
        };
        let factors = self.factors.insert(factors);
        self.newton.begin();
        let measure = (&self.tolerance, self.control);
        let tried = self
            .stepper
            .attempt(t, &self.input, factors, measure, &mut self.newton);
        let iterations = self.newton.iterations;
        self.statistics.evaluations += u32::from(iterations) * P::STAGES as u32;
        self.statistics.solves += u32::from(iterations);
        let (trial, _) = tried?;
        let mut estimate = |twice| {
            let found = self
                .stepper
                .error(t, &self.input, factors, &trial, measure, twice)?;
            self.statistics.evaluations += found.evaluations;
            self.statistics.solves += 1 + u32::from(twice);
            Ok::<_, Error>(Estimate {
                error: found.error / self.allowance,
                all: found.all / self.allowance,
                evaluations: found.evaluations,
            })
        };
        let mut error = estimate(false)?;
        if error.error >= P::Real::ONE && self.controller.wary() {
            error = estimate(true)?;
        }
        if !error.error.finite() {
            return Err(Error::NonFinite);
        }
        Ok((trial, error, iterations))
    }
}
