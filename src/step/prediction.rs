//! Where the iteration of a step starts, and how the last step decides it.
//!
//! The polynomial of the last step's stages, continued, is the best guide there is, as long as the stages are good. But an error
//! in them swings when they are continued, 22 times as far with three stages, and a fixed number of iterations may shrink it by less
//! than that: the next stages are then worse, and a damper without any drive gains energy for ever. So the last step's own claim is
//! held against what it moved: the polynomial is continued only if its swing leaves the claim small against that, the last stage
//! is held if the claim is at most half of it, and otherwise the iteration starts from rest.

use super::Report;
use super::convergence::{CLOSE, Convergence};
use crate::geometry::combine;
use crate::memory::{Memory, Words};
use crate::method::Coefficients;
use crate::number::Real;

/// Where the next step's iteration starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The last step's stages, continued.
    Continued,
    /// The last stage.
    Held,
    /// No change.
    Rest,
}

impl Memory for Start {
    fn visit<W: Words>(&mut self, words: &mut W) {
        let mut code = *self as u8;
        code.visit(words);
        *self = match code {
            0 => Start::Continued,
            2 => Start::Rest,
            _ => Start::Held,
        };
    }
}

impl Start {
    /// The start after a step that ended with this report, and moved by `motion`, squared. `regular` says whether
    /// its prediction was good, or would have been.
    #[inline(always)]
    pub fn after<R: Real>(report: &Report<R>, motion: R, regular: bool, swing: R) -> Self {
        // A single iteration claims its whole increment, most of which it has made good.
        let (one, some) = (R::from_f64(16.0), swing * swing);
        let swing = if report.iterations == 1 && one < some {
            one
        } else {
            some
        };
        if regular && swing * report.claim <= motion {
            Start::Continued
        } else if report.claim * R::from_f64(4.0) <= motion {
            Start::Held
        } else {
            Start::Rest
        }
    }
}

/// What a unit of a derivative counts over a step of `h`, from one over the nominal magnitudes.
#[inline(always)]
pub(crate) fn over_a_step<R: Real, const N: usize>(weights: &[R; N], h: R) -> [R; N] {
    let mut rates = *weights;
    for rate in &mut rates {
        *rate = h * *rate;
    }
    rates
}

/// What a step of mean derivative `rate` moved, squared, by what a unit of that [counts](over_a_step).
#[inline(always)]
pub(crate) fn motion<R: Real, const N: usize>(rate: &[R; N], rates: &[R; N]) -> R {
    let mut sum = R::ZERO;
    for n in 0..N {
        let moved = rates[n] * rate[n];
        sum = if n == 0 {
            moved * moved
        } else {
            sum + moved * moved
        };
    }
    sum
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

/// Whether a step went as predicted, or, if it was not, would have: so that predictions are resumed when they are good again.
/// `rates` makes a derivative what it [counts](over_a_step).
#[inline(always)]
pub(crate) fn regular<R: Real, const N: usize, const S: usize>(
    start: Start,
    convergence: &Convergence<R>,
    coefficients: &Coefficients<R, S>,
    (old, new): (&[[R; N]; S], &[[R; N]; S]),
    rates: &[R; N],
) -> bool {
    if start == Start::Continued {
        return convergence.expected();
    }
    let mut predicted = *new;
    for i in 0..S {
        predicted[i] = combine(&coefficients.extrapolation[i], old);
    }
    missed((&predicted, new), rates) <= R::from_f64(CLOSE * CLOSE)
}

/// The square of the distance between predicted and found stages, relative to their nominal sizes.
#[inline(always)]
pub(crate) fn missed<R: Real, const N: usize, const S: usize>(
    (predicted, found): (&[[R; N]; S], &[[R; N]; S]),
    rates: &[R; N],
) -> R {
    let mut squares = R::ZERO;
    for i in 0..S {
        for n in 0..N {
            let missed = (found[i][n] - predicted[i][n]) * rates[n];
            squares += missed * missed;
        }
    }
    squares
}
