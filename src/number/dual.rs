//! Dual numbers: a value with its derivatives in `D` directions, on the stack. One evaluation of a model's equations with
//! these gives its exact Jacobian.

use super::{Real, Scalar};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// `value + slope . e`, with `e_i e_j = 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<R, const D: usize> {
    /// The value.
    pub value: R,
    /// The derivative in each direction.
    pub slope: [R; D],
}

impl<R: Real, const D: usize> Dual<R, D> {
    /// The variable that direction `direction` stands for: slope 1 there, 0 elsewhere.
    #[inline]
    pub fn variable(value: R, direction: usize) -> Self {
        let mut slope = [R::ZERO; D];
        for i in 0..D {
            if i == direction {
                slope[i] = R::ONE;
            }
        }
        Dual { value, slope }
    }

    /// A function of this number, from its value and its derivative there: the chain rule.
    #[inline]
    fn chain(self, value: R, derivative: R) -> Self {
        let mut slope = self.slope;
        for s in &mut slope {
            *s *= derivative;
        }
        Dual { value, slope }
    }
}

impl<R: Real, const D: usize> Add for Dual<R, D> {
    type Output = Self;
    #[inline]
    fn add(mut self, other: Self) -> Self {
        self.value += other.value;
        for i in 0..D {
            self.slope[i] += other.slope[i];
        }
        self
    }
}

impl<R: Real, const D: usize> Sub for Dual<R, D> {
    type Output = Self;
    #[inline]
    fn sub(mut self, other: Self) -> Self {
        self.value -= other.value;
        for i in 0..D {
            self.slope[i] -= other.slope[i];
        }
        self
    }
}

impl<R: Real, const D: usize> Mul for Dual<R, D> {
    type Output = Self;
    #[inline]
    fn mul(mut self, other: Self) -> Self {
        for i in 0..D {
            self.slope[i] = self.slope[i] * other.value + other.slope[i] * self.value;
        }
        self.value *= other.value;
        self
    }
}

impl<R: Real, const D: usize> Div for Dual<R, D> {
    type Output = Self;
    #[inline]
    fn div(mut self, other: Self) -> Self {
        let inverse = R::ONE / other.value;
        // The quotient itself is rounded once, as it is for plain numbers.
        self.value /= other.value;
        for i in 0..D {
            self.slope[i] = (self.slope[i] - other.slope[i] * self.value) * inverse;
        }
        self
    }
}

impl<R: Real, const D: usize> Neg for Dual<R, D> {
    type Output = Self;
    #[inline]
    fn neg(mut self) -> Self {
        self.value = -self.value;
        for s in &mut self.slope {
            *s = -*s;
        }
        self
    }
}

impl<R: Real, const D: usize> Add<R> for Dual<R, D> {
    type Output = Self;
    #[inline]
    fn add(mut self, other: R) -> Self {
        self.value += other;
        self
    }
}

impl<R: Real, const D: usize> Sub<R> for Dual<R, D> {
    type Output = Self;
    #[inline]
    fn sub(mut self, other: R) -> Self {
        self.value -= other;
        self
    }
}

impl<R: Real, const D: usize> Mul<R> for Dual<R, D> {
    type Output = Self;
    #[inline]
    fn mul(self, other: R) -> Self {
        self.chain(self.value * other, other)
    }
}

impl<R: Real, const D: usize> Div<R> for Dual<R, D> {
    type Output = Self;
    #[inline]
    fn div(self, other: R) -> Self {
        self.chain(self.value / other, R::ONE / other)
    }
}

/// The assigning operators follow from the others.
macro_rules! assign {
    ($($trait:ident $method:ident $op:tt;)*) => {$(
        impl<R: Real, const D: usize> $trait for Dual<R, D> {
            #[inline]
            fn $method(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    )*};
}
assign! { AddAssign add_assign +; SubAssign sub_assign -; MulAssign mul_assign *; DivAssign div_assign /; }

impl<R: Real, const D: usize> Scalar<R> for Dual<R, D> {
    #[inline]
    fn constant(value: R) -> Self {
        Dual {
            value,
            slope: [R::ZERO; D],
        }
    }
    #[inline]
    fn value(self) -> R {
        self.value
    }
    #[inline]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, R::ONE / (root + root))
    }
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.value.sin_cos();
        (self.chain(sin, cos), self.chain(cos, -sin))
    }
    #[inline]
    fn exp(self) -> Self {
        let exp = self.value.exp();
        self.chain(exp, exp)
    }
    #[inline]
    fn ln(self) -> Self {
        self.chain(self.value.ln(), R::ONE / self.value)
    }
    #[inline]
    fn tanh(self) -> Self {
        let tanh = self.value.tanh();
        self.chain(tanh, R::ONE - tanh * tanh)
    }
    #[inline]
    fn atan2(self, x: Self) -> Self {
        let y = self;
        let inverse = R::ONE / (x.value * x.value + y.value * y.value);
        let mut slope = [R::ZERO; D];
        for i in 0..D {
            slope[i] = (y.slope[i] * x.value - x.slope[i] * y.value) * inverse;
        }
        Dual {
            value: y.value.atan2(x.value),
            slope,
        }
    }
    #[inline]
    fn abs(self) -> Self {
        if self.value < R::ZERO { -self } else { self }
    }
}
