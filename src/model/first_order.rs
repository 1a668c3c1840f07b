//! First-order systems: ordinary differential equations and descriptor systems.

use super::{MassMatrix, Matrix, Vector};
use crate::number::{Dual, Implies, Real, Scalar, variables};

/// `E x' = f(t, x, u)` with a constant matrix E, which may be singular: an ordinary differential equation when E is
/// [`Unit`](super::Unit), a circuit with its algebraic equations otherwise. Variables may be of index 1, 2 or 3;
/// [`index`](Self::index) tells adaptive steps which are which.
///
/// `N` states, `U` inputs. An input is held over a step. Parameters are fields of the model. The smallest program:
///
/// ```
/// use stiffstep::prelude::*;
/// struct Lag;
/// impl FirstOrder<f64, 1, 1> for Lag {
///     type Mass = Unit;
///     fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 1>, u: &Vector<f64, 1>) -> Vector<T, 1> {
///         [-x[0] + u[0]].into()
///     }
/// }
/// fn main() -> Result<(), Error> {
///     let mut lag = Simulation::new(Lag, RadauIIA::<3>, 0.1, [1.0].into())?;
///     lag.step().map(|_| println!("{}", lag.state()[0]))
/// }
/// ```
///
/// And with a mass:
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
pub trait FirstOrder<R: Real, const N: usize, const U: usize>: Implies<R, Is: Real> {
    /// The shape of E: [`Unit`](super::Unit), [`Diagonal`](super::Diagonal) or a [`Matrix`].
    type Mass: MassMatrix<R, R, N>;

    /// Whether f is affine in x with a Jacobian that depends on neither t nor u. Then a step at a fixed h factors once,
    /// and one Newton iteration is exact but for rounding. With up to three stages f is then the Jacobian times x, in a form that
    /// differences of large terms do not spoil, and [`drive`](Self::drive); the last stage is put into its equation, and
    /// what is left there makes the report's defect. It measures rounding: a model that claims to be affine and is not goes
    /// unnoticed.
    const AFFINE: bool = false;

    /// Which states each row of f depends on: bit j of element i is set if f_i may change with x_j. All of them unless a model
    /// knows better. Steps of up to 16 states with a [`Unit`](super::Unit) mass leave out what is multiplied by the zeros that
    /// remain in the factors of `1 - h mu J`. Their pivots are on the diagonal then, which is one less a multiple of how a state
    /// drives itself. A row that does depend on another state, as far as derivatives at the start tell, is
    /// [`Error::Touched`](crate::Error::Touched).
    const DEPENDS: [u32; N] = [u32::MAX; N];

    /// The state that is an angle in radians and may turn for ever, by less than half a turn a step: it is kept within half a turn of
    /// zero.
    const TURNS: Option<usize> = None;

    /// The matrix E. Where its type is [`Unit`](super::Unit) there is nothing to say.
    #[inline(always)]
    fn mass(&self) -> Self::Mass {
        const { assert!(Self::Mass::UNIT, "a mass that is not `Unit` must be given") };
        Self::Mass::unit()
    }

    /// The right-hand side f.
    fn rhs<T: Scalar<R>>(&self, t: T, x: &Vector<T, N>, u: &Vector<R, U>) -> Vector<T, N>;

    /// What drives an affine model: f at x = 0. Derived from [`rhs`](Self::rhs) unless a model knows what is cheaper.
    #[inline(always)]
    fn drive(&self, t: R, u: &Vector<R, U>) -> Vector<R, N> {
        // `R` is a scalar of its own.
        self.rhs(t, &Vector::from([R::ZERO; N]), u)
    }

    /// The Jacobian df/dx. Derived from [`rhs`](Self::rhs) by dual numbers unless a model knows better.
    #[inline(always)]
    fn jacobian(&self, t: R, x: &Vector<R, N>, u: &Vector<R, U>) -> Matrix<R, N, N> {
        let state = Vector::from(variables(&x.data.0[0]));
        let f = self.rhs(Dual::constant(t), &state, u);
        let mut jacobian = Matrix::from([[R::ZERO; N]; N]);
        for row in 0..N {
            for column in 0..N {
                jacobian.data.0[column][row] = f.data.0[0][row].slope()[column];
            }
        }
        jacobian
    }

    /// The time after which every function of t repeats itself, as [`Mechanical::period`](super::Mechanical::period).
    #[inline(always)]
    fn period(&self) -> Option<R> {
        None
    }

    /// The magnitude that each state has when the plant does what it is built for. Tolerances are relative to it.
    #[inline(always)]
    fn nominal(&self) -> Vector<R, N> {
        Vector::from([R::ONE; N])
    }

    /// The index of each variable, for adaptive steps: 1 for states and for what algebraic equations determine at once; 2 for
    /// what only the derivative of an equation determines, as the current through a loop of capacitors; 3 for what takes
    /// two, as a force that keeps positions together. Errors of index 2 and 3 are multiplied by `h / pace` once and twice, as
    /// RADAU5 does: the estimates of such variables are of so many orders less, and would reject every step. What a tolerance
    /// means for them is that their effect on the others is within it, not that they are.
    #[inline(always)]
    fn index(&self) -> [u8; N] {
        [1; N]
    }

    /// The nominal time by which [`index`](Self::index) counts steps: that in which the plant changes noticeably, in the model's
    /// own unit.
    #[inline(always)]
    fn pace(&self) -> R {
        R::ONE
    }
}
