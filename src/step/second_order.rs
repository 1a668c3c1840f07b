//! What all steps of second-order systems `F(t, x, x', x'') = 0` share: their Newton matrix by dual numbers, and the
//! measure of their increments.

use super::{Error, checked_start, checked_step, inverse_magnitudes};
use crate::model::{Course, SecondOrder, Vector};
use crate::number::{Dual, Real, Scalar};

/// One for each unknown and each derivative, such as a tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EachOfCourse<R, const N: usize> {
    /// Of the unknowns.
    pub x: [R; N],
    /// Of their derivatives; of no meaning where an unknown is algebraic.
    pub v: [R; N],
}

/// A point at which F is evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point<R, const N: usize> {
    pub t: R,
    pub x: [R; N],
    pub v: [R; N],
    pub a: [R; N],
}

impl<R: Real, const N: usize> Point<R, N> {
    /// F there.
    #[inline(always)]
    pub fn residual<M: SecondOrder<R, N, U>, const U: usize>(
        &self,
        model: &M,
        u: &Vector<R, U>,
    ) -> [R; N] {
        let (x, v, a) = (self.x.into(), self.v.into(), self.a.into());
        model.residual(self.t, &x, &v, &a, u).data.0[0]
    }

    /// The rows of `factors[0] F_x + factors[1] F_v + factors[2] F_a`: one evaluation, in directions that move all three at
    /// once. The derivatives of an algebraic unknown do not move.
    #[inline(always)]
    pub fn jacobian<M: SecondOrder<R, N, U>, const U: usize>(
        &self,
        model: &M,
        u: &Vector<R, U>,
        factors: [R; 3],
    ) -> [[R; N]; N] {
        let along = |at: &[R; N], factor: R, derivative: bool| {
            let mut duals = [Dual::<R, N>::constant(R::ZERO); N];
            for n in 0..N {
                duals[n] = Dual::constant(at[n]);
                if !(derivative && M::ALGEBRAIC[n]) {
                    duals[n].slope[n] = factor;
                }
            }
            Vector::from(duals)
        };
        let residual = model.residual(
            Dual::constant(self.t),
            &along(&self.x, factors[0], false),
            &along(&self.v, factors[1], true),
            &along(&self.a, factors[2], true),
            u,
        );
        let mut rows = [[R::ZERO; N]; N];
        for n in 0..N {
            rows[n] = residual.data.0[0][n].slope;
        }
        rows
    }
}

/// One over the nominal magnitudes.
pub(crate) fn weights<R, M, const N: usize, const U: usize>(model: &M) -> Result<[R; N], Error>
where
    R: Real,
    M: SecondOrder<R, N, U>,
{
    inverse_magnitudes(&model.nominal())
}

/// The start of a second-order system, with everything checked that it must satisfy whatever the method.
pub(crate) fn course_at<R: Real, const N: usize>(
    h: R,
    (x, v): &(Vector<R, N>, Vector<R, N>),
) -> Result<Course<R, N>, Error> {
    checked_step(h)?;
    checked_start(x)?;
    checked_start(v)?;
    Ok(Course {
        x: *x,
        v: *v,
        a: [R::ZERO; N].into(),
    })
}

/// The sum of squares of increments of x, measured as velocities: `rate dx` where there is a velocity. The multiplier of a
/// constraint changes by an acceleration's worth, so it counts `dx / rate`: with `rate ~ 1/h` rounding of a position then
/// shows alike in both.
#[inline(always)]
pub(crate) fn squares<R, M, const N: usize, const U: usize>(
    dx: &[R; N],
    weights: &[R; N],
    rate: R,
    period: R,
) -> R
where
    R: Real,
    M: SecondOrder<R, N, U>,
{
    let mut sum = R::ZERO;
    for n in 0..N {
        let factor = if M::ALGEBRAIC[n] { period } else { rate };
        let d = dx[n] * factor * weights[n];
        sum = if n == 0 { d * d } else { sum + d * d };
    }
    sum
}
