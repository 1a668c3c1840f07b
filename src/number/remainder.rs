//! What a function has beyond its first terms, without cancellation: `sin x - x`, `exp x - 1 - x` and their like. The
//! increments of a step are small, so these are the second-order part of a difference.

use super::Real;

/// Below this a power series is used, above it the difference itself, whose cancellation is then harmless.
const SERIES: f64 = 0.5;

/// `x^k (c_0 + y (c_1 + y (c_2 + ...)))` with alternating or equal signs in `y`; terms beyond rounding cost a few
/// multiplications and change nothing.
#[inline]
fn series<R: Real, const K: usize>(y: R, coefficients: &[f64; K]) -> R {
    let mut sum = R::ZERO;
    for k in (0..K).rev() {
        sum = sum * y + R::from_f64(coefficients[k]);
    }
    sum
}

#[inline]
fn small<R: Real>(x: R) -> bool {
    x.abs() < R::from_f64(SERIES)
}

/// `sin x - x`.
#[inline]
pub(super) fn sin<R: Real>(x: R) -> R {
    if small(x) {
        let y = x * x;
        const C: [f64; 7] = [
            -1.0 / 6.0,
            1.0 / 120.0,
            -1.0 / 5040.0,
            1.0 / 362880.0,
            -1.0 / 39916800.0,
            1.0 / 6227020800.0,
            -1.0 / 1307674368000.0,
        ];
        series(y, &C) * y * x
    } else {
        x.sin() - x
    }
}

/// `cos x - 1`.
#[inline]
pub(super) fn cos<R: Real>(x: R) -> R {
    if small(x) {
        let y = x * x;
        const C: [f64; 7] = [
            -0.5,
            1.0 / 24.0,
            -1.0 / 720.0,
            1.0 / 40320.0,
            -1.0 / 3628800.0,
            1.0 / 479001600.0,
            -1.0 / 87178291200.0,
        ];
        series(y, &C) * y
    } else {
        x.cos() - R::ONE
    }
}

/// `exp x - 1 - x`.
#[inline]
pub(super) fn exp<R: Real>(x: R) -> R {
    if small(x) {
        const C: [f64; 13] = {
            let mut c = [0.5; 13];
            let mut k = 1;
            while k < 13 {
                c[k] = c[k - 1] / (k + 2) as f64;
                k += 1;
            }
            c
        };
        series(x, &C) * x * x
    } else {
        x.exp() - R::ONE - x
    }
}

/// `ln(1 + x) - x`, through the series of `artanh`, which converges faster.
#[inline]
pub(super) fn ln_1p<R: Real>(x: R) -> R {
    if x.abs() < R::from_f64(0.25) {
        // ln(1 + x) = 2 artanh z with z = x / (2 + x), and 2 z - x = -x z.
        let z = x / (x + R::from_f64(2.0));
        let y = z * z;
        const C: [f64; 12] = {
            let mut c = [0.0; 12];
            let mut k = 0;
            while k < 12 {
                c[k] = 2.0 / (2 * k + 3) as f64;
                k += 1;
            }
            c
        };
        series(y, &C) * y * z - x * z
    } else {
        (x + R::ONE).ln() - x
    }
}

/// `atan x - x`.
#[inline]
pub(super) fn atan<R: Real>(x: R) -> R {
    if x.abs() < R::from_f64(0.25) {
        let y = x * x;
        const C: [f64; 13] = {
            let mut c = [0.0; 13];
            let mut k = 0;
            while k < 13 {
                let sign = if k % 2 == 0 { -1.0 } else { 1.0 };
                c[k] = sign / (2 * k + 3) as f64;
                k += 1;
            }
            c
        };
        series(y, &C) * y * x
    } else {
        x.atan2(R::ONE) - x
    }
}

/// `tanh x - x`: with s = sinh x - x and c = cosh x - 1 it is (s - x c) / (1 + c).
#[inline]
pub(super) fn tanh<R: Real>(x: R) -> R {
    if small(x) {
        let y = x * x;
        const S: [f64; 6] = [
            1.0 / 6.0,
            1.0 / 120.0,
            1.0 / 5040.0,
            1.0 / 362880.0,
            1.0 / 39916800.0,
            1.0 / 6227020800.0,
        ];
        const C: [f64; 6] = [
            0.5,
            1.0 / 24.0,
            1.0 / 720.0,
            1.0 / 40320.0,
            1.0 / 3628800.0,
            1.0 / 479001600.0,
        ];
        let c = series(y, &C) * y;
        (series(y, &S) * y * x - x * c) / (c + R::ONE)
    } else {
        x.tanh() - x
    }
}

#[cfg(test)]
mod tests {
    use super::{atan, tanh};

    /// As good as the difference in double precision where the argument is small; a difference that is rounded elsewhere.
    #[test]
    fn remainders_keep_their_digits() {
        for k in 1..600 {
            let x = libm::powf(1.02, k as f32) * 1e-3;
            for x in [x, -x] {
                let wide = f64::from(x);
                let pairs = [
                    (atan(x), libm::atan(wide) - wide),
                    (tanh(x), libm::tanh(wide) - wide),
                ];
                for (own, exact) in pairs {
                    let error = (f64::from(own) - exact).abs();
                    let difference = if wide.abs() < 0.25 { 0.0 } else { 2.4e-7 };
                    let rounding = 4e-7 * exact.abs() + difference * wide.abs();
                    assert!(error <= rounding, "{x}: {own:e} for {exact:e}");
                }
            }
        }
    }
}
