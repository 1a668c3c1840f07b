//! Increments without cancellation: how much a function changes when its arguments move a little.
//!
//! Single precision cannot subtract `g(q)` from `g(q + z)`: the difference is of order h^2 and its rounding error, divided
//! by h^2, would fill the multipliers with noise of order u / h^2. A plain pair (value, increment) is not enough either,
//! because rounding that differs from stage to stage is amplified by A^-2. What works is to keep the part of the increment
//! that is linear in the motion's leading part aside: the number is
//!
//! ```text
//! x -> x + p + r      p: exactly linear in the leading part of the arguments' motion,  r: everything else
//! ```
//!
//! so that p, known beforehand as c_i times a vector common to all stages, can be dropped from the result and r, which is
//! small of second order, carries only relative errors of its own.

use super::{Real, Scalar, remainder};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A value `x` that moves to `x + p + r`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Increment<R> {
    /// Where it starts.
    pub x: R,
    /// The linear part of the motion.
    pub p: R,
    /// The rest of the motion.
    pub r: R,
}

impl<R: Real> Increment<R> {
    /// The whole motion.
    #[inline(always)]
    pub fn d(self) -> R {
        self.p + self.r
    }

    /// The end point.
    #[inline(always)]
    pub fn end(self) -> R {
        self.x + self.d()
    }

    /// Scales the motion, and puts it at another start.
    #[inline(always)]
    fn moved(self, x: R, by: R) -> Self {
        Increment {
            x,
            p: self.p * by,
            r: self.r * by,
        }
    }

    /// This number if the motion ends on the same branch; otherwise `other`'s end, seen from this start.
    #[inline(always)]
    fn or_across(self, same: bool, other: Self) -> Self {
        if same {
            self
        } else {
            Increment {
                r: (other.x - self.x) + other.d() - self.p,
                ..self
            }
        }
    }
}

impl<R: Real> Add for Increment<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Increment {
            x: self.x + b.x,
            p: self.p + b.p,
            r: self.r + b.r,
        }
    }
}

impl<R: Real> Sub for Increment<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Increment {
            x: self.x - b.x,
            p: self.p - b.p,
            r: self.r - b.r,
        }
    }
}

impl<R: Real> Neg for Increment<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Increment {
            x: -self.x,
            p: -self.p,
            r: -self.r,
        }
    }
}

impl<R: Real> Mul for Increment<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Increment {
            x: self.x * b.x,
            p: self.x * b.p + self.p * b.x,
            r: self.x * b.r + self.r * b.x + self.d() * b.d(),
        }
    }
}

impl<R: Real> Div for Increment<R> {
    type Output = Self;
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        let x = self.x / b.x;
        let p = (self.p - x * b.p) / b.x;
        Increment {
            x,
            p,
            r: (self.r - x * b.r - p * b.d()) / b.end(),
        }
    }
}

impl<R: Real> Add<R> for Increment<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: R) -> Self {
        Increment {
            x: self.x + b,
            ..self
        }
    }
}

impl<R: Real> Sub<R> for Increment<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: R) -> Self {
        Increment {
            x: self.x - b,
            ..self
        }
    }
}

impl<R: Real> Mul<R> for Increment<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: R) -> Self {
        self.moved(self.x * b, b)
    }
}

impl<R: Real> Div<R> for Increment<R> {
    type Output = Self;
    #[inline(always)]
    fn div(self, b: R) -> Self {
        self.moved(self.x / b, R::ONE / b)
    }
}

assigns! {
    [R: Real] Increment<R>: AddAssign add_assign Add +;
    [R: Real] Increment<R>: SubAssign sub_assign Sub -;
    [R: Real] Increment<R>: MulAssign mul_assign Mul *;
    [R: Real] Increment<R>: DivAssign div_assign Div /;
}

impl<R: Real> Scalar<R> for Increment<R> {
    #[inline(always)]
    fn constant(value: R) -> Self {
        Increment {
            x: value,
            p: R::ZERO,
            r: R::ZERO,
        }
    }
    #[inline(always)]
    fn value(self) -> R {
        self.x
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let x = self.x.sqrt();
        // s_1 - s_0 = (a_1 - a_0) / (s_1 + s_0).
        let sum = x + self.end().sqrt();
        let p = self.p / (x + x);
        Increment {
            x,
            p,
            r: (self.r - p * (self.d() / sum)) / sum,
        }
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.x.sin_cos();
        let d = self.d();
        // sin(x + d) - sin x = cos x sin d + sin x (cos d - 1), and likewise for the cosine; s is sin d - p.
        let (s, c) = (self.r + remainder::sin(d), remainder::cos(d));
        (
            Increment {
                x: sin,
                p: cos * self.p,
                r: cos * s + sin * c,
            },
            Increment {
                x: cos,
                p: -sin * self.p,
                r: cos * c - sin * s,
            },
        )
    }
    #[inline(always)]
    fn exp(self) -> Self {
        let x = self.x.exp();
        Increment {
            x,
            p: x * self.p,
            r: x * (self.r + remainder::exp(self.d())),
        }
    }
    #[inline(always)]
    fn ln(self) -> Self {
        let inverse = R::ONE / self.x;
        Increment {
            x: self.x.ln(),
            p: self.p * inverse,
            r: self.r * inverse + remainder::ln_1p(self.d() * inverse),
        }
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        let x = self.x.tanh();
        let slope = R::ONE - x * x;
        let beyond = remainder::tanh(self.d());
        // tanh(x + d) - tanh x = slope T / (1 + x T) with T = tanh d.
        let t = self.d() + beyond;
        Increment {
            x,
            p: slope * self.p,
            r: slope * (self.r + beyond - self.p * x * t) / (R::ONE + x * t),
        }
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let y = self;
        let inverse = R::ONE / (x.x * x.x + y.x * y.x);
        let p = (x.x * y.p - y.x * x.p) * inverse;
        // The angle between start and end has the tangent cross / dot.
        let along = x.x * x.d() + y.x * y.d();
        let dot = x.x * x.x + y.x * y.x + along;
        let w = (x.x * y.d() - y.x * x.d()) / dot;
        let curved = (x.x * y.r - y.x * x.r - p * along) / dot;
        Increment {
            x: y.x.atan2(x.x),
            p,
            r: curved + remainder::atan(w),
        }
    }
    #[inline(always)]
    fn asin(self) -> Self {
        // The angle of the point on the unit circle moves as that of any point.
        let across = (-self + R::ONE) * (self + R::ONE);
        Increment {
            x: self.x.asin(),
            ..self.atan2(across.sqrt())
        }
    }
    #[inline(always)]
    fn acos(self) -> Self {
        Increment {
            x: self.x.acos(),
            ..-self.asin()
        }
    }
    #[inline(always)]
    fn log10(self) -> Self {
        self.ln()
            .moved(self.x.log10(), R::from_f64(core::f64::consts::LOG10_E))
    }
    #[inline(always)]
    fn cbrt(self) -> Self {
        let (x, end) = (self.x.cbrt(), self.end().cbrt());
        // c_1 - c_0 = (a_1 - a_0) / (c_1^2 + c_1 c_0 + c_0^2).
        let sum = end * end + end * x + x * x;
        let p = self.p / (x * x * R::from_f64(3.0));
        Increment {
            x,
            p,
            r: (self.r - p * (self.d() / sum) * (x + x + end)) / sum,
        }
    }
    #[inline(always)]
    fn powf(self, exponent: R) -> Self {
        if exponent == R::ZERO {
            return Self::constant(R::ONE);
        }
        let (x, end) = (self.x.powf(exponent), self.end());
        let same = (self.x > R::ZERO && end > R::ZERO) || (self.x < R::ZERO && end < R::ZERO);
        if !same {
            // From zero, to zero or across it: no small part of what the number is.
            let p = self.x.powf(exponent - R::ONE) * exponent * self.p;
            let r = end.powf(exponent) - x - p;
            return Increment { x, p, r };
        }
        // (1 + u)^e - 1 = exp(e ln(1 + u)) - 1 with u = d / x.
        let by = exponent / self.x;
        let curved = exponent * remainder::ln_1p(self.d() / self.x);
        let beyond = curved + remainder::exp(by * self.d() + curved);
        Increment {
            x,
            p: x * (by * self.p),
            r: x * (by * self.r + beyond),
        }
    }
    #[inline(always)]
    fn hypot(self, other: Self) -> Self {
        let (a, b) = (self, other);
        let x = a.x.hypot(b.x);
        let (cos, sin) = (a.x / x, b.x / x);
        let sum = R::ONE + a.end().hypot(b.end()) / x;
        // h_1 - h_0 = (a_1^2 - a_0^2 + b_1^2 - b_0^2) / (h_1 + h_0), all in units of h_0.
        let p = cos * a.p + sin * b.p;
        let along = cos * a.r + sin * b.r;
        let square = a.d() * (a.d() / x) + b.d() * (b.d() / x);
        let rest = along + along + square;
        let d = (p + p + rest) / sum;
        Increment {
            x,
            p,
            r: (rest - p * (d / x)) / sum,
        }
    }
    #[inline(always)]
    fn clamp(self, low: R, high: R) -> Self {
        let side = |value: R| {
            if value < low {
                (-1, Self::constant(low))
            } else if value > high {
                (1, Self::constant(high))
            } else {
                (0, self)
            }
        };
        let ((from, start), (to, end)) = (side(self.x), side(self.end()));
        start.or_across(from == to, end)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        let same = (self.x < R::ZERO) == (self.end() < R::ZERO);
        if self.x < R::ZERO {
            (-self).or_across(same, self)
        } else {
            self.or_across(same, -self)
        }
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        let same = (self.x < b.x) == (self.end() < b.end());
        if self.x < b.x {
            self.or_across(same, b)
        } else {
            b.or_across(same, self)
        }
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        let same = (self.x > b.x) == (self.end() > b.end());
        if self.x > b.x {
            self.or_across(same, b)
        } else {
            b.or_across(same, self)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Increment, Scalar};

    /// A power from zero, to zero and across it: the end is the power of the end, and the linear part is the derivative's.
    #[test]
    fn powers_cross_zero() {
        let moved = |x: f64, p: f64, r: f64| Increment { x, p, r }.powf(2.0);
        for (x, p, r) in [
            (0.0, 0.5, 0.25),
            (-0.5, 0.25, 0.25),
            (0.5, -1.0, -0.25),
            (2.0, 0.5, 0.125),
        ] {
            let power = moved(x, p, r);
            assert!((power.x - x * x).abs() < 1e-15);
            assert!((power.p - 2.0 * x * p).abs() < 1e-15, "{power:?}");
            let end = x + p + r;
            assert!((power.end() - end * end).abs() < 1e-14, "{power:?}");
        }
        assert_eq!(
            Increment {
                x: 3.0,
                p: 1.0,
                r: 1.0
            }
            .powf(0.0),
            Increment::constant(1.0)
        );
    }
}
