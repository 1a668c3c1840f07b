//! Dual numbers: a value with its derivatives in `D` directions, on the stack. One evaluation of a model's equations with
//! these gives its exact Jacobian; a dual number of dual numbers gives second derivatives.

use super::{Real, Scalar};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// `value + slope . e`, with `e_i e_j = 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<T, const D: usize> {
    /// The value.
    pub value: T,
    /// The derivative in each direction.
    pub slope: [T; D],
}

impl<T: Copy, const D: usize> Dual<T, D> {
    /// The variable that direction `direction` stands for: slope 1 there, 0 elsewhere.
    #[inline(always)]
    pub fn variable<R: Real>(value: T, direction: usize) -> Self
    where
        T: Scalar<R>,
    {
        let mut slope = [T::constant(R::ZERO); D];
        for i in 0..D {
            if i == direction {
                slope[i] = T::constant(R::ONE);
            }
        }
        Dual { value, slope }
    }

    /// A function of this number, from its value and its derivative there: the chain rule.
    #[inline(always)]
    fn chain<F>(self, value: T, derivative: F) -> Self
    where
        T: Mul<F, Output = T>,
        F: Copy,
    {
        let mut slope = self.slope;
        for s in &mut slope {
            *s = *s * derivative;
        }
        Dual { value, slope }
    }
}

impl<T: Copy + Add<Output = T>, const D: usize> Add for Dual<T, D> {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        self.value = self.value + other.value;
        for i in 0..D {
            self.slope[i] = self.slope[i] + other.slope[i];
        }
        self
    }
}

impl<T: Copy + Sub<Output = T>, const D: usize> Sub for Dual<T, D> {
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        self.value = self.value - other.value;
        for i in 0..D {
            self.slope[i] = self.slope[i] - other.slope[i];
        }
        self
    }
}

impl<T: Copy + Add<Output = T> + Mul<Output = T>, const D: usize> Mul for Dual<T, D> {
    type Output = Self;
    #[inline(always)]
    fn mul(mut self, other: Self) -> Self {
        for i in 0..D {
            self.slope[i] = self.slope[i] * other.value + other.slope[i] * self.value;
        }
        self.value = self.value * other.value;
        self
    }
}

impl<T: Copy + Sub<Output = T> + Mul<Output = T> + Div<Output = T>, const D: usize> Div
    for Dual<T, D>
{
    type Output = Self;
    #[inline(always)]
    fn div(mut self, other: Self) -> Self {
        self.value = self.value / other.value;
        for i in 0..D {
            self.slope[i] = (self.slope[i] - other.slope[i] * self.value) / other.value;
        }
        self
    }
}

impl<T: Copy + Neg<Output = T>, const D: usize> Neg for Dual<T, D> {
    type Output = Self;
    #[inline(always)]
    fn neg(mut self) -> Self {
        self.value = -self.value;
        for s in &mut self.slope {
            *s = -*s;
        }
        self
    }
}

impl<R: Real, T: Copy + Add<R, Output = T>, const D: usize> Add<R> for Dual<T, D> {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, other: R) -> Self {
        self.value = self.value + other;
        self
    }
}

impl<R: Real, T: Copy + Sub<R, Output = T>, const D: usize> Sub<R> for Dual<T, D> {
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, other: R) -> Self {
        self.value = self.value - other;
        self
    }
}

impl<R: Real, T: Copy + Mul<R, Output = T>, const D: usize> Mul<R> for Dual<T, D> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: R) -> Self {
        self.chain(self.value * other, other)
    }
}

impl<R: Real, T: Copy + Mul<R, Output = T> + Div<R, Output = T>, const D: usize> Div<R>
    for Dual<T, D>
{
    type Output = Self;
    #[inline(always)]
    fn div(self, other: R) -> Self {
        self.chain(self.value / other, R::ONE / other)
    }
}

impl<T: Copy + Add<Output = T>, const D: usize> AddAssign for Dual<T, D> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<T: Copy + Sub<Output = T>, const D: usize> SubAssign for Dual<T, D> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<T: Copy + Add<Output = T> + Mul<Output = T>, const D: usize> MulAssign for Dual<T, D> {
    #[inline(always)]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl<T: Copy + Sub<Output = T> + Mul<Output = T> + Div<Output = T>, const D: usize> DivAssign
    for Dual<T, D>
{
    #[inline(always)]
    fn div_assign(&mut self, other: Self) {
        *self = *self / other;
    }
}

impl<R: Real, T: Scalar<R>, const D: usize> Scalar<R> for Dual<T, D> {
    #[inline(always)]
    fn constant(value: R) -> Self {
        Dual {
            value: T::constant(value),
            slope: [T::constant(R::ZERO); D],
        }
    }
    #[inline(always)]
    fn value(self) -> R {
        self.value.value()
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, T::constant(R::ONE) / (root + root))
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.value.sin_cos();
        (self.chain(sin, cos), self.chain(cos, -sin))
    }
    #[inline(always)]
    fn exp(self) -> Self {
        let exp = self.value.exp();
        self.chain(exp, exp)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        self.chain(self.value.ln(), T::constant(R::ONE) / self.value)
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        let tanh = self.value.tanh();
        self.chain(tanh, -(tanh * tanh) + R::ONE)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let y = self;
        let inverse = T::constant(R::ONE) / (x.value * x.value + y.value * y.value);
        let mut slope = y.slope;
        for i in 0..D {
            slope[i] = (y.slope[i] * x.value - x.slope[i] * y.value) * inverse;
        }
        Dual {
            value: y.value.atan2(x.value),
            slope,
        }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        if self.value() < R::ZERO { -self } else { self }
    }
}
