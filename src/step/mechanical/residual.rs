//! The residuals of a stage: with constraints as they are in double precision, with their increments in single.

use super::{Manner, OnMechanical, StageValues};
use crate::geometry::{Geometry, constraint_rate, constraint_reaction, sum_of};
use crate::method::{Accuracy, Collocation, Modes, Stages};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical, Vector};
use crate::number::{Dual, Increment, Real, Scalar};
use crate::step::Error;
use crate::step::scheme::Old;

/// What a step knows of its old point.
pub struct Point<R, const Q: usize, const L: usize, const S: usize> {
    pub(super) joints: Constraints<R, L>,
    /// The acceleration, if the method has an explicit stage there.
    pub(super) a: [R; Q],
    /// What the stages start from if not from the last step's polynomial.
    pub(super) held: StageValues<R, Q, L, S>,
}

/// The constraints at the old point.
pub(super) struct Constraints<R, const L: usize> {
    /// `h (g_t + G v)`: the leading part of the constraints' motion, the same in all stages but for c_i.
    pub leading: [R; L],
    pub rate: [R; L],
    /// What they lack.
    pub defect: [R; L],
}

/// `x + by y`, where `y` is there.
#[inline(always)]
pub(super) fn plus<R: Real, const N: usize>(x: &mut [R; N], by: R, y: &[R; N]) {
    for n in 0..N {
        x[n] += by * y[n];
    }
}

impl<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize>
    Old<'_, OnMechanical<R, M, K, E, Q, L, U, S>>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
    E: Manner,
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
        if !R::EXACT_ENOUGH && !K::Accuracy::STIFF {
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
        (r1, r2): (&mut [R; Q], &mut [R; L]),
    ) {
        let (h, table) = (self.h, K::coefficients::<R>());
        let ahead = table.c[i] * h;
        let mut moving = Vector::from([Increment::constant(R::ZERO); Q]);
        let mut q = Vector::from([R::ZERO; Q]);
        let mut v = Vector::from([R::ZERO; Q]);
        for n in 0..Q {
            let (mut speed, mut place) =
                (sum_of(&table.a[i], &x.w, n), sum_of(&table.a2[i], &x.w, n));
            if K::EXPLICIT_FIRST {
                speed += table.first[i] * point.a[n];
                place += table.first2[i] * point.a[n];
            }
            let (old, rate) = (self.state.q.data.0[0][n], self.state.v.data.0[0][n]);
            let moved = Increment {
                x: old,
                p: ahead * rate,
                r: h * h * place,
            };
            moving.data.0[0][n] = moved;
            q.data.0[0][n] = moved.end();
            v.data.0[0][n] = rate + h * speed;
        }
        let time = self.t + ahead;
        let inertia: Option<[R; Q]> =
            (!<M::Mass<R>>::UNIT).then(|| self.model.mass(&q).times(&x.w[i]));
        let force = self.model.force(time, &q, &v, self.u);
        let (g, pull) = constraint_reaction(self.model, time, &q.data.0[0], &x.lambda[i]);
        for n in 0..Q {
            let inertia = inertia.as_ref().unwrap_or(&x.w[i])[n];
            r1[n] = inertia - force.data.0[0][n] + pull[n];
        }
        if R::EXACT_ENOUGH {
            *r2 = g;
        } else {
            self.increments(point, i, &moving, r2);
        }
        let joints = self.model.joints();
        if M::Joints::DAMPED {
            let (_, rate) = constraint_rate(self.model, time, &q.data.0[0], &v.data.0[0]);
            let tau = joints.relaxation();
            for j in 0..L {
                r2[j] += tau[j] * since(rate[j], point.joints.rate[j]);
            }
        }
        let compliance = joints.compliance();
        for j in 0..L {
            if M::Joints::ELASTIC {
                r2[j] -= compliance[j] * since(x.lambda[i][j], self.state.lambda.data.0[0][j]);
            }
            r2[j] *= self.scales.per_square;
        }
    }

    /// What the constraints have moved by in stage i.
    #[inline(always)]
    fn increments(
        &self,
        point: &Point<R, Q, L, S>,
        i: usize,
        moving: &Vector<Increment<R>, Q>,
        moved: &mut [R; L],
    ) {
        let c = K::coefficients::<R>().c[i];
        let clock = Increment {
            x: self.t,
            p: c * self.h,
            r: R::ZERO,
        };
        let increments = self.model.constraint(clock, moving);
        for j in 0..L {
            moved[j] = c * point.joints.leading[j] + increments.data.0[0][j].r;
            if !K::Accuracy::STIFF {
                moved[j] += point.joints.defect[j];
            }
        }
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
