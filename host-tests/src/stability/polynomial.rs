//! Polynomials with real coefficients, as few as the determinants of stability need.

use crate::reference::tableau::companion;
use nalgebra::DMatrix;

/// `sum c_k x^k`. The last coefficient is not zero unless it is the only one.
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial(Vec<f64>);

/// A coefficient that is smaller than this, compared with what it is the sum of, is rounding.
const ROUNDING: f64 = 1e-11;

impl Polynomial {
    /// The polynomial with these coefficients, lowest first.
    pub fn new(mut coefficients: Vec<f64>) -> Self {
        while coefficients.len() > 1 && coefficients.last() == Some(&0.0) {
            coefficients.pop();
        }
        Polynomial(coefficients)
    }

    /// `det(I + x K)`, by the recurrence of Faddeev and Leverrier.
    ///
    /// With `S_1 = K` and `e_k = tr S_k / k`, `S_(k+1) = K (e_k I - S_k)`: the e_k are the elementary symmetric functions of
    /// K's eigenvalues and the coefficients that are asked for. Those that a singular K lacks are sums that cancel, and are
    /// set to zero.
    pub fn determinant(k: &DMatrix<f64>) -> Self {
        let n = k.nrows();
        let mut coefficients = vec![1.0];
        let mut rest = DMatrix::identity(n, n);
        for order in 1..=n {
            let scale = k.amax() * rest.amax();
            let s = k * &rest;
            let e = s.trace() / order as f64;
            let e = if e.abs() <= ROUNDING * scale { 0.0 } else { e };
            coefficients.push(e);
            rest = DMatrix::identity(n, n) * e - s;
        }
        Self::new(coefficients)
    }

    /// The coefficients, lowest first.
    pub fn coefficients(&self) -> &[f64] {
        &self.0
    }

    /// The degree; that of zero is zero.
    pub fn degree(&self) -> usize {
        self.0.len() - 1
    }

    /// The coefficient of `x^k`.
    pub fn coefficient(&self, k: usize) -> f64 {
        self.0.get(k).copied().unwrap_or(0.0)
    }

    /// The value at x.
    pub fn at(&self, x: f64) -> f64 {
        self.0.iter().rev().fold(0.0, |sum, c| sum * x + c)
    }

    /// `self + by other`. What cancels to rounding is zero.
    pub fn plus(&self, by: f64, other: &Self) -> Self {
        let n = self.0.len().max(other.0.len());
        Self::new(
            (0..n)
                .map(|k| {
                    let (a, b) = (self.coefficient(k), by * other.coefficient(k));
                    if (a + b).abs() <= ROUNDING * (a.abs() + b.abs()) {
                        0.0
                    } else {
                        a + b
                    }
                })
                .collect(),
        )
    }

    /// `by self`.
    pub fn scaled(&self, by: f64) -> Self {
        Self::new(self.0.iter().map(|c| by * c).collect())
    }

    /// `|p(i y)|^2` as a polynomial in `y^2`.
    pub fn squared_on_the_imaginary_axis(&self) -> Self {
        // p(i y) = even(-y^2) + i y odd(-y^2).
        let degree = self.degree();
        let mut squares = vec![0.0; degree + 1];
        for j in 0..=degree {
            for k in (j % 2..=degree).step_by(2) {
                let sign = if (j / 2 + k / 2) % 2 == 0 { 1.0 } else { -1.0 };
                squares[(j + k) / 2] += sign * self.0[j] * self.0[k];
            }
        }
        Self::new(squares)
    }

    /// The real zeros that are not negative, ascending, multiple ones as often as they come.
    pub fn zeros_from_zero_on(&self) -> Vec<f64> {
        let lowest = self.0.iter().position(|&c| c != 0.0).unwrap_or(0);
        let mut zeros = vec![0.0; lowest];
        let p = &self.0[lowest..];
        let n = p.len() - 1;
        if n > 0 {
            let companion = companion(p);
            // A double zero comes as two that rounding has set apart by its square root, maybe off the axis.
            let real = companion.complex_eigenvalues();
            let real = real.iter().filter(|z| z.im.abs() <= 1e-6 * z.norm());
            zeros.extend(real.map(|z| z.re).filter(|&x| x > 0.0));
        }
        zeros.sort_by(f64::total_cmp);
        zeros
    }
}
