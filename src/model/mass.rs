//! The matrix in front of the derivative, with its zeros in its type: a product with a zero that is only a value would be
//! computed all the same.

use super::{Matrix, Vector};
use crate::number::{Field, Real};

/// The constant matrix E of `E x' = f`.
pub trait MassMatrix<R: Real, const N: usize>: Copy {
    /// The product with a vector.
    fn times(&self, x: &[R; N]) -> [R; N];
    /// The rows of `E - factor J`, for J given by nalgebra's columns.
    fn minus<F: Field<Real = R>>(&self, factor: F, j: &Matrix<R, N, N>) -> [[F; N]; N];
}

/// The unit matrix: an ordinary differential equation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unit;

/// A diagonal matrix; a zero on it makes the equation algebraic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Diagonal<T, const N: usize>(pub Vector<T, N>);

/// The rows of `-factor J`.
#[inline]
fn negated<R: Real, F: Field<Real = R>, const N: usize>(
    factor: F,
    j: &Matrix<R, N, N>,
) -> [[F; N]; N] {
    let mut rows = [[F::ZERO; N]; N];
    for row in 0..N {
        for column in 0..N {
            rows[row][column] = factor.scale(-j.data.0[column][row]);
        }
    }
    rows
}

impl<R: Real, const N: usize> MassMatrix<R, N> for Unit {
    #[inline]
    fn times(&self, x: &[R; N]) -> [R; N] {
        *x
    }
    #[inline]
    fn minus<F: Field<Real = R>>(&self, factor: F, j: &Matrix<R, N, N>) -> [[F; N]; N] {
        let mut rows = negated(factor, j);
        for i in 0..N {
            rows[i][i] = rows[i][i] + F::ONE;
        }
        rows
    }
}

impl<R: Real, const N: usize> MassMatrix<R, N> for Diagonal<R, N> {
    #[inline]
    fn times(&self, x: &[R; N]) -> [R; N] {
        let mut product = *x;
        for i in 0..N {
            product[i] *= self.0.data.0[0][i];
        }
        product
    }
    #[inline]
    fn minus<F: Field<Real = R>>(&self, factor: F, j: &Matrix<R, N, N>) -> [[F; N]; N] {
        let mut rows = negated(factor, j);
        for i in 0..N {
            rows[i][i] = rows[i][i] + F::ONE.scale(self.0.data.0[0][i]);
        }
        rows
    }
}

impl<R: Real, const N: usize> MassMatrix<R, N> for Matrix<R, N, N> {
    #[inline]
    fn times(&self, x: &[R; N]) -> [R; N] {
        let mut product = [R::ZERO; N];
        for i in 0..N {
            for j in 0..N {
                product[i] += self.data.0[j][i] * x[j];
            }
        }
        product
    }
    #[inline]
    fn minus<F: Field<Real = R>>(&self, factor: F, j: &Matrix<R, N, N>) -> [[F; N]; N] {
        let mut rows = negated(factor, j);
        for row in 0..N {
            for column in 0..N {
                rows[row][column] = rows[row][column] + F::ONE.scale(self.data.0[column][row]);
            }
        }
        rows
    }
}
