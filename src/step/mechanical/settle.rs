//! The end of a projected step under error control: accelerations and multipliers that belong to the projected velocity, of its
//! order, instead of the stages' own, which are of two orders less. The next prediction is far better for them, and what a
//! tolerance says of multipliers can be kept.
//!
//! Rigid joints get those of [`free_motion`]. A spring that the step does not resolve moves slowly along with it, where
//! `G a + gamma = C lambda''`; its force becomes that of the slow motion, with lambda'' from the stages' polynomial, and its
//! position moves along by what the difference stretches it, `C` times as much. A spring that is resolved keeps what the step
//! gave it. A damper's force says itself how fast its joint moves: nothing is projected there.

use super::measure::softness;
use super::residual::plus;
use super::{EachOfMotion, End, OnMechanical};
use crate::geometry::free_motion;
use crate::geometry::{Geometry, combine};
use crate::method::{Collocation, Modes, Stages};
use crate::model::{Joints, Mechanical};
use crate::number::{Real, add_compensated};
use crate::step::Error;
use crate::step::machine::{Now, Old, Place};

impl<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize>
    OnMechanical<R, M, K, E, Q, L, U, S>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
    E: End,
{
    /// Whether ends of steps are projected onto the slow motion of springs.
    const PROJECTED_SPRINGS: bool = E::PROJECTED && M::Joints::ELASTIC && !M::Joints::DAMPED;
    /// Whether ends of steps are projected at all, so that they end in velocities and multipliers of full order.
    pub(super) const SETTLES: bool = Self::PROJECTED_RIGID || Self::PROJECTED_SPRINGS;

    /// Makes the end of a step what its projected velocity says.
    pub(super) fn settle(at: &Place<'_, Self>, mut trial: Now<Self>) -> Result<Now<Self>, Error> {
        if Self::PROJECTED_RIGID {
            let again = free_motion(at.model, at.t, &trial.state.q, &trial.state.v, at.u)?;
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
        let (compliance, softness) = (
            joints.compliance(),
            softness::<_, _, _, Q, L, S>(&joints, &geometry, at.h),
        );
        let slow = match free_motion(at.model, at.t, &trial.state.q, &trial.state.v, at.u) {
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
    /// What errors of positions and velocities do to multipliers that are computed of them, and the evaluations it takes.
    pub(super) fn follow(&self, error: &EachOfMotion<R, Q, L>) -> Result<([R; L], u32), Error> {
        // Where there is no such motion the error is too large to be followed.
        let at = |q, v| {
            free_motion(self.model, self.t, &q, &v, self.u)
                .map(|there| there.lambda.data.0[0])
                .map_err(|_| Error::NonFinite)
        };
        let (mut q, mut v) = (self.state.q, self.state.v);
        // With rigid joints they are known.
        let (before, evaluations) = if OnMechanical::<R, M, K, E, Q, L, U, S>::PROJECTED_RIGID {
            (self.state.lambda.data.0[0], 1)
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
