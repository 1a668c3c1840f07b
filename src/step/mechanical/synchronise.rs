//! A model and its state fitted together: what is checked at the start, and what follows a change from outside.

use super::{End, MechanicalStepper};
use crate::manifold::{consistent, free_motion};
use crate::method::{Collocation, Modes, Stages};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical, Motion, Nominal, Vector};
use crate::number::Real;
use crate::step::geometry::Degenerate;
use crate::step::newton::Norm;
use crate::step::{Error, checked_state, inverse_magnitudes};

/// One over each nominal velocity.
pub(super) fn weights<R: Real, const Q: usize>(nominal: &Nominal<R, Q>) -> Result<[R; Q], Error> {
    inverse_magnitudes(&nominal.q)?;
    inverse_magnitudes(&nominal.v)
}

/// A state consists of numbers, multipliers included: a stiff joint far from where it fits has a force beyond them.
pub(super) fn finite<R: Real, const Q: usize, const L: usize>(
    at: &Motion<R, Q, L>,
) -> Result<(), Error> {
    let all = at.q.iter().chain(&at.v).chain(&at.a).chain(&at.lambda);
    checked_state(all)
}

/// Whether the model's turn leaves its constraints alone: to rounding, seen from the start.
pub(super) fn turn_is_neutral<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    at: &Motion<R, Q, L>,
) -> bool
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
{
    let turn = model.turn();
    let nominal = model.nominal();
    let mut turned = at.q;
    let mut scale = R::ZERO;
    for n in 0..Q {
        turned.data.0[0][n] += turn[n];
        scale += turn[n].abs() + at.q.data.0[0][n].abs() + nominal.q[n];
    }
    let (before, after) = (
        model.constraint(R::ZERO, &at.q),
        model.constraint(R::ZERO, &turned),
    );
    // False for NaN, too.
    (0..L).all(|j| {
        (after.data.0[0][j] - before.data.0[0][j]).abs() <= scale * R::EPSILON * R::from_f64(16.0)
    })
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

/// What rounding does to `h dW`, in units of the nominal velocities: where constraints are evaluated as they are, the
/// rounding of a position over h, amplified by A^-2.
pub(super) fn floor<R: Real, const Q: usize>(nominal: &Nominal<R, Q>, h: R, amplification: R) -> R {
    let mut slowest = R::ONE;
    if R::EXACT_ENOUGH {
        for n in 0..Q {
            let steps = nominal.q[n] / (nominal.v[n] * h);
            if steps > slowest {
                slowest = steps;
            }
        }
    }
    R::EPSILON * amplification * slowest
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
    /// Makes the state fit a model that was changed from outside, with joints that lacked `lacked` before. Nothing happens
    /// if they did not notice. An elastic joint gets the force that its new stiffness or rest length asks for; a mechanism
    /// with rigid joints moves to the nearest position that fits.
    pub(super) fn synchronise(
        &mut self,
        t: R,
        u: &Vector<R, U>,
        lacked: &[R; L],
    ) -> Result<(), Error> {
        let joints = self.model.joints();
        if let Some(index) = joints.invalid() {
            return Err(Error::Joint { index });
        }
        let nominal = self.model.nominal();
        let weights = weights(&nominal)?;
        if !turn_is_neutral(&self.model, &self.now) {
            return Err(Error::Turn);
        }
        let lacks = self.old(t, u)?.defect;
        let mut now = self.now;
        let mut moved = false;
        if lacks != *lacked {
            let compliance = joints.compliance();
            if M::Joints::ELASTIC && compliance.iter().all(|c| *c > R::ZERO) {
                for j in 0..L {
                    now.lambda.data.0[0][j] += (lacks[j] - lacked[j]) / compliance[j];
                }
            } else {
                now = consistent(&self.model, t, &now.q, &now.v, u)?;
                now.turns = self.now.turns;
                moved = true;
            }
        }
        finite(&now)?;
        if moved {
            (self.low_q, self.low_v) = ([R::ZERO; Q], [R::ZERO; Q]);
            (self.w, self.lambda) = ([now.a.data.0[0]; S], [now.lambda.data.0[0]; S]);
        }
        self.now = now;
        self.norm = Norm {
            weights,
            floor: floor(&nominal, self.h, K::coefficients::<R>().amplification),
        };
        Ok(())
    }
}
