//! What a step says about itself.

use crate::number::Real;

/// How far the Newton iteration got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Outcome {
    /// The estimated distance to the solution of the stage equations is within the acceptance tolerance.
    Converged,
    /// The budget ended the iteration above the acceptance tolerance; the report's defect says how far.
    Unconverged,
}

/// A completed step. All figures are relative to the model's nominal magnitudes.
///
/// Squares are kept and roots taken when somebody asks: a step that nobody asks pays for none.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Report<R> {
    /// Newton iterations done.
    pub iterations: u8,
    /// Whether the defect is good enough.
    pub outcome: Outcome,
    /// Squares: the last two increments and the defect.
    pub(crate) last: R,
    pub(crate) previous: R,
    pub(crate) claim: R,
    /// The square of the multipliers' last increment.
    pub(crate) lambda: R,
}

impl<R: Real> Report<R> {
    /// A report of the last two increments and the defect, as norms.
    pub(crate) fn new(
        (iterations, outcome): (u8, Outcome),
        (last, previous): (R, R),
        defect: R,
    ) -> Self {
        Report {
            iterations,
            outcome,
            last: last * last,
            previous: previous * previous,
            claim: defect * defect,
            lambda: R::ZERO,
        }
    }

    /// A report of one iteration that is exact but for rounding, which may have this square.
    #[inline(always)]
    pub(crate) fn exact(rounding: R, tolerance: R) -> Self {
        Report {
            iterations: 1,
            outcome: if rounding <= tolerance * tolerance {
                Outcome::Converged
            } else {
                Outcome::Unconverged
            },
            last: rounding,
            previous: R::ZERO,
            claim: rounding,
            lambda: R::ZERO,
        }
    }

    /// Claims at least this, squared, of which so much is Converged.
    #[inline(always)]
    pub(crate) fn at_least(&mut self, claim: R, accepted: R) {
        if claim > self.claim {
            self.claim = claim;
            if claim > accepted {
                self.outcome = Outcome::Unconverged;
            }
        }
    }

    /// Norm of the last increment.
    pub fn increment(&self) -> R {
        self.last.sqrt()
    }

    /// Ratio of the last two increments; zero where one iteration is exact or only one was done.
    pub fn contraction(&self) -> R {
        ratio(self.last, self.previous)
    }

    /// Estimated distance from the solution of the stage equations.
    pub fn defect(&self) -> R {
        self.claim.sqrt()
    }

    /// The same for the forces in a mechanism's joints, relative to the nominal magnitudes of its multipliers; zero for all other
    /// models. It is their last increment, which an iteration that contracts by two or more exceeds its distance with. It has no
    /// part in the outcome: forces go with the second derivative of positions, and are that much worse.
    pub fn force_defect(&self) -> R {
        self.lambda.sqrt()
    }
}

/// The ratio of two norms, given their squares; zero if there is nothing to compare with.
#[inline(always)]
pub(super) fn ratio<R: Real>(last: R, previous: R) -> R {
    if previous > R::ZERO {
        last.sqrt() / previous.sqrt()
    } else {
        R::ZERO
    }
}

impl<R: Real> core::fmt::Debug for Report<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Report")
            .field("iterations", &self.iterations)
            .field("increment", &self.increment())
            .field("contraction", &self.contraction())
            .field("defect", &self.defect())
            .field("force_defect", &self.force_defect())
            .field("outcome", &self.outcome)
            .finish()
    }
}

#[cfg(feature = "defmt")]
impl<R: Real + defmt::Format> defmt::Format for Report<R> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(
            f,
            "{} after {} iterations, defect {}",
            self.outcome,
            self.iterations,
            self.defect()
        );
    }
}
