//! Where the iteration of a step starts: the last step's stages, continued, as long as they are a guide; else the last stage
//! alone, or, for methods that keep oscillations through an explicit first stage, the slow motion and what is off it.

use super::residual::Old;
use super::synchronise::slow_motion;
use super::{End, MechanicalStepper};
use crate::method::{Coefficients, Collocation, Modes, Stages};
use crate::model::{Mechanical, Vector};
use crate::number::Real;
use crate::step::geometry::combine;
use crate::step::newton::{missed, predictable};
use crate::step::{Convergence, Error};

/// Accelerations and multipliers of all stages.
pub(super) type StageValues<R, const Q: usize, const L: usize, const S: usize> =
    ([[R; Q]; S], [[R; L]; S]);

impl<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize>
    MechanicalStepper<R, M, K, E, Q, L, U, S>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
    E: End,
{
    /// What the stages start from if not from the last step's polynomial.
    #[inline(always)]
    pub(super) fn held(
        &self,
        t: R,
        u: &Vector<R, U>,
        old: &Old<R, Q, L>,
        coefficients: &Coefficients<R, S>,
    ) -> Result<StageValues<R, Q, L, S>, Error> {
        if !K::EXPLICIT_FIRST {
            return Ok(([self.w[S - 1]; S], [self.lambda[S - 1]; S]));
        }
        // Infinitely fast motions end in stage i with R_i(infinity) = -(A~^-1 a)_i of what they began with (Jay & Petzold,
        // section 4); the slow motion is the rest.
        let slow = slow_motion(&self.model, t, &self.now.q, &self.now.v, u)?;
        let (a, force) = (slow.a.data.0[0], slow.lambda.data.0[0]);
        let (mut w, mut lambda) = ([a; S], [force; S]);
        for i in 0..S {
            let mut r = R::ZERO;
            for j in 0..S {
                r -= coefficients.a_inverse[i][j] * coefficients.first[j];
            }
            for n in 0..Q {
                w[i][n] += r * (old.a[n] - a[n]);
            }
            for j in 0..L {
                lambda[i][j] += r * (self.now.lambda.data.0[0][j] - force[j]);
            }
        }
        Ok((w, lambda))
    }

    /// The starting values, given the `held` ones. Both kinds cost the same work, with `resumes` below, so that a jump does not
    /// change what a step costs.
    #[inline(always)]
    pub(super) fn predict(
        &self,
        held: StageValues<R, Q, L, S>,
        coefficients: &Coefficients<R, S>,
    ) -> StageValues<R, Q, L, S> {
        let (mut w, mut lambda) = held;
        if self.expected {
            for i in 0..S {
                w[i] = combine(&coefficients.extrapolation[i], &self.w);
                lambda[i] = combine(&coefficients.extrapolation[i], &self.lambda);
            }
        }
        (w, lambda)
    }

    /// Whether the next step is to be predicted from this one, which found `w`: if this one's prediction was good, or would
    /// have been. What keeps oscillating is never predicted well; there the better start of the two is taken again.
    #[inline(always)]
    pub(super) fn resumes(
        &self,
        convergence: &Convergence<R>,
        held: &[[R; Q]; S],
        w: &[[R; Q]; S],
        coefficients: &Coefficients<R, S>,
    ) -> bool {
        let (h, weights) = (self.h, &self.norm.weights);
        if K::EXPLICIT_FIRST {
            let mut continued = *w;
            for i in 0..S {
                continued[i] = combine(&coefficients.extrapolation[i], &self.w);
            }
            return missed((&continued, w), weights, h) <= missed((held, w), weights, h);
        }
        if self.expected {
            convergence.expected()
        } else {
            predictable(&coefficients.extrapolation, (&self.w, w), weights, h)
        }
    }
}
