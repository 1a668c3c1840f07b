//! When the simplified Newton iteration of an adaptive step is good enough, and when it is hopeless (Hairer & Wanner II,
//! IV.8).

use crate::number::Real;
use crate::step::{Budget, Convergence, Error, Report};

/// The budget of an adaptive step, and what the last one taught it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simplified<R> {
    /// How small the estimated distance from the solution must be.
    pub tolerance: R,
    /// The fewest iterations, one or two: RADAU5 takes the last step's contraction for that of a single one.
    pub least: u8,
    /// The largest increments that may pass for rounding.
    pub rounding: R,
    /// The most iterations.
    pub most: u8,
    /// theta / (1 - theta) of the last step, by which the first increment of the next one is judged.
    pub eta: R,
    /// The contraction; that of a single iteration is unknown, and taken for a good one.
    pub theta: R,
    /// A first increment as large as this comes from a start that was no prediction: then the ratio of the second one to it
    /// says nothing of the contraction, and it takes a third to know.
    pub far: R,
    /// Whether the Jacobian is from where a prediction leads: after such an increment, from nowhere.
    pub ahead: bool,
    /// Iterations of the last attempt.
    pub iterations: u8,
    first: R,
    last_ratio: R,
    converged: bool,
}

/// Contraction below which a Jacobian is worth keeping.
pub(super) fn good<R: Real>() -> R {
    R::from_f64(1e-3)
}

impl<R: Real> Simplified<R> {
    pub fn new(tolerance: R, (least, most): (u8, u8)) -> Self {
        Simplified {
            tolerance,
            least,
            rounding: R::LARGEST,
            most,
            eta: R::ONE,
            theta: good(),
            far: R::LARGEST,
            ahead: false,
            iterations: 0,
            first: R::ZERO,
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

    /// Whether the last attempt ended because its Jacobian was from where no prediction leads.
    pub fn misled(&self) -> bool {
        self.ahead && self.iterations == 1 && self.first > self.far
    }

    /// Nothing is known of the next step.
    pub fn forget(&mut self) {
        self.eta = R::ONE;
    }
}

impl<R: Real> Budget<R> for Simplified<R> {
    fn another(&mut self, so_far: &Convergence<R>) -> bool {
        let (n, last) = (so_far.iterations(), so_far.increment());
        self.iterations = n;
        if n == 0 {
            return true;
        }
        if n == 1 {
            self.first = last;
            if self.ahead && last > self.far {
                return false;
            }
            // Rounding that is small enough not to matter. Of anything else a first increment tells nothing.
            self.converged = so_far.rounding() && last <= self.tolerance
                || self.least == 1 && self.eta * last <= self.tolerance;
            return !self.converged && n < self.most && last.finite();
        }
        let ratio = so_far.contraction();
        // The geometric mean of two ratios, because one alone is often a poor estimate.
        self.theta = if n == 2 {
            ratio
        } else {
            (ratio * self.last_ratio).sqrt()
        };
        self.last_ratio = ratio;
        let rounding = so_far.rounding() && last <= self.rounding;
        // False for NaN, too.
        let contracts = self.theta < R::from_f64(0.99);
        if !contracts {
            // Increments that no longer shrink, but are as small as they need be, are rounding.
            self.eta = R::ONE;
            self.converged = rounding || n > 2 && last <= self.tolerance;
            return false;
        }
        self.eta = self.theta / (R::ONE - self.theta);
        let mut hope = last * self.eta;
        for _ in n..self.most {
            hope *= self.theta;
        }
        if hope > self.tolerance && !rounding {
            return false;
        }
        let known = n > 2 || self.first <= self.far;
        self.converged = known && self.eta * last <= self.tolerance || rounding;
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
        Ok(convergence.accepted(self.eta * convergence.increment()))
    }
}
