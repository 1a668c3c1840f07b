//! General index-3 systems in Hessenberg form: mechanisms whose velocities are not the derivatives of their coordinates,
//! such as bodies with quaternions.

use super::Vector;
use crate::memory::visits;
use crate::number::{Implies, Real, Scalar};

/// `u' = f(u, v)`, `v' = k(u, v, lambda)`, `0 = g(u)`, Schropp's (2.1), with `g_u f_v k_lambda` invertible.
///
/// `N` positions u, `V` velocities v, `L` constraints, `U` inputs, which are held over a step. The Newton matrix of a step
/// knows only `g_u`, `f_v` and `k_lambda`; f and k must not be stiff beyond them.
pub trait Hessenberg<R: Real, const N: usize, const V: usize, const L: usize, const U: usize>:
    Implies<R, Is: Real>
{
    /// The derivative of the positions.
    fn f<T: Scalar<R>>(&self, u: &Vector<T, N>, v: &Vector<T, V>) -> Vector<T, N>;

    /// The derivative of the velocities.
    fn k<T: Scalar<R>>(
        &self,
        u: &Vector<T, N>,
        v: &Vector<T, V>,
        lambda: &Vector<T, L>,
        input: &Vector<R, U>,
    ) -> Vector<T, V>;

    /// The constraints.
    fn g<T: Scalar<R>>(&self, u: &Vector<T, N>) -> Vector<T, L>;

    /// The magnitudes to expect of u and v.
    #[inline(always)]
    fn nominal(&self) -> ([R; N], [R; V]) {
        ([R::ONE; N], [R::ONE; V])
    }
}

/// The state of a Hessenberg system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constrained<R, const N: usize, const V: usize, const L: usize> {
    /// The positions.
    pub u: Vector<R, N>,
    /// The velocities.
    pub v: Vector<R, V>,
    /// The multipliers.
    pub lambda: Vector<R, L>,
}

visits!(
    [R: Real, const N: usize, const V: usize, const L: usize] Constrained<R, N, V, L>:
    u, v, lambda
);

/// A start: the rest follows.
impl<R: Real, const N: usize, const V: usize, const L: usize> From<(Vector<R, N>, Vector<R, V>)>
    for Constrained<R, N, V, L>
{
    fn from((u, v): (Vector<R, N>, Vector<R, V>)) -> Self {
        Constrained {
            u,
            v,
            lambda: [R::ZERO; L].into(),
        }
    }
}
