//! Starts. Of a simulation: a model and its state fitted together, at first and after a change from outside. Of a step's iteration:
//! the last step's stages, continued, as long as they are a guide; else the last stage alone, or, for methods that keep
//! oscillations through an explicit first stage, the slow motion and what is off it.

use super::residual::Point;
use super::scales::{Scales, force_weights};
use super::{Carry, Manner, OnMechanical, StageValues};
use crate::geometry::{
    Degenerate, checked_pattern, combine, consistent, constraint_reaction, free_motion, plus,
    spring_force, sum_of,
};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical, Motion, Vector};
use crate::number::{Real, cold_path};
use crate::step::copy::copy;
use crate::step::prediction::{Start, missed, motion, regular};
use crate::step::scheme::{Fitted, Now, Old, Place, Scheme};
use crate::step::turn::checked_turn;
use crate::step::{Convergence, Error, Report, checked_joints, checked_state, velocity_weights};

/// Whether all joints give way, so that forces may take up what does not fit.
fn springs<R: Real, J: Joints<R, L>, const L: usize>(joints: &J) -> bool {
    J::ELASTIC && joints.compliance().iter().all(|c| *c > R::ZERO)
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>
    OnMechanical<R, M, K, Q, L, U, S>
where
    M: Mechanical<R, Q, L, U>,
    K: Manner<S>,
{
    /// A start at the position and velocity of `start`. With rigid joints it is projected onto the manifold first.
    pub(super) fn started(
        at: &Place<'_, Self>,
        start: &Motion<R, Q, L>,
    ) -> Result<Now<Self>, Error> {
        let (model, t, q, v) = (at.model, at.t, &start.q, &start.v);
        velocity_weights(&model.nominal())?;
        let joints = model.joints();
        checked_joints(&joints)?;
        checked_pattern(model, t, q)?;
        let springs = springs(&joints);
        let mut state = if springs {
            Self::slow_motion(at, q, v)?
        } else {
            consistent(model, t, q, v, at.u)?
        };
        // The slow motion's accelerations and multipliers start the iteration even where a strained joint has others.
        let carry = Carry::fresh(&state, Start::Continued);
        if springs {
            state.lambda = spring_force(model, t, (&q.data.0[0], &v.data.0[0])).into();
            state.a = Self::forced(at, &state)?;
        }
        checked_state(&state.a)?;
        checked_state(&state.lambda)?;
        checked_turn(model, &state)?;
        state.turns = start.turns;
        Ok(Now { state, carry })
    }

    /// Where the iteration starts with elastic joints: their slow motion, as if they were rigid. Joints that are redundant, such as
    /// two springs side by side, have no such motion, and the iteration finds its way from the free one.
    fn slow_motion(
        at: &Place<'_, Self>,
        q: &Vector<R, Q>,
        v: &Vector<R, Q>,
    ) -> Result<Motion<R, Q, L>, Error> {
        match Self::free_motion(at, q, v) {
            Err(Error::Constraint { .. }) => {
                let mut free = Motion::from((*q, *v));
                free.a = Self::forced(at, &free)?;
                Ok(free)
            }
            found => found,
        }
    }

    /// The acceleration with the forces of a motion, `M^-1 (f - G^T lambda)`. Without a geometry, which is large.
    #[inline(always)]
    fn forced(at: &Place<'_, Self>, motion: &Motion<R, Q, L>) -> Result<Vector<R, Q>, Error> {
        let (model, t, q) = (at.model, at.t, &motion.q);
        let (mut g, mut pull) = ([R::ZERO; L], [R::ZERO; Q]);
        let (place, lambda) = (&q.data.0[0], &motion.lambda.data.0[0]);
        constraint_reaction(model, t, place, lambda, (&mut g, &mut pull));
        let mut a = model.force(t, q, &motion.v, at.u).data.0[0];
        plus(&mut a, -R::ONE, &pull);
        let mass = model.mass(q).factor().map_err(Degenerate::mass)?;
        mass.solve(&mut a);
        Ok(a.into())
    }

    /// The accelerations and multipliers that keep the constraints at (q, v).
    #[inline(always)]
    pub(super) fn free_motion(
        at: &Place<'_, Self>,
        q: &Vector<R, Q>,
        v: &Vector<R, Q>,
    ) -> Result<Motion<R, Q, L>, Error> {
        free_motion(at.model, at.t, q, v, at.u)
    }

    /// The state that fits a model which was changed from outside, with joints that lacked `lacked` before. What the old model
    /// lacked at the old point stays: only the difference is new. Nothing happens if the joints did not notice. An elastic
    /// joint gets the force that its new stiffness or rest length asks for; a mechanism with rigid joints moves to the
    /// nearest position that fits.
    pub(super) fn synchronised(old: &Old<'_, Self>, lacked: &[R; L]) -> Fitted<Self> {
        let (model, joints) = (old.model, old.model.joints());
        checked_joints(&joints)?;
        let weights = velocity_weights(&model.nominal())?;
        checked_turn(model, old.state)?;
        let mut now = old.now();
        let lacks = old.constraints().defect;
        if lacks != *lacked && springs(&joints) {
            let compliance = joints.compliance();
            for j in 0..L {
                now.state.lambda.data.0[0][j] += (lacks[j] - lacked[j]) / compliance[j];
            }
        } else if lacks != *lacked {
            let turns = old.state.turns;
            now.state = consistent(model, old.t, &old.state.q, &old.state.v, old.u)?;
            now.state.turns = turns;
            now.carry = Carry::fresh(&now.state, old.carry.start);
        }
        checked_state(&now.state.a)?;
        // Magnitudes that the model does not say are those of where it was when something was noticed.
        let mut scales = *old.scales;
        let said = model.nominal_lambda().is_some();
        let noticed = lacks != *lacked || weights != scales.norm.weights;
        if said || noticed {
            let place = &now.state.q.data.0[0];
            let force_weights = force_weights(model, (old.t, place))?;
            if noticed || force_weights != scales.force_weights {
                let (all, table) = ((weights, force_weights), K::coefficients::<R>());
                scales = Scales::at(model, (old.t, place), all, (old.h, table.amplification));
            }
        }
        Ok((now, scales))
    }

    /// The old point with accelerations and multipliers that belong to its inputs. Springs keep their forces; those of rigid joints jump as
    /// inputs do.
    pub(super) fn met(old: &Old<'_, Self>) -> Result<Now<Self>, Error> {
        let mut now = old.now();
        if springs(&old.model.joints()) {
            now.state.a = Self::forced(old, old.state)?;
            return Ok(now);
        }
        let again = Self::free_motion(old, &old.state.q, &old.state.v)?;
        (now.state.a, now.state.lambda) = (again.a, again.lambda);
        if K::STIFF {
            // The last stage is the end, and the others are continued from there.
            let stages = &mut now.carry.stages;
            stages.w[S - 1] = again.a.data.0[0];
            stages.lambda[S - 1] = again.lambda.data.0[0];
        }
        Ok(now)
    }

    /// What the stages start from if neither from the last step's polynomial nor from its last stage, with the old point's acceleration.
    #[inline(always)]
    pub(super) fn held(
        old: &Old<'_, Self>,
        at: &[R; Q],
    ) -> Result<Option<StageValues<R, Q, L, S>>, Error> {
        if !K::EXPLICIT_FIRST {
            return Ok(None);
        }
        // Infinitely fast motions end in stage i with R_i(infinity) = -(A~^-1 a)_i of what they began with (Jay & Petzold,
        // section 4); the slow motion is the rest.
        let (now, table) = (old.state, K::coefficients::<R>());
        let slow = Self::slow_motion(old, &now.q, &now.v)?;
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
        Ok(Some(held))
    }

    /// The starting values. All kinds cost the same work, with `next_start` below, so that a jump does not change what a step
    /// costs. A start from rest keeps the multipliers: forces in joints do not vanish where motion does.
    #[inline(always)]
    pub(super) fn predict_into(
        old: &Old<'_, Self>,
        point: &Point<R, Q, L, S>,
        x: &mut StageValues<R, Q, L, S>,
    ) {
        let (last, table) = (&old.carry.stages, K::coefficients::<R>());
        if old.carry.start == Start::Continued {
            // The cheaper of the two pays for the jump.
            cold_path();
            if Self::IN_PLACE {
                // What belongs to a coordinate is read once.
                for n in 0..Q {
                    for i in 0..S {
                        x.w[i][n] = sum_of(&table.extrapolation[i], &last.w, n);
                    }
                }
                for j in 0..L {
                    for i in 0..S {
                        x.lambda[i][j] = sum_of(&table.extrapolation[i], &last.lambda, j);
                    }
                }
                return;
            }
            for i in 0..S {
                x.w[i] = combine(&table.extrapolation[i], &last.w);
                x.lambda[i] = combine(&table.extrapolation[i], &last.lambda);
            }
            return;
        }
        if let Some(held) = &point.held {
            *x = *held;
        } else {
            for i in 0..S {
                copy(&last.w[S - 1], &mut x.w[i]);
                copy(&last.lambda[S - 1], &mut x.lambda[i]);
            }
        }
        if old.carry.start == Start::Rest {
            x.w = [[R::ZERO; Q]; S];
        }
    }

    /// Where the next step starts after this one, which found `w`, and with them the mean acceleration `speed`. What keeps
    /// oscillating is never predicted well; there the better start of the two is taken again.
    #[inline(always)]
    pub(super) fn next_start(
        old: &Old<'_, Self>,
        point: &Point<R, Q, L, S>,
        (convergence, report): (&Convergence<R>, &Report<R>),
        (w, speed): (&[[R; Q]; S], &[R; Q]),
    ) -> Start {
        let (table, rates) = (K::coefficients::<R>(), &old.scales.rates);
        let last = &old.carry.stages.w;
        if K::EXPLICIT_FIRST {
            let mut continued = *w;
            for i in 0..S {
                continued[i] = combine(&table.extrapolation[i], last);
            }
            let held = point.held.as_ref();
            let held = held.map(|held| missed((&held.w, w), rates));
            return if held.is_none_or(|held| missed((&continued, w), rates) <= held) {
                Start::Continued
            } else {
                Start::Held
            };
        }
        let start = old.carry.start;
        let regular = regular(start, convergence, table, (last, w), rates);
        Start::after(report, motion(speed, rates), regular, table.swing)
    }
}
