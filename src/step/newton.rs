//! What is known about a Newton iteration while it runs, and the verdict at its end.

use super::{Error, Outcome, Report};
use crate::number::Real;

/// The increments of an iteration so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence<R> {
    iterations: u8,
    /// Norms of the last two increments, relative to the nominal magnitudes.
    last: R,
    previous: R,
    /// Increments as small as this are rounding.
    floor: R,
}

impl<R: Real> Convergence<R> {
    /// Before the first iteration, of which increments up to `floor` will be rounding.
    #[inline(always)]
    pub(crate) fn start(floor: R) -> Self {
        Convergence {
            iterations: 0,
            last: R::ZERO,
            previous: R::ZERO,
            floor,
        }
    }

    /// After another iteration, whose increments have this sum of squares.
    #[inline(always)]
    pub(crate) fn record(&mut self, squares: R) {
        self.iterations += 1;
        self.previous = self.last;
        self.last = squares.sqrt();
    }

    /// Iterations done.
    #[inline(always)]
    pub fn iterations(&self) -> u8 {
        self.iterations
    }

    /// The ratio of the last two increments; zero after the first.
    #[inline(always)]
    pub fn contraction(&self) -> R {
        if self.previous > R::ZERO {
            self.last / self.previous
        } else {
            R::ZERO
        }
    }

    /// The estimated distance from the solution, theta / (1 - theta) times the last increment; after a single iteration
    /// the increment itself, because nothing is known of theta.
    #[inline(always)]
    pub fn defect(&self) -> R {
        if self.iterations < 2 {
            return self.last;
        }
        let theta = self.contraction();
        if theta < R::ONE {
            theta / (R::ONE - theta) * self.last
        } else {
            self.last
        }
    }

    /// Whether the estimate is within a tolerance.
    #[inline(always)]
    pub(crate) fn within(&self, tolerance: R) -> bool {
        self.iterations > 0 && self.defect() <= tolerance
    }

    /// Whether another iteration cannot help: increments are down to rounding, or no longer shrink, or are not finite.
    #[inline(always)]
    pub(crate) fn exhausted(&self) -> bool {
        self.iterations > 0 && (self.last <= self.floor || !self.last.finite())
            || self.iterations > 1 && self.last >= self.previous
    }

    /// The verdict. Increments that no longer shrink are an iteration at rounding level if they are within the tolerance
    /// or the floor, and divergence if they are not; the one increment of a single iteration must at least be below the nominal
    /// magnitudes.
    #[inline(always)]
    pub(crate) fn verdict(&self, tolerance: R, exact: bool) -> Result<Report<R>, Error> {
        if self.iterations == 0 {
            return Err(Error::Budget);
        }
        if !self.last.finite() {
            return Err(Error::NonFinite);
        }
        let (contraction, defect) = if exact {
            (R::ZERO, R::ZERO)
        } else {
            (self.contraction(), self.defect())
        };
        let outcome = if defect <= tolerance || self.last <= self.floor {
            Outcome::Converged
        } else if contraction >= R::ONE || self.iterations == 1 && self.last >= R::ONE {
            return Err(Error::Diverged);
        } else {
            Outcome::Unconverged
        };
        Ok(Report {
            iterations: self.iterations,
            increment: self.last,
            contraction,
            defect,
            outcome,
        })
    }
}
