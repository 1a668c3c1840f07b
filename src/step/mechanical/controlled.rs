//! Mechanical steps under error control, with dense output.

use super::residual::plus;
use super::{End, FactorsOf, MechanicalStepper, Trial};
use crate::manifold::free_motion;
use crate::method::{Collocation, Continuous, Embedded, Modes, Stages};
use crate::model::{Joints, MassMatrix, Mechanical, Motion, Vector};
use crate::number::Real;
use crate::step::geometry::{Geometry, combine, constraint_jacobian, constraint_rate, dot};
use crate::step::linearization::{Factors, Parts};
use crate::step::{Budget, Controlled, Dense, Error, Report, Restart, Tolerance};

impl<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize> Dense
    for MechanicalStepper<R, M, K, E, Q, L, U, S>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Continuous<S>,
    Stages<S>: Modes,
    E: End,
{
    fn before(&self, by: R) -> Motion<R, Q, L> {
        let coefficients = K::coefficients::<R>();
        let (h, x) = (self.h, R::ONE - by / self.h);
        let speed = combine(&coefficients.integrals_to(x), &self.w);
        let place = combine(&coefficients.double_integrals_to(x), &self.w);
        let weights = coefficients.values_at(x);
        let mut at = self.now;
        for n in 0..Q {
            at.q.data.0[0][n] += h * h * place[n] - by * at.v.data.0[0][n];
            at.v.data.0[0][n] += h * speed[n];
        }
        (at.a, at.lambda) = (
            combine(&weights, &self.w).into(),
            combine(&weights, &self.lambda).into(),
        );
        at
    }
}

impl<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize> Restart
    for MechanicalStepper<R, M, K, E, Q, L, U, S>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
    E: End,
{
    fn restart<T>(
        &mut self,
        t: R,
        u: &Vector<R, U>,
        edit: impl FnOnce(&mut M, &mut Motion<R, Q, L>) -> T,
    ) -> Result<T, Error>
    where
        M: Clone,
    {
        let (mut model, mut now) = (self.model.clone(), self.now);
        let answer = edit(&mut model, &mut now);
        let mut anew = Self::at(model, self.h, t, u, (now.q, now.v))?;
        anew.now.turns = now.turns;
        *self = anew;
        Ok(answer)
    }
}

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

/// What a Newton matrix is made of, and what it was factorised into.
pub struct KeptFactors<R, T, F, N, const Q: usize, const L: usize> {
    geometry: Geometry<R, F, Q, L>,
    parts: Parts<R, T, Q>,
    factors: N,
}

/// Accelerations and multipliers that belong to a projected velocity, of its order: the next prediction is far better for
/// them, the next estimate sees less of their error and needs no forces.
fn renew<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    u: &Vector<R, U>,
    now: &mut Motion<R, Q, L>,
) -> Result<(), Error>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
{
    let again = free_motion(model, t, &now.q, &now.v, u)?;
    (now.a, now.lambda) = (again.a, again.lambda);
    Ok(())
}

/// One over the tolerance of each component.
fn scale<R: Real, const N: usize>(x: &[R; N], relative: R, absolute: &[R; N]) -> [R; N] {
    let mut scale = [R::ZERO; N];
    for n in 0..N {
        scale[n] = R::ONE / (absolute[n] + relative * x[n].abs());
    }
    scale
}

/// The sum of squares of `by x_n scale_n`.
fn squares<R: Real, const N: usize>(x: &[R; N], by: R, scale: &[R; N]) -> R {
    let mut sum = R::ZERO;
    for n in 0..N {
        sum += (by * x[n] * scale[n]).square();
    }
    sum
}

impl<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize> Controlled
    for MechanicalStepper<R, M, K, E, Q, L, U, S>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Embedded<S>,
    Stages<S>: Modes,
    E: End,
{
    type Absolute = EachOfMotion<R, Q, L>;
    type Factors = KeptFactors<
        R,
        M::Mass<R>,
        <M::Mass<R> as MassMatrix<R, R, Q>>::Factor,
        FactorsOf<R, M, Q, L, U, S>,
        Q,
        L,
    >;
    type Trial = Trial<R, Q, L, S>;
    const STAGES: usize = S;
    const AT_END: u32 = Self::PROJECTED_RIGID as u32;
    const AN_ESTIMATE: u32 = 1 - Self::AT_END;

    fn absolute(&self, relative: R) -> EachOfMotion<R, Q, L> {
        let nominal = self.model.nominal();
        let (mut q, mut v) = (nominal.q, nominal.v);
        for n in 0..Q {
            q[n] *= relative;
            v[n] *= relative;
        }
        EachOfMotion {
            q,
            v,
            lambda: [relative; L],
        }
    }

    fn factor(
        &self,
        t: R,
        u: &Vector<R, U>,
        kept: Option<&Self::Factors>,
    ) -> Result<Self::Factors, Error> {
        let (geometry, parts) = match kept {
            Some(kept) => (kept.geometry, kept.parts),
            None => {
                let (t, q) = self.middle(t);
                let geometry = Geometry::at(&self.model, t, &q)?;
                let v = &self.now.v.data.0[0];
                (geometry, Parts::at(&self.model, t, &q, v, u))
            }
        };
        let joints = self.model.joints();
        let factors = Factors::factor(geometry, &parts, &joints, self.h, K::coefficients())?;
        Ok(KeptFactors {
            geometry,
            parts,
            factors,
        })
    }

    #[inline(always)]
    fn attempt<B: Budget<R>>(
        &self,
        t: R,
        u: &Vector<R, U>,
        factors: &Self::Factors,
        tolerance: &Tolerance<R, Self::Absolute>,
        budget: &mut B,
    ) -> Result<(Trial<R, Q, L, S>, Report<R>), Error> {
        // Positions move by h^2 A^2 dW, velocities, with the weight h, by h^2 A dW: about a third of h^2 dW. Ten times as strict
        // as that, because what an iteration leaves is alike in all steps and adds up to an error of lower order.
        let (relative, absolute) = (tolerance.relative, &tolerance.absolute);
        let q = scale(&self.now.q.data.0[0], relative, &absolute.q);
        let v = scale(&self.now.v.data.0[0], relative, &absolute.v);
        let mut weights = [R::ZERO; Q];
        let mean = self.h * R::from_f64(3.0) / R::from_count((S * Q) as u64).sqrt();
        for n in 0..Q {
            weights[n] = mean * q[n].max(v[n]);
        }
        let norm = self.norm.weighted(weights);
        let (mut trial, report) = self.attempt(t, u, &factors.factors, &norm, budget)?;
        trial.expected = true;
        Ok((trial, report))
    }

    /// With the norm (e_q, h e_v, h^2 e_lambda) of Lubich, section 8.
    fn error(
        &self,
        t: R,
        u: &Vector<R, U>,
        factors: &Self::Factors,
        trial: &Trial<R, Q, L, S>,
        tolerance: &Tolerance<R, Self::Absolute>,
        twice: bool,
    ) -> Result<R, Error> {
        let coefficients = K::coefficients::<R>();
        let (relative, absolute) = (tolerance.relative, &tolerance.absolute);
        let old = &self.now;
        let scales = EachOfMotion {
            q: scale(&old.q.data.0[0], relative, &absolute.q),
            v: scale(&old.v.data.0[0], relative, &absolute.v),
            lambda: scale(&old.lambda.data.0[0], relative, &absolute.lambda),
        };
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
        let slip = combine(&back, &trial.w);
        let a = combine(&start, &trial.w);
        let joints = self.model.joints();
        let (compliance, tau) = (joints.compliance(), joints.relaxation());
        let (mut e_q, mut e_v, mut e_lambda) = ([R::ZERO; Q], [R::ZERO; Q], [R::ZERO; L]);
        let mut norm = R::ZERO;
        for round in 0..=u8::from(twice) {
            let (mut q, mut v, mut lambda) =
                (old.q.data.0[0], old.v.data.0[0], old.lambda.data.0[0]);
            plus(&mut q, R::ONE, &e_q);
            plus(&mut v, R::ONE, &e_v);
            plus(&mut lambda, R::ONE, &e_lambda);
            let (g, rate) = constraint_rate(&self.model, t, &q, &v);
            let place = Vector::from(q);
            let mass = self.model.mass(&place);
            let mut r1: [R; Q] = mass.times(&a);
            if Self::PROJECTED_RIGID && round == 0 {
                // f - G^T lambda = M a is known.
                plus(&mut r1, -R::ONE, &mass.times(&old.a.data.0[0]));
            } else {
                let (_, jacobian) = constraint_jacobian(&self.model, t, &q);
                let force = self.model.force(t, &place, &Vector::from(v), u).data.0[0];
                plus(&mut r1, -R::ONE, &force);
                plus(&mut r1, R::ONE, &combine(&lambda, &jacobian));
            }
            let mut lag = e_v;
            plus(&mut lag, -h, &slip);
            let mut r2 = g;
            for j in 0..L {
                if M::Joints::DAMPED {
                    r2[j] += tau[j] * rate[j];
                }
                if M::Joints::ELASTIC {
                    r2[j] -= compliance[j] * lambda[j];
                }
                r2[j] += weight * dot(&factors.factors.geometry().jacobian[j], &lag);
                r2[j] /= h * h;
            }
            factors.factors.solve_real(&mut r1, &mut r2);
            for n in 0..Q {
                e_v[n] = weight * r1[n];
                e_q[n] = weight * (lag[n] + e_v[n]);
            }
            e_lambda = r2;
            let sum = squares(&e_q, R::ONE, &scales.q)
                + squares(&e_v, h, &scales.v)
                + squares(&e_lambda, h * h, &scales.lambda);
            norm = (sum / R::from_count((2 * Q + L) as u64)).sqrt();
        }
        Ok(norm)
    }

    fn accept(&mut self, t: R, u: &Vector<R, U>, trial: Trial<R, Q, L, S>) -> Result<(), Error> {
        let mut trial = trial;
        if Self::PROJECTED_RIGID {
            renew(&self.model, t, u, &mut trial.now)?;
            // The last stage is the end, and the others are continued from there.
            trial.w[S - 1] = trial.now.a.data.0[0];
            trial.lambda[S - 1] = trial.now.lambda.data.0[0];
        }
        self.accept(trial);
        Ok(())
    }

    fn renew(&mut self, t: R, u: &Vector<R, U>) -> Result<(), Error> {
        if Self::PROJECTED_RIGID {
            renew(&self.model, t, u, &mut self.now)?;
            self.w[S - 1] = self.now.a.data.0[0];
            self.lambda[S - 1] = self.now.lambda.data.0[0];
        }
        Ok(())
    }
}
