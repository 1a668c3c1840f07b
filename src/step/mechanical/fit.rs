//! A model and its state fitted together: what is checked at the start, and what follows a change from outside.

use super::scales::{Scales, force_weights, weights};
use super::{Carry, End, OnMechanical, StageValues};
use crate::geometry::{Degenerate, constraint_rate};
use crate::geometry::{checked_pattern, consistent, free_motion};
use crate::method::{Collocation, Modes, Stages};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical, Motion, Vector};
use crate::number::Real;
use crate::step::machine::{Now, Old, Place};
use crate::step::prediction::Start;
use crate::step::turn::turn_is_neutral;
use crate::step::{Error, checked_state};

/// A place, a point and scales of a mechanism's step.
type At<'a, R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize> =
    Place<'a, OnMechanical<R, M, K, E, Q, L, U, S>>;
type Fitted<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize> =
    (Now<OnMechanical<R, M, K, E, Q, L, U, S>>, Scales<R, Q, L>);

/// A start at the position and velocity of `start`. With rigid joints it is projected onto the manifold first.
pub(super) fn start<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize>(
    at: &At<'_, R, M, K, E, Q, L, U, S>,
    start: &Motion<R, Q, L>,
) -> Result<Fitted<R, M, K, E, Q, L, U, S>, Error>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
    E: End,
{
    let (model, t, q, v) = (at.model, at.t, &start.q, &start.v);
    let weights = weights(&model.nominal())?;
    let joints = model.joints();
    if let Some(index) = joints.invalid() {
        return Err(Error::Joint { index });
    }
    checked_pattern(model, t, q)?;
    let springs = springs(&joints);
    let mut state = if springs {
        slow_motion(model, t, q, v, at.u)?
    } else {
        consistent(model, t, q, v, at.u)?
    };
    // The slow motion's accelerations and multipliers start the iteration even where a strained joint has others.
    let carry = Carry::fresh(&state, Start::Continued);
    if springs {
        let (compliance, tau) = (joints.compliance(), joints.relaxation());
        let (g, rate) = constraint_rate(model, t, &q.data.0[0], &v.data.0[0]);
        for j in 0..L {
            state.lambda.data.0[0][j] = (g[j] + tau[j] * rate[j]) / compliance[j];
        }
    }
    checked_state(&state.a)?;
    checked_state(&state.lambda)?;
    if !turn_is_neutral(model, &state) {
        return Err(Error::Turn);
    }
    state.turns = start.turns;
    let place = &state.q.data.0[0];
    let all = (weights, force_weights(model, t, place)?);
    let table = K::coefficients::<R>();
    let scales = Scales::at(model, (t, place), all, (at.h, table.amplification));
    Ok((Now { state, carry }, scales))
}

impl<R: Real, const Q: usize, const L: usize, const S: usize> Carry<R, Q, L, S> {
    /// Nothing was rounded off yet, and all stages are as the state is.
    fn fresh(at: &Motion<R, Q, L>, start: Start) -> Self {
        Carry {
            low_q: [R::ZERO; Q],
            low_v: [R::ZERO; Q],
            stages: StageValues::held(at.a.data.0[0], at.lambda.data.0[0]),
            start,
        }
    }
}

/// Whether all joints give way, so that forces may take up what does not fit.
fn springs<R: Real, J: Joints<R, L>, const L: usize>(joints: &J) -> bool {
    J::ELASTIC && joints.compliance().iter().all(|c| *c > R::ZERO)
}

/// Where the iteration starts with elastic joints: their slow motion, as if they were rigid. Joints that are redundant, such as
/// two springs side by side, have no such motion, and the iteration finds its way from the free one.
pub(super) fn slow_motion<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &Vector<R, Q>,
    v: &Vector<R, Q>,
    u: &Vector<R, U>,
) -> Result<Motion<R, Q, L>, Error>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
{
    match free_motion(model, t, q, v, u) {
        Err(Error::Constraint { .. }) => {
            let mut a = model.force(t, q, v, u).data.0[0];
            model
                .mass(q)
                .factor()
                .map_err(Degenerate::mass)?
                .solve(&mut a);
            Ok(Motion {
                q: *q,
                v: *v,
                a: a.into(),
                lambda: [R::ZERO; L].into(),
                turns: 0,
            })
        }
        found => found,
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
    /// The state that fits a model which was changed from outside, with joints that lacked `lacked` before. What the old model
    /// lacked at the old point stays: only the difference is new. Nothing happens if the joints did not notice. An elastic
    /// joint gets the force that its new stiffness or rest length asks for; a mechanism with rigid joints moves to the
    /// nearest position that fits.
    pub(super) fn synchronised(
        &self,
        lacked: &[R; L],
    ) -> Result<Fitted<R, M, K, E, Q, L, U, S>, Error> {
        let (model, joints) = (self.model, self.model.joints());
        if let Some(index) = joints.invalid() {
            return Err(Error::Joint { index });
        }
        let weights = weights(&model.nominal())?;
        if !turn_is_neutral(model, self.state) {
            return Err(Error::Turn);
        }
        let mut now = self.now();
        let lacks = self.constraints().defect;
        if lacks != *lacked && springs(&joints) {
            let compliance = joints.compliance();
            for j in 0..L {
                now.state.lambda.data.0[0][j] += (lacks[j] - lacked[j]) / compliance[j];
            }
        } else if lacks != *lacked {
            let turns = self.state.turns;
            now.state = consistent(model, self.t, &self.state.q, &self.state.v, self.u)?;
            now.state.turns = turns;
            now.carry = Carry::fresh(&now.state, self.carry.start);
        }
        checked_state(&now.state.a)?;
        // Magnitudes that the model does not say are those of where it was when something was noticed.
        let mut scales = *self.scales;
        let said = model.nominal_lambda().is_some();
        let noticed = lacks != *lacked || weights != scales.norm.weights;
        if said || noticed {
            let place = &now.state.q.data.0[0];
            let force_weights = force_weights(model, self.t, place)?;
            if noticed || force_weights != scales.force_weights {
                let (all, table) = ((weights, force_weights), K::coefficients::<R>());
                scales = Scales::at(model, (self.t, place), all, (self.h, table.amplification));
            }
        }
        Ok((now, scales))
    }
}
