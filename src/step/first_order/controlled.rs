//! First-order steps under error control.

use super::zeros::ZerosOf;
use super::{Factors, OnFirstOrder};
use crate::geometry::combine;
use crate::linear::Shape;
use crate::method::{Embedded, Modes, Stages};
use crate::model::{FirstOrder, MassMatrix, Matrix, Vector};
use crate::number::Real;
use crate::step::newton::Norm;
use crate::step::prediction::Start;
use crate::step::scheme::{Estimated, Factorised, Measure, Now, Old};
use crate::step::{Error, Estimate, Tolerance};

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

/// Weights of variables by their index: `steps` for each above the first, where a step is so much of the model's pace.
fn weighted_by_index<R: Real, const N: usize>(scale: &[R; N], index: &[u8; N], steps: R) -> [R; N] {
    let mut weighted = *scale;
    for n in 0..N {
        for _ in 1..index[n] {
            weighted[n] *= steps;
        }
    }
    weighted
}

/// The root of the mean square of `x_n scale_n`.
fn mean<R: Real, const N: usize>(x: &[R; N], scale: &[R; N]) -> R {
    let mut sum = R::ZERO;
    for n in 0..N {
        sum += (x[n] * scale[n]).square();
    }
    (sum / R::from_count(N as u64)).sqrt()
}

impl<R, M, K, const N: usize, const U: usize, const S: usize> Estimated
    for OnFirstOrder<R, M, K, N, U, S>
where
    R: Real,
    M: FirstOrder<R, N, U>,
    K: Embedded<S>,
    Stages<S>: Modes,
{
    type Absolute = Vector<R, N>;
    type Noise = [R; N];
    const STAGES: usize = S;

    fn absolute(model: &M, _x: &Vector<R, N>, relative: R) -> Result<Vector<R, N>, Error> {
        Ok(model.nominal() * relative)
    }

    fn noise(
        old: &Old<'_, Self>,
        jacobian: &Matrix<R, N, N>,
        factors: &Factors<R, N, S>,
    ) -> [R; N] {
        old.noise(jacobian, factors)
    }

    fn tolerated(
        old: &Old<'_, Self>,
        factors: &Factorised<Self>,
        (tolerance, _): Measure<'_, Self>,
    ) -> Result<Norm<R, N>, Error> {
        let steps = old.h / old.model.pace();
        let scale = scale(old.state, tolerance);
        let mut weights = weighted_by_index(&scale, &old.model.index(), steps);
        let mean = R::ONE / R::from_count((S * N) as u64).sqrt();
        for weight in &mut weights {
            *weight *= mean;
        }
        Ok(Norm::rounded(weights, &factors.noise, S))
    }

    fn trust(trial: &mut Now<Self>) {
        trial.carry.start = Start::Continued;
    }

    fn error(
        old: &Old<'_, Self>,
        factors: &Factorised<Self>,
        trial: &Now<Self>,
        (tolerance, _): Measure<'_, Self>,
        twice: bool,
    ) -> Result<Estimate<R>, Error> {
        let table = K::coefficients::<R>();
        let scale = scale(old.state, tolerance);
        // The embedded formula has the stages and the start as nodes; what it adds is mu h (f - E K) at the start, where K
        // is the polynomial of the stages' derivatives.
        let start = combine(&table.values_at(R::ZERO), &trial.carry.k);
        let continued = old.model.mass().times(&start);
        let weight = table.real.eigenvalue * old.h;
        let mut error = [R::ZERO; N];
        for _ in 0..=u8::from(twice) {
            let mut x = *old.state;
            for n in 0..N {
                x.data.0[0][n] += error[n];
            }
            let f = old.model.rhs(old.t, &x, old.u);
            for n in 0..N {
                error[n] = weight * (f.data.0[0][n] - continued[n]);
            }
            for lu in factors.factors.modes.real.as_ref() {
                lu.solve_around(ZerosOf::<R, M, N, U>::KNOWN, &mut error);
            }
        }
        let steps = old.h / old.model.pace();
        let weighted = weighted_by_index(&scale, &old.model.index(), steps);
        Ok(Estimate {
            error: mean(&error, &weighted),
            all: mean(&error, &scale),
            evaluations: 1 + u32::from(twice),
        })
    }
}
