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
    let theta = contraction.min(R::from_f64(0.9));
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
            most.constraint = most.constraint.max(place.max(rate));
            most.force = most.force.max(stiffness[j] * place);
        }
        Some(most)
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, Ending, report};
    use crate::step::Outcome;

    /// A geometric series of changes: what is left after the last, of which nine tenths at most is believed.
    #[test]
    fn what_is_left_is_a_geometric_series() {
        let quick = report(3, 0.25_f64, 0.5, Ending::Settled);
        assert_eq!((quick.iterations, quick.outcome), (3, Outcome::Converged));
        assert!((quick.defect() - 0.25).abs() < 1e-15, "{}", quick.defect());
        let quicker = report(2, 0.1_f64, 0.5, Ending::Stagnant);
        assert!((quicker.defect() - 0.025).abs() < 1e-15);
        assert_eq!(quicker.outcome, Outcome::Unconverged);
        let slow = report(3, 0.99_f64, 1.0, Ending::Exhausted);
        assert!((slow.defect() - 9.0 * 0.99).abs() < 1e-13);
        assert_eq!(report(1, 0.25, 0.5, Ending::Exhausted).defect(), 0.25);
        assert_eq!(report(2, 0.25, 0.0, Ending::Settled).defect(), 0.0);
    }

    /// The largest of places and rates, and the largest force of a place.
    #[test]
    fn the_largest_change_counts() {
        let before = ([1.0, 2.0], [3.0, 4.0]);
        let after = ([1.5, 1.75], [3.125, 3.0]);
        let change = Change::between(&before, &after, &[10.0, 100.0]);
        assert_eq!(change.map(|c| (c.constraint, c.force)), Some((1.0, 25.0)));
        let after = ([1.5, f64::NAN], [3.0, 4.0]);
        assert!(Change::between(&before, &after, &[1.0; 2]).is_none());
        let after = ([1.5, 2.0], [f64::INFINITY, 4.0]);
        assert!(Change::between(&before, &after, &[1.0; 2]).is_none());
    }
}
