//! A Runge-Kutta step for Hessenberg systems, Schropp's (2.5)-(2.8).
//!
//! Unknowns are the stage derivatives U', V' and the multipliers Lambda. The Newton matrix is that of the leading terms,
//! `dV' = -r_v + k_lambda dLambda`, `dU' = -r_u + h A f_v dV'`, `g_u h A dU' = -g`, and so
//!
//! ```text
//! g_u f_v k_lambda dLambda = A^-1 (g_u r_u / h - A^-1 g / h^2) + g_u f_v r_v
//! ```
//!
//! one real matrix of the size of the constraints for all stages. It contracts with order h, as long as nothing else in f
//! and k is stiff.

mod leading;

use super::geometry::combine;
use super::newton::predictable;
use super::{
    Budget, Convergence, End, Error, Free, Method, OntoManifold, Report, Stepper, checked_state,
    checked_step,
};
use crate::method::{
    Accuracy, Coefficients, Collocation, Modes, Projected, Stages, StifflyAccurate,
};
use crate::model::{Constrained, Hessenberg, Vector};
use crate::number::{Compensated, Dual, Real, Scalar};
use core::marker::PhantomData;
use leading::{Leading, project, rate};

/// The kind of a Hessenberg system, for inference.
#[derive(Clone, Copy, Debug)]
pub struct OfHessenberg<
    R,
    const N: usize,
    const V: usize,
    const L: usize,
    const U: usize,
    const S: usize,
>(PhantomData<R>);

impl<R, M, K, const N: usize, const V: usize, const L: usize, const U: usize, const S: usize>
    Method<M, OfHessenberg<R, N, V, L, U, S>> for K
where
    R: Real,
    M: Hessenberg<R, N, V, L, U>,
    K: Collocation<S, Accuracy = StifflyAccurate>,
    Stages<S>: Modes,
{
    type Real = R;
    type Start = (Vector<R, N>, Vector<R, V>);
    type Stepper = HessenbergStepper<R, M, K, Free, N, V, L, U, S>;

    fn stepper(self, model: M, h: R, start: Self::Start) -> Result<Self::Stepper, Error> {
        HessenbergStepper::new(model, h, start)
    }
}

impl<R, M, K, const N: usize, const V: usize, const L: usize, const U: usize, const S: usize>
    Method<M, OfHessenberg<R, N, V, L, U, S>> for Projected<K>
where
    R: Real,
    M: Hessenberg<R, N, V, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
{
    type Real = R;
    type Start = (Vector<R, N>, Vector<R, V>);
    type Stepper = HessenbergStepper<R, M, K, OntoManifold, N, V, L, U, S>;

    fn stepper(self, model: M, h: R, start: Self::Start) -> Result<Self::Stepper, Error> {
        HessenbergStepper::new(model, h, start)
    }
}

/// A Hessenberg system with its state, stepped by the method `K` of `S` stages.
pub struct HessenbergStepper<
    R: Real,
    M,
    K,
    E,
    const N: usize,
    const V: usize,
    const L: usize,
    const U: usize,
    const S: usize,
> {
    model: M,
    method: PhantomData<(K, E)>,
    h: R,
    now: Constrained<R, N, V, L>,
    low_u: [R; N],
    low_v: [R; V],
    stages: Unknowns<R, N, V, L, S>,
    expected: bool,
    /// One over the nominal magnitudes of u and v.
    weights: ([R; N], [R; V]),
}

/// Stage derivatives and multipliers.
#[derive(Clone, Copy)]
struct Unknowns<R, const N: usize, const V: usize, const L: usize, const S: usize> {
    du: [[R; N]; S],
    dv: [[R; V]; S],
    lambda: [[R; L]; S],
}

impl<R, M, K, E, const N: usize, const V: usize, const L: usize, const U: usize, const S: usize>
    HessenbergStepper<R, M, K, E, N, V, L, U, S>
where
    R: Real,
    M: Hessenberg<R, N, V, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
    E: End,
{
    /// A stepper at (u, v), which must be consistent up to what three iterations of the projection can mend; the
    /// multipliers follow.
    pub fn new(model: M, h: R, (u, v): (Vector<R, N>, Vector<R, V>)) -> Result<Self, Error> {
        let h = checked_step(h)?;
        if let Some(index) = u.iter().chain(v.iter()).position(|x| !x.finite()) {
            return Err(Error::Start { index });
        }
        let (nominal_u, nominal_v) = model.nominal();
        if let Some(index) = nominal_u
            .iter()
            .chain(&nominal_v)
            .position(|x| !(*x > R::ZERO && x.finite()))
        {
            return Err(Error::Nominal { index });
        }
        let input = Vector::from([R::ZERO; U]);
        let mut now = Constrained {
            u,
            v,
            lambda: Vector::from([R::ZERO; L]),
        };
        project(&model, &mut now, &input, true)?;
        // The multipliers that keep g_u f constant: Newton, because k may bend in lambda.
        for _ in 0..20 {
            let leading = Leading::at(&model, &now, &input)?;
            let (f, k) = (
                model.f(&now.u, &now.v),
                model.k(&now.u, &now.v, &now.lambda, &input),
            );
            let (mut moving_u, mut moving_v) = (
                [Dual::<R, 1>::constant(R::ZERO); N],
                [Dual::constant(R::ZERO); V],
            );
            for i in 0..N {
                moving_u[i] = Dual {
                    value: now.u.data.0[0][i],
                    slope: [f.data.0[0][i]],
                };
            }
            for i in 0..V {
                moving_v[i] = Dual {
                    value: now.v.data.0[0][i],
                    slope: [k.data.0[0][i]],
                };
            }
            let growing = rate(&model, &Vector::from(moving_u), &Vector::from(moving_v));
            let mut step = [R::ZERO; L];
            for j in 0..L {
                step[j] = growing[j].slope[0];
            }
            leading.schur.solve(&mut step);
            for j in 0..L {
                now.lambda.data.0[0][j] -= step[j];
            }
        }
        let derivative = model.f(&now.u, &now.v);
        let k = model.k(&now.u, &now.v, &now.lambda, &input);
        checked_state(derivative.iter().chain(&k))?;
        checked_state(now.u.iter().chain(&now.v).chain(&now.lambda))?;
        let mut weights = (nominal_u, nominal_v);
        for w in weights.0.iter_mut().chain(&mut weights.1) {
            *w = R::ONE / *w;
        }
        let stages = Unknowns {
            du: [derivative.data.0[0]; S],
            dv: [k.data.0[0]; S],
            lambda: [now.lambda.data.0[0]; S],
        };
        Ok(HessenbergStepper {
            model,
            method: PhantomData,
            h,
            now,
            low_u: [R::ZERO; N],
            low_v: [R::ZERO; V],
            stages,
            expected: true,
            weights,
        })
    }

    /// One Newton iteration on the stages; the sum of squares of its increments, relative to the nominal magnitudes.
    fn iterate(
        &self,
        leading: &Leading<R, N, V, L>,
        input: &Vector<R, U>,
        x: &mut Unknowns<R, N, V, L, S>,
        coefficients: &Coefficients<R, S>,
    ) -> R {
        let h = self.h;
        let (mut r_u, mut r_v, mut r_g) = ([[R::ZERO; N]; S], [[R::ZERO; V]; S], [[R::ZERO; L]; S]);
        let mut seen = [[R::ZERO; L]; S];
        for i in 0..S {
            let (mut u, mut v) = (self.now.u, self.now.v);
            let (du, dv) = (
                combine(&coefficients.a[i], &x.du),
                combine(&coefficients.a[i], &x.dv),
            );
            for n in 0..N {
                u.data.0[0][n] += h * du[n];
            }
            for n in 0..V {
                v.data.0[0][n] += h * dv[n];
            }
            let f = self.model.f(&u, &v);
            let k = self.model.k(&u, &v, &Vector::from(x.lambda[i]), input);
            r_g[i] = self.model.g(&u).data.0[0];
            for n in 0..N {
                r_u[i][n] = x.du[i][n] - f.data.0[0][n];
            }
            for n in 0..V {
                r_v[i][n] = x.dv[i][n] - k.data.0[0][n];
            }
            seen[i] = leading.seen(&r_u[i]);
        }
        let mut inner = [[R::ZERO; L]; S];
        for i in 0..S {
            let over = combine(&coefficients.a_inverse[i], &r_g);
            for j in 0..L {
                inner[i][j] = (seen[i][j] - over[j] / h) / h;
            }
        }
        let mut dv = r_v;
        for i in 0..S {
            let mut dlambda = combine(&coefficients.a_inverse[i], &inner);
            let pulled = leading.seen(&combine(&r_v[i], &leading.f_v));
            for j in 0..L {
                dlambda[j] += pulled[j];
            }
            leading.schur.solve(&mut dlambda);
            let driven = combine(&dlambda, &leading.k_lambda);
            for n in 0..V {
                dv[i][n] = driven[n] - r_v[i][n];
            }
            for j in 0..L {
                x.lambda[i][j] += dlambda[j];
            }
        }
        let mut squares = R::ZERO;
        for i in 0..S {
            let driven = combine(&combine(&coefficients.a[i], &dv), &leading.f_v);
            for n in 0..N {
                let d = h * driven[n] - r_u[i][n];
                x.du[i][n] += d;
                squares += (h * d * self.weights.0[n]).square();
            }
            for n in 0..V {
                x.dv[i][n] += dv[i][n];
                squares += (h * dv[i][n] * self.weights.1[n]).square();
            }
        }
        squares
    }
}

impl<R, M, K, E, const N: usize, const V: usize, const L: usize, const U: usize, const S: usize>
    Stepper for HessenbergStepper<R, M, K, E, N, V, L, U, S>
where
    R: Real,
    M: Hessenberg<R, N, V, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
    E: End,
{
    type Real = R;
    type Model = M;
    type Input = Vector<R, U>;
    type State = Constrained<R, N, V, L>;

    #[inline]
    fn take_step<B: Budget<R>>(
        &mut self,
        _t: R,
        input: &Self::Input,
        budget: &mut B,
    ) -> Result<Report<R>, Error> {
        let coefficients = K::coefficients::<R>();
        let h = self.h;
        let leading = Leading::at(&self.model, &self.now, input)?;
        let last = &self.stages;
        let mut x = Unknowns {
            du: [last.du[S - 1]; S],
            dv: [last.dv[S - 1]; S],
            lambda: [last.lambda[S - 1]; S],
        };
        if self.expected {
            for i in 0..S {
                x.du[i] = combine(&coefficients.extrapolation[i], &last.du);
                x.dv[i] = combine(&coefficients.extrapolation[i], &last.dv);
                x.lambda[i] = combine(&coefficients.extrapolation[i], &last.lambda);
            }
        }
        // The rounding of g over h, amplified by A^-2.
        let mut convergence = Convergence::start(R::EPSILON * coefficients.amplification / h);
        while budget.another(&convergence) {
            let squares = self.iterate(&leading, input, &mut x, coefficients);
            convergence.record(squares);
        }
        let report = convergence.verdict(budget.tolerance(), false)?;

        let (mut now, mut low_u, mut low_v) = (self.now, self.low_u, self.low_v);
        let (du, dv) = (
            combine(&coefficients.b, &x.du),
            combine(&coefficients.b, &x.dv),
        );
        for n in 0..N {
            let sum = Compensated {
                high: now.u.data.0[0][n],
                low: low_u[n],
            }
            .plus(h * du[n]);
            (now.u.data.0[0][n], low_u[n]) = (sum.high, sum.low);
        }
        for n in 0..V {
            let sum = Compensated {
                high: now.v.data.0[0][n],
                low: low_v[n],
            }
            .plus(h * dv[n]);
            (now.v.data.0[0][n], low_v[n]) = (sum.high, sum.low);
        }
        let kept = if K::Accuracy::STIFF {
            R::ZERO
        } else {
            coefficients.r_infinity
        };
        let lambda = combine(&coefficients.end, &x.lambda);
        for j in 0..L {
            now.lambda.data.0[0][j] = kept * now.lambda.data.0[0][j] + lambda[j];
        }
        if E::PROJECTED {
            project(&self.model, &mut now, input, !K::Accuracy::STIFF)?;
        }
        checked_state(now.u.iter().chain(&now.v).chain(&now.lambda))?;
        let expected = if self.expected {
            convergence.expected()
        } else {
            let stages = (&self.stages.dv, &x.dv);
            predictable(&coefficients.extrapolation, stages, &self.weights.1, h)
        };
        (self.now, self.low_u, self.low_v, self.stages) = (now, low_u, low_v, x);
        self.expected = expected;
        Ok(report)
    }

    fn h(&self) -> R {
        self.h
    }

    fn set_h(&mut self, h: R) -> Result<(), Error> {
        self.h = checked_step(h)?;
        self.expected = false;
        Ok(())
    }

    fn state(&self) -> &Self::State {
        &self.now
    }

    fn model(&self) -> &M {
        &self.model
    }

    fn model_mut(&mut self) -> &mut M {
        &mut self.model
    }

    fn refit(&mut self, _t: R, input: &Self::Input) -> Result<(), Error> {
        let mut now = self.now;
        project(&self.model, &mut now, input, true)?;
        checked_state(now.u.iter().chain(&now.v).chain(&now.lambda))?;
        self.now = now;
        self.expected = false;
        Ok(())
    }
}
