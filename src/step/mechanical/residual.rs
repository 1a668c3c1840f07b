//! The residuals of a stage: with constraints as they are in double precision, with their increments in single.

use super::{End, MechanicalStepper};
use crate::method::{Accuracy, Coefficients, Collocation, Modes, Stages};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical, Vector};
use crate::number::{Increment, Real, Scalar};
use crate::step::Error;
use crate::step::geometry::{Geometry, combine, constraint_jacobian, constraint_rate};

/// What a step knows of its old point.
pub(super) struct Old<R, const Q: usize, const L: usize> {
    /// The acceleration, if the method has an explicit stage there.
    pub a: [R; Q],
    /// `h (g_t + G v)`: the leading part of the constraints' motion, the same in all stages but for c_i.
    pub leading: [R; L],
    pub rate: [R; L],
    /// What the old point's own constraints lack.
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
    MechanicalStepper<R, M, K, E, Q, L, U, S>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
    E: End,
{
    /// The constraints at the old point.
    #[inline(always)]
    pub(super) fn old(&self, t: R, u: &Vector<R, U>) -> Result<Old<R, Q, L>, Error> {
        let (g, rate) =
            constraint_rate(&self.model, t, &self.now.q.data.0[0], &self.now.v.data.0[0]);
        let joints = self.model.joints();
        let (compliance, tau) = (joints.compliance(), joints.relaxation());
        let (mut leading, mut defect) = (rate, g);
        for j in 0..L {
            leading[j] *= self.h;
            if M::Joints::DAMPED {
                defect[j] += tau[j] * rate[j];
            }
            if M::Joints::ELASTIC {
                defect[j] -= compliance[j] * self.now.lambda.data.0[0][j];
            }
        }
        let mut a = [R::ZERO; Q];
        if K::EXPLICIT_FIRST {
            // With the multiplier carried over from the last stage of the step before (Jay & Petzold, section 3).
            let geometry = Geometry::at(&self.model, t, &self.now.q.data.0[0])?;
            a = self.model.force(t, &self.now.q, &self.now.v, u).data.0[0];
            geometry.mass.solve(&mut a);
            let pull = geometry.respond(&self.now.lambda.data.0[0]);
            plus(&mut a, -R::ONE, &pull);
        }
        Ok(Old {
            a,
            leading,
            rate,
            defect,
        })
    }

    /// The residuals of stage i.
    #[inline(always)]
    pub(super) fn residual(
        &self,
        t: R,
        u: &Vector<R, U>,
        old: &Old<R, Q, L>,
        i: usize,
        (w, lambda): (&[[R; Q]; S], &[[R; L]; S]),
        coefficients: &Coefficients<R, S>,
    ) -> ([R; Q], [R; L]) {
        let h = self.h;
        let (q0, v0) = (&self.now.q.data.0[0], &self.now.v.data.0[0]);
        let ahead = coefficients.c[i] * h;
        let (mut q, mut v) = (*q0, *v0);
        let mut moving = [Increment::constant(R::ZERO); Q];
        let (mut speed, mut place) = (
            combine(&coefficients.a[i], w),
            combine(&coefficients.a2[i], w),
        );
        if K::EXPLICIT_FIRST {
            plus(&mut speed, coefficients.first[i], &old.a);
            plus(&mut place, coefficients.first2[i], &old.a);
        }
        for n in 0..Q {
            moving[n] = Increment {
                x: q0[n],
                p: ahead * v0[n],
                r: h * h * place[n],
            };
            q[n] = moving[n].end();
            v[n] += h * speed[n];
        }
        let time = t + ahead;
        let places = Vector::from(q);
        let mut r1: [R; Q] = self.model.mass(&places).times(&w[i]);
        let force = self.model.force(time, &places, &Vector::from(v), u).data.0[0];
        let (mut r2, jacobian) = constraint_jacobian(&self.model, time, &q);
        let pull = combine(&lambda[i], &jacobian);
        for n in 0..Q {
            r1[n] = r1[n] - force[n] + pull[n];
        }
        let joints = self.model.joints();
        let (compliance, tau) = (joints.compliance(), joints.relaxation());
        if !R::EXACT_ENOUGH {
            let clock = Increment {
                x: t,
                p: ahead,
                r: R::ZERO,
            };
            let increments = self.model.constraint(clock, &Vector::from(moving)).data.0[0];
            for j in 0..L {
                r2[j] = coefficients.c[i] * old.leading[j] + increments[j].r;
                if !K::Accuracy::STIFF {
                    r2[j] += old.defect[j];
                }
            }
        }
        if M::Joints::DAMPED {
            let (_, rate) = constraint_rate(&self.model, time, &q, &v);
            for j in 0..L {
                r2[j] += tau[j]
                    * if R::EXACT_ENOUGH {
                        rate[j]
                    } else {
                        rate[j] - old.rate[j]
                    };
            }
        }
        if M::Joints::ELASTIC {
            for j in 0..L {
                let before = self.now.lambda.data.0[0][j];
                r2[j] -= compliance[j]
                    * if R::EXACT_ENOUGH {
                        lambda[i][j]
                    } else {
                        lambda[i][j] - before
                    };
            }
        }
        let scale = R::ONE / (h * h);
        for j in 0..L {
            r2[j] *= scale;
        }
        (r1, r2)
    }
}
