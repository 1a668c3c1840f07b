//! Complex numbers for the decoupled stage systems, and the field that the linear algebra works over.

use crate::memory::{Memory, Words};
use core::fmt::Debug;
use core::ops::{Add, Mul, Neg, Sub};

/// The numbers a matrix may be made of: reals, or complex numbers over them.
pub trait Field:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// The reals below.
    type Real;
    /// The neutral element of the sum.
    const ZERO: Self;
    /// The neutral element of the product.
    const ONE: Self;
    /// A cheap norm, for choosing pivots: |re| + |im|.
    fn size(self) -> Self::Real;
    /// One over this number.
    fn recip(self) -> Self;
    /// The product with a real number.
    fn scale(self, by: Self::Real) -> Self;
    /// The real part.
    fn real_part(self) -> Self::Real;
}

/// `re + i im`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex<R> {
    /// The real part.
    pub re: R,
    /// The imaginary part.
    pub im: R,
}

impl<R: Add<Output = R>> Add for Complex<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Complex {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

impl<R: Sub<Output = R>> Sub for Complex<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Complex {
            re: self.re - other.re,
            im: self.im - other.im,
        }
    }
}

impl<R: Copy + Add<Output = R> + Sub<Output = R> + Mul<Output = R>> Mul for Complex<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

impl<R: Neg<Output = R>> Neg for Complex<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Complex {
            re: -self.re,
            im: -self.im,
        }
    }
}

impl<R: Memory> Memory for Complex<R> {
    #[inline(always)]
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.re.visit(words);
        self.im.visit(words);
    }
}
