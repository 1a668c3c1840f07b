//! The end of a step: back to the manifold, and completed turns taken off.

use super::{End, MechanicalStepper};
use crate::method::{Coefficients, Collocation, Modes, Stages};
use crate::model::{Joints, Mechanical, Motion, Vector};
use crate::number::{Compensated, Real};
use crate::step::Error;
use crate::step::geometry::{Geometry, combine, constraint_rate};

/// Takes a completed turn off the coordinates. They lie between one and two turns then, so the difference is exact.
#[inline(always)]
pub(super) fn take_turn<R: Real, const Q: usize, const L: usize>(
    now: &mut Motion<R, Q, L>,
    turn: &[R; Q],
) {
    let (mut forth, mut back, mut any) = (true, true, false);
    for n in 0..Q {
        if turn[n] != R::ZERO {
            any = true;
            // In units of the turn's own direction.
            let q = if turn[n] > R::ZERO {
                now.q.data.0[0][n]
            } else {
                -now.q.data.0[0][n]
            };
            forth &= q >= turn[n].abs();
            back &= q <= -turn[n].abs();
        }
    }
    if any && (forth || back) {
        for n in 0..Q {
            now.q.data.0[0][n] -= if forth { turn[n] } else { -turn[n] };
        }
        now.turns = now.turns.wrapping_add(if forth { 1 } else { -1 });
    }
}

impl<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize>
    MechanicalStepper<R, M, K, E, Q, L, U, S>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
    E: End,
{
    /// The geometry as elastic joints see it when they are drawn back within one step: they give way, and even redundant
    /// ones have an answer.
    #[inline(always)]
    pub(super) fn yielding<F: Copy>(
        &self,
        geometry: &Geometry<R, F, Q, L>,
    ) -> Geometry<R, F, Q, L> {
        let mut yielding = *geometry;
        if M::Joints::ELASTIC {
            let compliance = self.model.joints().compliance();
            for j in 0..L {
                yielding.schur[j][j] += compliance[j] / (self.h * self.h);
            }
        }
        yielding
    }

    /// Schropp's (2.7) for the position: along `M^-1 G^T` onto g = 0. A step ends close to it, so three iterations, which
    /// converge quadratically, end at rounding.
    #[inline(always)]
    pub(super) fn project_position(
        &self,
        t: R,
        q: &mut [R; Q],
        low: &mut [R; Q],
    ) -> Result<(), Error> {
        for _ in 0..3 {
            let geometry = Geometry::at(&self.model, t, q)?;
            let mut multiplier = self.model.constraint(t, &Vector::from(*q)).data.0[0];
            geometry.factor()?.solve(&mut multiplier);
            let correction = geometry.respond(&multiplier);
            for n in 0..Q {
                let sum = Compensated {
                    high: q[n],
                    low: low[n],
                }
                .plus(-correction[n]);
                (q[n], low[n]) = (sum.high, sum.low);
            }
        }
        Ok(())
    }

    /// What must be added to the velocity so that `g_t + G v` at the new point is what the joints' motion says: zero if
    /// they are rigid, `C lambda'` with lambda from the stages' polynomial if they are elastic. A damper's force says itself
    /// how fast its joint moves, and the stages' equations hold it to that: there nothing is added.
    #[inline(always)]
    pub(super) fn velocity_correction(
        &self,
        t: R,
        q: &[R; Q],
        v: &[R; Q],
        lambda: &[[R; L]; S],
        coefficients: &Coefficients<R, S>,
    ) -> Result<[R; Q], Error> {
        let (_, mut rate) = constraint_rate(&self.model, t, q, v);
        if M::Joints::ELASTIC {
            let slope = combine(&coefficients.end_slope, lambda);
            let compliance = self.model.joints().compliance();
            for j in 0..L {
                rate[j] -= compliance[j] / self.h * slope[j];
            }
        }
        if M::Joints::DAMPED {
            let tau = self.model.joints().relaxation();
            for j in 0..L {
                if tau[j] > R::ZERO {
                    rate[j] = R::ZERO;
                }
            }
        }
        let geometry = Geometry::at(&self.model, t, q)?;
        geometry.factor()?.solve(&mut rate);
        Ok(geometry.respond(&rate))
    }
}
