//! Compensated (Kahan) summation: a state that has grown by a million small increments is as good as its last one.

use super::Real;
use crate::memory::visits;

/// A sum and the part of it that did not fit: together about twice the precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compensated<R> {
    /// The rounded sum.
    pub high: R,
    /// What the rounding left out, to be added next time.
    pub low: R,
}

visits!([R: Real] Compensated<R>: high, low);

impl<R: Real> Compensated<R> {
    /// An exact start.
    #[inline(always)]
    pub fn new(value: R) -> Self {
        Compensated {
            high: value,
            low: R::ZERO,
        }
    }

    /// This sum and `increment`, which is expected to be the smaller of the two.
    #[inline(always)]
    pub fn plus(self, increment: R) -> Self {
        let increment = increment + self.low;
        let high = self.high + increment;
        Compensated {
            high,
            low: increment - (high - self.high),
        }
    }
}

/// Adds `by` times increments to sums, given by what they are and what rounding left out.
#[inline(always)]
pub(crate) fn add_compensated<R: Real, const N: usize>(
    high: &mut [R; N],
    low: &mut [R; N],
    by: R,
    increments: &[R; N],
) {
    for n in 0..N {
        (high[n], low[n]) = sum_compensated(high[n], low[n], by * increments[n]);
    }
}

/// A sum, given by what it is and what rounding left out, and an increment.
#[inline(always)]
pub(crate) fn sum_compensated<R: Real>(high: R, low: R, increment: R) -> (R, R) {
    let sum = Compensated { high, low }.plus(increment);
    (sum.high, sum.low)
}
