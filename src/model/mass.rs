//! The matrix in front of the highest derivative, with its zeros in its type: a product with a zero that is only a value
//! would be computed all the same.

use super::{Matrix, Vector};
use crate::linear::{Ldlt, Singular};
use crate::number::{Field, Implies, Real, Scalar};

/// The matrix E of `E x' = f`, or the mass M(q) of a mechanism, whose elements are numbers of type `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the mass of {N} unknowns in numbers of type `{T}`",
    label = "another size, or another number type",
    note = "a mass of {N} unknowns is `Unit`, `Diagonal<T, {N}>`, `Block<T, K, {N}>` or `Matrix<T, {N}, {N}>`"
)]
pub trait MassMatrix<R: Real, T: Scalar<R>, const N: usize>: Copy {
    /// What is kept for solving with it.
    type Factor: MassFactor<R, N>;
    /// Whether it can only be the unit matrix.
    const UNIT: bool = false;
    /// Whether it is diagonal whatever its elements.
    const DIAGONAL: bool = false;
    /// The unit matrix.
    fn unit() -> Self;
    /// The product with a vector.
    fn times(&self, x: &[R; N]) -> [T; N];
    /// Adds the matrix to one given by rows.
    fn add_to<F: Field<Real = R>>(&self, rows: &mut [[F; N]; N]);
    /// Prepares for solving. A mass must be positive; the first coordinate whose mass is not is the error's column.
    fn factor(&self) -> Result<Self::Factor, Singular>;
}

/// A mass matrix that is ready to be solved with.
pub trait MassFactor<R: Real, const N: usize>: Copy + Implies<R, Is: Real> {
    /// Whether M is the unit matrix.
    const UNIT: bool = false;

    /// Overwrites `b` with the solution of `M x = b`.
    fn solve(&self, b: &mut [R; N]);
}

/// The unit matrix: an ordinary differential equation, or a mechanism of unit masses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unit;

/// A diagonal matrix; a zero on it makes a first-order equation algebraic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Diagonal<T, const N: usize>(pub Vector<T, N>);

/// A symmetric block of size `K` and, behind it, a diagonal: links that couple, motors that do not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block<T, const K: usize, const N: usize> {
    /// The leading block.
    pub block: Matrix<T, K, K>,
    /// The diagonal; its first `K` elements do not count.
    pub diagonal: Vector<T, N>,
}

impl<R: Real, T: Scalar<R>, const N: usize> MassMatrix<R, T, N> for Unit {
    type Factor = Unit;
    const UNIT: bool = true;
    const DIAGONAL: bool = true;
    #[inline(always)]
    fn unit() -> Self {
        Unit
    }
    #[inline(always)]
    fn times(&self, x: &[R; N]) -> [T; N] {
        let mut product = [T::constant(R::ZERO); N];
        for i in 0..N {
            product[i] = T::constant(x[i]);
        }
        product
    }
    #[inline(always)]
    fn add_to<F: Field<Real = R>>(&self, rows: &mut [[F; N]; N]) {
        for i in 0..N {
            rows[i][i] = rows[i][i] + F::ONE;
        }
    }
    #[inline(always)]
    fn factor(&self) -> Result<Unit, Singular> {
        Ok(Unit)
    }
}

impl<R: Real, const N: usize> MassFactor<R, N> for Unit {
    const UNIT: bool = true;

    #[inline(always)]
    fn solve(&self, _b: &mut [R; N]) {}
}

/// A diagonal's inverse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inverse<R, const N: usize>([R; N]);

/// One over a mass that is positive.
#[inline(always)]
fn inverse<R: Real>(mass: R, column: usize) -> Result<R, Singular> {
    if mass > R::ZERO {
        Ok(R::ONE / mass)
    } else {
        Err(Singular {
            column,
            finite: mass.finite(),
        })
    }
}

impl<R: Real, T: Scalar<R>, const N: usize> MassMatrix<R, T, N> for Diagonal<T, N> {
    const DIAGONAL: bool = true;
    type Factor = Inverse<R, N>;
    fn unit() -> Self {
        Diagonal(Vector::from([T::constant(R::ONE); N]))
    }
    #[inline(always)]
    fn times(&self, x: &[R; N]) -> [T; N] {
        let mut product = self.0.data.0[0];
        for i in 0..N {
            product[i] = product[i] * x[i];
        }
        product
    }
    #[inline(always)]
    fn add_to<F: Field<Real = R>>(&self, rows: &mut [[F; N]; N]) {
        for i in 0..N {
            rows[i][i] = rows[i][i] + F::ONE.scale(self.0.data.0[0][i].value());
        }
    }
    #[inline(always)]
    fn factor(&self) -> Result<Self::Factor, Singular> {
        let mut inverses = [R::ZERO; N];
        for i in 0..N {
            inverses[i] = inverse(self.0.data.0[0][i].value(), i)?;
        }
        Ok(Inverse(inverses))
    }
}

impl<R: Real, const N: usize> MassFactor<R, N> for Inverse<R, N> {
    #[inline(always)]
    fn solve(&self, b: &mut [R; N]) {
        for i in 0..N {
            b[i] *= self.0[i];
        }
    }
}

impl<R: Real, T: Scalar<R>, const N: usize> MassMatrix<R, T, N> for Matrix<T, N, N> {
    type Factor = Ldlt<R, N>;
    fn unit() -> Self {
        let mut unit = Matrix::from([[T::constant(R::ZERO); N]; N]);
        for i in 0..N {
            unit.data.0[i][i] = T::constant(R::ONE);
        }
        unit
    }
    #[inline(always)]
    fn times(&self, x: &[R; N]) -> [T; N] {
        let mut product = [T::constant(R::ZERO); N];
        for i in 0..N {
            product[i] = self.data.0[0][i] * x[0];
            for j in 1..N {
                product[i] += self.data.0[j][i] * x[j];
            }
        }
        product
    }
    #[inline(always)]
    fn add_to<F: Field<Real = R>>(&self, rows: &mut [[F; N]; N]) {
        for i in 0..N {
            for j in 0..N {
                rows[i][j] = rows[i][j] + F::ONE.scale(self.data.0[j][i].value());
            }
        }
    }
    #[inline(always)]
    fn factor(&self) -> Result<Self::Factor, Singular> {
        let mut rows = [[R::ZERO; N]; N];
        for i in 0..N {
            for j in 0..N {
                rows[i][j] = self.data.0[j][i].value();
            }
        }
        Ldlt::factor(rows)
    }
}

impl<R: Real, const N: usize> MassFactor<R, N> for Ldlt<R, N> {
    #[inline(always)]
    fn solve(&self, b: &mut [R; N]) {
        Ldlt::solve(self, b);
    }
}

/// A factorised block with the inverse of the diagonal behind it.
#[derive(Clone, Copy, Debug)]
pub struct BlockFactor<R, const K: usize, const N: usize> {
    block: Ldlt<R, K>,
    inverses: [R; N],
}

impl<R: Real, T: Scalar<R>, const K: usize, const N: usize> MassMatrix<R, T, N> for Block<T, K, N> {
    type Factor = BlockFactor<R, K, N>;
    fn unit() -> Self {
        Block {
            block: MassMatrix::unit(),
            diagonal: Vector::from([T::constant(R::ONE); N]),
        }
    }
    #[inline(always)]
    fn times(&self, x: &[R; N]) -> [T; N] {
        const { assert!(K <= N, "the block is larger than the matrix") };
        let mut product = self.diagonal.data.0[0];
        for i in 0..N {
            product[i] = product[i] * x[i];
        }
        for i in 0..K {
            product[i] = self.block.data.0[0][i] * x[0];
            for j in 1..K {
                product[i] += self.block.data.0[j][i] * x[j];
            }
        }
        product
    }
    #[inline(always)]
    fn add_to<F: Field<Real = R>>(&self, rows: &mut [[F; N]; N]) {
        for i in K..N {
            rows[i][i] = rows[i][i] + F::ONE.scale(self.diagonal.data.0[0][i].value());
        }
        for i in 0..K {
            for j in 0..K {
                rows[i][j] = rows[i][j] + F::ONE.scale(self.block.data.0[j][i].value());
            }
        }
    }
    #[inline(always)]
    fn factor(&self) -> Result<Self::Factor, Singular> {
        let block = self.block.factor()?;
        let mut inverses = [R::ZERO; N];
        for i in K..N {
            inverses[i] = inverse(self.diagonal.data.0[0][i].value(), i)?;
        }
        Ok(BlockFactor { block, inverses })
    }
}

impl<R: Real, const K: usize, const N: usize> MassFactor<R, N> for BlockFactor<R, K, N> {
    #[inline(always)]
    fn solve(&self, b: &mut [R; N]) {
        let mut leading = [R::ZERO; K];
        for i in 0..K {
            leading[i] = b[i];
        }
        self.block.solve(&mut leading);
        for i in 0..K {
            b[i] = leading[i];
        }
        for i in K..N {
            b[i] *= self.inverses[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, Diagonal, MassFactor, MassMatrix, Unit};
    use crate::model::{Matrix, Vector};

    /// The product with a vector, the sum with a matrix and the solution agree with rows written out.
    fn agrees<M: MassMatrix<f64, f64, 3>>(mass: M, rows: [[f64; 3]; 3]) {
        let x = [2.0, -3.0, 5.0];
        let product: [f64; 3] = mass.times(&x);
        let expected = rows.map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>());
        assert_eq!(product, expected);
        let mut sum = [[100.0; 3]; 3];
        mass.add_to(&mut sum);
        assert_eq!(sum, rows.map(|row| row.map(|x| x + 100.0)));
        let mut b = product;
        if let Ok(factor) = mass.factor() {
            factor.solve(&mut b);
        }
        for i in 0..3 {
            assert!((b[i] - x[i]).abs() < 1e-14, "{b:?}");
        }
        assert_eq!(M::unit().times(&x), x);
    }

    #[test]
    fn masses_are_matrices() {
        agrees(Unit, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        let diagonal = Vector::from([2.0, 4.0, 8.0]);
        agrees(
            Diagonal(diagonal),
            [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 8.0]],
        );
        let rows = [[4.0, 1.0, 2.0], [1.0, 8.0, 3.0], [2.0, 3.0, 16.0]];
        agrees(Matrix::from(rows), rows);
        let block = Block::<f64, 2, 3> {
            block: Matrix::from([[4.0, 1.0], [1.0, 8.0]]),
            diagonal,
        };
        agrees(block, [[4.0, 1.0, 0.0], [1.0, 8.0, 0.0], [0.0, 0.0, 8.0]]);
    }

    /// A mass that is none is named.
    #[test]
    fn nothing_has_no_inverse() {
        let column = |masses: [f64; 3]| {
            let factor = MassMatrix::<f64, f64, 3>::factor(&Diagonal(Vector::from(masses)));
            factor
                .map(drop)
                .map_err(|singular| (singular.column, singular.finite))
        };
        assert_eq!(column([1.0, 1.0, 1.0]), Ok(()));
        assert_eq!(column([1.0, 0.0, 1.0]), Err((1, true)));
        assert_eq!(column([1.0, 1.0, -1.0]), Err((2, true)));
        assert_eq!(column([f64::NAN, 1.0, 1.0]), Err((0, false)));
    }
}
