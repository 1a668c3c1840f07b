//! The increments of a Newton iteration, variable by variable, and what is left after the last of them.

use super::convergence::Convergence;
use super::copy::copy;
use crate::number::Real;

/// From so far away, relative to the nominal magnitudes, a small second increment may be luck.
const FAR: f64 = 0.15;

/// Squared increments, variable by variable: an array, or two arrays of different lengths.
pub trait Variables<R: Real>: Copy {
    /// All zero.
    const NONE: Self;

    /// The sum of all.
    fn sum(&self) -> R;

    /// Writes a copy.
    fn put(&self, to: &mut Self);

    /// What is left after these increments, which followed `last`: the sum of `min(16 rho, 1) s`.
    fn left_after_two(&self, last: &Self) -> R;

    /// The same after `last`, which followed `before`: the sum of `min(4 rho, 1) s`.
    fn left_after_more(&self, last: &Self, before: &Self) -> R;
}

/// `s` times `part / whole`, or `s` if that is more than one, up to a factor of two: without a branch, and zero if nothing moved.
#[inline(always)]
fn portion<R: Real>(s: R, part: R, whole: R) -> R {
    s * part / (R::SMALLEST + whole + part)
}

impl<R: Real, const N: usize> Variables<R> for [R; N] {
    const NONE: Self = [R::ZERO; N];

    #[inline(always)]
    fn sum(&self) -> R {
        let mut sum = R::ZERO;
        for n in 0..N {
            sum = if n == 0 { self[n] } else { sum + self[n] };
        }
        sum
    }

    #[inline(always)]
    fn put(&self, to: &mut Self) {
        copy(self, to);
    }

    #[inline(always)]
    fn left_after_two(&self, last: &Self) -> R {
        let mut left = R::ZERO;
        for n in 0..N {
            let part = portion(self[n], R::from_f64(16.0) * self[n], last[n]);
            left = if n == 0 { part } else { left + part };
        }
        left
    }

    #[inline(always)]
    fn left_after_more(&self, last: &Self, before: &Self) -> R {
        let (mut left, four) = (*self, R::from_f64(4.0));
        for n in 0..N {
            let (now, then) = (self[n] * before[n], last[n] * last[n]);
            let worse = four * if now > then { now } else { then };
            let whole = last[n] * before[n];
            if worse < whole {
                left[n] *= worse / whole;
            }
        }
        left.sum()
    }
}

impl<R: Real, A: Variables<R>, B: Variables<R>> Variables<R> for (A, B) {
    const NONE: Self = (A::NONE, B::NONE);

    #[inline(always)]
    fn sum(&self) -> R {
        self.0.sum() + self.1.sum()
    }

    #[inline(always)]
    fn put(&self, to: &mut Self) {
        self.0.put(&mut to.0);
        self.1.put(&mut to.1);
    }

    #[inline(always)]
    fn left_after_two(&self, last: &Self) -> R {
        self.0.left_after_two(&last.0) + self.1.left_after_two(&last.1)
    }

    #[inline(always)]
    fn left_after_more(&self, last: &Self, before: &Self) -> R {
        self.0.left_after_more(&last.0, &before.0) + self.1.left_after_more(&last.1, &before.1)
    }
}

/// The squared increments of the last three iterations, variable by variable.
#[derive(Clone, Copy)]
pub(crate) struct Increments<X> {
    now: X,
    last: X,
    before: X,
}

impl<X> Increments<X> {
    /// Before the first iteration.
    #[inline(always)]
    pub fn start<R: Real>() -> Self
    where
        X: Variables<R>,
    {
        Increments {
            now: X::NONE,
            last: X::NONE,
            before: X::NONE,
        }
    }

    /// Takes those of another iteration.
    #[inline(always)]
    pub fn record<R: Real>(&mut self, squares: X, convergence: &mut Convergence<R>)
    where
        X: Variables<R>,
    {
        // What was not there yet need not be moved.
        if convergence.iterations > 1 {
            self.last.put(&mut self.before);
        }
        if convergence.iterations > 0 {
            self.now.put(&mut self.last);
        }
        self.now = squares;
        if convergence.iterations == 0 {
            convergence.first = squares.sum();
        }
        convergence.iterations = convergence.iterations.saturating_add(1);
    }

    /// What is left after the last ones, squared.
    #[inline(always)]
    pub fn left<R: Real>(&self, convergence: &Convergence<R>) -> R
    where
        X: Variables<R>,
    {
        match convergence.iterations {
            0 | 1 => self.now.sum(),
            2 => self.now.left_after_two(&self.last),
            _ => self.now.left_after_more(&self.last, &self.before),
        }
    }

    /// Judges the contraction of each variable, and of all together.
    #[inline(always)]
    pub fn judge<R: Real>(&self, convergence: &mut Convergence<R>)
    where
        X: Variables<R>,
    {
        let last = self.now.sum();
        convergence.last = last;
        // After two iterations the one before the last is the first. In double precision, mostly software, a sum costs more than a branch.
        convergence.previous = if R::EXACT_ENOUGH && convergence.iterations == 2 {
            convergence.first
        } else {
            self.last.sum()
        };
        let far = convergence.iterations == 2 && convergence.first > R::from_f64(FAR * FAR);
        let luck = last * R::from_f64(if far { 9e-4 } else { 1e-6 });
        let rounding =
            R::EPSILON * R::EPSILON * convergence.first + convergence.floor * convergence.floor;
        let (left, least) = (self.left(convergence), luck + rounding);
        // A number that is none stays what it is.
        convergence.left = if left < least { least } else { left };
    }
}

#[cfg(test)]
mod tests {
    use super::{Convergence, Increments, Variables};

    /// What is left after increments of these squares, one iteration after the other.
    fn left<X: Variables<f64>>(squares: &[X]) -> f64 {
        let (mut increments, mut convergence) = (Increments::start(), Convergence::start(0.0));
        for s in squares {
            increments.record(*s, &mut convergence);
        }
        increments.left(&convergence)
    }

    /// After two: four times the contraction of each variable, of which at most all is left.
    #[test]
    fn two_increments_leave_four_contractions() {
        // Contractions by a hundred and by two.
        let quick = 1e-4 * (16e-4 / (1.0 + 16e-4));
        let slow = 1.0 * (16.0 / (4.0 + 16.0));
        let left = left(&[[1.0, 4.0], [1e-4, 1.0]]);
        assert!((left - quick - slow).abs() < 1e-15, "{left}");
    }

    /// After three: twice the worse of the last two contractions, and at most all.
    #[test]
    fn three_increments_leave_two_of_the_worse() {
        let left = left(&[[1.0, 1.0, 1.0], [0.01, 1e-4, 0.9], [1e-6, 1e-5, 0.8]]);
        let expected = 1e-6 * (4.0 * 0.01) + 1e-5 * (4.0 * 0.1) + 0.8;
        assert!((left - expected).abs() < 1e-15, "{left}");
    }

    /// A pair is what both of its parts are together.
    #[test]
    fn pairs_are_sums() {
        let (s, last, before) = (
            ([3.0, 1.0], [2.0]),
            ([5.0, 4.0], [6.0]),
            ([50.0, 8.0], [60.0]),
        );
        let flat = |(a, b): ([f64; 2], [f64; 1])| [a[0], a[1], b[0]];
        let (x, y, z) = (flat(s), flat(last), flat(before));
        assert_eq!(s.sum(), 6.0);
        assert!((s.left_after_two(&last) - x.left_after_two(&y)).abs() < 1e-15);
        let more = s.left_after_more(&last, &before);
        assert!((more - x.left_after_more(&y, &z)).abs() < 1e-15);
        let mut to = <([f64; 2], [f64; 1])>::NONE;
        s.put(&mut to);
        assert_eq!(to, s);
    }
}
