//! Where the iteration of a step starts: the last step's stages, continued, as long as they are a guide; else the last stage
//! alone, or, for methods that keep oscillations through an explicit first stage, the slow motion and what is off it.

use super::fit::slow_motion;
use super::residual::Point;
use super::{End, OnMechanical, StageValues};
use crate::geometry::combine;
use crate::method::{Collocation, Modes, Stages};
use crate::model::Mechanical;
use crate::number::Real;
use crate::step::machine::Old;
use crate::step::prediction::{Start, missed, motion, regular};
use crate::step::{Convergence, Error, Report};

impl<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize>
    Old<'_, OnMechanical<R, M, K, E, Q, L, U, S>>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
    E: End,
{
    /// What the stages start from if not from the last step's polynomial, with the old point's acceleration.
    #[inline(always)]
    pub(super) fn held(&self, at: &[R; Q]) -> Result<StageValues<R, Q, L, S>, Error> {
        let last = &self.carry.stages;
        if !K::EXPLICIT_FIRST {
            return Ok(StageValues::held(last.w[S - 1], last.lambda[S - 1]));
        }
        // Infinitely fast motions end in stage i with R_i(infinity) = -(A~^-1 a)_i of what they began with (Jay & Petzold,
        // section 4); the slow motion is the rest.
        let (now, table) = (self.state, K::coefficients::<R>());
        let slow = slow_motion(self.model, self.t, &now.q, &now.v, self.u)?;
        let (a, force) = (slow.a.data.0[0], slow.lambda.data.0[0]);
        let mut held = StageValues::held(a, force);
        for i in 0..S {
            let mut r = R::ZERO;
            for j in 0..S {
                r -= table.a_inverse[i][j] * table.first[j];
            }
            for n in 0..Q {
                held.w[i][n] += r * (at[n] - a[n]);
            }
            for j in 0..L {
                held.lambda[i][j] += r * (now.lambda.data.0[0][j] - force[j]);
            }
        }
        Ok(held)
    }

    /// The starting values. All kinds cost the same work, with `next_start` below, so that a jump does not change what a step
    /// costs. A start from rest keeps the multipliers: forces in joints do not vanish where motion does.
    #[inline(always)]
    pub(super) fn predicted(&self, point: &Point<R, Q, L, S>) -> StageValues<R, Q, L, S> {
        let (mut x, last) = (point.held, &self.carry.stages);
        if self.carry.start == Start::Continued {
            for i in 0..S {
                x.w[i] = combine(&K::coefficients().extrapolation[i], &last.w);
                x.lambda[i] = combine(&K::coefficients().extrapolation[i], &last.lambda);
            }
        } else if self.carry.start == Start::Rest {
            x.w = [[R::ZERO; Q]; S];
        }
        x
    }

    /// Where the next step starts after this one, which found `w`, and with them the mean acceleration `speed`. What keeps
    /// oscillating is never predicted well; there the better start of the two is taken again.
    #[inline(always)]
    pub(super) fn next_start(
        &self,
        point: &Point<R, Q, L, S>,
        (convergence, report): (&Convergence<R>, &Report<R>),
        (w, speed): (&[[R; Q]; S], &[R; Q]),
    ) -> Start {
        let (h, table, weights) = (self.h, K::coefficients::<R>(), &self.scales.norm.weights);
        let last = &self.carry.stages.w;
        if K::EXPLICIT_FIRST {
            let mut continued = *w;
            for i in 0..S {
                continued[i] = combine(&table.extrapolation[i], last);
            }
            let held = missed((&point.held.w, w), weights, h);
            return if missed((&continued, w), weights, h) <= held {
                Start::Continued
            } else {
                Start::Held
            };
        }
        let start = self.carry.start;
        let regular = regular(start, convergence, table, (last, w), weights, h);
        Start::after(report, motion(speed, weights, h), regular, table.swing)
    }
}
