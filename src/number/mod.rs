//! Numbers: what physics may do with one ([`Scalar`]), and what the solver needs besides ([`Real`]).
//!
//! Physics is written once, generic in its number type, and evaluated with several: plain `f32` or `f64` for the value,
//! [`Dual`] for Jacobians, [`Increment`] for differences without cancellation. Nothing here reaches for the platform's mathematics: transcendentals come from `libm` or from
//! [`trig`], so that every machine computes the same bits.

/// `a += b` and its like, by what `a + b` is.
macro_rules! assigns {
    ($([$($generics:tt)*] $type:ty: $trait:ident $function:ident $of:ident $op:tt;)*) => {$(
        impl<$($generics)*> $trait for $type
        where
            Self: Copy + $of<Output = Self>,
        {
            #[inline(always)]
            fn $function(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    )*};
}

mod angle;
mod compensated;
mod complex;
mod dual;
mod implied;
mod increment;
mod real;
mod remainder;
pub mod trig;

pub use angle::Angle;
pub use compensated::Compensated;
pub(crate) use compensated::{add_compensated, sum_compensated};
pub use complex::{Complex, Field};
pub use dual::{Dual, Duals};
pub(crate) use dual::{Plain, constants, moving, variables};
#[doc(hidden)]
pub use implied::Implies;
pub use increment::Increment;
pub use real::{Family, Real};
pub(crate) use trig::cold_path;

use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// What a model's equations may do with a number.
///
/// Constants of the model stay plain reals: `x * self.stiffness` multiplies a [`Scalar`] by a real, which for dual
/// numbers is cheaper than the product of two, and reads naturally. (Write the number first and the constant second.)
///
/// ```
/// use stiffstep::number::{Dual, Scalar};
/// fn spring<T: Scalar<f32>>(x: T) -> T {
///     x * -4.0 - x * x * x * 0.1
/// }
/// assert_eq!(spring(1.0_f32), -4.1);
/// assert_eq!(spring(Dual::<f32, 1>::variable(1.0, 0)).slope(), [-4.3]);
/// ```
pub trait Scalar<R: Real>:
    nalgebra::Scalar
    + Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<R, Output = Self>
    + Sub<R, Output = Self>
    + Mul<R, Output = Self>
    + Div<R, Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// A number that does not vary.
    fn constant(value: R) -> Self;
    /// The plain value, without what the number type carries along.
    fn value(self) -> R;
    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Sine and cosine of the same angle, for little more than the price of one.
    fn sin_cos(self) -> (Self, Self);
    /// The exponential.
    fn exp(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The hyperbolic tangent: a smooth sign, for friction and saturation.
    fn tanh(self) -> Self;
    /// The angle of the point (`x`, `self`).
    fn atan2(self, x: Self) -> Self;
    /// The angle between -pi/2 and pi/2 that has this sine; the slope is infinite at -1 and 1.
    fn asin(self) -> Self;
    /// The angle between 0 and pi that has this cosine; the slope is infinite at -1 and 1.
    fn acos(self) -> Self;
    /// The decimal logarithm.
    fn log10(self) -> Self;
    /// The cube root, of negative numbers, too; the slope is infinite at zero.
    fn cbrt(self) -> Self;
    /// This number to the power of a constant. Of negative numbers there are whole powers only.
    fn powf(self, exponent: R) -> Self;
    /// The distance of the point (`self`, `other`) from the origin, without overflow on the way. There is no slope at the origin.
    fn hypot(self, other: Self) -> Self;
    /// The absolute value; at zero the right-hand derivative.
    fn abs(self) -> Self;
    /// The sine.
    #[inline]
    fn sin(self) -> Self {
        self.sin_cos().0
    }
    /// The cosine.
    #[inline]
    fn cos(self) -> Self {
        self.sin_cos().1
    }
    /// The tangent.
    #[inline]
    fn tan(self) -> Self {
        let (sin, cos) = self.sin_cos();
        sin / cos
    }
    /// The angle between -pi/2 and pi/2 that has this tangent.
    #[inline]
    fn atan(self) -> Self {
        self.atan2(Self::constant(R::ONE))
    }
    /// A whole power, by multiplications: the errors of n of them add up.
    #[inline]
    fn powi(self, exponent: i32) -> Self {
        let (mut rest, mut square) = (exponent.unsigned_abs(), self);
        let mut power = Self::constant(R::ONE);
        while rest > 0 {
            if rest & 1 == 1 {
                power *= square;
            }
            rest >>= 1;
            if rest > 0 {
                square *= square;
            }
        }
        if exponent < 0 {
            Self::constant(R::ONE) / power
        } else {
            power
        }
    }
    /// This number within limits, `low <= high`; at a limit with its own slope, beyond it with none. NaN stays NaN.
    #[inline]
    fn clamp(self, low: R, high: R) -> Self {
        let value = self.value();
        if value < low {
            Self::constant(low)
        } else if value > high {
            Self::constant(high)
        } else {
            self
        }
    }
    /// The square.
    #[inline]
    fn square(self) -> Self {
        self * self
    }
    /// The smaller of two, with its derivative.
    #[inline]
    fn min(self, other: Self) -> Self {
        if self.value() < other.value() {
            self
        } else {
            other
        }
    }
    /// The larger of two, with its derivative.
    #[inline]
    fn max(self, other: Self) -> Self {
        if self.value() > other.value() {
            self
        } else {
            other
        }
    }
}
