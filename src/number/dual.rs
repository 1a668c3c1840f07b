//! Dual numbers: a value with its derivatives in `D` directions, on the stack. One evaluation of a model's equations with
//! these gives its exact Jacobian; a dual number of dual numbers gives second derivatives.

use super::{Real, Scalar};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// `value + slope . e`, with `e_i e_j = 0`.
///
/// It knows which of its slopes are zero whatever the numbers: those of constants, and of variables in directions other than
/// their own. A compiler may not leave out a multiplication by zero, which would not be zero for infinity; but it does leave out a
/// branch that it can decide, and those here it can decide wherever a model's equations are inlined.
#[derive(Clone, Copy, Debug)]
pub struct Duals<T, const D: usize, const KNOWS: bool> {
    /// The value.
    pub value: T,
    /// The derivative in each direction. Not for others to write, who would not keep `zero`.
    slope: [T; D],
    /// A bit for each direction in which the slope is zero.
    zero: u32,
}

/// A dual number that knows which of its slopes are zero.
pub type Dual<T, const D: usize> = Duals<T, D, true>;

/// One that does not: for loops over many numbers, which are not unrolled.
pub(crate) type Plain<T, const D: usize> = Duals<T, D, false>;

impl<T: PartialEq, const D: usize, const KNOWS: bool> PartialEq for Duals<T, D, KNOWS> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value && self.slope == other.slope
    }
}

impl<T: Copy, const D: usize, const KNOWS: bool> Duals<T, D, KNOWS> {
    /// A value and its derivatives.
    #[inline(always)]
    pub fn new(value: T, slope: [T; D]) -> Self {
        Duals {
            value,
            slope,
            zero: 0,
        }
    }

    /// Whether the slope in a direction is known to be zero. With many directions loops are not unrolled, and nothing is decided
    /// before run time.
    #[inline(always)]
    fn flat(&self, direction: usize) -> bool {
        KNOWS && D <= 8 && self.zero >> direction & 1 == 1
    }

    /// The variable that direction `direction` stands for: slope 1 there, 0 elsewhere.
    #[inline(always)]
    pub fn variable<R: Real>(value: T, direction: usize) -> Self
    where
        T: Scalar<R>,
    {
        Self::along(value, direction, T::constant(R::ONE))
    }

    /// A number that varies in one direction, and how fast.
    #[inline(always)]
    pub fn along<R: Real>(value: T, direction: usize, speed: T) -> Self
    where
        T: Scalar<R>,
    {
        let mut slope = [T::constant(R::ZERO); D];
        for i in 0..D {
            if i == direction {
                slope[i] = speed;
            }
        }
        let zero = if KNOWS && direction < 32 {
            !(1 << direction)
        } else {
            0
        };
        Duals { value, slope, zero }
    }

    /// A number that varies in none of these directions, though it may be a dual number that varies in others.
    #[inline(always)]
    pub(crate) fn still<R: Real>(value: T) -> Self
    where
        T: Scalar<R>,
    {
        Duals {
            value,
            ..Self::constant(R::ZERO)
        }
    }

    /// The derivative in each direction.
    #[inline(always)]
    pub fn slope(&self) -> [T; D] {
        self.slope
    }

    /// A function of this number, from its value and its derivative there: the chain rule.
    #[inline(always)]
    fn chain<F>(self, value: T, derivative: F) -> Self
    where
        T: Mul<F, Output = T>,
        F: Copy,
    {
        let mut slope = self.slope;
        for i in 0..D {
            if !self.flat(i) {
                slope[i] = slope[i] * derivative;
            }
        }
        Duals {
            value,
            slope,
            zero: self.zero,
        }
    }

    /// A function of two numbers, from its value and its slopes in directions in which one or both have a slope.
    #[inline(always)]
    fn join(
        self,
        other: Self,
        value: T,
        (this, that, both): (impl Fn(T) -> T, impl Fn(T) -> T, impl Fn(T, T) -> T),
    ) -> Self {
        let mut slope = self.slope;
        for i in 0..D {
            slope[i] = match (self.flat(i), other.flat(i)) {
                (true, true) => slope[i],
                (false, true) => this(slope[i]),
                (true, false) => that(other.slope[i]),
                (false, false) => both(slope[i], other.slope[i]),
            };
        }
        Duals {
            value,
            slope,
            zero: if KNOWS { self.zero & other.zero } else { 0 },
        }
    }
}

impl<T: Copy + Add<Output = T>, const D: usize, const KNOWS: bool> Add for Duals<T, D, KNOWS> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let value = self.value + other.value;
        self.join(other, value, (|a| a, |b| b, |a, b| a + b))
    }
}

impl<T: Copy + Sub<Output = T> + Neg<Output = T>, const D: usize, const KNOWS: bool> Sub
    for Duals<T, D, KNOWS>
{
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let value = self.value - other.value;
        self.join(other, value, (|a| a, |b| -b, |a, b| a - b))
    }
}

impl<T: Copy + Add<Output = T> + Mul<Output = T>, const D: usize, const KNOWS: bool> Mul
    for Duals<T, D, KNOWS>
{
    type Output = Self;
    // The product rule has a sum.
    #[allow(clippy::suspicious_arithmetic_impl)]
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (x, y) = (self.value, other.value);
        let both = |a, b| a * y + b * x;
        self.join(other, x * y, (|a| a * y, |b| b * x, both))
    }
}

impl<T, const D: usize, const KNOWS: bool> Div for Duals<T, D, KNOWS>
where
    T: Copy + Sub<Output = T> + Neg<Output = T> + Mul<Output = T> + Div<Output = T>,
{
    type Output = Self;
    // The quotient rule has a difference and a product.
    #[allow(clippy::suspicious_arithmetic_impl)]
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let (value, y) = (self.value / other.value, other.value);
        let both = |a, b| (a - b * value) / y;
        self.join(other, value, (|a| a / y, |b| -(b * value) / y, both))
    }
}

impl<T: Copy + Neg<Output = T>, const D: usize, const KNOWS: bool> Neg for Duals<T, D, KNOWS> {
    type Output = Self;
    #[inline(always)]
    fn neg(mut self) -> Self {
        self.value = -self.value;
        for i in 0..D {
            if !self.flat(i) {
                self.slope[i] = -self.slope[i];
            }
        }
        self
    }
}

impl<R: Real, T: Copy + Add<R, Output = T>, const D: usize, const KNOWS: bool> Add<R>
    for Duals<T, D, KNOWS>
{
    type Output = Self;
    #[inline(always)]
    fn add(mut self, other: R) -> Self {
        self.value = self.value + other;
        self
    }
}

impl<R: Real, T: Copy + Sub<R, Output = T>, const D: usize, const KNOWS: bool> Sub<R>
    for Duals<T, D, KNOWS>
{
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, other: R) -> Self {
        self.value = self.value - other;
        self
    }
}

impl<R: Real, T: Copy + Mul<R, Output = T>, const D: usize, const KNOWS: bool> Mul<R>
    for Duals<T, D, KNOWS>
{
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: R) -> Self {
        self.chain(self.value * other, other)
    }
}

impl<R: Real, T: Copy + Mul<R, Output = T> + Div<R, Output = T>, const D: usize, const KNOWS: bool>
    Div<R> for Duals<T, D, KNOWS>
{
    type Output = Self;
    #[inline(always)]
    fn div(self, other: R) -> Self {
        self.chain(self.value / other, R::ONE / other)
    }
}

assigns! {
    [T, const D: usize, const KNOWS: bool] Duals<T, D, KNOWS>: AddAssign add_assign Add +;
    [T, const D: usize, const KNOWS: bool] Duals<T, D, KNOWS>: SubAssign sub_assign Sub -;
    [T, const D: usize, const KNOWS: bool] Duals<T, D, KNOWS>: MulAssign mul_assign Mul *;
    [T, const D: usize, const KNOWS: bool] Duals<T, D, KNOWS>: DivAssign div_assign Div /;
}

/// Numbers each of which is a variable.
#[inline(always)]
pub(crate) fn variables<R: Real, T: Scalar<R>, const N: usize>(x: &[T; N]) -> [Dual<T, N>; N] {
    let mut duals = [Dual::constant(R::ZERO); N];
    for n in 0..N {
        duals[n] = Dual::variable(x[n], n);
    }
    duals
}

/// Numbers that do not vary.
#[inline(always)]
pub(crate) fn constants<R: Real, const N: usize, const D: usize>(x: &[R; N]) -> [Dual<R, D>; N] {
    let mut duals = [Dual::constant(R::ZERO); N];
    for n in 0..N {
        duals[n] = Dual::constant(x[n]);
    }
    duals
}

/// Numbers that change with a rate.
#[inline(always)]
pub(crate) fn moving<R: Real, T: Scalar<R>, const N: usize>(
    x: &[T; N],
    rate: &[T; N],
) -> [Dual<T, 1>; N] {
    let mut duals = [Dual::constant(R::ZERO); N];
    for n in 0..N {
        duals[n] = Dual::new(x[n], [rate[n]]);
    }
    duals
}

/// The derivative of the arc sine, `1 / sqrt(1 - x^2)`, with its digits near one.
#[inline(always)]
fn arc_slope<R: Real, T: Scalar<R>>(x: T) -> T {
    let one = T::constant(R::ONE);
    one / ((one - x) * (one + x)).sqrt()
}

impl<R: Real, T: Scalar<R>, const D: usize, const KNOWS: bool> Scalar<R> for Duals<T, D, KNOWS> {
    #[inline(always)]
    fn constant(value: R) -> Self {
        Duals {
            value: T::constant(value),
            slope: [T::constant(R::ZERO); D],
            zero: if KNOWS { u32::MAX } else { 0 },
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
        let value = self.value.atan2(x.value);
        let (y, x_value) = (self.value, x.value);
        let inverse = T::constant(R::ONE) / (x_value * x_value + y * y);
        let both = |a, b| (a * x_value - b * y) * inverse;
        let (this, that) = (|a: T| a * x_value * inverse, |b: T| -(b * y) * inverse);
        self.join(x, value, (this, that, both))
    }
    #[inline(always)]
    fn asin(self) -> Self {
        self.chain(self.value.asin(), arc_slope(self.value))
    }
    #[inline(always)]
    fn acos(self) -> Self {
        self.chain(self.value.acos(), -arc_slope(self.value))
    }
    #[inline(always)]
    fn log10(self) -> Self {
        let factor = T::constant(R::from_f64(core::f64::consts::LOG10_E));
        self.chain(self.value.log10(), factor / self.value)
    }
    #[inline(always)]
    fn cbrt(self) -> Self {
        let root = self.value.cbrt();
        let slope = T::constant(R::ONE) / (root * root * R::from_f64(3.0));
        self.chain(root, slope)
    }
    #[inline(always)]
    fn powf(self, exponent: R) -> Self {
        if exponent == R::ZERO {
            return Self::constant(R::ONE);
        }
        // Not the power over the number, which has no value at zero.
        let slope = self.value.powf(exponent - R::ONE) * exponent;
        self.chain(self.value.powf(exponent), slope)
    }
    #[inline(always)]
    fn hypot(self, other: Self) -> Self {
        let value = self.value.hypot(other.value);
        let (x, y) = (self.value / value, other.value / value);
        let both = |a, b| a * x + b * y;
        self.join(other, value, (|a| a * x, |b| b * y, both))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        if self.value() < R::ZERO { -self } else { self }
    }
}
