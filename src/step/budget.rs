//! How many Newton iterations a step may take: a fixed number for real time, a tolerance for the desk, a clock for both.

use super::{Convergence, Error, Report};
use crate::number::Real;

/// Decides, before each iteration, whether there is another one.
pub trait Budget<R: Real> {
    /// Whether [`another`](Self::another) looks at more than the number of iterations so far. If not, increments and defect are
    /// computed only once, at the end.
    const LOOKS: bool = true;

    /// Called with what is known so far, before each iteration, the first included.
    fn another(&mut self, so_far: &Convergence<R>) -> bool;

    /// The acceptance tolerance, relative to the nominal magnitudes: what divides Converged from Unconverged.
    #[inline(always)]
    fn tolerance(&self) -> R {
        acceptance()
    }

    /// What is said of the iteration when there is no other one. `_exact` if one iteration solves the equations.
    #[inline(always)]
    fn verdict(&self, convergence: &Convergence<R>, _exact: bool) -> Result<Report<R>, Error> {
        convergence.verdict(self.tolerance())
    }
}

/// What a step accepts unless told otherwise: 2e-5 in single and 4e-11 in double precision, about epsilon^(2/3).
#[inline(always)]
fn acceptance<R: Real>() -> R {
    R::from_f64(if R::EPSILON > R::from_f64(1e-10) {
        2.0e-5
    } else {
        4.0e-11
    })
}

/// Always this many iterations: the cost of a step does not depend on the data, but for what some methods compute anew where an
/// input has changed, see [`guide::events`](crate::guide::events). With the extrapolating warm start, two
/// are enough for most plants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Fixed(pub u8);

impl<R: Real> Budget<R> for Fixed {
    const LOOKS: bool = false;

    #[inline(always)]
    fn another(&mut self, so_far: &Convergence<R>) -> bool {
        so_far.iterations() < self.0
    }
}

/// Until the estimated error of the iteration is within `tolerance`, or it cannot get smaller, or `max` iterations.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Until<R> {
    /// The acceptance tolerance, relative to the nominal magnitudes.
    pub tolerance: R,
    /// The most iterations to be done.
    pub max: u8,
}

impl<R: Real> Budget<R> for Until<R> {
    #[inline(always)]
    fn another(&mut self, so_far: &Convergence<R>) -> bool {
        so_far.iterations() < self.max && !so_far.within(self.tolerance) && !so_far.exhausted()
    }
    #[inline(always)]
    fn tolerance(&self) -> R {
        self.tolerance
    }
}

/// As long as the clock allows, and at most `max` iterations; what was reached by then is the answer.
///
/// ```
/// use stiffstep::prelude::*;
/// let mut ticks = 0;
/// // On a board the closure reads a timer.
/// let budget = Deadline { max: 4, expired: || { ticks += 1; ticks > 3 } };
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Deadline<C> {
    /// The most iterations to be done.
    pub max: u8,
    /// Whether there is no time for another iteration.
    pub expired: C,
}

impl<R: Real, C: FnMut() -> bool> Budget<R> for Deadline<C> {
    const LOOKS: bool = false;

    #[inline(always)]
    fn another(&mut self, so_far: &Convergence<R>) -> bool {
        so_far.iterations() < self.max && !(self.expired)()
    }
}
