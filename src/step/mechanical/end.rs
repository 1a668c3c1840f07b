//! The end of a step: the sums, back to the manifold, completed turns taken off, and the forces that belong there.

use super::measure::softness;
use super::residual::{Point, plus};
use super::{Carry, End, FactorsOf, OnMechanical};
use crate::geometry::free_motion;
use crate::geometry::{Degenerate, Geometry, PatternOf, combine, constraint_rate, pulled};
use crate::linear::Lu;
use crate::method::{Accuracy, Collocation, Modes, Stages};
use crate::model::{Joints, Mechanical, Vector};
use crate::number::{Real, add_compensated};
use crate::step::Error;
use crate::step::machine::{Now, Old};

/// How much of what the old point lacks is made good in a step.
const PULL: f64 = 0.01;

impl<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize>
    OnMechanical<R, M, K, E, Q, L, U, S>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
    E: End,
{
    /// Whether ends of steps are projected onto what rigid joints allow.
    pub(super) const PROJECTED_RIGID: bool = E::PROJECTED && !M::Joints::ELASTIC;
    /// Whether the position is drawn to the manifold, because increments do not see what it lacks.
    const PULLED: bool = !R::EXACT_ENOUGH && K::Accuracy::STIFF;
}

impl<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize>
    Old<'_, OnMechanical<R, M, K, E, Q, L, U, S>>
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

    /// The way from the manifold to the old point, along `M^-1 G^T`.
    #[inline(always)]
    pub(super) fn drift(
        &self,
        point: &Point<R, Q, L, S>,
        factors: &FactorsOf<R, M, Q, L, U, S>,
    ) -> Result<[R; Q], Error> {
        if !OnMechanical::<R, M, K, E, Q, L, U, S>::PULLED {
            return Ok([R::ZERO; Q]);
        }
        let geometry = factors.geometry();
        let mut pull = point.joints.defect;
        let yielding = self.yielding(geometry);
        let Some(pattern) = PatternOf::<R, M, Q, L, U>::OF_GEOMETRY else {
            yielding.factor()?.solve(&mut pull);
            return Ok(geometry.respond(&pull));
        };
        Lu::factor_within(yielding.schur, pattern.band)
            .map_err(Degenerate::constraint)?
            .solve_within(&mut pull, pattern.band);
        Ok(pulled(Some(pattern), &geometry.directions, &pull))
    }

    /// `q + h v + h^2 b^T A W`, less a little of the drift, and `v + h b^T W`. Answers the mean acceleration `b^T W`.
    #[inline(always)]
    pub(super) fn advance(
        &self,
        point: &Point<R, Q, L, S>,
        drift: &[R; Q],
        now: &mut Now<OnMechanical<R, M, K, E, Q, L, U, S>>,
    ) -> [R; Q] {
        let (h, table, w) = (self.h, K::coefficients::<R>(), &now.carry.stages.w);
        let (mut speed, mut place) = (combine(&table.b, w), combine(&table.ba, w));
        if K::EXPLICIT_FIRST {
            plus(&mut speed, table.first[S - 1], &point.a);
            plus(&mut place, table.first2[S - 1], &point.a);
        }
        let mut step = [R::ZERO; Q];
        for n in 0..Q {
            step[n] = h * self.state.v.data.0[0][n] + h * h * place[n];
            if OnMechanical::<R, M, K, E, Q, L, U, S>::PULLED {
                step[n] -= R::from_f64(PULL) * drift[n];
            }
            if !R::EXACT_ENOUGH && !K::Accuracy::STIFF {
                step[n] += h * self.carry.low_v[n];
            }
        }
        let Carry { low_q, low_v, .. } = &mut now.carry;
        add_compensated(&mut now.state.q.data.0[0], low_q, R::ONE, &step);
        add_compensated(&mut now.state.v.data.0[0], low_v, h, &speed);
        speed
    }

    /// Back to what the joints allow: the position where nothing else brings it there, and the velocity.
    #[inline(always)]
    pub(super) fn project(
        &self,
        now: &mut Now<OnMechanical<R, M, K, E, Q, L, U, S>>,
    ) -> Result<(), Error> {
        let Carry {
            low_q,
            low_v,
            stages,
            ..
        } = &mut now.carry;
        let (q, v) = (&mut now.state.q.data.0[0], &mut now.state.v.data.0[0]);
        if !K::Accuracy::STIFF && !M::Joints::ELASTIC {
            self.project_position(q, low_q)?;
        }
        let correction = self.velocity_correction(q, v, &stages.lambda)?;
        add_compensated(v, low_v, -R::ONE, &correction);
        Ok(())
    }

    /// Schropp's (2.7) for the position: along `M^-1 G^T` onto g = 0. A step ends close to it, so three iterations, which
    /// converge quadratically, end at rounding.
    #[inline(always)]
    fn project_position(&self, q: &mut [R; Q], low: &mut [R; Q]) -> Result<(), Error> {
        let t = self.t + self.h;
        for _ in 0..3 {
            let geometry = Geometry::at(self.model, t, q)?;
            let mut multiplier = self.model.constraint(t, &Vector::from(*q)).data.0[0];
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
        &self,
        q: &[R; Q],
        v: &[R; Q],
        lambda: &[[R; L]; S],
    ) -> Result<[R; Q], Error> {
        let t = self.t + self.h;
        let (_, mut rate) = constraint_rate(self.model, t, q, v);
        let geometry = Geometry::at(self.model, t, q)?;
        let joints = self.model.joints();
        if M::Joints::ELASTIC {
            let slope = combine(&K::coefficients::<R>().end_slope, lambda);
            let (compliance, softness) = (
                joints.compliance(),
                softness::<_, _, _, Q, L, S>(&joints, &geometry, self.h),
            );
            for j in 0..L {
                rate[j] -= compliance[j] / self.h * slope[j];
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
    pub(super) fn forces(
        &self,
        now: &mut Now<OnMechanical<R, M, K, E, Q, L, U, S>>,
    ) -> Result<(), Error> {
        let (stages, at) = (&now.carry.stages, &mut now.state);
        if K::Accuracy::STIFF {
            (at.a, at.lambda) = (stages.w[S - 1].into(), stages.lambda[S - 1].into());
            if OnMechanical::<R, M, K, E, Q, L, U, S>::PROJECTED_RIGID && K::EXPLICIT_FIRST {
                // The next step's first stage is this point, and its multiplier must belong to the projected velocity.
                let again = free_motion(self.model, self.t + self.h, &at.q, &at.v, self.u)?;
                (at.a, at.lambda) = (again.a, again.lambda);
            }
            return Ok(());
        }
        let table = K::coefficients::<R>();
        let (a, force) = (
            combine(&table.end, &stages.w),
            combine(&table.end, &stages.lambda),
        );
        for n in 0..Q {
            at.a.data.0[0][n] = table.r_infinity * at.a.data.0[0][n] + a[n];
        }
        for j in 0..L {
            at.lambda.data.0[0][j] = table.r_infinity * at.lambda.data.0[0][j] + force[j];
        }
        Ok(())
    }
}
