//! What a projection answers, and what it watches on the way.

use crate::model::{Motion, Vector};
use crate::number::Real;
use crate::step::{Outcome, Report};

/// Why a projection stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Ending {
    /// The constraints and their rates changed by less than the tolerance.
    Settled,
    /// They change by more, and no less from one iteration to the next: the number type cannot do better, or the window is so
    /// wide that the slow motion is not straight in it.
    Stagnant,
    /// They still changed by more after the last iteration that was allowed.
    Exhausted,
}

/// A point of the slow manifold.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Slow<R: Real, const Q: usize, const L: usize> {
    /// The point, with its accelerations and the forces in its joints.
    pub motion: Motion<R, Q, L>,
    /// What rounding left out of the position. The forces in stiff joints live in these digits.
    pub low: Vector<R, Q>,
    /// How the iteration went. Its increment is the last change of the constraints and their rates, its outcome is
    /// `Converged` if that is within the tolerance.
    pub report: Report<R>,
    /// Why it stopped there.
    pub ending: Ending,
}

/// The report of an iteration whose last two changes were these.
pub(super) fn report<R: Real>(iterations: u8, change: R, previous: R, ending: Ending) -> Report<R> {
    let contraction = if previous > R::ZERO {
        change / previous
    } else {
        R::ZERO
    };
    let most = R::from_f64(0.9);
    let theta = if contraction < most {
        contraction
    } else {
        most
    };
    let defect = if iterations > 1 {
        theta / (R::ONE - theta) * change
    } else {
        change
    };
    let outcome = match ending {
        Ending::Settled => Outcome::Converged,
        Ending::Stagnant | Ending::Exhausted => Outcome::Unconverged,
    };
    Report::new((iterations, outcome), (change, previous), defect)
}

/// What an iteration changes.
#[derive(Clone, Copy)]
pub(super) struct Change<R> {
    /// The most of a constraint or of its rate, (14).
    pub constraint: R,
    /// The most of a joint's force.
    pub force: R,
}

impl<R: Real> Change<R> {
    pub const NONE: Self = Change {
        constraint: R::ZERO,
        force: R::ZERO,
    };

    /// The change from one point's constraints and their rates to another's; none if one of them is no number.
    pub fn between<const L: usize>(
        (g0, rate0): &([R; L], [R; L]),
        (g1, rate1): &([R; L], [R; L]),
        stiffness: &[R; L],
    ) -> Option<Self> {
        let mut most = Self::NONE;
        for j in 0..L {
            let (place, rate) = ((g1[j] - g0[j]).abs(), (rate1[j] - rate0[j]).abs());
            if !(place.finite() && rate.finite()) {
                return None;
            }
            most.constraint = larger(most.constraint, larger(place, rate));
            most.force = larger(most.force, stiffness[j] * place);
        }
        Some(most)
    }
}

pub(super) fn larger<R: Real>(a: R, b: R) -> R {
    if a > b { a } else { b }
}
