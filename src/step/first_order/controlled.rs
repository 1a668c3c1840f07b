//! First-order steps under error control, with dense output.

use super::{Factors, FirstOrderStepper, Trial};
use crate::method::{Collocation, Continuous, Embedded, Modes, Stages};
use crate::model::{FirstOrder, MassMatrix, Matrix, Vector};
use crate::number::Real;
use crate::step::checked_start;
use crate::step::geometry::combine;
use crate::step::{Budget, Controlled, Dense, Error, Report, Restart, Stepper, Tolerance};

impl<R, M, K, const N: usize, const U: usize, const S: usize> Dense
    for FirstOrderStepper<R, M, K, N, U, S>
where
    R: Real,
    M: FirstOrder<R, N, U>,
    K: Continuous<S>,
    Stages<S>: Modes,
{
    fn before(&self, by: R) -> Vector<R, N> {
        let weights = K::coefficients::<R>().integrals_to(R::ONE - by / self.h);
        let z = combine(&weights, &self.k);
        let mut x = self.x;
        for n in 0..N {
            x.data.0[0][n] += self.h * z[n];
        }
        x
    }
}

impl<R, M, K, const N: usize, const U: usize, const S: usize> Restart
    for FirstOrderStepper<R, M, K, N, U, S>
where
    R: Real,
    M: FirstOrder<R, N, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
{
    fn restart<T>(
        &mut self,
        t: R,
        u: &Vector<R, U>,
        edit: impl FnOnce(&mut M, &mut Vector<R, N>) -> T,
    ) -> Result<T, Error>
    where
        M: Clone,
    {
        let mut x = self.x;
        let answer = self.change(t, u, |model| {
            let before = model.clone();
            let answer = edit(model, &mut x);
            checked_start(&x)
                .map(|()| answer)
                .inspect_err(|_| *model = before)
        })??;
        self.x = x;
        (self.low, self.k) = ([R::ZERO; N], [[R::ZERO; N]; S]);
        self.expected = false;
        Ok(answer)
    }
}

/// The Jacobian and the matrices that were factorised with it.
pub struct KeptFactors<R: Real, const N: usize, const S: usize>
where
    Stages<S>: Modes,
{
    jacobian: Matrix<R, N, N>,
    factors: Factors<R, N, S>,
}

/// One over the tolerance of each component.
fn scale<R: Real, const N: usize>(
    x: &Vector<R, N>,
    tolerance: &Tolerance<R, Vector<R, N>>,
) -> [R; N] {
    let mut scale = [R::ZERO; N];
    for n in 0..N {
        let size = tolerance.relative * x.data.0[0][n].abs();
        scale[n] = R::ONE / (tolerance.absolute.data.0[0][n] + size);
    }
    scale
}

impl<R, M, K, const N: usize, const U: usize, const S: usize> Controlled
    for FirstOrderStepper<R, M, K, N, U, S>
where
    R: Real,
    M: FirstOrder<R, N, U>,
    K: Embedded<S>,
    Stages<S>: Modes,
{
    type Absolute = Vector<R, N>;
    type Factors = KeptFactors<R, N, S>;
    type Trial = Trial<R, N, S>;
    const STAGES: usize = S;

    fn absolute(&self, relative: R) -> Vector<R, N> {
        self.model.nominal() * relative
    }

    fn factor(
        &self,
        t: R,
        u: &Vector<R, U>,
        kept: Option<&KeptFactors<R, N, S>>,
    ) -> Result<KeptFactors<R, N, S>, Error> {
        let jacobian = match kept {
            Some(kept) => kept.jacobian,
            None => self.jacobian(t, u),
        };
        let factors = self.factor(&jacobian)?;
        Ok(KeptFactors { jacobian, factors })
    }

    #[inline(always)]
    fn attempt<B: Budget<R>>(
        &self,
        t: R,
        u: &Vector<R, U>,
        factors: &KeptFactors<R, N, S>,
        tolerance: &Tolerance<R, Vector<R, N>>,
        budget: &mut B,
    ) -> Result<(Trial<R, N, S>, Report<R>), Error> {
        let mut weights = scale(&self.x, tolerance);
        let mean = R::ONE / R::from_count((S * N) as u64).sqrt();
        for weight in &mut weights {
            *weight *= mean;
        }
        let norm = self.norm.weighted(weights);
        let (mut trial, report) = self.attempt(t, u, &factors.factors, &norm, budget)?;
        trial.expected = true;
        Ok((trial, report))
    }

    fn error(
        &self,
        t: R,
        u: &Vector<R, U>,
        factors: &KeptFactors<R, N, S>,
        trial: &Trial<R, N, S>,
        tolerance: &Tolerance<R, Vector<R, N>>,
        twice: bool,
    ) -> Result<R, Error> {
        let coefficients = K::coefficients::<R>();
        let scale = scale(&self.x, tolerance);
        // The embedded formula has the stages and the start as nodes; what it adds is mu h (f - E K) at the start, where K
        // is the polynomial of the stages' derivatives.
        let start = combine(&coefficients.values_at(R::ZERO), &trial.k);
        let continued = self.model.mass().times(&start);
        let weight = coefficients.real.eigenvalue * self.h;
        let mut error = [R::ZERO; N];
        let mut norm = R::ZERO;
        for _ in 0..=u8::from(twice) {
            let mut x = self.x;
            for n in 0..N {
                x.data.0[0][n] += error[n];
            }
            let f = self.model.rhs(t, &x, u);
            for n in 0..N {
                error[n] = weight * (f.data.0[0][n] - continued[n]);
            }
            for lu in factors.factors.real.as_ref() {
                lu.solve(&mut error);
            }
            norm = R::ZERO;
            for n in 0..N {
                norm += (error[n] * scale[n]).square();
            }
            norm = (norm / R::from_count(N as u64)).sqrt();
        }
        Ok(norm)
    }

    #[inline(always)]
    fn accept(&mut self, _t: R, _u: &Vector<R, U>, trial: Trial<R, N, S>) -> Result<(), Error> {
        self.accept(trial);
        Ok(())
    }
}
