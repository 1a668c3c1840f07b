//! A collocation step for `E x' = f(t, x, u)`.
//!
//! Unknowns are the stage derivatives K: `X_i = x_n + h sum a_ij K_j`, `E K_i = f(t_n + c_i h, X_i, u)`. Each iteration
//! solves `(I (x) E - h A (x) J) dK = f(X) - E K`, one small real or complex system a mode of A.

mod controlled;
mod memory;

use super::geometry::combine;
use super::newton::{Norm, predictable, rescale};
use super::{Budget, Convergence, Error, Method, Report, Stepper};
use super::{checked_start, checked_step, inverse_magnitudes};
use crate::linear::Lu;
use crate::method::{Coefficients, Collocation, Mode, Modes, Slots, Stages};
use crate::model::{FirstOrder, MassMatrix, Matrix, Vector};
use crate::number::{Compensated, Complex, Field, Real};
use core::marker::PhantomData;

/// The kind of a first-order model, for inference.
#[derive(Clone, Copy, Debug)]
pub struct OfFirstOrder<R, const N: usize, const U: usize, const S: usize>(PhantomData<R>);

impl<R, M, K, const N: usize, const U: usize, const S: usize> Method<M, OfFirstOrder<R, N, U, S>>
    for K
where
    R: Real,
    M: FirstOrder<R, N, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
{
    type Real = R;
    type Start = Vector<R, N>;
    type Stepper = FirstOrderStepper<R, M, K, N, U, S>;

    fn stepper(self, model: M, h: R, start: Vector<R, N>) -> Result<Self::Stepper, Error> {
        FirstOrderStepper::new(model, self, h, start)
    }
}

/// The factorised matrices `E - h mu J`, one a mode.
#[derive(Clone, Copy)]
struct Factors<R: Real, const N: usize, const S: usize>
where
    Stages<S>: Modes,
{
    real: <Stages<S> as Modes>::PerReal<Lu<R, N>>,
    pairs: <Stages<S> as Modes>::PerPair<Lu<Complex<R>, N>>,
}

/// A first-order model with its state, stepped by the collocation method `K` of `S` stages.
#[derive(Clone)]
pub struct FirstOrderStepper<R: Real, M, K, const N: usize, const U: usize, const S: usize>
where
    Stages<S>: Modes,
{
    model: M,
    method: PhantomData<K>,
    h: R,
    x: Vector<R, N>,
    /// What rounding left out of x.
    low: [R; N],
    /// Stage derivatives of the last step, from which the next one starts.
    k: [[R; N]; S],
    norm: Norm<R, N>,
    factors: Factors<R, N, S>,
    /// Whether the last step went as predicted, so that the next one may be predicted from it.
    expected: bool,
}

/// A step that was tried: its end and its stages.
#[derive(Clone, Copy, Debug)]
pub struct Trial<R, const N: usize, const S: usize> {
    x: Vector<R, N>,
    low: [R; N],
    k: [[R; N]; S],
    expected: bool,
}

impl<R, M, K, const N: usize, const U: usize, const S: usize> FirstOrderStepper<R, M, K, N, U, S>
where
    R: Real,
    M: FirstOrder<R, N, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
{
    /// Whether one iteration is exact: for affine models, as long as the transformation to modes is good to rounding. With
    /// five stages it costs two digits, which a second iteration gives back.
    const EXACT: bool = M::AFFINE && S <= 3;

    /// A stepper at `x`, which must be finite.
    pub fn new(model: M, _method: K, h: R, x: Vector<R, N>) -> Result<Self, Error> {
        let h = checked_step(h)?;
        checked_start(&x)?;
        let norm = norm(&model.nominal())?;
        let mut stepper = FirstOrderStepper {
            model,
            method: PhantomData,
            h,
            x,
            low: [R::ZERO; N],
            k: [[R::ZERO; N]; S],
            norm,
            factors: Factors {
                real: Slots::filled(Lu::unit()),
                pairs: Slots::filled(Lu::unit()),
            },
            expected: false,
        };
        stepper.prepare()?;
        Ok(stepper)
    }

    /// Factorises what an affine model needs for all steps of a size, so that each of them costs the same.
    fn prepare(&mut self) -> Result<(), Error> {
        if M::AFFINE {
            let nothing = Vector::from([R::ZERO; U]);
            self.factors = self.factor(&self.jacobian(R::ZERO, &nothing))?;
        }
        Ok(())
    }

    /// The Jacobian half a step ahead, where it serves the whole step better.
    #[inline(always)]
    fn jacobian(&self, t: R, u: &Vector<R, U>) -> Matrix<R, N, N> {
        let half = self.h * R::from_f64(0.5);
        let mut middle = self.x;
        for n in 0..N {
            middle.data.0[0][n] += half * self.k[S - 1][n];
        }
        self.model.jacobian(t + half, &middle, u)
    }

    /// The factorised matrices of all modes.
    #[inline(always)]
    fn factor(&self, jacobian: &Matrix<R, N, N>) -> Result<Factors<R, N, S>, Error> {
        let coefficients = K::coefficients::<R>();
        let mass = self.model.mass();
        Ok(Factors {
            real: Slots::try_filled(|_| {
                let factor = coefficients.real.eigenvalue * self.h;
                Lu::factor(iteration_matrix(&mass, factor, jacobian))
            })?,
            pairs: Slots::try_filled(|k| {
                let factor = coefficients.pairs[k].eigenvalue.scale(self.h);
                Lu::factor(iteration_matrix(&mass, factor, jacobian))
            })?,
        })
    }

    /// Where the iteration starts: the last step's collocation polynomial, continued. An affine model needs no start,
    /// because one iteration is exact, and none is cheapest.
    #[inline(always)]
    fn predict(&self, coefficients: &Coefficients<R, S>) -> [[R; N]; S] {
        if Self::EXACT {
            return [[R::ZERO; N]; S];
        }
        // Without a guide from rest: the last derivative, held, may carry a state beyond where its model is defined. One way
        // or the other the same work, with `predictable` at the end, so that a jump does not change what a step costs.
        let mut k = [[R::ZERO; N]; S];
        if self.expected {
            for i in 0..S {
                k[i] = combine(&coefficients.extrapolation[i], &self.k);
            }
        }
        k
    }

    /// What an explicit first stage adds: `E^-1 f` at the old point, for which E must be regular.
    #[inline(always)]
    fn first(&self, t: R, u: &Vector<R, U>, mass: &M::Mass) -> Result<[R; N], Error> {
        let mut rows = [[R::ZERO; N]; N];
        mass.add_to(&mut rows);
        let mut k = self.model.rhs(t, &self.x, u).data.0[0];
        Lu::<R, N>::factor(rows)?.solve(&mut k);
        Ok(k)
    }

    /// `f(X_i) - E K_i` for every stage.
    #[inline(always)]
    fn residual(
        &self,
        t: R,
        u: &Vector<R, U>,
        mass: &M::Mass,
        (first, k): (&[R; N], &[[R; N]; S]),
        coefficients: &Coefficients<R, S>,
    ) -> [[R; N]; S] {
        let mut residual = [[R::ZERO; N]; S];
        for i in 0..S {
            let mut x = self.x;
            if K::EXPLICIT_FIRST {
                for n in 0..N {
                    x.data.0[0][n] += self.h * coefficients.first[i] * first[n];
                }
            }
            if !Self::EXACT {
                for n in 0..N {
                    let mut z = coefficients.a[i][0] * k[0][n];
                    for j in 1..S {
                        z += coefficients.a[i][j] * k[j][n];
                    }
                    x.data.0[0][n] += self.h * z;
                }
            }
            let f = self.model.rhs(t + coefficients.c[i] * self.h, &x, u);
            residual[i] = f.data.0[0];
            if !Self::EXACT {
                let ek = mass.times(&k[i]);
                for n in 0..N {
                    residual[i][n] -= ek[n];
                }
            }
        }
        residual
    }

    /// Tries a step, with increments measured by `norm`.
    #[inline(always)]
    fn attempt<B: Budget<R>>(
        &self,
        t: R,
        u: &Vector<R, U>,
        factors: &Factors<R, N, S>,
        norm: &Norm<R, N>,
        budget: &mut B,
    ) -> Result<(Trial<R, N, S>, Report<R>), Error> {
        let coefficients = K::coefficients::<R>();
        let mass = self.model.mass();
        let mut first = [R::ZERO; N];
        if K::EXPLICIT_FIRST {
            first = self.first(t, u, &mass)?;
        }
        let mut k = self.predict(coefficients);
        let mut convergence = Convergence::start(norm.floor);
        while budget.another(&convergence) {
            let residual = self.residual(t, u, &mass, (&first, &k), coefficients);
            let mut dk = [[R::ZERO; N]; S];
            for lu in factors.real.as_ref() {
                contribute(&coefficients.real, lu, &residual, &mut dk);
            }
            for (lu, mode) in factors.pairs.as_ref().iter().zip(&coefficients.pairs) {
                contribute(mode, lu, &residual, &mut dk);
            }
            for i in 0..S {
                for n in 0..N {
                    k[i][n] += dk[i][n];
                }
            }
            convergence.record(squares(&dk, self.h, &norm.weights));
            if Self::EXACT {
                break;
            }
        }
        let report = budget.verdict(&convergence, Self::EXACT)?;
        let (mut x, mut low) = (self.x, self.low);
        for n in 0..N {
            let mut z = coefficients.b[0] * k[0][n];
            for j in 1..S {
                z += coefficients.b[j] * k[j][n];
            }
            if K::EXPLICIT_FIRST {
                z += coefficients.first[S - 1] * first[n];
            }
            let sum = Compensated {
                high: x.data.0[0][n],
                low: low[n],
            }
            .plus(self.h * z);
            if !sum.high.finite() {
                return Err(Error::NonFinite);
            }
            (x.data.0[0][n], low[n]) = (sum.high, sum.low);
        }
        // Where one iteration is exact nothing is predicted.
        let expected = if Self::EXACT {
            false
        } else if self.expected {
            convergence.expected()
        } else {
            let stages = (&self.k, &k);
            predictable(&coefficients.extrapolation, stages, &norm.weights, self.h)
        };
        let trial = Trial {
            x,
            low,
            k,
            expected,
        };
        Ok((trial, report))
    }

    /// Takes a step that was tried.
    #[inline(always)]
    fn accept(&mut self, trial: Trial<R, N, S>) {
        (self.x, self.low, self.k) = (trial.x, trial.low, trial.k);
        self.expected = trial.expected;
    }
}

/// The weighted sum of squares of the increments `h dK`.
#[inline(always)]
fn squares<R: Real, const N: usize, const S: usize>(dk: &[[R; N]; S], h: R, weights: &[R; N]) -> R {
    let mut sum = R::ZERO;
    for n in 0..N {
        let weight = h * weights[n];
        for i in 0..S {
            let d = dk[i][n] * weight;
            sum += d * d;
        }
    }
    sum
}

/// The rows of `E - factor J`.
#[inline(always)]
fn iteration_matrix<R: Real, F: Field<Real = R>, E: MassMatrix<R, R, N>, const N: usize>(
    mass: &E,
    factor: F,
    j: &Matrix<R, N, N>,
) -> [[F; N]; N] {
    let mut rows = [[F::ZERO; N]; N];
    for row in 0..N {
        for column in 0..N {
            rows[row][column] = factor.scale(-j.data.0[column][row]);
        }
    }
    mass.add_to(&mut rows);
    rows
}

/// Adds what a mode contributes to the stages: its amplitude of the residual, solved, along its eigenvector.
#[inline(always)]
fn contribute<R: Real, F: Field<Real = R>, const N: usize, const S: usize>(
    mode: &Mode<F, S>,
    lu: &Lu<F, N>,
    residual: &[[R; N]; S],
    dk: &mut [[R; N]; S],
) {
    let mut d = [F::ZERO; N];
    for n in 0..N {
        d[n] = mode.left[0].scale(residual[0][n]);
        for i in 1..S {
            d[n] = d[n] + mode.left[i].scale(residual[i][n]);
        }
    }
    lu.solve(&mut d);
    for i in 0..S {
        for n in 0..N {
            dk[i][n] += (mode.right[i] * d[n]).real_part();
        }
    }
}

/// Increments in units of the nominal magnitudes.
fn norm<R: Real, const N: usize>(nominal: &Vector<R, N>) -> Result<Norm<R, N>, Error> {
    Ok(Norm {
        weights: inverse_magnitudes(&nominal.data.0[0])?,
        floor: R::EPSILON * R::from_f64(2.0),
    })
}

impl<R, M, K, const N: usize, const U: usize, const S: usize> Stepper
    for FirstOrderStepper<R, M, K, N, U, S>
where
    R: Real,
    M: FirstOrder<R, N, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
{
    type Real = R;
    type Model = M;
    type Input = Vector<R, U>;
    type State = Vector<R, N>;

    #[inline(always)]
    fn take_step<B: Budget<R>>(
        &mut self,
        t: R,
        u: &Self::Input,
        budget: &mut B,
    ) -> Result<Report<R>, Error> {
        if !M::AFFINE {
            self.factors = self.factor(&self.jacobian(t, u))?;
        }
        let (trial, report) = self.attempt(t, u, &self.factors, &self.norm, budget)?;
        self.accept(trial);
        Ok(report)
    }

    #[inline(always)]
    fn h(&self) -> R {
        self.h
    }

    fn set_h(&mut self, h: R) -> Result<(), Error> {
        let before = self.h;
        self.h = checked_step(h)?;
        if let Err(error) = self.prepare() {
            self.h = before;
            return Err(error);
        }
        let ratio = h / before;
        self.expected &= rescale(K::coefficients(), ratio, &mut self.k);
        Ok(())
    }

    #[inline(always)]
    fn state(&self) -> &Self::State {
        &self.x
    }

    #[inline(always)]
    fn model(&self) -> &M {
        &self.model
    }

    fn model_mut(&mut self) -> &mut M {
        &mut self.model
    }

    fn refit(&mut self, _t: R, _u: &Self::Input) -> Result<(), Error> {
        let norm = norm(&self.model.nominal())?;
        self.prepare()?;
        self.norm = norm;
        Ok(())
    }
}
