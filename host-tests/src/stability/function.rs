//! The stability function of a Runge-Kutta method.

use super::Polynomial;
use crate::reference::Tableau;
use nalgebra::{Complex, DMatrix, DVector};

/// R(z): what one step multiplies the solution of `y' = lambda y` by, with `z = h lambda`.
#[derive(Clone, Debug)]
pub struct StabilityFunction {
    method: Tableau,
    /// Whether the last stage is the result.
    stiffly_accurate: bool,
    /// Those of `R = P / Q`: `P = det(I - z A + z 1 b^T)`, `Q = det(I - z A)`.
    numerator: Polynomial,
    denominator: Polynomial,
}

impl StabilityFunction {
    /// The function of a method.
    pub fn new(method: Tableau) -> Self {
        let s = method.stages();
        let all = DMatrix::from_fn(s, s, |_, j| method.b[j]);
        StabilityFunction {
            stiffly_accurate: method.a.row(s - 1).transpose() == method.b,
            numerator: Polynomial::determinant(&(all - &method.a)),
            denominator: Polynomial::determinant(&-&method.a),
            method,
        }
    }

    /// `R(z) = 1 + z b^T (I - z A)^-1 1`.
    ///
    /// For a stiffly accurate method that is the last stage, `e_s^T (I - z A)^-1 1`, and is computed like this: with an
    /// explicit first stage the sum would lose as many digits as z has. NaN at a pole.
    pub fn at(&self, z: Complex<f64>) -> Complex<f64> {
        let s = self.method.stages();
        let matrix = DMatrix::from_fn(s, s, |i, j| {
            Complex::from(if i == j { 1.0 } else { 0.0 }) - z * self.method.a[(i, j)]
        });
        let Some(stages) = matrix.lu().solve(&DVector::repeat(s, Complex::from(1.0))) else {
            return Complex::new(f64::NAN, f64::NAN);
        };
        if self.stiffly_accurate {
            return stages[s - 1];
        }
        let sum: Complex<f64> = (0..s).map(|i| stages[i] * self.method.b[i]).sum();
        z * sum + 1.0
    }

    /// `|R(i mu)|`: what remains of an oscillation's amplitude after a step of `h = mu / omega`.
    pub fn kept(&self, mu: f64) -> f64 {
        self.at(Complex::new(0.0, mu)).norm()
    }

    /// `R(infinity)`, infinite if R is not bounded.
    pub fn at_infinity(&self) -> f64 {
        let (p, q) = (&self.numerator, &self.denominator);
        let degree = q.degree();
        if p.degree() > degree {
            return f64::INFINITY;
        }
        p.coefficient(degree) / q.coefficient(degree)
    }

    /// `E(y^2) = |Q(i y)|^2 - |P(i y)|^2`, which is positive where oscillations are damped, negative where they grow, and
    /// zero everywhere if the method is symmetric.
    pub fn damping_polynomial(&self) -> Polynomial {
        let square = Polynomial::squared_on_the_imaginary_axis;
        square(&self.denominator).plus(-1.0, &square(&self.numerator))
    }

    /// The p of `|R(i mu)| - 1 = O(mu^p)`; none if oscillations keep their amplitude.
    pub fn damping_order(&self) -> Option<usize> {
        let damping = self.damping_polynomial();
        let lowest = damping.coefficients().iter().position(|&c| c != 0.0)?;
        Some(2 * lowest)
    }

    /// Whether every oscillation keeps its amplitude, with every step.
    pub fn p_stable(&self) -> bool {
        self.damping_order().is_none()
    }

    /// Whether nothing grows that should not: no growth on the imaginary axis, no pole left of it, and then the maximum
    /// principle.
    pub fn a_stable(&self) -> bool {
        let damping = self.damping_polynomial();
        let zeros = damping.zeros_from_zero_on();
        // One point of each interval between the zeros of E, and one beyond the last.
        let last = zeros.last().copied().unwrap_or(0.0);
        let beyond = [last + 1.0];
        let between = zeros.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
        let bounded = between.chain(beyond).all(|y| damping.at(y) >= 0.0);
        // Poles are one over the eigenvalues of A; that of an explicit stage is zero and has none.
        let eigenvalues = self.method.a.complex_eigenvalues();
        bounded && eigenvalues.iter().all(|z| z.re > 0.0 || z.norm() < 1e-9)
    }

    /// Whether the fastest motions die in one step, too.
    pub fn l_stable(&self) -> bool {
        self.a_stable() && self.at_infinity() == 0.0
    }
}
