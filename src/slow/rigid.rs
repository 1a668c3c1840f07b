//! Rigid joints by way of springs (section 5.4): a slow point of very stiff springs is a consistent one, and their pull is the
//! multiplier. No algebraic equation is solved.

use super::{Ending, Ipa, Kernel};
use crate::geometry::Geometry;
use crate::model::{Elastic, MassMatrix, Mechanical, Motion, Nominal, Vector};
use crate::number::{Real, Scalar};
use crate::step::Error;

/// A model whose joints are replaced by springs.
#[derive(Clone, Copy, Debug)]
pub struct Sprung<'a, M, R, const L: usize> {
    /// Everything else about it.
    pub model: &'a M,
    /// The springs' stiffness.
    pub stiffness: [R; L],
}

impl<'a, M, R: Real, const L: usize> Sprung<'a, M, R, L> {
    /// Springs each of which, where the model is, would ring with the frequency omega if the others did not hold it.
    pub fn ringing_at<const Q: usize, const U: usize>(
        model: &'a M,
        omega: R,
        t: R,
        q: &Vector<R, Q>,
    ) -> Result<Self, Error>
    where
        M: Mechanical<R, Q, L, U>,
    {
        let geometry = Geometry::<_, <M::Mass<R> as MassMatrix<R, R, Q>>::Factor, Q, L>::at(
            model,
            t,
            &q.data.0[0],
        )?;
        let mut stiffness = [omega * omega; L];
        for index in 0..L {
            stiffness[index] /= geometry.schur[index][index];
            // An inverse mass of zero: this constraint moves nothing.
            if !(stiffness[index] > R::ZERO && stiffness[index].finite()) {
                return Err(Error::Constraint { index });
            }
        }
        Ok(Sprung { model, stiffness })
    }
}

impl<M: Mechanical<R, Q, L, U>, R, const Q: usize, const L: usize, const U: usize>
    Mechanical<R, Q, L, U> for Sprung<'_, M, R, L>
{
    type Joints = Elastic<R, L>;
    type Mass<T: Scalar<R>> = M::Mass<T>;

    #[inline(always)]
    fn joints(&self) -> Elastic<R, L> {
        Elastic {
            stiffness: self.stiffness,
        }
    }
    #[inline(always)]
    fn mass<T: Scalar<R>>(&self, q: &Vector<T, Q>) -> M::Mass<T> {
        self.model.mass(q)
    }
    #[inline(always)]
    fn force<T: Scalar<R>>(
        &self,
        t: T,
        q: &Vector<T, Q>,
        v: &Vector<T, Q>,
        u: &Vector<R, U>,
    ) -> Vector<T, Q> {
        self.model.force(t, q, v, u)
    }
    #[inline(always)]
    fn constraint<T: Scalar<R>>(&self, t: T, q: &Vector<T, Q>) -> Vector<T, L> {
        self.model.constraint(t, q)
    }
    #[inline(always)]
    fn turn(&self) -> [R; Q] {
        self.model.turn()
    }
    #[inline(always)]
    fn period(&self) -> Option<R> {
        self.model.period()
    }
    #[inline(always)]
    fn potential(&self, q: &Vector<R, Q>) -> R {
        self.model.potential(q)
    }
    #[inline(always)]
    fn nominal(&self) -> Nominal<R, Q> {
        self.model.nominal()
    }
    #[inline(always)]
    fn nominal_lambda(&self) -> Option<[R; L]> {
        self.model.nominal_lambda()
    }
}

/// A rigid mechanism's consistent motion near (q, v), multipliers included, by Richardson's extrapolation of the slow motions of
/// springs that ring with omega and with twice omega: `(4 x(2 omega) - x(omega)) / 3`. What is left is of order
/// `omega^-4`, or what rounding leaves.
///
/// ```
/// # use stiffstep::prelude::*;
/// # use stiffstep::manifold::rigid_limit;
/// # struct Rod;
/// # impl Mechanical<f64, 2, 1, 0> for Rod {
/// #     type Joints = Rigid;
/// #     type Mass<T: Scalar<f64>> = Unit;
/// #     fn joints(&self) -> Rigid { Rigid }
/// #     fn mass<T: Scalar<f64>>(&self, _q: &Vector<T, 2>) -> Unit { Unit }
/// #     fn force<T: Scalar<f64>>(&self, _t: T, _q: &Vector<T, 2>, _v: &Vector<T, 2>, _u: &Vector<f64, 0>) -> Vector<T, 2> {
/// #         [T::constant(0.0), T::constant(-1.0)].into()
/// #     }
/// #     fn constraint<T: Scalar<f64>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
/// #         [(q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0].into()
/// #     }
/// # }
/// // A pendulum that hangs, and swings through its lowest point: its weight and the centrifugal force.
/// let (q, v) = ([0.0, -1.0].into(), [2.0, 0.0].into());
/// let start = rigid_limit(&Rod, 1e3, 0.0, (&q, &v), &Vector::from([]))?;
/// assert!((start.lambda[0] - 5.0).abs() < 1e-6);
/// # Ok::<(), stiffstep::Error>(())
/// ```
pub fn rigid_limit<R, M: Mechanical<R, Q, L, U>, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    omega: R,
    t: R,
    (q, v): (&Vector<R, Q>, &Vector<R, Q>),
    u: &Vector<R, U>,
) -> Result<Motion<R, Q, L>, Error> {
    let third = R::from_f64(1.0 / 3.0);
    let at = |omega: R| {
        let sprung = Sprung::ringing_at(model, omega, t, q)?;
        let ipa = Ipa::<R, 18>::fitted(&Kernel::CUBIC, &sprung, t, q)?;
        // What is left of a rate, times omega, is left of the multipliers.
        let ipa = ipa.tolerance(R::EPSILON.sqrt() / omega);
        let slow = ipa.project(&sprung, t, q, v, u)?;
        if slow.ending == Ending::Exhausted {
            return Err(Error::Inconsistent);
        }
        Ok(slow)
    };
    let (soft, stiff) = (at(omega)?, at(omega + omega)?);
    let mut limit = stiff.motion;
    // x + (x - x') / 3: only the difference is rounded.
    for n in 0..Q {
        let (x, y) = (&stiff.motion, &soft.motion);
        let low = stiff.low.data.0[0][n] - soft.low.data.0[0][n];
        let closer = (x.q.data.0[0][n] - y.q.data.0[0][n] + low) * third;
        limit.q.data.0[0][n] += stiff.low.data.0[0][n] + closer;
        limit.v.data.0[0][n] += (x.v.data.0[0][n] - y.v.data.0[0][n]) * third;
        limit.a.data.0[0][n] += (x.a.data.0[0][n] - y.a.data.0[0][n]) * third;
    }
    for j in 0..L {
        let (x, y) = (
            stiff.motion.lambda.data.0[0][j],
            soft.motion.lambda.data.0[0][j],
        );
        limit.lambda.data.0[0][j] += (x - y) * third;
    }
    Ok(limit)
}
