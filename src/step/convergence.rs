//! What is known about a Newton iteration while it runs, and the verdict at its end.
//!
//! The verdict rests on a *claim*: an estimate of how far the last iterate is from where the iteration tends to. One ratio of
//! increments for all variables is a poor guide: after a jump in one of them the first increment is large, the ratio small, and
//! another variable that contracts slowly goes unnoticed. So each variable j is held to its own contraction. With s_k,j the sum
//! over the stages of its squared increments in iteration k, and rho_j = s_n,j / s_n-1,j (from the third iteration on the larger of
//! the last two),
//!
//! ```text
//! claim^2 = sum_j min(c^2 rho_j, 1) s_n,j          c^2 = 16 after two iterations, 4 after more
//! ```
//!
//! Where the whole contracts by less than two the claim is at least theta / (1 - theta) of the last increment. It is never below
//! what a lucky ratio may hide (a thousandth of the last increment, three hundredths after two iterations from far away), nor below
//! rounding: epsilon of the first increment, and the floor of the step. What contraction says is not added to these, so that it
//! is never above the last increment while that is above rounding and the iteration contracts by two or more.
//!
//! Two things an iteration of two increments does not see, and they are held against the claim at the end of a step, when nothing
//! is decided by it any more. Positions that are rounded make a stiff spring, written as a force, pull by as much: below that an
//! increment is chance, and all of it is claimed, or, by a budget that stops at small ones, all that rounding may do (with a full
//! Newton matrix, which knows how stiff forces are). And multipliers that contract slowly pull coordinates that seemed to contract
//! fast: at least their ratio of the last increment is claimed (in double
//! precision). How often all this holds, and how often it claims too much, is measured by `cargo xtask soak --only truth`.

use super::report::ratio;
use super::{Error, Outcome, Report};
use crate::number::Real;

/// Floors and tolerances above this are none: their squares must be numbers, or an infinite increment would count as rounding.
pub(crate) const HIGHEST: f64 = 1e15;

/// A prediction that misses by more than this, relative to the nominal magnitudes, is a bad one.
pub(super) const CLOSE: f64 = 0.01;

/// An iteration so far, all variables together. Norms are relative to the nominal magnitudes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence<R> {
    pub(super) iterations: u8,
    /// Squared norms of the first and of the last two increments.
    pub(super) first: R,
    pub(super) last: R,
    pub(super) previous: R,
    /// The square of what is left after the last one, by the contraction of each variable, luck and rounding.
    pub(super) left: R,
    /// Increments as small as this are rounding.
    pub(super) floor: R,
    /// The squares of the last two increments of the multipliers.
    pulls: (R, R),
}

/// The square of the largest claim that is Converged: the tolerance, or an increment down to the floor, which leaves less than that.
#[inline(always)]
pub(crate) fn accepted<R: Real>(tolerance: R, floor: R) -> R {
    let (tolerance, highest) = (tolerance.abs(), R::from_f64(HIGHEST));
    let tolerance = if tolerance > highest {
        highest
    } else {
        tolerance
    };
    let floor = floor * floor;
    tolerance * tolerance + (floor + floor)
}

impl<R: Real> Convergence<R> {
    /// Before the first iteration, of which increments up to `floor` will be rounding.
    #[inline(always)]
    pub(crate) fn start(floor: R) -> Self {
        Convergence {
            iterations: 0,
            first: R::ZERO,
            last: R::ZERO,
            previous: R::ZERO,
            left: R::ZERO,
            floor,
            pulls: (R::ZERO, R::ZERO),
        }
    }

    /// The squares of the last two increments of the multipliers.
    #[inline(always)]
    pub(crate) fn pulled(&mut self, last: R, before: R) {
        self.pulls = (last, before);
    }

    /// Whether forces in joints leave more than this claim, a square, and contract by less than sixteen. If by more, the least claim, a
    /// thousandth of the last increment, cannot be a hundred times too small for what they leave.
    #[inline(always)]
    pub(crate) fn forces_linger(&self, claim: R) -> bool {
        let (now, before) = self.pulls;
        now * R::from_f64(256.0) > before && self.last * now > claim * before
    }

    /// The square of what forces in joints leave at least: they pull the coordinates, which contract no faster in the end than forces
    /// do. After two iterations a coordinate's own ratio need not show that yet, if its first increment was large for another
    /// reason.
    #[inline(always)]
    pub(crate) fn left_by_forces(&self) -> R {
        let (now, before) = self.pulls;
        if now < before {
            self.last * (now / before)
        } else {
            self.last
        }
    }

    /// Iterations done.
    #[inline(always)]
    pub fn iterations(&self) -> u8 {
        self.iterations
    }

    /// The last increment.
    #[inline(always)]
    pub fn increment(&self) -> R {
        self.last.sqrt()
    }

    /// The ratio of the last two increments; zero after the first.
    #[inline(always)]
    pub fn contraction(&self) -> R {
        ratio(self.last, self.previous)
    }

    /// Whether the iteration started close to where it went. If a prediction did not, something jumped, and the polynomial
    /// through this step's stages is no basis for the next one's start: continued beyond the step it swings 22 times as far
    /// with three stages and 745 times with five.
    #[inline(always)]
    pub(crate) fn expected(&self) -> bool {
        self.first <= R::from_f64(CLOSE * CLOSE)
    }

    /// The claim: how far the last iterate is, by estimate, from where the iteration tends to. After a single iteration the
    /// increment itself, because nothing is known of its contraction.
    #[inline(always)]
    pub fn defect(&self) -> R {
        self.claim().sqrt()
    }

    /// The square of the claim.
    #[inline(always)]
    fn claim(&self) -> R {
        let mut claim = self.left;
        if self.iterations > 1 && self.last > self.previous * R::from_f64(0.25) && !self.rounding()
        {
            let most = R::from_f64(0.9);
            let theta = self.contraction();
            let theta = if theta < most { theta } else { most };
            let slow = theta / (R::ONE - theta);
            claim = (slow * slow * self.last).max(claim);
        }
        claim
    }

    /// Whether the claim is within a tolerance. It takes two increments to know: the first alone measures the prediction,
    /// which may be better or worse than the next one, and says nothing of the contraction.
    #[inline(always)]
    pub(crate) fn within(&self, tolerance: R) -> bool {
        self.iterations > 1 && self.claim() <= tolerance * tolerance
    }

    /// Whether the last increment is down to rounding.
    #[inline(always)]
    pub(crate) fn rounding(&self) -> bool {
        self.iterations > 0 && self.last <= self.floor * self.floor
    }

    /// Whether another iteration cannot help: increments are down to rounding, or no longer shrink, or are not finite.
    #[inline(always)]
    pub(crate) fn exhausted(&self) -> bool {
        self.rounding()
            || self.iterations > 0 && !self.last.finite()
            // The first ratio is often a poor one, and the third increment small after all.
            || self.iterations > 1 && self.last >= self.previous * R::from_f64(4.0)
            || self.iterations > 2 && self.last >= self.previous
                && (self.last <= R::EPSILON || self.last >= self.first)
    }

    /// The verdict. Where one iteration is exact but for rounding, its increment is what it may be off by.
    #[inline(always)]
    pub(crate) fn verdict(&self, tolerance: R) -> Result<Report<R>, Error> {
        if self.iterations == 0 {
            return Err(Error::Budget);
        }
        let claim = self.claim();
        let mut outcome = Outcome::Converged;
        // A claim is never below a thousandth of the last increment, and what is accepted is finite: an infinite increment is not
        // accepted, nor is NaN.
        let good = claim <= accepted(tolerance, self.floor);
        if !good {
            // An increment that is not finite makes its claim so, too: one test on the way of all others.
            if !claim.finite() && !self.last.finite() {
                return Err(Error::NonFinite);
            }
            // A claim whose square is beyond all numbers is no result.
            if !claim.finite() || self.diverges(claim) {
                return Err(Error::Diverged);
            }
            outcome = Outcome::Unconverged;
        }
        Ok(self.report(outcome, self.previous, claim))
    }

    /// What is said of an iteration that does not contract: it diverged, unless rounding alone may do so much to its increments. Then
    /// they are as small as they get, and the step is as good as the last one claims.
    #[inline(always)]
    pub(crate) fn unless_rounding(&self, noise: R) -> Result<Report<R>, Error> {
        if self.last <= noise * noise {
            Ok(self.report(Outcome::Unconverged, self.previous, self.claim()))
        } else {
            Err(Error::Diverged)
        }
    }

    #[inline(always)]
    fn report(&self, outcome: Outcome, previous: R, claim: R) -> Report<R> {
        Report {
            iterations: self.iterations,
            outcome,
            last: self.last,
            previous,
            claim,
            lambda: R::ZERO,
        }
    }

    /// The report of an iteration that somebody else found good, with an estimate of what it lacks.
    pub(crate) fn accepted(&self, defect: R) -> Report<R> {
        self.report(Outcome::Converged, self.previous, defect * defect)
    }

    /// An iteration that no longer contracts has diverged, unless its increments are so small, below the root of epsilon, that it
    /// is the rounding of an ill-conditioned model which keeps them from shrinking. The first ratio of two increments is a poor
    /// one, because a jump may begin in forces and reach velocities only in the second: it counts from two on, and only if the
    /// increment is far from small. An iteration that is not within the nominal magnitudes and contracts by less than two has
    /// diverged, too. A single iteration tells nothing of that, and is not refused.
    #[inline(always)]
    fn diverges(&self, claim: R) -> bool {
        let (last, previous) = (self.last, self.previous);
        let (grown, small) = if self.iterations == 2 {
            (previous * R::from_f64(4.0), R::from_f64(CLOSE * CLOSE))
        } else {
            (previous, R::EPSILON)
        };
        self.iterations > 1
            && (claim >= R::ONE && last >= previous * R::from_f64(0.25)
                || last >= small && last >= grown)
    }
}

#[cfg(test)]
impl<R: Real> Convergence<R> {
    /// After increments of one variable, one iteration after the other.
    pub(crate) fn after(increments: &[R], floor: R) -> Self {
        let mut all = super::increments::Increments::start();
        let mut convergence = Self::start(floor);
        for d in increments {
            all.record([*d * *d], &mut convergence);
            all.judge(&mut convergence);
        }
        convergence
    }
}

#[cfg(test)]
mod tests {
    use super::{Convergence, Error, Outcome, accepted};
    use crate::step::increments::{Increments, Variables};

    /// Increments of these squares, one iteration after the other.
    fn iterated<X: Variables<f64>>(squares: &[X], floor: f64) -> Convergence<f64> {
        let (mut increments, mut convergence) = (Increments::start(), Convergence::start(floor));
        for s in squares {
            increments.record(*s, &mut convergence);
            increments.judge(&mut convergence);
        }
        convergence
    }

    /// Never less than a thousandth of the last increment, thirty of them after two from far away, nor than rounding.
    #[test]
    fn luck_and_rounding_are_never_claimed_away() {
        let far = iterated(&[[1.0], [1e-10]], 0.0);
        assert!((far.defect() - 0.03 * 1e-5).abs() < 1e-12);
        let near = iterated(&[[0.02], [1e-10]], 0.0);
        assert!((near.defect() / 1e-8 - 1.0).abs() < 1e-3);
        let farther = iterated(&[[0.023], [1e-10]], 0.0);
        assert!((farther.defect() / 3e-7 - 1.0).abs() < 1e-3);
        let third = iterated(&[[1.0], [1e-4], [1e-12]], 0.0);
        assert!((third.defect() / libm::sqrt(4e-16) - 1.0).abs() < 1e-3);
        let lucky = iterated(&[[0.02], [1e-18]], 0.0);
        assert!((lucky.defect() / 1e-12 - 1.0).abs() < 1e-3);
        let floored = iterated(&[[0.02], [1e-18]], 1e-6);
        assert!((floored.defect() / 1e-6 - 1.0).abs() < 1e-9);
        let large = iterated(&[[1e6], [1e-30]], 0.0);
        assert!((large.defect() / (f64::EPSILON * 1e3) - 1.0).abs() < 1e-6);
    }

    /// What contracts by less than two is claimed with theta / (1 - theta), theta at most nine tenths.
    #[test]
    fn slow_contraction_is_extrapolated() {
        let slow = iterated(&[[1.0], [0.64]], 0.0);
        assert!((slow.contraction() - 0.8).abs() < 1e-15);
        assert!((slow.defect() - 0.8 * 4.0).abs() < 1e-14);
        let slower = iterated(&[[1.0], [0.99]], 0.0);
        assert!((slower.defect() / libm::sqrt(0.99) - 9.0).abs() < 1e-13);
        let quick = iterated(&[[1.0], [0.2]], 0.0);
        assert!(quick.defect() < libm::sqrt(0.2));
        // Below the floor a ratio says nothing.
        let rounded = iterated(&[[1.0], [0.99]], 1.0);
        assert!((rounded.defect() - 1.0).abs() < 1e-3);
    }

    /// The tolerance's square and two of the floor's; no tolerance is infinite.
    #[test]
    fn what_is_accepted_is_finite() {
        assert_eq!(accepted(-3.0, 2.0), 17.0);
        assert_eq!(accepted(f64::INFINITY, 0.0), 1e30);
        assert_eq!(accepted(1e15, 0.0), 1e30);
        assert_eq!(accepted(1e14, 0.0), 1e28);
    }

    /// When another iteration cannot help.
    #[test]
    fn iterations_are_exhausted_when_they_grow() {
        let after = |squares: &[f64]| {
            let mut list = [[0.0]; 4];
            for (slot, s) in list.iter_mut().zip(squares) {
                *slot = [*s];
            }
            iterated(&list[..squares.len()], 0.0).exhausted()
        };
        assert!(!after(&[]));
        assert!(after(&[0.0]) && !after(&[1.0]) && after(&[f64::INFINITY]));
        assert!(!after(&[1.0, 3.9]) && after(&[1.0, 4.0]));
        assert!(!after(&[1.0, 0.5, 0.4]) && !after(&[1.0, 0.5, 0.6]));
        assert!(after(&[1.0, 0.5, 1.0]) && after(&[1.0, 1e-17, 1e-17]));
        assert!(!after(&[1.0, 1e-17, 1e-18]));
        let floor = iterated(&[[0.25]], 0.5);
        assert!(floor.rounding() && floor.exhausted());
        assert!(!Convergence::start(1.0).rounding());
        assert!(!iterated(&[[0.26]], 0.5).rounding());
    }

    /// Converged, unconverged, diverged and no number.
    #[test]
    fn verdicts_are_by_claim_and_growth() {
        let verdict = |squares: &[[f64; 1]], tolerance: f64| {
            let verdict = iterated(squares, 0.0).verdict(tolerance);
            verdict.map(|report| report.outcome)
        };
        assert_eq!(verdict(&[], 1.0), Err(Error::Budget));
        assert_eq!(verdict(&[[1.0], [1e-8]], 1e-3), Ok(Outcome::Converged));
        assert_eq!(verdict(&[[1.0], [1e-8]], 1e-7), Ok(Outcome::Unconverged));
        assert_eq!(verdict(&[[4.0]], 1.0), Ok(Outcome::Unconverged));
        assert_eq!(verdict(&[[4.0], [1.1]], 0.1), Err(Error::Diverged));
        assert_eq!(verdict(&[[4.0], [0.9]], 0.1), Ok(Outcome::Unconverged));
        // From near a growth by less than four is not held against two.
        assert_eq!(verdict(&[[1e-3], [2e-3]], 1e-6), Ok(Outcome::Unconverged));
        assert_eq!(verdict(&[[1e-3], [4e-3]], 1e-6), Err(Error::Diverged));
        assert_eq!(verdict(&[[1e-5], [5e-5]], 1e-9), Ok(Outcome::Unconverged));
        assert_eq!(
            verdict(&[[1e-3], [5e-4], [6e-4]], 1e-6),
            Err(Error::Diverged)
        );
        assert_eq!(
            verdict(&[[1e-3], [5e-4], [4e-4]], 1e-6),
            Ok(Outcome::Unconverged)
        );
        assert_eq!(verdict(&[[1.0], [f64::NAN]], 1.0), Err(Error::NonFinite));
        assert_eq!(verdict(&[[f64::INFINITY]], 1.0), Err(Error::NonFinite));
    }

    /// Multipliers that contract slowly leave as much of the last increment.
    #[test]
    fn forces_that_linger_are_claimed() {
        let mut c = iterated(&[[1.0], [0.5]], 0.0);
        c.pulled(0.25, 1.0);
        assert_eq!(c.left_by_forces(), 0.125);
        assert!(c.forces_linger(0.12) && !c.forces_linger(0.125));
        c.pulled(1.0, 256.0);
        assert!(!c.forces_linger(0.0));
        c.pulled(1.01, 256.0);
        assert!(c.forces_linger(0.0));
        c.pulled(3.0, 2.0);
        assert_eq!(c.left_by_forces(), 0.5);
    }

    /// What is near, and what is within.
    #[test]
    fn near_starts_and_small_claims() {
        assert!(iterated(&[[1e-4]], 0.0).expected() && !iterated(&[[1.1e-4]], 0.0).expected());
        assert!(!iterated(&[[1e-20]], 0.0).within(1.0));
        assert!(iterated(&[[1.0], [1e-8]], 0.0).within(5e-4));
        assert!(!iterated(&[[1.0], [1e-8]], 0.0).within(1e-7));
        let report = iterated(&[[1.0], [0.25]], 0.0).accepted(3.0);
        assert_eq!((report.outcome, report.claim), (Outcome::Converged, 9.0));
    }
}
