//! Polynomials through points in time, as weights of their values: slopes, curvatures, continuations.

use super::bdf::{STEPS, VALUES};
use crate::number::Real;

/// The derivative at 0 of the polynomial through the values at times 0 (the first) to `times[order]`, as weights of them.
pub(super) fn slope(times: &[f64; STEPS + 2], order: usize) -> [f64; VALUES] {
    let mut weights = [0.0; VALUES];
    for i in 1..VALUES {
        if i > order {
            break;
        }
        let mut weight = 1.0 / times[i];
        for m in 1..VALUES {
            if m <= order && m != i {
                weight *= times[m] / (times[m] - times[i]);
            }
        }
        weights[i] = weight;
        weights[0] -= weight;
    }
    weights
}

/// The second derivative at 0 of the polynomial through the values at times 0 (the first) to `times[degree]`, as weights of
/// them.
pub(super) fn curvature(times: &[f64; STEPS + 2], degree: usize) -> [f64; VALUES + 1] {
    let mut weights = [0.0; VALUES + 1];
    for i in 1..VALUES + 1 {
        if i > degree {
            break;
        }
        // t q / (t_i q(t_i)) with q the product of t - t_m.
        let (mut q, mut dq, mut at) = (1.0, 0.0, times[i]);
        for m in 1..VALUES + 1 {
            if m <= degree && m != i {
                dq = q - dq * times[m];
                q *= -times[m];
                at *= times[i] - times[m];
            }
        }
        weights[i] = 2.0 * dq / at;
        weights[0] -= weights[i];
    }
    weights
}

/// The same weights, and a zero.
pub(super) fn longer(weights: &[f64; VALUES]) -> [f64; VALUES + 1] {
    let mut longer = [0.0; VALUES + 1];
    for i in 0..VALUES {
        longer[i] = weights[i];
    }
    longer
}

/// Weights in another number type and unit.
pub(super) fn rounded<R: Real, const N: usize>(values: &[f64; N], unit: f64) -> [R; N] {
    let mut rounded = [R::ZERO; N];
    for i in 0..N {
        rounded[i] = R::from_f64(values[i] / unit);
    }
    rounded
}

/// The value at 0 of the polynomial through the first `points` of these times, as weights of its values there.
pub(super) fn extrapolation(times: &[f64; STEPS + 2], points: usize) -> [f64; VALUES] {
    let mut weights = [0.0; VALUES];
    for i in 0..VALUES {
        if i >= points {
            break;
        }
        weights[i] = 1.0;
        for m in 0..VALUES {
            if m < points && m != i {
                weights[i] *= times[m] / (times[m] - times[i]);
            }
        }
    }
    weights
}

/// The derivative of `t (t - t_1) .. (t - t_degree)`.
pub(super) fn basis_slope(times: &[f64; STEPS + 2], degree: usize, t: f64) -> f64 {
    let (mut q, mut dq) = (1.0, 0.0);
    for m in 1..VALUES {
        if m <= degree {
            dq = dq * (t - times[m]) + q;
            q *= t - times[m];
        }
    }
    q + t * dq
}
