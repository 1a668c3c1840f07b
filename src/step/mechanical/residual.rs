//! The residuals of a stage: with constraints as they are in double precision, with their increments in single.

use super::{Manner, OnMechanical, StageValues};
use crate::geometry::{Geometry, constraint_rate, constraint_reaction};
use crate::geometry::{each_constraint, plus, sum_of};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical, Vector};
use crate::number::{Dual, Increment, Real, Scalar};
use crate::step::Error;
use crate::step::scheme::Old;

/// What a step knows of its old point.
pub struct Point<R, const Q: usize, const L: usize, const S: usize> {
    pub(super) joints: Constraints<R, L>,
    /// The acceleration, if the method has an explicit stage there.
    pub(super) a: [R; Q],
    /// What the stages start from if neither from the last step's polynomial nor from its last stage.
    pub(super) held: Option<StageValues<R, Q, L, S>>,
}

/// The constraints at the old point.
pub(super) struct Constraints<R, const L: usize> {
    /// `h (g_t + G v)`: the leading part of the constraints' motion, the same in all stages but for c_i.
    pub leading: [R; L],
    pub rate: [R; L],
    /// What they lack.
    pub defect: [R; L],
}

/// A place for a stage: by how much it moved, as [`Increment`] has it, and where it is.
#[inline(always)]
pub(super) fn place<R: Real, const Q: usize>() -> ([[R; 2]; Q], Vector<R, Q>) {
    ([[R::ZERO; 2]; Q], Vector::from([R::ZERO; Q]))
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>
    Old<'_, OnMechanical<R, M, K, Q, L, U, S>>
where
    M: Mechanical<R, Q, L, U>,
    K: Manner<S>,
{
    #[inline(always)]
    pub(super) fn constraints(&self) -> Constraints<R, L> {
        let (q, v) = (&self.state.q.data.0[0], &self.state.v.data.0[0]);
        let (g, rate) = constraint_rate(self.model, self.t, q, v);
        let joints = self.model.joints();
        let (compliance, tau) = (joints.compliance(), joints.relaxation());
        let (mut leading, mut defect) = (rate, g);
        for j in 0..L {
            leading[j] *= self.h;
            if M::Joints::DAMPED {
                defect[j] += tau[j] * rate[j];
            }
            if M::Joints::ELASTIC {
                defect[j] -= compliance[j] * self.state.lambda.data.0[0][j];
            }
        }
        if !R::EXACT_ENOUGH && !K::STIFF {
            let kept = self.kept();
            for j in 0..L {
                let [strain, rate] = kept[j].slope();
                leading[j] += self.h * rate;
                defect[j] += strain;
            }
        }
        Constraints {
            leading,
            rate,
            defect,
        }
    }

    /// By how much elastic joints give way when they are drawn back within one step.
    #[inline(always)]
    pub(super) fn give(&self) -> Option<[R; L]> {
        if !M::Joints::ELASTIC {
            return None;
        }
        let mut give = self.model.joints().compliance();
        for j in 0..L {
            give[j] /= self.h * self.h;
        }
        Some(give)
    }

    /// The constraints at the old point, with what their value and their rate owe to the digits that the sums keep besides the
    /// rounded state. A method that damps nothing needs them: in a stiff joint it would keep what rounding does to the strain for
    /// ever, 20 to 60 N m in a shaft of 12 kHz that transmits seven.
    #[inline(always)]
    fn kept(&self) -> [Dual<R, 2>; L] {
        let mut places = [Dual::constant(R::ZERO); Q];
        for n in 0..Q {
            places[n] = Dual::new(
                self.state.q.data.0[0][n],
                [self.carry.low_q[n], self.carry.low_v[n]],
            );
        }
        let time = Dual::constant(self.t);
        self.model.constraint(time, &Vector::from(places)).data.0[0]
    }

    /// With the multiplier carried over from the last stage of the step before (Jay & Petzold, section 3).
    #[inline(always)]
    pub(super) fn acceleration(&self) -> Result<[R; Q], Error> {
        let mut a = [R::ZERO; Q];
        if K::EXPLICIT_FIRST {
            let now = self.state;
            let geometry = Geometry::at(self.model, self.t, &now.q.data.0[0])?;
            a = self.model.force(self.t, &now.q, &now.v, self.u).data.0[0];
            geometry.mass.solve(&mut a);
            let pull = geometry.respond(&now.lambda.data.0[0]);
            plus(&mut a, -R::ONE, &pull);
        }
        Ok(a)
    }

    /// The residuals of stage i, written where they are used: with many coordinates copies would cost as much as the rest.
    #[inline(always)]
    pub(super) fn residual(
        &self,
        point: &Point<R, Q, L, S>,
        i: usize,
        x: &StageValues<R, Q, L, S>,
        (moved, q): (&mut [[R; 2]; Q], &mut Vector<R, Q>),
        (r1, r2): (&mut [R; Q], &mut [R; L]),
    ) {
        let (h, table) = (self.h, K::coefficients::<R>());
        let (c, w) = (table.c[i], &x.w[i]);
        let ahead = c * h;
        let mut v = Vector::from([R::ZERO; Q]);
        for n in 0..Q {
            let (mut speed, mut place) =
                (sum_of(&table.a[i], &x.w, n), sum_of(&table.a2[i], &x.w, n));
            if K::EXPLICIT_FIRST {
                speed += table.first[i] * point.a[n];
                place += table.first2[i] * point.a[n];
            }
            let (old, rate) = (self.state.q.data.0[0][n], self.state.v.data.0[0][n]);
            let (p, r) = (ahead * rate, h * h * place);
            moved[n] = [p, r];
            q.data.0[0][n] = Increment { x: old, p, r }.end();
            v.data.0[0][n] = rate + h * speed;
        }
        let time = self.t + ahead;
        let inertia: Option<[R; Q]> = (!<M::Mass<R>>::UNIT).then(|| self.model.mass(q).times(w));
        let force = self.model.force(time, q, &v, self.u);
        let (mut g, mut pull, q) = ([R::ZERO; L], [R::ZERO; Q], &q.data.0[0]);
        constraint_reaction(self.model, time, q, &x.lambda[i], (&mut g, &mut pull));
        for n in 0..Q {
            let inertia = inertia.as_ref().unwrap_or(w)[n];
            r1[n] = inertia - force.data.0[0][n] + pull[n];
        }
        if R::EXACT_ENOUGH {
            *r2 = g;
        } else {
            let moving = |x: R, [p, r]: [R; 2]| Increment { x, p, r };
            let clock = moving(self.t, [ahead, R::ZERO]);
            let from = &self.state.q.data.0[0];
            each_constraint(self.model, clock, (from, &*moved), moving, |j, g| {
                r2[j] = g.r
            });
        }
        let mut rate = [R::ZERO; L];
        if M::Joints::DAMPED {
            (_, rate) = constraint_rate(self.model, time, q, &v.data.0[0]);
        }
        let joints = self.model.joints();
        let (compliance, tau) = (joints.compliance(), joints.relaxation());
        for j in 0..L {
            let (moved, joint) = ((r2[j], rate[j]), (compliance[j], tau[j]));
            r2[j] = self.lack(point, (c, j), x.lambda[i][j], moved, joint);
        }
    }

    /// What constraint j lacks in the stage at c, over h^2, if it is `moved` (what lies beyond the leading part of its motion, in single precision) and
    /// has that `rate`.
    #[inline(always)]
    fn lack(
        &self,
        point: &Point<R, Q, L, S>,
        (c, j): (R, usize),
        lambda: R,
        (moved, rate): (R, R),
        (compliance, tau): (R, R),
    ) -> R {
        let mut lack = moved;
        if !R::EXACT_ENOUGH {
            lack = c * point.joints.leading[j] + moved;
            if !K::STIFF {
                lack += point.joints.defect[j];
            }
        }
        if M::Joints::DAMPED {
            lack += tau * since(rate, point.joints.rate[j]);
        }
        if M::Joints::ELASTIC {
            lack -= compliance * since(lambda, self.state.lambda.data.0[0][j]);
        }
        lack * self.scales.per_square
    }
}

/// A value of a stage as it is in double precision, as an increment from the old one in single.
#[inline(always)]
fn since<R: Real>(value: R, before: R) -> R {
    if R::EXACT_ENOUGH {
        value
    } else {
        value - before
    }
}
