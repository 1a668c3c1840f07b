//! Numbers of twice double precision, so that steps in double precision have a judge who is better than they are: a sum of
//! two doubles (Dekker 1971), with the functions that plants need.

use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use stiffstep::prelude::*;

/// `high + low`, where `low` is at most half a unit in the last place of `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wide {
    /// The value, rounded.
    pub high: f64,
    /// The rest.
    pub low: f64,
}

const ZERO: Wide = Wide {
    high: 0.0,
    low: 0.0,
};
const ONE: Wide = Wide {
    high: 1.0,
    low: 0.0,
};
const HALF_PI: Wide = Wide {
    high: core::f64::consts::FRAC_PI_2,
    low: 6.123_233_995_736_766e-17,
};
const LN_2: Wide = Wide {
    high: core::f64::consts::LN_2,
    low: 2.319_046_813_846_299_6e-17,
};

/// A sum and its rounding error, whichever is larger.
fn two_sum(a: f64, b: f64) -> Wide {
    let high = a + b;
    let part = high - a;
    Wide {
        high,
        low: (a - (high - part)) + (b - part),
    }
}

/// A product and its rounding error, by Veltkamp's splitting.
fn two_product(a: f64, b: f64) -> Wide {
    let split = |x: f64| {
        let scaled = 134_217_729.0 * x;
        let high = scaled - (scaled - x);
        (high, x - high)
    };
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    let high = a * b;
    Wide {
        high,
        low: ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2,
    }
}

impl From<f64> for Wide {
    fn from(high: f64) -> Self {
        Wide { high, low: 0.0 }
    }
}

impl Wide {
    /// Multiplied by a power of two, which is exact.
    fn scaled(self, by: f64) -> Self {
        Wide {
            high: self.high * by,
            low: self.low * by,
        }
    }

    /// `exp(x) - 1` for small x by its series.
    fn exp_m1(self) -> Self {
        let (mut sum, mut term) = (ZERO, ONE);
        for n in 1..=12 {
            term = term * self / f64::from(n);
            sum += term;
        }
        sum
    }

    /// The sine of a small angle by its series.
    fn small_sin(self) -> Self {
        let (square, mut term) = (self * self, self);
        let mut sum = term;
        for n in 1..=11 {
            term = -(term * square) / f64::from(2 * n * (2 * n + 1));
            sum += term;
        }
        sum
    }
}

impl Add for Wide {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        let (s, t) = (two_sum(self.high, b.high), two_sum(self.low, b.low));
        let s = two_sum(s.high, s.low + t.high);
        two_sum(s.high, s.low + t.low)
    }
}

impl Neg for Wide {
    type Output = Self;
    fn neg(self) -> Self {
        self.scaled(-1.0)
    }
}

impl Sub for Wide {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        self + -b
    }
}

impl Mul for Wide {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        let p = two_product(self.high, b.high);
        two_sum(p.high, p.low + (self.high * b.low + self.low * b.high))
    }
}

impl Div for Wide {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        let first = self.high / b.high;
        let rest = self - b * first;
        let second = rest.high / b.high;
        let rest = rest - b * second;
        two_sum(first, second) + rest.high / b.high
    }
}

macro_rules! with_doubles {
    ($($op:ident $f:ident),*) => {$(
        impl $op<f64> for Wide {
            type Output = Self;
            fn $f(self, b: f64) -> Self {
                self.$f(Wide::from(b))
            }
        }
    )*};
}
with_doubles!(Add add, Sub sub, Mul mul, Div div);

macro_rules! in_place {
    ($($op:ident $f:ident $by:ident),*) => {$(
        impl $op for Wide {
            fn $f(&mut self, b: Self) {
                *self = self.$by(b);
            }
        }
    )*};
}
in_place!(AddAssign add_assign add, SubAssign sub_assign sub, MulAssign mul_assign mul, DivAssign div_assign div);

impl Scalar<f64> for Wide {
    fn constant(value: f64) -> Self {
        value.into()
    }
    fn value(self) -> f64 {
        self.high
    }
    fn sqrt(self) -> Self {
        if self.high <= 0.0 {
            return self.high.sqrt().into();
        }
        let root = Wide::from(self.high.sqrt());
        root + (self - root * root) / (2.0 * root.high)
    }
    fn sin_cos(self) -> (Self, Self) {
        let turns = (self.high / HALF_PI.high).round();
        let part = (self - HALF_PI * turns).scaled(0.125);
        let mut sin = part.small_sin();
        let mut cos = (ONE - sin * sin).sqrt();
        for _ in 0..3 {
            (sin, cos) = ((sin * cos).scaled(2.0), ONE - (sin * sin).scaled(2.0));
        }
        match turns.rem_euclid(4.0) as u8 {
            0 => (sin, cos),
            1 => (cos, -sin),
            2 => (-sin, -cos),
            _ => (-cos, sin),
        }
    }
    fn exp(self) -> Self {
        let twos = (self.high / LN_2.high).round();
        let mut part = (self - LN_2 * twos).scaled(1.0 / 256.0).exp_m1();
        for _ in 0..8 {
            part = part.scaled(2.0) + part * part;
        }
        (part + ONE).scaled(twos.exp2())
    }
    fn ln(self) -> Self {
        let near = Wide::from(self.high.ln());
        near + (self * (-near).exp() - ONE)
    }
    fn tanh(self) -> Self {
        let twice = self.scaled(2.0).exp();
        (twice - ONE) / (twice + ONE)
    }
    fn atan2(self, x: Self) -> Self {
        let near = Wide::from(self.high.atan2(x.high));
        let (sin, cos) = near.sin_cos();
        near + (self * cos - x * sin) / (x * cos + self * sin)
    }
    fn asin(self) -> Self {
        self.atan2((ONE - self * self).sqrt())
    }
    fn acos(self) -> Self {
        (ONE - self * self).sqrt().atan2(self)
    }
    fn log10(self) -> Self {
        self.ln() / Wide::from(10.0).ln()
    }
    fn cbrt(self) -> Self {
        let near = Wide::from(self.high.cbrt());
        near + (self / (near * near) - near) / 3.0
    }
    fn powf(self, exponent: f64) -> Self {
        (self.ln() * exponent).exp()
    }
    fn hypot(self, other: Self) -> Self {
        (self * self + other * other).sqrt()
    }
    fn abs(self) -> Self {
        if self.high < 0.0 { -self } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Identities that hold to twice the digits.
    #[test]
    fn functions_have_thirty_digits() {
        for x in [1e-3, 0.3, 1.0, 2.5, 9.75, -4.0, 700.25] {
            let x = Wide::from(x) / 3.0;
            let (sin, cos) = x.sin_cos();
            assert!((sin * sin + cos * cos - 1.0).high.abs() < 1e-29);
            // The sine of the high part alone: the low part turns it by `low * cos`.
            assert!(((sin - cos * x.low).high - x.high.sin()).abs() < 1e-15);
            let twice = (x + x).sin_cos().0;
            assert!((twice - (sin * cos).scaled(2.0)).high.abs() < 1e-29);
            assert!((x.abs().sqrt() * x.abs().sqrt() / x.abs() - 1.0).high.abs() < 1e-30);
            assert!((x.exp() * (-x).exp() - 1.0).high.abs() < 1e-28);
            assert!((x.exp().ln() - x).high.abs() < 1e-29 * x.high.abs().max(1.0));
            assert!((x.exp().high / (x.high.exp() * (1.0 + x.low)) - 1.0).abs() < 1e-15);
            let angle = sin.atan2(cos);
            assert!((angle.sin_cos().0 - sin).high.abs() < 1e-29);
            let t = x.tanh();
            assert!((x.high.tanh() - t.high).abs() < 1e-15);
        }
        assert!((Wide::from(1.0) / 3.0 * 3.0 - 1.0).high.abs() < 1e-31);
    }
}
