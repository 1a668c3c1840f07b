//! The end of a step: the sums, back to the manifold, completed turns taken off, and the forces that belong there.
//!
//! A projected step under error control gets accelerations and multipliers that belong to its projected velocity, of its order,
//! instead of the stages' own, which are of two orders less. The next prediction is far better for them, and what a tolerance
//! says of multipliers can be kept.
//!
//! Rigid joints get those of [`free_motion`]. A spring that the step does not resolve moves slowly along with it, where
//! `G a + gamma = C lambda''`; its force becomes that of the slow motion, with lambda'' from the stages' polynomial, and its
//! position moves along by what the difference stretches it, `C` times as much. A spring that is resolved keeps what the step
//! gave it. A damper's force says itself how fast its joint moves: nothing is projected there.

use super::measure::softness;
use super::residual::Point;
use super::{Carry, EachOfMotion, Manner, OnMechanical};
use crate::geometry::{Geometry, combine, constraint_rate, free_motion, plus, sum_of};
use crate::model::{Joints, Mechanical, Vector};
use crate::number::{add_compensated, sum_compensated};
use crate::step::Error;
use crate::step::copy::copy;
use crate::step::linearization::Solves;
use crate::step::scheme::{Now, Old, Place};

/// How much of what the old point lacks is made good in a step.
const PULL: f64 = 0.01;

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>
    OnMechanical<R, M, K, Q, L, U, S>
where
    M: Mechanical<R, Q, L, U>,
    K: Manner<S>,
{
    /// Whether ends of steps are projected onto what rigid joints allow.
    pub(super) const PROJECTED_RIGID: bool = K::PROJECTED && !M::Joints::ELASTIC;
    /// Whether the position is drawn to the manifold, because increments do not see what it lacks.
    const PULLED: bool = !R::EXACT_ENOUGH && K::STIFF;

    /// Whether ends of steps are projected onto the slow motion of springs.
    const PROJECTED_SPRINGS: bool = K::PROJECTED && M::Joints::ELASTIC && !M::Joints::DAMPED;
    /// Whether ends of steps are projected at all, so that they end in velocities and multipliers of full order.
    pub(super) const SETTLES: bool = Self::PROJECTED_RIGID || Self::PROJECTED_SPRINGS;

    /// Makes the end of a step what its projected velocity says.
    pub(super) fn settle(at: &Place<'_, Self>, mut trial: Now<Self>) -> Result<Now<Self>, Error> {
        if Self::PROJECTED_RIGID {
            let again = Self::free_motion(at, &trial.state.q, &trial.state.v)?;
            (trial.state.a, trial.state.lambda) = (again.a, again.lambda);
        } else if Self::PROJECTED_SPRINGS {
            Self::settle_springs(at, &mut trial)?;
        }
        if Self::SETTLES {
            // The last stage is the end, and the others are continued from there.
            let stages = &mut trial.carry.stages;
            stages.w[S - 1] = trial.state.a.data.0[0];
            stages.lambda[S - 1] = trial.state.lambda.data.0[0];
        }
        Ok(trial)
    }

    fn settle_springs(at: &Place<'_, Self>, trial: &mut Now<Self>) -> Result<(), Error> {
        let joints = at.model.joints();
        let geometry = Geometry::at(at.model, at.t, &trial.state.q.data.0[0])?;
        let softness = softness::<_, _, _, Q, L, S>(&joints, &geometry, at.h);
        let compliance = joints.compliance();
        let slow = match Self::free_motion(at, &trial.state.q, &trial.state.v) {
            // Springs side by side have no slow motion of their own.
            Err(Error::Constraint { .. }) => return Ok(()),
            found => found?,
        };
        let factor = geometry.factor()?;
        // Twice the factor of (x - 1)^2 is the second derivative; with fewer stages there is none.
        let mut bend = [R::ZERO; L];
        if let Some(row) = K::coefficients::<R>().basis.get(2) {
            bend = combine(row, &trial.carry.stages.lambda);
        }
        let two = R::from_f64(2.0);
        for j in 0..L {
            bend[j] *= two * compliance[j] / (at.h * at.h);
        }
        factor.solve(&mut bend);
        let (mut moved, mut stretched) = ([R::ZERO; L], [R::ZERO; L]);
        for j in 0..L {
            let wanted = slow.lambda.data.0[0][j] - bend[j];
            moved[j] = (wanted - trial.state.lambda.data.0[0][j]) / (R::ONE + softness[j]);
            stretched[j] = compliance[j] * moved[j];
        }
        factor.solve(&mut stretched);
        let shift = geometry.respond(&stretched);
        let now = &mut trial.state;
        let low = &mut trial.carry.low_q;
        add_compensated(&mut now.q.data.0[0], low, R::ONE, &shift);
        plus(&mut now.lambda.data.0[0], R::ONE, &moved);
        let mut pull = slow.lambda.data.0[0];
        plus(&mut pull, -R::ONE, &now.lambda.data.0[0]);
        now.a = slow.a;
        plus(&mut now.a.data.0[0], R::ONE, &geometry.respond(&pull));
        Ok(())
    }

    /// The way from the manifold to the old point, along `M^-1 G^T`, written to a place of zeros.
    #[inline(always)]
    pub(super) fn drift(
        old: &Old<'_, Self>,
        point: &Point<R, Q, L, S>,
        factors: &impl Solves<R, Q, L, S>,
        drift: &mut [R; Q],
    ) -> Result<(), Error> {
        if Self::PULLED {
            factors.way(point.joints.defect, old.give(), drift)?;
        }
        Ok(())
    }

    /// `q + h v + h^2 b^T A W`, less a little of the drift, and `v + h b^T W`. Overwrites the drift with the mean acceleration `b^T W`.
    #[inline(always)]
    pub(super) fn advance(
        old: &Old<'_, Self>,
        point: &Point<R, Q, L, S>,
        drift: &mut [R; Q],
        now: &mut Now<Self>,
    ) {
        let (h, table, w) = (old.h, K::coefficients::<R>(), &now.carry.stages.w);
        let (q, v) = (&mut now.state.q.data.0[0], &mut now.state.v.data.0[0]);
        let (low_q, low_v) = (&mut now.carry.low_q, &mut now.carry.low_v);
        let (old_q, old_v) = (&old.state.q.data.0[0], &old.state.v.data.0[0]);
        for n in 0..Q {
            let (mut speed, mut place) = (sum_of(&table.b, w, n), sum_of(&table.ba, w, n));
            if K::EXPLICIT_FIRST {
                speed += table.first[S - 1] * point.a[n];
                place += table.first2[S - 1] * point.a[n];
            }
            let mut step = h * old_v[n] + h * h * place;
            if Self::PULLED {
                step -= R::from_f64(PULL) * drift[n];
            }
            if !R::EXACT_ENOUGH && !K::STIFF {
                step += h * old.carry.low_v[n];
            }
            (q[n], low_q[n]) = sum_compensated(old_q[n], old.carry.low_q[n], step);
            (v[n], low_v[n]) = sum_compensated(old_v[n], old.carry.low_v[n], h * speed);
            drift[n] = speed;
        }
    }

    /// Back to what the joints allow: the position where nothing else brings it there, and the velocity.
    #[inline(always)]
    pub(super) fn project(old: &Old<'_, Self>, now: &mut Now<Self>) -> Result<(), Error> {
        let Carry {
            low_q,
            low_v,
            stages,
            ..
        } = &mut now.carry;
        let (q, v) = (&mut now.state.q.data.0[0], &mut now.state.v.data.0[0]);
        if !K::STIFF && !M::Joints::ELASTIC {
            Self::project_position(old, q, low_q)?;
        }
        let correction = Self::velocity_correction(old, q, v, &stages.lambda)?;
        add_compensated(v, low_v, -R::ONE, &correction);
        Ok(())
    }

    /// Schropp's (2.7) for the position: along `M^-1 G^T` onto g = 0. A step ends close to it, so three iterations, which
    /// converge quadratically, end at rounding.
    #[inline(always)]
    fn project_position(
        old: &Old<'_, Self>,
        q: &mut [R; Q],
        low: &mut [R; Q],
    ) -> Result<(), Error> {
        let t = old.t + old.h;
        for _ in 0..3 {
            let geometry = Geometry::at(old.model, t, q)?;
            let mut multiplier = old.model.constraint(t, &Vector::from(*q)).data.0[0];
            geometry.factor()?.solve(&mut multiplier);
            add_compensated(q, low, -R::ONE, &geometry.respond(&multiplier));
        }
        Ok(())
    }

    /// What must be taken off the velocity so that `g_t + G v` at the new point is what the joints' motion says: zero if
    /// they are rigid, `C lambda'` with lambda from the stages' polynomial if they are elastic. A damper's force says itself
    /// how fast its joint moves, and the stages' equations hold it to that: there nothing is taken off. Nor is it from a spring
    /// that the step resolves: a projection onto its lambda', which is of lower order, would feed the ringing.
    #[inline(always)]
    fn velocity_correction(
        old: &Old<'_, Self>,
        q: &[R; Q],
        v: &[R; Q],
        lambda: &[[R; L]; S],
    ) -> Result<[R; Q], Error> {
        let t = old.t + old.h;
        let (_, mut rate) = constraint_rate(old.model, t, q, v);
        let geometry = Geometry::at(old.model, t, q)?;
        let joints = old.model.joints();
        if M::Joints::ELASTIC {
            let slope = combine(&K::coefficients::<R>().end_slope, lambda);
            let softness = softness::<_, _, _, Q, L, S>(&joints, &geometry, old.h);
            let compliance = joints.compliance();
            for j in 0..L {
                rate[j] -= compliance[j] / old.h * slope[j];
                rate[j] /= R::ONE + softness[j];
            }
        }
        if M::Joints::DAMPED {
            let tau = joints.relaxation();
            for j in 0..L {
                if tau[j] > R::ZERO {
                    rate[j] = R::ZERO;
                }
            }
        }
        geometry.factor()?.solve(&mut rate);
        Ok(geometry.respond(&rate))
    }

    /// Accelerations and multipliers at the end: the last stage's, or what the stages say of the end and R(infinity) of the old
    /// value (Schropp's (2.5)).
    #[inline(always)]
    pub(super) fn forces(old: &Old<'_, Self>, now: &mut Now<Self>) -> Result<(), Error> {
        let (stages, at) = (&now.carry.stages, &mut now.state);
        if K::STIFF {
            copy(&stages.w[S - 1], &mut at.a.data.0[0]);
            copy(&stages.lambda[S - 1], &mut at.lambda.data.0[0]);
            if Self::PROJECTED_RIGID && K::EXPLICIT_FIRST {
                // The next step's first stage is this point, and its multiplier must belong to the projected velocity.
                let again = free_motion(old.model, old.t + old.h, &at.q, &at.v, old.u)?;
                (at.a, at.lambda) = (again.a, again.lambda);
            }
            return Ok(());
        }
        let table = K::coefficients::<R>();
        let a = combine(&table.end, &stages.w);
        let force = combine(&table.end, &stages.lambda);
        for n in 0..Q {
            at.a.data.0[0][n] = table.r_infinity * at.a.data.0[0][n] + a[n];
        }
        for j in 0..L {
            at.lambda.data.0[0][j] = table.r_infinity * at.lambda.data.0[0][j] + force[j];
        }
        Ok(())
    }

    /// What errors of positions and velocities do to multipliers that are computed of them, and the evaluations it takes.
    pub(super) fn follow(
        old: &Old<'_, Self>,
        error: &EachOfMotion<R, Q, L>,
    ) -> Result<([R; L], u32), Error> {
        // Where there is no such motion the error is too large to be followed.
        let at = |q, v| {
            Self::free_motion(old, &q, &v)
                .map(|there| there.lambda.data.0[0])
                .map_err(|_| Error::NonFinite)
        };
        let (mut q, mut v) = (old.state.q, old.state.v);
        // With rigid joints they are known.
        let (before, evaluations) = if Self::PROJECTED_RIGID {
            (old.state.lambda.data.0[0], 1)
        } else {
            (at(q, v)?, 2)
        };
        plus(&mut q.data.0[0], R::ONE, &error.q);
        plus(&mut v.data.0[0], R::ONE, &error.v);
        let mut moved = at(q, v)?;
        plus(&mut moved, -R::ONE, &before);
        Ok((moved, evaluations))
    }
}
