//! First-order steps under error control.

use super::zeros::ZerosOf;
use super::{FirstOrderFactors, OnFirstOrder};
use crate::geometry::{combine, plus};
use crate::linear::Shape;
use crate::method::Embedded;
use crate::model::{FirstOrder, MassMatrix, Matrix, Vector};
use crate::number::Real;
use crate::step::controlled::{inverse, squares};
use crate::step::newton::Norm;
use crate::step::prediction::Start;
use crate::step::scheme::{Estimated, Factorised, Measure, Now, Old};
use crate::step::{Error, Estimate, Tolerance};

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

/// One over the tolerance of each component.
fn scale<R: Real, const N: usize>(
    x: &Vector<R, N>,
    tolerance: &Tolerance<R, Vector<R, N>>,
) -> [R; N] {
    let absolute = &tolerance.absolute.data.0[0];
    inverse(&x.data.0[0], tolerance.relative, absolute)
}

/// The root of the mean square of `x_n scale_n`.
fn mean<R: Real, const N: usize>(x: &[R; N], scale: &[R; N]) -> R {
    (squares(x, R::ONE, scale) / R::from_count(N as u64)).sqrt()
}

impl<R, M: FirstOrder<R, N, U>, K: Embedded<S>, const N: usize, const U: usize, const S: usize>
    Estimated for OnFirstOrder<R, M, K, N, U, S>
{
    type Absolute = Vector<R, N>;
    type Noise = [R; N];
    const STAGES: usize = S;

    fn frugal(model: &M) -> bool {
        model.index().iter().all(|index| *index < 2)
    }

    fn absolute(model: &M, _x: &Vector<R, N>, relative: R) -> Result<Vector<R, N>, Error> {
        Ok(model.nominal() * relative)
    }

    fn noise(
        old: &Old<'_, Self>,
        jacobian: &Matrix<R, N, N>,
        factors: &FirstOrderFactors<R, N, S>,
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
            plus(&mut x.data.0[0], R::ONE, &error);
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

#[cfg(test)]
mod tests {
    use super::{mean, scale, weighted_by_index};
    use crate::drive::{Adaptive, Simulation};
    use crate::method::RadauIIA;
    use crate::model::{FirstOrder, Unit, Vector};
    use crate::number::Scalar;
    use crate::step::{Error, Tolerance};

    /// Absolute and relative tolerances together, whatever the sign; a root mean square of errors in them.
    #[test]
    fn errors_are_measured_by_their_tolerances() {
        let tolerance = Tolerance {
            relative: 0.5,
            absolute: Vector::from([1.0, 2.0]),
        };
        let scale = scale(&Vector::from([2.0, -4.0]), &tolerance);
        assert_eq!(scale, [0.5, 0.25]);
        assert_eq!(mean(&[6.0, -16.0], &scale), libm::sqrt((9.0 + 16.0) / 2.0));
        // A variable of index k counts by the step to the power of k - 1.
        assert_eq!(
            weighted_by_index(&[8.0; 4], &[0, 1, 2, 3], 0.5),
            [8.0, 8.0, 4.0, 2.0]
        );
    }

    /// The rate is a power of time.
    #[derive(Clone, Copy)]
    struct Power(i32);
    impl FirstOrder<f64, 1, 0> for Power {
        type Mass = Unit;
        fn rhs<T: Scalar<f64>>(
            &self,
            t: T,
            _x: &Vector<T, 1>,
            _u: &Vector<f64, 0>,
        ) -> Vector<T, 1> {
            [t.powi(self.0)].into()
        }
    }

    /// Three stages integrate a cubic's rate exactly, within the step, too.
    #[test]
    fn dense_output_is_exact_for_polynomials() -> Result<(), Error> {
        let mut plant = Simulation::new(Power(2), RadauIIA::<3>, 0.5, Vector::from([1.0]))?;
        for _ in 0..3 {
            plant.step()?;
        }
        for by in [0.0, 0.1, 0.25, 0.5] {
            let t: f64 = 1.5 - by;
            assert!(
                (plant.before(by)[0] - 1.0 - t.powi(3) / 3.0).abs() < 1e-14,
                "{by}"
            );
        }
        Ok(())
    }

    /// A run to an end that keeps its tolerance, by far more than one step.
    #[test]
    fn an_adaptive_run_keeps_its_tolerance() -> Result<(), Error> {
        let mut plant = Adaptive::new(Power(7), RadauIIA::<3>, 1e-6, 1e-3, Vector::from([0.0]))?;
        plant.run_to(2.0)?;
        let off = plant.state()[0] / 32.0 - 1.0;
        assert!(off.abs() < 1e-6, "{off:e}");
        assert_eq!(plant.time(), 2.0);
        Ok(())
    }
}
