//! Collocation methods (Hairer, Norsett & Wanner I, section II.7; Hairer & Wanner II, section IV.5).

use nalgebra::{DMatrix, DVector};

/// A Runge-Kutta method `(A, b, c)`.
#[derive(Clone, Debug)]
pub struct Tableau {
    /// The matrix.
    pub a: DMatrix<f64>,
    /// The weights.
    pub b: DVector<f64>,
    /// The nodes.
    pub c: DVector<f64>,
}

impl Tableau {
    /// The collocation method with these nodes.
    ///
    /// `C(s)` and `B(s)` say that stages and step integrate polynomials of degree s - 1 exactly: for k = 0..s-1,
    ///
    /// ```text
    /// sum_j a_ij p_k(c_j) = integral of p_k from 0 to c_i,      sum_j b_j p_k(c_j) = integral of p_k from 0 to 1
    /// ```
    ///
    /// linear in A and b: one Vandermonde system with s + 1 right-hand sides. `p_k = (2 x - 1)^k` makes a better
    /// conditioned one than the powers of x.
    pub fn collocation(c: DVector<f64>) -> Self {
        let s = c.len();
        let power = |x: f64, k: usize| (2.0 * x - 1.0).powi(k as i32);
        let vandermonde = DMatrix::from_fn(s, s, |k, j| power(c[j], k));
        let integrals = DMatrix::from_fn(s, s + 1, |k, i| {
            let upper = if i < s { c[i] } else { 1.0 };
            (power(upper, k + 1) - power(0.0, k + 1)) / (2 * (k + 1)) as f64
        });
        // Distinct nodes make a regular matrix; were they not distinct, NaN would say so everywhere.
        let weights = vandermonde
            .full_piv_lu()
            .solve(&integrals)
            .unwrap_or_else(|| DMatrix::repeat(s, s + 1, f64::NAN));
        Tableau {
            a: weights.columns(0, s).transpose(),
            b: weights.column(s).into_owned(),
            c,
        }
    }

    /// Radau IIA with `s` stages: the nodes are the zeros of `d^(s-1)/dx^(s-1) [x^(s-1) (x - 1)^s]`.
    ///
    /// By Leibniz' rule that is, without a constant factor, `(x - 1) sum_k d_k x^(s-1-k) (x - 1)^k` with
    /// `d_k = binomial(s-1, k) binomial(s, k + 1)`. One zero is 1; the others are zeros of the sum.
    pub fn radau_iia(s: usize) -> Self {
        let d: Vec<f64> = (0..s)
            .map(|k| binomial(s - 1, k) * binomial(s, k + 1))
            .collect();
        let n = s - 1;
        // In powers of x, lowest first, for the companion matrix. Integers, so exact.
        let mut p = vec![0.0; s];
        for k in 0..s {
            for m in 0..=k {
                let sign = if (k - m).is_multiple_of(2) { 1.0 } else { -1.0 };
                p[n - k + m] += sign * d[k] * binomial(k, m);
            }
        }
        // As it stands, for the last digits: on [0, 1] this sum does not suffer from cancellation as that of powers does.
        let value = |x: f64| -> f64 {
            (0..s)
                .map(|k| d[k] * x.powi((n - k) as i32) * (x - 1.0).powi(k as i32))
                .sum()
        };
        let mut nodes = zeros(&p, value);
        nodes.push(1.0);
        Self::collocation(DVector::from_vec(nodes))
    }

    /// The number of stages.
    pub fn stages(&self) -> usize {
        self.c.len()
    }

    /// `d^T = b^T A^-1`, with which `x_1 = x_0 + sum_i d_i (X_i - x_0)`: for a stiffly accurate method the last unit
    /// vector, and then exactly that.
    pub fn closing_weights(&self) -> DVector<f64> {
        let s = self.stages();
        let last = self.a.row(s - 1).transpose();
        if (&last - &self.b).amax() < 1e-12 {
            return DVector::from_fn(s, |i, _| if i + 1 == s { 1.0 } else { 0.0 });
        }
        self.inverse().transpose() * &self.b
    }

    /// `A^-1`.
    pub fn inverse(&self) -> DMatrix<f64> {
        let s = self.stages();
        self.a
            .clone()
            .try_inverse()
            .unwrap_or_else(|| DMatrix::repeat(s, s, f64::NAN))
    }
}

fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64)
}

/// The matrix whose eigenvalues are the zeros of the polynomial with coefficients `p`, lowest first.
pub fn companion(p: &[f64]) -> DMatrix<f64> {
    let n = p.len() - 1;
    DMatrix::from_fn(n, n, |i, j| match i {
        _ if j + 1 == n => -p[i] / p[n],
        _ if i == j + 1 => 1.0,
        _ => 0.0,
    })
}

/// The zeros, all real, of the polynomial with coefficients `p`, in ascending order: eigenvalues of the companion matrix,
/// each improved by Newton's iteration on `value`.
fn zeros(p: &[f64], value: impl Fn(f64) -> f64) -> Vec<f64> {
    let n = p.len() - 1;
    if n == 0 {
        return Vec::new();
    }
    let companion = companion(p);
    let slope = |x: f64| (1..=n).rev().fold(0.0, |sum, k| sum * x + k as f64 * p[k]);
    let mut zeros: Vec<f64> = companion
        .complex_eigenvalues()
        .iter()
        .map(|z| (0..3).fold(z.re, |x, _| x - value(x) / slope(x)))
        .collect();
    zeros.sort_by(f64::total_cmp);
    zeros
}
