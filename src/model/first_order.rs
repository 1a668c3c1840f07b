//! First-order systems: ordinary differential equations and descriptor systems.

use super::{MassMatrix, Matrix, Vector};
use crate::number::{Dual, Real, Scalar};

/// `E x' = f(t, x, u)` with a constant matrix E, which may be singular (index 1): an ordinary differential equation when E
/// is [`Unit`](super::Unit), a circuit with its algebraic equations otherwise.
///
/// `N` states, `U` inputs. An input is held over a step. Parameters are fields of the model.
///
/// ```
/// use stiffstep::prelude::*;
///
/// /// A capacitor that discharges through a diode: C x' = u - i (exp(x / v) - 1).
/// struct Detector { c: f32, i: f32, v: f32 }
///
/// impl FirstOrder<f32, 1, 1> for Detector {
///     type Mass = Diagonal<f32, 1>;
///     fn mass(&self) -> Self::Mass {
///         Diagonal([self.c].into())
///     }
///     fn rhs<T: Scalar<f32>>(&self, _t: T, x: &Vector<T, 1>, u: &Vector<f32, 1>) -> Vector<T, 1> {
///         [((x[0] / self.v).exp() - 1.0) * -self.i + u[0]].into()
///     }
/// }
/// ```
pub trait FirstOrder<R: Real, const N: usize, const U: usize> {
    /// The shape of E: [`Unit`](super::Unit), [`Diagonal`](super::Diagonal) or a [`Matrix`].
    type Mass: MassMatrix<R, R, N>;

    /// Whether f is affine in x with a Jacobian that depends on neither t nor u. Then a step at a fixed h factors once,
    /// and one Newton iteration is exact.
    const AFFINE: bool = false;

    /// The matrix E.
    fn mass(&self) -> Self::Mass;

    /// The right-hand side f.
    fn rhs<T: Scalar<R>>(&self, t: T, x: &Vector<T, N>, u: &Vector<R, U>) -> Vector<T, N>;

    /// The Jacobian df/dx. Derived from [`rhs`](Self::rhs) by dual numbers unless a model knows better.
    #[inline(always)]
    fn jacobian(&self, t: R, x: &Vector<R, N>, u: &Vector<R, U>) -> Matrix<R, N, N> {
        let mut variables = [Dual::<R, N>::constant(R::ZERO); N];
        for i in 0..N {
            variables[i] = Dual::variable(x.data.0[0][i], i);
        }
        let f = self.rhs(Dual::constant(t), &Vector::from(variables), u);
        let mut jacobian = Matrix::from([[R::ZERO; N]; N]);
        for row in 0..N {
            for column in 0..N {
                jacobian.data.0[column][row] = f.data.0[0][row].slope[column];
            }
        }
        jacobian
    }

    /// The magnitude that each state has when the plant does what it is built for. Tolerances are relative to it.
    #[inline(always)]
    fn nominal(&self) -> Vector<R, N> {
        Vector::from([R::ONE; N])
    }
}
