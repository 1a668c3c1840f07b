//! General linear methods for second-order systems (Wunderlich, section 2.3): several stages a step, several values from
//! step to step.
//!
//! The values z are scaled derivatives, `z_k ~ h^(p_k) x^(p_k)`, a Nordsieck vector (40); a step that differs from the last
//! one rescales them, (58). With `W_i` the stages' accelerations, (59):
//!
//! ```text
//! X_i  = sum u2_ik z_k + h^2 sum a2_ij W_j        z' = sum v2 z + h^2 sum b2 W
//! h V_i = sum u_ik z_k  + h^2 sum a_ij W_j
//! ```
//!
//! A Runge-Kutta method in second-order form, (29)-(33), is one of them (Example 2.7), so all of them share one step.

use super::tableau::lagrange_at;
use super::{Accuracy, Collocation, Modes, Stages};
use crate::number::{Implies, Real};

/// The matrices of a method with `S` stages and `K` values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nordsieck<R, const S: usize, const K: usize> {
    /// The nodes.
    pub c: [R; S],
    /// From accelerations to stages: the square of `a`.
    pub a2: [[R; S]; S],
    /// From accelerations to the stages' velocities.
    pub a: [[R; S]; S],
    /// From values to stages. The first column is one.
    pub u2: [[R; K]; S],
    /// From values to the stages' velocities, times h. The first column is zero, the second one.
    pub u: [[R; K]; S],
    /// From accelerations to the new values.
    pub b2: [[R; S]; K],
    /// From values to the new values. The first row starts with one, the second with zero and one.
    pub v2: [[R; K]; K],
    /// Which power of h each value carries: 0, 1, 2 and what follows.
    pub powers: [u8; K],
}

/// A general linear method with `S` stages and `K` values from step to step, of which the first three are x, `h x'` and
/// `h^2 x''`.
pub trait GeneralLinear<const S: usize, const K: usize>:
    Copy + Implies<Stages<S>, Is: Modes>
{
    /// The method's name, for reports.
    const NAME: &'static str;
    /// The order of convergence.
    const ORDER: usize;
    /// Whether a start needs more than x and x': then a step of a method of higher order gives it.
    const STARTS: bool;
    /// Where A is lower triangular: its diagonal. One stage is then solved after the other, all with the same real matrix;
    /// the number of stages must be odd.
    const DIAGONAL: Option<f64> = None;
    /// The method with the same A, in whose modes the stages decouple where it is not triangular.
    type Modes: Collocation<S>;
    /// The matrices, rounded to the number type that is asked for.
    fn matrices<R: Real>() -> Nordsieck<R, S, K>;
}

/// A Runge-Kutta method in second-order form (29)-(33), Example 2.7. The third value is the acceleration at the end, which
/// an explicit first stage starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OneStep<C>(pub C);

impl<C: Collocation<S>, const S: usize> GeneralLinear<S, 3> for OneStep<C> {
    const NAME: &'static str = C::NAME;
    const ORDER: usize = C::ORDER;
    // Without stiff accuracy an algebraic unknown remembers its start, with its derivative.
    const STARTS: bool = C::EXPLICIT_FIRST || !<C::Accuracy as Accuracy>::STIFF;
    type Modes = C;

    #[inline(always)]
    fn matrices<R: Real>() -> Nordsieck<R, S, 3> {
        let t = C::coefficients::<R>();
        let (zero, one) = (R::ZERO, R::ONE);
        let (mut u2, mut u, mut last) = ([[one; 3]; S], [[zero; 3]; S], [zero; S]);
        for i in 0..S {
            u2[i] = [one, t.c[i], t.first2[i]];
            u[i] = [zero, one, t.first[i]];
            last[i] = if <C::Accuracy as Accuracy>::STIFF {
                if i + 1 == S { one } else { zero }
            } else {
                R::from_f64(lagrange_at(&C::coefficients::<f64>().c, i, 1.0))
            };
        }
        // An explicit first stage is there with stiffly accurate methods only, whose end is their last stage.
        let (first2, first) = (t.first2[S - 1], t.first[S - 1]);
        Nordsieck {
            c: t.c,
            a2: t.a2,
            a: t.a,
            u2,
            u,
            b2: [t.ba, t.b, last],
            v2: [[one, one, first2], [zero, one, first], [zero; 3]],
            powers: [0, 1, 2],
        }
    }
}
