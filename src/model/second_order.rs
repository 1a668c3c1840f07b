//! Second-order systems as they are: Newton's equations with their constraints, circuits with a singular leading matrix.

use super::Vector;
use crate::memory::visits;
use crate::number::{Implies, Real, Scalar};

/// `F(t, x, x', x'', u) = 0`: Wunderlich's `y'' = f(t, y, y', lambda)`, `0 = g(t, y)` with `x = (y, lambda)`, or
/// `A x'' = f(t, x, x')` with a singular matrix A. Nothing is rewritten in first order, so the index does not grow, and a
/// step's linear systems have `N` unknowns instead of `2 N`.
///
/// `N` unknowns, `U` inputs, which are held over a step. Every derivative of F comes from dual numbers.
///
/// ```
/// use stiffstep::prelude::*;
///
/// /// A bead on the unit circle, pulled down: x = (y1, y2, lambda).
/// struct Bead;
///
/// impl SecondOrder<f64, 3, 0> for Bead {
///     const ALGEBRAIC: [bool; 3] = [false, false, true];
///     fn residual<T: Scalar<f64>>(
///         &self, _t: T, x: &Vector<T, 3>, _v: &Vector<T, 3>, a: &Vector<T, 3>, _u: &Vector<f64, 0>,
///     ) -> Vector<T, 3> {
///         let [y1, y2, lambda] = [x[0], x[1], x[2]];
///         [a[0] + y1 * lambda, a[1] + 1.0 + y2 * lambda, (y1 * y1 + y2 * y2 - 1.0) * 0.5].into()
///     }
/// }
///
/// let start = ([1.0, 0.0, 0.0].into(), [0.0; 3].into());
/// let mut bead = Simulation::new(Bead, Bdf::<4>, 1e-3, start)?;
/// for _ in 0..1000 {
///     bead.step()?;
/// }
/// // The tension of the rod is -3 y2.
/// let [y2, lambda] = [bead.state().x[1], bead.state().x[2]];
/// assert!((y2 + 0.475_809_9).abs() < 1e-6 && (lambda + 3.0 * y2).abs() < 1e-5);
/// # Ok::<(), stiffstep::Error>(())
/// ```
pub trait SecondOrder<R: Real, const N: usize, const U: usize>: Implies<R, Is: Real> {
    /// Which unknowns appear without any derivative: multipliers, voltages of resistors. What a start says of their
    /// derivatives is ignored.
    const ALGEBRAIC: [bool; N] = [false; N];

    /// Whether F is affine in x, x' and x'' with a Jacobian that depends on neither t nor u. Then steps of one size factor
    /// once, and one Newton iteration is exact.
    const AFFINE: bool = false;

    /// The equations F, zero where they hold.
    fn residual<T: Scalar<R>>(
        &self,
        t: T,
        x: &Vector<T, N>,
        v: &Vector<T, N>,
        a: &Vector<T, N>,
        u: &Vector<R, U>,
    ) -> Vector<T, N>;

    /// The time after which every function of t repeats itself, as [`Mechanical::period`](super::Mechanical::period).
    #[inline(always)]
    fn period(&self) -> Option<R> {
        None
    }

    /// The magnitudes to expect: of `x'` where there is one, and of x where it is algebraic.
    #[inline(always)]
    fn nominal(&self) -> [R; N] {
        [R::ONE; N]
    }
}

/// The state of a second-order system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course<R, const N: usize> {
    /// The unknowns x, algebraic ones included.
    pub x: Vector<R, N>,
    /// Their first derivatives; of no meaning where x is algebraic.
    pub v: Vector<R, N>,
    /// Their second derivatives, likewise. Zero at the start, where a method does not need them.
    pub a: Vector<R, N>,
}

visits!([R: Real, const N: usize] Course<R, N>: x, v, a);

/// A start: the rest follows.
impl<R: Real, const N: usize> From<(Vector<R, N>, Vector<R, N>)> for Course<R, N> {
    fn from((x, v): (Vector<R, N>, Vector<R, N>)) -> Self {
        Course {
            x,
            v,
            a: [R::ZERO; N].into(),
        }
    }
}
