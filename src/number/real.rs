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
}

/// A machine number: whether it is exact enough, which of two roundings is its own, its square root's name in C, sines and cosines, and
/// its functions of one number and of two.
macro_rules! machine_number {
    ($float:ident, $exact:literal, $own:ident of ($single:ident, $double:ident), $sqrt:ident, $sin_cos:path,
        [$($name:ident: $function:path),*], [$($name2:ident: $function2:path),*]) => {
        impl sealed::Sealed for $float {}

        impl Real for $float {
            const EPSILON: Self = $float::EPSILON;
            const EXACT_ENOUGH: bool = $exact;
            const LARGEST: Self = $float::MAX;
            const SMALLEST: Self = $float::MIN_POSITIVE;
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $float
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.into()
            }
            #[inline(always)]
            fn from_count(count: u64) -> Self {
                count as $float
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
                self.to_bits().wrapping_sub(1) < $float::MAX.to_bits()
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            #[inline(always)]
            fn own<'a, F: Family>($single: &'a F::Of<f32>, $double: &'a F::Of<f64>) -> &'a F::Of<Self> {
                $own
            }
        }

        impl Scalar<$float> for $float {
            #[inline(always)]
            fn constant(value: $float) -> Self {
                value
            }
            #[inline(always)]
            fn value(self) -> $float {
                self
            }
            /// On a microcontroller by its name in C, which is an instruction where the FPU has one; else the compiler's own
            /// routine, or a quicker one that the firmware links instead. All are correctly rounded, as is libm's, so the bits agree.
            #[inline(always)]
            #[allow(unsafe_code)]
            fn sqrt(self) -> Self {
                #[cfg(all(target_arch = "arm", target_os = "none"))]
                {
                    unsafe extern "C" {
                        safe fn $sqrt(x: $float) -> $float;
                    }
                    $sqrt(self)
                }
                #[cfg(not(all(target_arch = "arm", target_os = "none")))]
                libm::$sqrt(self)
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                $sin_cos(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $float::abs(self)
            }
            $(#[inline(always)]
            fn $name(self) -> Self {
                $function(self)
            })*
            $(#[inline(always)]
            fn $name2(self, other: Self) -> Self {
                $function2(self, other)
            })*
        }

        impl Field for $float {
            type Real = $float;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            #[inline(always)]
            fn size(self) -> $float {
                self.abs()
            }
            #[inline(always)]
            fn recip(self) -> Self {
                1.0 / self
            }
            #[inline(always)]
            fn scale(self, by: $float) -> Self {
                self * by
            }
            #[inline(always)]
            fn real_part(self) -> $float {
                self
            }
        }
    };
}
machine_number!(
    f32, false, single of (single, _double), sqrtf, trig::sin_cos,
    [sin: trig::sin, cos: trig::cos, exp: libm::expf, ln: libm::logf, tanh: libm::tanhf,
     asin: libm::asinf, acos: libm::acosf, log10: libm::log10f, cbrt: libm::cbrtf],
    [atan2: libm::atan2f, powf: libm::powf, hypot: libm::hypotf]
);
machine_number!(
    f64, true, double of (_single, double), sqrt, libm::sincos,
    [sin: libm::sin, cos: libm::cos, exp: libm::exp, ln: libm::log, tanh: libm::tanh,
     asin: libm::asin, acos: libm::acos, log10: libm::log10, cbrt: libm::cbrt],
    [atan2: libm::atan2, powf: libm::pow, hypot: libm::hypot]
);

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
