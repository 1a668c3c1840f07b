//! Mechanical steps under error control.

use super::measure::{scales, softness, split};
use super::scales::{Scales, nominal_multipliers};
use super::{FactorsOf, Linear, Manner, MassFactorOf, MassOf, OnMechanical, StageValues};
use crate::geometry::{combine, constraint_jacobian, constraint_rate, dot, plus};
use crate::method::Embedded;
use crate::model::{Joints, MassMatrix, Mechanical, Motion, Vector};
use crate::number::Real;
use crate::step::controlled::{all_positive, squares};
use crate::step::linearization::Factors;
use crate::step::prediction::Start;
use crate::step::scheme::{Estimated, Factorised, Measure, Now, Old, Place};
use crate::step::{Control, Each, Error, Estimate};

/// One for each coordinate, velocity and multiplier, such as a tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EachOfMotion<R, const Q: usize, const L: usize> {
    /// Of the coordinates.
    pub q: [R; Q],
    /// Of the velocities.
    pub v: [R; Q],
    /// Of the multipliers.
    pub lambda: [R; L],
}

impl<R: Real, const Q: usize, const L: usize> Each for EachOfMotion<R, Q, L> {
    fn positive(&self) -> bool {
        all_positive(self.q.iter().chain(&self.v).chain(&self.lambda))
    }
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>
    Old<'_, OnMechanical<R, M, K, Q, L, U, S>>
where
    M: Mechanical<R, Q, L, U>,
    K: Manner<S, Of: Embedded<S>>,
{
    /// The difference of a step to the embedded formula, filtered by the real factorisation; the second time from where the
    /// first one leads.
    fn estimate(
        &self,
        factors: &FactorsOf<R, M, K, Q, L, U, S>,
        found: &StageValues<R, Q, L, S>,
        twice: bool,
    ) -> EachOfMotion<R, Q, L> {
        let coefficients = K::coefficients::<R>();
        let h = self.h;
        let weight = coefficients.real.eigenvalue * h;
        let start = coefficients.values_at(R::ZERO);
        // What the stages' polynomials say of q' and v' at the start.
        let mut back = [R::ZERO; S];
        for j in 0..S {
            for i in 0..S {
                back[j] += start[i] * coefficients.a[i][j];
            }
        }
        let slip = combine(&back, &found.w);
        let a = combine(&start, &found.w);
        let mut error = EachOfMotion {
            q: [R::ZERO; Q],
            v: [R::ZERO; Q],
            lambda: [R::ZERO; L],
        };
        for round in 0..=u8::from(twice) {
            let mut lag = error.v;
            plus(&mut lag, -h, &slip);
            let (mut r1, mut r2) = self.lacking(&error, &a, round == 0);
            for j in 0..L {
                r2[j] += weight * dot(&factors.geometry().jacobian[j], &lag);
                r2[j] /= h * h;
            }
            factors.solve_real(&mut r1, &mut r2);
            for n in 0..Q {
                error.v[n] = -weight * r1[n];
                error.q[n] = weight * (lag[n] + error.v[n]);
            }
            error.lambda = r2;
        }
        error
    }

    /// What the equations lack at `error` from the old point with accelerations `a`; at the old point itself in the first round.
    fn lacking(&self, error: &EachOfMotion<R, Q, L>, a: &[R; Q], first: bool) -> ([R; Q], [R; L]) {
        let (old, t, joints) = (self.state, self.t, self.model.joints());
        let (mut q, mut v, mut lambda) = (old.q.data.0[0], old.v.data.0[0], old.lambda.data.0[0]);
        plus(&mut q, R::ONE, &error.q);
        plus(&mut v, R::ONE, &error.v);
        plus(&mut lambda, R::ONE, &error.lambda);
        let (g, rate) = constraint_rate(self.model, t, &q, &v);
        let place = Vector::from(q);
        let mass = self.model.mass(&place);
        let mut r1: [R; Q] = mass.times(a);
        if OnMechanical::<R, M, K, Q, L, U, S>::PROJECTED_RIGID && first {
            // f - G^T lambda = M a is known.
            plus(&mut r1, -R::ONE, &mass.times(&old.a.data.0[0]));
        } else {
            let (_, jacobian) = constraint_jacobian(self.model, t, &q);
            let force = self.model.force(t, &place, &Vector::from(v), self.u).data.0[0];
            plus(&mut r1, -R::ONE, &force);
            plus(&mut r1, R::ONE, &combine(&lambda, &jacobian));
        }
        let (compliance, tau) = (joints.compliance(), joints.relaxation());
        let mut r2 = g;
        for j in 0..L {
            if M::Joints::DAMPED {
                r2[j] += tau[j] * rate[j];
            }
            if M::Joints::ELASTIC {
                r2[j] -= compliance[j] * lambda[j];
            }
        }
        (r1, r2)
    }
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize> Estimated
    for OnMechanical<R, M, K, Q, L, U, S>
where
    M: Mechanical<R, Q, L, U>,
    K: Manner<S, Of: Embedded<S>>,
{
    type Absolute = EachOfMotion<R, Q, L>;
    type Noise = ();
    const STAGES: usize = S;
    const AT_END: u32 = Self::SETTLES as u32;

    fn absolute(
        model: &M,
        at: &Motion<R, Q, L>,
        relative: R,
    ) -> Result<EachOfMotion<R, Q, L>, Error> {
        let nominal = model.nominal();
        let lambda = nominal_multipliers(model, R::ZERO, &at.q.data.0[0])?;
        Ok(EachOfMotion {
            q: nominal.q.map(|x| x * relative),
            v: nominal.v.map(|x| x * relative),
            lambda: lambda.map(|x| x * relative),
        })
    }

    fn noise(
        _old: &Old<'_, Self>,
        _linear: &Linear<R, MassOf<R, M, Q, L, U>, MassFactorOf<R, M, Q, L, U>, Q, L>,
        _factors: &FactorsOf<R, M, K, Q, L, U, S>,
    ) {
    }

    fn tolerated(
        old: &Old<'_, Self>,
        factors: &Factorised<Self>,
        (tolerance, control): Measure<'_, Self>,
    ) -> Result<Scales<R, Q, L>, Error> {
        let norm = old.norm(factors.factors.geometry(), tolerance, control)?;
        let mut scales = *old.scales;
        scales.measure_by(norm, old.h);
        Ok(scales)
    }

    fn trust(trial: &mut Now<Self>) {
        trial.carry.start = Start::Continued;
    }

    fn error(
        old: &Old<'_, Self>,
        factors: &Factorised<Self>,
        trial: &Now<Self>,
        (tolerance, control): Measure<'_, Self>,
        twice: bool,
    ) -> Result<Estimate<R>, Error> {
        let (h, scales) = (old.h, scales(old.state, tolerance));
        let error = old.estimate(&factors.factors, &trial.carry.stages, twice);
        let known = u32::from(Self::PROJECTED_RIGID);
        let mut evaluations = 1 + u32::from(twice) - known;
        let norm = |sum: R| (sum / R::from_count((2 * Q + L) as u64)).sqrt();
        let position = squares(&error.q, R::ONE, &scales.q);
        let mut all = position
            + squares(&error.v, R::ONE, &scales.v)
            + squares(&error.lambda, R::ONE, &scales.lambda);
        let sum = match control {
            Control::Radau5 => {
                let speed = squares(&error.v, h, &scales.v);
                let force = squares(&error.lambda, h * h, &scales.lambda);
                position + speed + force
            }
            Control::Tolerances => {
                let geometry = factors.factors.geometry();
                let softness = softness::<_, _, _, Q, L, S>(&old.model.joints(), geometry, h);
                let mut split = split(&error, geometry, &softness)?;
                // A stiff spring that rings in earnest is not to be stepped over.
                let ringing = if M::Joints::ELASTIC {
                    squares(&split.stiff_v, tolerance.relative.sqrt(), &scales.v)
                } else {
                    R::ZERO
                };
                let mut stiff = squares(&split.stiff_v, h, &scales.q)
                    + squares(&split.stiff_a, h * h, &scales.q);
                if Self::SETTLES {
                    // These parts are replaced by what follows from the others.
                    let (moved, more) = Self::follow(old, &split.soft)?;
                    evaluations += more;
                    for j in 0..L {
                        split.soft.lambda[j] += moved[j] / (R::ONE + softness[j]);
                    }
                    stiff = R::ZERO;
                }
                let soft = position
                    + squares(&split.soft.v, R::ONE, &scales.v)
                    + squares(&split.soft.lambda, R::ONE, &scales.lambda);
                if Self::SETTLES {
                    all = soft;
                }
                soft + stiff + ringing
            }
        };
        Ok(Estimate {
            error: norm(sum),
            all: norm(all),
            evaluations,
        })
    }

    fn settled(at: &Place<'_, Self>, trial: Now<Self>) -> Result<Now<Self>, Error> {
        Self::settle(at, trial)
    }
}
