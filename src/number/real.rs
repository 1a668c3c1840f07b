//! The two machine numbers, `f32` and `f64`, and the only place where they differ.

use super::{Complex, Field, Scalar, trig};
use crate::memory::Memory;

/// What the solver needs of a real number beyond what physics needs.
///
/// Implemented for `f32` and `f64` and for nothing else: tolerances, tables and kernels are rounded for these two.
pub trait Real:
    Scalar<Self> + Field<Real = Self> + Memory + PartialOrd + Default + Send + Sync + sealed::Sealed
{
    /// The distance from 1 to the next larger number, 2u.
    const EPSILON: Self;
    /// Whether rounding of a constraint, divided by the square of a step, is still small: so in double precision.
    const EXACT_ENOUGH: bool;
    /// The largest finite number.
    const LARGEST: Self;
    /// The smallest positive number of full precision.
    const SMALLEST: Self;
    /// A constant, rounded to this type.
    fn from_f64(value: f64) -> Self;
    /// The value in double precision, for reports.
    fn to_f64(self) -> f64;
    /// A count, rounded to this type.
    fn from_count(count: u64) -> Self;
    /// What is left of this number after as many whole `period`s as fit: exact, with the number's sign.
    fn modulo(self, period: Self) -> Self;
    /// Neither infinite nor NaN.
    fn finite(self) -> bool;
    /// Greater than zero and finite, by one comparison of its bits.
    fn positive(self) -> bool;
    /// The bits, widened: for hashes and for comparing to the last bit.
    fn bits(self) -> u64;
    /// Of two roundings of something this type's own.
    fn own<'a, F: Family>(single: &'a F::Of<f32>, double: &'a F::Of<f64>) -> &'a F::Of<Self>;
}

/// Something that comes in all number types, such as the coefficients of a method.
pub trait Family {
    /// It in the number type `R`.
    type Of<R>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Real for f32 {
    const EPSILON: Self = f32::EPSILON;
    const EXACT_ENOUGH: bool = false;
    const LARGEST: Self = f32::MAX;
    const SMALLEST: Self = f32::MIN_POSITIVE;
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.into()
    }
    #[inline(always)]
    fn from_count(count: u64) -> Self {
        count as f32
    }
    #[inline(always)]
    fn modulo(self, period: Self) -> Self {
        // Exact, and so the same everywhere; libm's has panic paths on a Cortex-M0.
        self % period
    }
    #[inline(always)]
    fn finite(self) -> bool {
        self.is_finite()
    }
    #[inline(always)]
    fn positive(self) -> bool {
        // Zero becomes the largest of all; negative numbers, infinity and NaN are larger than what is finite.
        self.to_bits().wrapping_sub(1) < f32::MAX.to_bits()
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
    #[inline(always)]
    fn own<'a, F: Family>(single: &'a F::Of<f32>, _double: &'a F::Of<f64>) -> &'a F::Of<f32> {
        single
    }
}

impl Real for f64 {
    const EPSILON: Self = f64::EPSILON;
    const EXACT_ENOUGH: bool = true;
    const LARGEST: Self = f64::MAX;
    const SMALLEST: Self = f64::MIN_POSITIVE;
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn from_count(count: u64) -> Self {
        count as f64
    }
    #[inline(always)]
    fn modulo(self, period: Self) -> Self {
        self % period
    }
    #[inline(always)]
    fn finite(self) -> bool {
        self.is_finite()
    }
    #[inline(always)]
    fn positive(self) -> bool {
        // Zero becomes the largest of all; negative numbers, infinity and NaN are larger than what is finite.
        self.to_bits().wrapping_sub(1) < f64::MAX.to_bits()
    }
    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn own<'a, F: Family>(_single: &'a F::Of<f32>, double: &'a F::Of<f64>) -> &'a F::Of<f64> {
        double
    }
}

/// On a microcontroller the square root by its name in C, which is an instruction where the FPU has one; else the compiler's own
/// routine, or a quicker one that the firmware links instead. All are correctly rounded, as is libm's, so the bits agree.
#[inline(always)]
#[allow(unsafe_code)]
fn sqrt_f32(x: f32) -> f32 {
    #[cfg(all(target_arch = "arm", target_os = "none"))]
    {
        unsafe extern "C" {
            safe fn sqrtf(x: f32) -> f32;
        }
        sqrtf(x)
    }
    #[cfg(not(all(target_arch = "arm", target_os = "none")))]
    libm::sqrtf(x)
}

/// The same in double precision.
#[inline(always)]
#[allow(unsafe_code)]
fn sqrt_f64(x: f64) -> f64 {
    #[cfg(all(target_arch = "arm", target_os = "none"))]
    {
        unsafe extern "C" {
            safe fn sqrt(x: f64) -> f64;
        }
        sqrt(x)
    }
    #[cfg(not(all(target_arch = "arm", target_os = "none")))]
    libm::sqrt(x)
}

impl Scalar<f32> for f32 {
    #[inline(always)]
    fn constant(value: f32) -> Self {
        value
    }
    #[inline(always)]
    fn value(self) -> f32 {
        self
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        sqrt_f32(self)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        trig::sin_cos(self)
    }
    #[inline(always)]
    fn sin(self) -> Self {
        trig::sin(self)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        trig::cos(self)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        libm::expf(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        libm::logf(self)
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        libm::tanhf(self)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        libm::atan2f(self, x)
    }
    #[inline(always)]
    fn asin(self) -> Self {
        libm::asinf(self)
    }
    #[inline(always)]
    fn acos(self) -> Self {
        libm::acosf(self)
    }
    #[inline(always)]
    fn log10(self) -> Self {
        libm::log10f(self)
    }
    #[inline(always)]
    fn cbrt(self) -> Self {
        libm::cbrtf(self)
    }
    #[inline(always)]
    fn powf(self, exponent: Self) -> Self {
        libm::powf(self, exponent)
    }
    #[inline(always)]
    fn hypot(self, other: Self) -> Self {
        libm::hypotf(self, other)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f32::abs(self)
    }
}

impl Scalar<f64> for f64 {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        sqrt_f64(self)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        libm::sincos(self)
    }
    #[inline(always)]
    fn sin(self) -> Self {
        libm::sin(self)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        libm::cos(self)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        libm::exp(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        libm::log(self)
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        libm::tanh(self)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        libm::atan2(self, x)
    }
    #[inline(always)]
    fn asin(self) -> Self {
        libm::asin(self)
    }
    #[inline(always)]
    fn acos(self) -> Self {
        libm::acos(self)
    }
    #[inline(always)]
    fn log10(self) -> Self {
        libm::log10(self)
    }
    #[inline(always)]
    fn cbrt(self) -> Self {
        libm::cbrt(self)
    }
    #[inline(always)]
    fn powf(self, exponent: Self) -> Self {
        libm::pow(self, exponent)
    }
    #[inline(always)]
    fn hypot(self, other: Self) -> Self {
        libm::hypot(self, other)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
}

impl Field for f32 {
    type Real = f32;
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    #[inline(always)]
    fn size(self) -> f32 {
        self.abs()
    }
    #[inline(always)]
    fn recip(self) -> Self {
        1.0 / self
    }
    #[inline(always)]
    fn scale(self, by: f32) -> Self {
        self * by
    }
    #[inline(always)]
    fn real_part(self) -> f32 {
        self
    }
}

impl Field for f64 {
    type Real = f64;
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    #[inline(always)]
    fn size(self) -> f64 {
        self.abs()
    }
    #[inline(always)]
    fn recip(self) -> Self {
        1.0 / self
    }
    #[inline(always)]
    fn scale(self, by: f64) -> Self {
        self * by
    }
    #[inline(always)]
    fn real_part(self) -> f64 {
        self
    }
}

impl<R: Real> Field for Complex<R> {
    type Real = R;
    const ZERO: Self = Complex {
        re: R::ZERO,
        im: R::ZERO,
    };
    const ONE: Self = Complex {
        re: R::ONE,
        im: R::ZERO,
    };
    #[inline(always)]
    fn size(self) -> R {
        self.re.abs() + self.im.abs()
    }
    #[inline(always)]
    fn recip(self) -> Self {
        // In units of its size: the square of a number may leave the range that the number is in.
        let scale = R::ONE / self.size();
        let (re, im) = (self.re * scale, self.im * scale);
        let d = scale / (re * re + im * im);
        Complex {
            re: re * d,
            im: -im * d,
        }
    }
    #[inline(always)]
    fn scale(self, by: R) -> Self {
        Complex {
            re: self.re * by,
            im: self.im * by,
        }
    }
    #[inline(always)]
    fn real_part(self) -> R {
        self.re
    }
}
