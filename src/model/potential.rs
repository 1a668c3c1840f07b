//! Strong potentials that are not springs on a constraint.

use super::{MassMatrix, Vector};
use crate::number::{Implies, Real, Scalar};

/// `M v' = f(t, q, v, u) - stiffness grad P(q)`, with a potential P whose minima form a manifold of `Q - L` dimensions.
///
/// Where `P = |g|^2 / 2` a [`Mechanical`](super::Mechanical) model with elastic joints is simpler and cheaper. This is for the
/// others: the stiffness of the valley may change along it, for example. Lubich's iteration (8.5)-(8.8) steps it without
/// conditioning that depends on the stiffness.
pub trait Potential<R: Real, const Q: usize, const L: usize, const U: usize>:
    Implies<R, Is: Real>
{
    /// Whether a step knows of the force outside the strong directions, (8.7). Without it there is an error of order 1/K, which
    /// the papers look at.
    const CORRECTED: bool = true;

    /// The shape of M.
    type Mass<T: Scalar<R>>: MassMatrix<R, T, Q>;

    /// The mass matrix, constant.
    fn mass(&self) -> Self::Mass<R>;

    /// The applied forces, without the strong potential.
    fn force(&self, t: R, q: &Vector<R, Q>, v: &Vector<R, Q>, u: &Vector<R, U>) -> Vector<R, Q>;

    /// The potential P.
    fn potential<T: Scalar<R>>(&self, q: &Vector<T, Q>) -> T;

    /// The factor in front of it, `1 / eps^2` in the papers.
    fn stiffness(&self) -> R;

    /// `L` vectors that span the directions in which the potential is strong: the range of its Hessian on the manifold.
    fn directions(&self, q: &Vector<R, Q>) -> [[R; Q]; L];

    /// The time after which every function of t repeats itself, as [`Mechanical::period`](super::Mechanical::period).
    #[inline(always)]
    fn period(&self) -> Option<R> {
        None
    }

    /// The magnitudes to expect of the velocities.
    #[inline(always)]
    fn nominal(&self) -> [R; Q] {
        [R::ONE; Q]
    }
}
