//! What survives a step, and what can be wrong with one.

use crate::memory::visits;
use crate::number::{Angle, Compensated, Real};

/// Why there is no new state. The old one is as it was, to the last bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum MildError {
    /// The step is not positive and finite.
    StepSize,
    /// The state is infinite or NaN, or would become so, or an input is.
    NonFinite,
    /// The matrix of the step is singular.
    Singular,
}

impl core::fmt::Display for MildError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::StepSize => "the step must be positive and finite",
            Self::NonFinite => "a state or an input is not finite, or the step is too long",
            Self::Singular => "the matrix of the step is singular",
        })
    }
}

impl core::error::Error for MildError {}

/// A state, what rounding left out of it, and the time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept<R, const N: usize> {
    pub x: [R; N],
    low: [R; N],
    /// Which state is an angle that wraps; N for none.
    pub angle: usize,
    time: Compensated<R>,
}

impl<R: Real, const N: usize> Kept<R, N> {
    pub fn new(x: [R; N], h: R) -> Result<Self, MildError> {
        if !(h > R::ZERO && h.finite()) {
            return Err(MildError::StepSize);
        }
        if !x.iter().all(|x| x.finite()) {
            return Err(MildError::NonFinite);
        }
        Ok(Kept {
            x,
            low: [R::ZERO; N],
            angle: N,
            time: Compensated::new(R::ZERO),
        })
    }

    #[inline(always)]
    pub fn time(&self) -> R {
        self.time.high
    }

    /// Adds an increment, unless something is no number then.
    #[inline(always)]
    pub fn advance(&mut self, increment: &[R; N], h: R) -> Result<(), MildError> {
        let mut next = *self;
        // Zero times what is no number is none.
        let mut sum = R::ZERO;
        for i in 0..N {
            let kept = Compensated {
                high: self.x[i],
                low: self.low[i],
            };
            let mut kept = kept.plus(increment[i]);
            if i == self.angle {
                kept = Angle::of(kept).sum();
            }
            (next.x[i], next.low[i]) = (kept.high, kept.low);
            sum += kept.high * R::ZERO;
        }
        if sum != R::ZERO {
            return Err(MildError::NonFinite);
        }
        next.time = self.time.plus(h);
        *self = next;
        Ok(())
    }
}

visits!([R: Real, const N: usize] Kept<R, N>: x, low, time);
