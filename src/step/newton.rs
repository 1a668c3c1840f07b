//! What is known about a Newton iteration while it runs, and the verdict at its end.

use super::geometry::combine;
use super::{Error, Outcome, Report};
use crate::memory::{Memory, Words};
use crate::method::Coefficients;
use crate::number::Real;

/// A prediction that misses by more than this, relative to the nominal magnitudes, is a bad one.
const CLOSE: f64 = 0.01;

/// How increments are measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Norm<R, const N: usize> {
    /// One over the magnitude that counts as one.
    pub weights: [R; N],
    /// What rounding does to increments, in those units.
    pub floor: R,
}

impl<R: Real, const N: usize> Memory for Norm<R, N> {
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.weights.visit(words);
        self.floor.visit(words);
    }
}

impl<R: Real, const N: usize> Norm<R, N> {
    /// The same with other weights.
    pub fn weighted(&self, weights: [R; N]) -> Self {
        let mut floor = R::ZERO;
        for n in 0..N {
            floor = floor.max(self.floor * weights[n] / self.weights[n]);
        }
        Norm { weights, floor }
    }
}

/// Makes the stages of the last step those of a step of `ratio` times its size, so that they predict the next one at its new
/// size. Not if it is far from the old one: polynomials do not reach that far. Answers whether it was done.
#[inline(always)]
pub(crate) fn rescale<R: Real, const N: usize, const S: usize>(
    coefficients: &Coefficients<R, S>,
    ratio: R,
    stages: &mut [[R; N]; S],
) -> bool {
    let far = R::from_f64(16.0);
    if !(ratio <= far && ratio * far >= R::ONE) {
        return false;
    }
    let (weights, old) = (coefficients.rescaled(ratio), *stages);
    for i in 0..S {
        stages[i] = combine(&weights[i], &old);
    }
    true
}

/// Whether the old stages, continued, would have predicted the new ones: asked after steps that did without, so that
/// predictions are resumed when they are good again. `weights` makes a derivative a distance relative to its nominal size.
#[inline(always)]
pub(crate) fn predictable<R: Real, const N: usize, const S: usize>(
    extrapolation: &[[R; S]; S],
    (old, new): (&[[R; N]; S], &[[R; N]; S]),
    weights: &[R; N],
    h: R,
) -> bool {
    let mut predicted = *new;
    for i in 0..S {
        predicted[i] = combine(&extrapolation[i], old);
    }
    missed((&predicted, new), weights, h) <= R::from_f64(CLOSE * CLOSE)
}

/// The square of the distance between predicted and found stages, relative to their nominal sizes.
#[inline(always)]
pub(crate) fn missed<R: Real, const N: usize, const S: usize>(
    (predicted, found): (&[[R; N]; S], &[[R; N]; S]),
    weights: &[R; N],
    h: R,
) -> R {
    let mut squares = R::ZERO;
    for i in 0..S {
        for n in 0..N {
            let missed = (found[i][n] - predicted[i][n]) * (h * weights[n]);
            squares += missed * missed;
        }
    }
    squares
}

/// The increments of an iteration so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence<R> {
    iterations: u8,
    /// Norms of the first and of the last two increments, relative to the nominal magnitudes.
    first: R,
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
            first: R::ZERO,
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
        if self.iterations == 1 {
            self.first = self.last;
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
        self.last
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

    /// Whether the iteration started close to where it went. If a prediction did not, something jumped, and the polynomial
    /// through this step's stages is no basis for the next one's start: continued beyond the step it swings 22 times as far
    /// with three stages and 745 times with five.
    #[inline(always)]
    pub(crate) fn expected(&self) -> bool {
        self.first <= R::from_f64(CLOSE)
    }

    /// The estimated distance from the solution, theta / (1 - theta) times the last increment, with a factor of at most 9,
    /// beyond which the estimate means nothing; after a single iteration the increment itself, because nothing is known of
    /// theta.
    #[inline(always)]
    pub fn defect(&self) -> R {
        if self.iterations < 2 {
            return self.last;
        }
        let theta = self.contraction();
        let most = R::from_f64(0.9);
        let theta = if theta < most { theta } else { most };
        theta / (R::ONE - theta) * self.last
    }

    /// Whether the estimate is within a tolerance. It takes two increments to know: the first alone measures the prediction,
    /// which may be better or worse than the next one, and says nothing of the contraction.
    #[inline(always)]
    pub(crate) fn within(&self, tolerance: R) -> bool {
        self.iterations > 1 && self.defect() <= tolerance
    }

    /// Whether the last increment is down to rounding.
    #[inline(always)]
    pub(crate) fn rounding(&self) -> bool {
        self.iterations > 0 && self.last <= self.floor
    }

    /// Whether another iteration cannot help: increments are down to rounding, or no longer shrink, or are not finite.
    #[inline(always)]
    pub(crate) fn exhausted(&self) -> bool {
        self.rounding()
            || self.iterations > 0 && !self.last.finite()
            // The first ratio is often a poor one, and the third increment small after all.
            || self.iterations > 1 && self.last >= self.previous + self.previous
            || self.iterations > 2 && self.last >= self.previous
                && (self.last <= R::EPSILON.sqrt() || self.last >= self.first)
    }

    /// The verdict. An iteration that no longer contracts has diverged, unless its increments are so small, below the root of
    /// epsilon, that it is the rounding of an ill-conditioned model which keeps them from shrinking. And whatever the
    /// contraction: a defect of the order of the nominal magnitudes is no result.
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
        } else if defect >= R::ONE || contraction >= R::ONE && self.last >= R::EPSILON.sqrt() {
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
