//! Linear circuits, and whatever else is linear.

use super::{FirstOrder, Matrix, Vector};
use crate::number::{Real, Scalar};

/// `E x' = A x + B u`, with a constant and possibly singular E.
///
/// Elements of A may be far apart: a row is taken as differences of its unknowns and the sum of its elements, so that a load of
/// one counts to its last digits beside a conductance of 2^23, in single precision, too. What the numbers of A themselves have
/// lost is lost: with `-(g + load)` on the diagonal the load is what is left of it after rounding.
///
/// ```
/// use stiffstep::prelude::*;
/// // A series RLC circuit: C v' = i, L i' = u - v - R i.
/// let (r, l, c) = (3.0, 0.5, 1.0);
/// let rlc = Circuit {
///     e: Matrix::from_diagonal(&[c, l].into()),
///     a: Matrix::<f32, 2, 2>::new(0.0, 1.0, -1.0, -r),
///     b: [0.0, 1.0].into(),
///     nominal: [1.0, 1.0].into(),
/// };
/// let mut circuit = Simulation::new(rlc, RadauIIA::<3>, 1e-2, Vector::from([1.0, 0.0])).unwrap();
/// circuit.step().unwrap();
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circuit<R, const N: usize, const U: usize> {
    /// The matrix of the derivatives.
    pub e: Matrix<R, N, N>,
    /// The matrix of the states.
    pub a: Matrix<R, N, N>,
    /// The matrix of the inputs.
    pub b: Matrix<R, N, U>,
    /// The magnitude of each state, see [`FirstOrder::nominal`].
    pub nominal: Vector<R, N>,
}

impl<R: Real, const N: usize, const U: usize> FirstOrder<R, N, U> for Circuit<R, N, U> {
    type Mass = Matrix<R, N, N>;
    const AFFINE: bool = true;

    #[inline(always)]
    fn mass(&self) -> Self::Mass {
        self.e
    }

    #[inline(always)]
    fn rhs<T: Scalar<R>>(&self, _t: T, x: &Vector<T, N>, u: &Vector<R, U>) -> Vector<T, N> {
        let mut f = [T::constant(R::ZERO); N];
        for i in 0..N {
            for j in 0..N {
                f[i] += x.data.0[0][j] * self.a.data.0[j][i];
            }
            for j in 0..U {
                f[i] = f[i] + u.data.0[0][j] * self.b.data.0[j][i];
            }
        }
        f.into()
    }

    #[inline(always)]
    fn drive(&self, _t: R, u: &Vector<R, U>) -> Vector<R, N> {
        let mut f = [R::ZERO; N];
        for i in 0..N {
            for j in 0..U {
                let driven = u.data.0[0][j] * self.b.data.0[j][i];
                f[i] = if j == 0 { driven } else { f[i] + driven };
            }
        }
        f.into()
    }

    #[inline(always)]
    fn jacobian(&self, _t: R, _x: &Vector<R, N>, _u: &Vector<R, U>) -> Matrix<R, N, N> {
        self.a
    }

    #[inline(always)]
    fn nominal(&self) -> Vector<R, N> {
        self.nominal
    }
}

#[cfg(test)]
mod tests {
    use super::{Circuit, FirstOrder, Matrix, Vector};

    /// Rows and columns written out, with more than one input.
    #[test]
    fn inputs_add_up() {
        let circuit = Circuit {
            e: Matrix::from([[1.0, 0.0], [0.0, 1.0]]),
            // By columns.
            a: Matrix::from([[1.0, 2.0], [3.0, 4.0]]),
            b: Matrix::from([[5.0, 6.0], [7.0, 8.0], [9.0, 10.0]]),
            nominal: Vector::from([2.0, 3.0]),
        };
        let (x, u) = (Vector::from([1.0, -1.0]), Vector::from([1.0, 10.0, 100.0]));
        let driven = [5.0 + 70.0 + 900.0, 6.0 + 80.0 + 1000.0];
        assert_eq!(circuit.drive(0.0, &u).data.0[0], driven);
        let rates: Vector<f64, 2> = circuit.rhs(0.0, &x, &u);
        assert_eq!(rates.data.0[0], [driven[0] - 2.0, driven[1] - 2.0]);
        assert_eq!(circuit.jacobian(0.0, &x, &u), circuit.a);
        assert_eq!(
            (circuit.mass(), circuit.nominal()),
            (circuit.e, circuit.nominal)
        );
    }
}
