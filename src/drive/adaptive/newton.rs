//! When the simplified Newton iteration of an adaptive step is good enough, and when it is hopeless (Hairer & Wanner II,
//! IV.8).

use crate::number::Real;
use crate::step::{Budget, Convergence, Error, Outcome, Report};

/// The budget of an adaptive step, and what the last one taught it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simplified<R> {
    /// How small the estimated distance from the solution must be.
    pub tolerance: R,
    /// The most iterations.
    pub most: u8,
    /// theta / (1 - theta) of the last step, by which the first increment of the next one is judged.
    pub eta: R,
    /// The contraction; that of a single iteration is unknown, and taken for a good one.
    pub theta: R,
    /// Iterations of the last attempt.
    pub iterations: u8,
    last_ratio: R,
    converged: bool,
}

/// Contraction below which a Jacobian is worth keeping.
pub(super) fn good<R: Real>() -> R {
    R::from_f64(1e-3)
}

impl<R: Real> Simplified<R> {
    pub fn new(tolerance: R, most: u8) -> Self {
        Simplified {
            tolerance,
            most,
            eta: R::ONE,
            theta: good(),
            iterations: 0,
            last_ratio: R::ZERO,
            converged: false,
        }
    }

    /// Before a step.
    pub fn begin(&mut self) {
        let eta = self.eta.max(R::EPSILON);
        self.eta = (eta.ln() * R::from_f64(0.8)).exp();
        self.theta = good();
        self.converged = false;
    }

    /// Nothing is known of the next step.
    pub fn forget(&mut self) {
        self.eta = R::ONE;
    }
}

impl<R: Real> Budget<R> for Simplified<R> {
    fn another(&mut self, so_far: &Convergence<R>) -> bool {
        let n = so_far.iterations();
        self.iterations = n;
        if n == 0 {
            return true;
        }
        let last = so_far.increment();
        if n > 1 {
            let ratio = so_far.contraction();
            // The geometric mean of two ratios, because one alone is often a poor estimate.
            self.theta = if n == 2 {
                ratio
            } else {
                (ratio * self.last_ratio).sqrt()
            };
            self.last_ratio = ratio;
            // False for NaN, too.
            if !(self.theta < R::from_f64(0.99) || so_far.rounding()) {
                return false;
            }
            self.eta = self.theta / (R::ONE - self.theta);
            let mut hope = last * self.eta;
            for _ in n..self.most {
                hope *= self.theta;
            }
            if hope > self.tolerance && !so_far.rounding() {
                return false;
            }
        }
        self.converged = self.eta * last <= self.tolerance || so_far.rounding();
        !self.converged && n < self.most && last.finite()
    }

    fn tolerance(&self) -> R {
        self.tolerance
    }

    fn verdict(&self, convergence: &Convergence<R>, exact: bool) -> Result<Report<R>, Error> {
        if !convergence.increment().finite() {
            return Err(Error::NonFinite);
        }
        if !(exact || self.converged) {
            return Err(Error::Diverged);
        }
        Ok(Report {
            iterations: convergence.iterations(),
            increment: convergence.increment(),
            contraction: convergence.contraction(),
            defect: self.eta * convergence.increment(),
            outcome: Outcome::Converged,
        })
    }
}
