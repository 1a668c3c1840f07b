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

use super::convergence::Convergence;
use super::machine::Machine;
use super::mechanical::MetBy;
use super::newton::floor_at;
use super::prediction::{Start, motion, over_a_step, regular};
use super::scheme::{Attempt, Fitted, Implicit, Now, Old, Place, Scheme, solve};
use super::{Budget, Error, Manner, Report, checked_state, inverse_magnitudes};
use crate::geometry::{combine, plus};
use crate::memory::visits;
use crate::model::{Constrained, Hessenberg, Vector};
use crate::number::{Real, add_compensated};
use core::marker::PhantomData;
use leading::{Leading, multipliers, project, rate};

/// A Hessenberg system with its state, stepped by the method `K` of `S` stages.
pub type HessenbergStepper<
    R,
    M,
    K,
    const N: usize,
    const V: usize,
    const L: usize,
    const U: usize,
    const S: usize,
> = Machine<OnHessenberg<R, M, K, N, V, L, U, S>>;

/// The method `K` of `S` stages on a Hessenberg system.
pub struct OnHessenberg<
    R,
    M,
    K,
    const N: usize,
    const V: usize,
    const L: usize,
    const U: usize,
    const S: usize,
>(PhantomData<(R, M, K)>);

/// Stage derivatives and multipliers.
#[derive(Clone, Copy)]
pub struct Unknowns<R, const N: usize, const V: usize, const L: usize, const S: usize> {
    du: [[R; N]; S],
    dv: [[R; V]; S],
    lambda: [[R; L]; S],
}

/// What rounding left out of u and v, the last step's stages, and where the next iteration starts.
#[derive(Clone, Copy)]
pub struct Carry<R, const N: usize, const V: usize, const L: usize, const S: usize> {
    low_u: [R; N],
    low_v: [R; V],
    stages: Unknowns<R, N, V, L, S>,
    start: Start,
}

/// One over the nominal magnitudes of u and v, and what rounding does to increments.
#[derive(Clone, Copy)]
pub struct Scales<R, const N: usize, const V: usize> {
    weights: ([R; N], [R; V]),
    floor: R,
}

impl<R: Real, const N: usize, const V: usize> Scales<R, N, V> {
    /// For a step of `h`. An error counts magnitudes over u and v.
    fn new(nominal: ([R; N], [R; V]), h: R, amplification: R) -> Result<Self, Error> {
        Ok(Scales {
            weights: (
                inverse_magnitudes(&nominal.0, 0)?,
                inverse_magnitudes(&nominal.1, N)?,
            ),
            floor: floor_at(h, amplification),
        })
    }
}

impl<R, M, K, const N: usize, const V: usize, const L: usize, const U: usize, const S: usize> Scheme
    for OnHessenberg<R, M, K, N, V, L, U, S>
where
    M: Hessenberg<R, N, V, L, U>,
    K: Manner<S>,
{
    type Real = R;
    type Method = ();
    type Model = M;
    type Input = Vector<R, U>;
    type State = Constrained<R, N, V, L>;
    type Carry = Carry<R, N, V, L, S>;
    type Scales = Scales<R, N, V>;
    type Kept = ();
    type Trial = Now<Self>;
    type Met = MetBy<K, Vector<R, U>, S>;
    const RENEWS: bool = !K::STIFF;

    /// At (u, v), which must be consistent up to what three iterations of the projection can mend; the multipliers follow.
    fn start(at: &Place<'_, Self>, start: &Self::State) -> Result<Now<Self>, Error> {
        let mut state = *start;
        state.lambda = [R::ZERO; L].into();
        project(at.model, &mut state, at.u, true)?;
        multipliers(at.model, &mut state, at.u)?;
        let du = at.model.f(&state.u, &state.v);
        let dv = at.model.k(&state.u, &state.v, &state.lambda, at.u);
        checked_state(du.iter().chain(&dv))?;
        let carry = Carry {
            low_u: [R::ZERO; N],
            low_v: [R::ZERO; V],
            stages: Unknowns {
                du: [du.data.0[0]; S],
                dv: [dv.data.0[0]; S],
                lambda: [state.lambda.data.0[0]; S],
            },
            start: Start::Continued,
        };
        Ok(Now { state, carry })
    }

    fn scales(at: &Place<'_, Self>, _state: &Self::State) -> Result<Self::Scales, Error> {
        let amplification = K::coefficients::<R>().amplification;
        Scales::new(at.model.nominal(), at.h, amplification)
    }

    /// Moves to where the constraints fit if the change moved them. Other changes leave the state alone.
    fn fit(old: &Old<'_, Self>, before: &M) -> Fitted<Self> {
        let scales = Self::scales(&old.at, old.state)?;
        let (mut now, u, v) = (old.now(), &old.state.u, &old.state.v);
        let moved = old.model.g(u) != before.g(u) || rate(old.model, u, v) != rate(before, u, v);
        if moved {
            now = Self::start(&old.at, old.state)?;
        }
        now.carry.start = Start::Held;
        Ok((now, scales))
    }

    fn renewed(old: &Old<'_, Self>) -> Result<Now<Self>, Error> {
        let mut now = old.now();
        multipliers(old.model, &mut now.state, old.u)?;
        Ok(now)
    }

    fn rescale(now: &mut Now<Self>, scales: &mut Self::Scales, h: R, _ratio: R) -> bool {
        scales.floor = floor_at(h, K::coefficients::<R>().amplification);
        now.carry.start = Start::Held;
        false
    }

    fn keep(_old: &Old<'_, Self>) -> Result<(), Error> {
        Ok(())
    }

    #[inline]
    fn attempt<B: Budget<R>>(old: &Old<'_, Self>, _kept: &mut (), budget: &mut B) -> Attempt<Self> {
        let factors = Leading::at(old.model, old.state, old.u)?;
        solve(old, &factors, budget)
    }

    fn before(now: &Now<Self>, h: R, by: R) -> Self::State {
        let (table, stages) = (K::coefficients::<R>(), &now.carry.stages);
        let x = R::ONE - by / h;
        let weights = table.integrals_to(x);
        let (du, dv) = (combine(&weights, &stages.du), combine(&weights, &stages.dv));
        let mut at = now.state;
        plus(&mut at.u.data.0[0], h, &du);
        plus(&mut at.v.data.0[0], h, &dv);
        let rise = combine(&table.rises_to(x), &stages.lambda);
        plus(&mut at.lambda.data.0[0], R::ONE, &rise);
        at
    }
}

impl<R, M, K, const N: usize, const V: usize, const L: usize, const U: usize, const S: usize>
    Implicit for OnHessenberg<R, M, K, N, V, L, U, S>
where
    M: Hessenberg<R, N, V, L, U>,
    K: Manner<S>,
{
    type Linear = ();
    type Factors = Leading<R, N, V, L>;
    type Point = ();
    type Unknowns = Unknowns<R, N, V, L, S>;
    type Squares = ([R; N], [R; V]);

    fn linear(_old: &Old<'_, Self>, _ahead: bool) -> Result<(), Error> {
        Ok(())
    }

    fn factor(old: &Old<'_, Self>, _linear: &()) -> Result<Self::Factors, Error> {
        Leading::at(old.model, old.state, old.u)
    }

    fn point(_old: &Old<'_, Self>) -> Result<(), Error> {
        Ok(())
    }

    fn predict(old: &Old<'_, Self>, _point: &()) -> Self::Unknowns {
        let (table, last) = (K::coefficients::<R>(), &old.carry.stages);
        let mut x = Unknowns {
            du: [last.du[S - 1]; S],
            dv: [last.dv[S - 1]; S],
            lambda: [last.lambda[S - 1]; S],
        };
        if old.carry.start == Start::Continued {
            for i in 0..S {
                x.du[i] = combine(&table.extrapolation[i], &last.du);
                x.dv[i] = combine(&table.extrapolation[i], &last.dv);
                x.lambda[i] = combine(&table.extrapolation[i], &last.lambda);
            }
        }
        x
    }

    fn floor(scales: &Self::Scales) -> R {
        scales.floor
    }

    fn iterate(
        old: &Old<'_, Self>,
        _point: &(),
        leading: &Self::Factors,
        x: &mut Self::Unknowns,
    ) -> Result<(Self::Squares, R), Error> {
        let (h, table) = (old.h, K::coefficients::<R>());
        let (r_u, r_v, seen) = old.residuals(leading, x);
        let mut dv = r_v;
        for i in 0..S {
            let mut dlambda = combine(&table.a_inverse[i], &seen);
            let pulled = leading.seen(&combine(&r_v[i], &leading.f_v));
            plus(&mut dlambda, R::ONE, &pulled);
            leading.schur.solve(&mut dlambda);
            let driven = combine(&dlambda, &leading.k_lambda);
            for n in 0..V {
                dv[i][n] = driven[n] - r_v[i][n];
            }
            plus(&mut x.lambda[i], R::ONE, &dlambda);
        }
        let weights = &old.scales.weights;
        let mut squares = ([R::ZERO; N], [R::ZERO; V]);
        for i in 0..S {
            let driven = combine(&combine(&table.a[i], &dv), &leading.f_v);
            for n in 0..N {
                let d = h * driven[n] - r_u[i][n];
                x.du[i][n] += d;
                squares.0[n] += (h * d * weights.0[n]).square();
            }
            for n in 0..V {
                x.dv[i][n] += dv[i][n];
                squares.1[n] += (h * dv[i][n] * weights.1[n]).square();
            }
        }
        Ok((squares, R::ZERO))
    }

    fn end(
        old: &Old<'_, Self>,
        _point: &(),
        _leading: &Self::Factors,
        x: Self::Unknowns,
        (convergence, report): (&Convergence<R>, &mut Report<R>),
    ) -> Result<Now<Self>, Error> {
        let (h, table) = (old.h, K::coefficients::<R>());
        let mut now = old.now();
        let (du, dv) = (combine(&table.b, &x.du), combine(&table.b, &x.dv));
        let Now { state, carry } = &mut now;
        add_compensated(&mut state.u.data.0[0], &mut carry.low_u, h, &du);
        add_compensated(&mut state.v.data.0[0], &mut carry.low_v, h, &dv);
        let kept = if K::STIFF { R::ZERO } else { table.r_infinity };
        let lambda = combine(&table.end, &x.lambda);
        for j in 0..L {
            state.lambda.data.0[0][j] = kept * state.lambda.data.0[0][j] + lambda[j];
        }
        if K::PROJECTED {
            project(old.model, state, old.u, !K::STIFF)?;
        }
        let (last, weights) = (old.carry, &old.scales.weights);
        let rates = (over_a_step(&weights.0, h), over_a_step(&weights.1, h));
        let stages = (&last.stages.dv, &x.dv);
        let regular = regular(last.start, convergence, table, stages, &rates.1);
        let moved = motion(&du, &rates.0) + motion(&dv, &rates.1);
        carry.start = Start::after(report, moved, regular, table.swing);
        carry.stages = x;
        Ok(now)
    }
}

impl<R, M, K, const N: usize, const V: usize, const L: usize, const U: usize, const S: usize>
    Old<'_, OnHessenberg<R, M, K, N, V, L, U, S>>
where
    M: Hessenberg<R, N, V, L, U>,
    K: Manner<S>,
{
    /// The residuals of all stages: `U' - f`, `V' - k`, and `(g_u r_u - A^-1 g / h) / h`.
    #[allow(clippy::type_complexity)]
    fn residuals(
        &self,
        leading: &Leading<R, N, V, L>,
        x: &Unknowns<R, N, V, L, S>,
    ) -> ([[R; N]; S], [[R; V]; S], [[R; L]; S]) {
        let (h, table) = (self.h, K::coefficients::<R>());
        let (mut r_u, mut r_v, mut r_g) = ([[R::ZERO; N]; S], [[R::ZERO; V]; S], [[R::ZERO; L]; S]);
        for i in 0..S {
            let (mut u, mut v) = (self.state.u, self.state.v);
            let (du, dv) = (combine(&table.a[i], &x.du), combine(&table.a[i], &x.dv));
            plus(&mut u.data.0[0], h, &du);
            plus(&mut v.data.0[0], h, &dv);
            let f = self.model.f(&u, &v);
            let k = self.model.k(&u, &v, &Vector::from(x.lambda[i]), self.u);
            r_g[i] = self.model.g(&u).data.0[0];
            (r_u[i], r_v[i]) = (x.du[i], x.dv[i]);
            plus(&mut r_u[i], -R::ONE, &f.data.0[0]);
            plus(&mut r_v[i], -R::ONE, &k.data.0[0]);
        }
        let mut seen = [[R::ZERO; L]; S];
        for i in 0..S {
            seen[i] = leading.seen(&r_u[i]);
            let over = combine(&table.a_inverse[i], &r_g);
            for j in 0..L {
                seen[i][j] = (seen[i][j] - over[j] / h) / h;
            }
        }
        (r_u, r_v, seen)
    }
}

visits!(
    [R: Real, const N: usize, const V: usize, const L: usize, const S: usize] Carry<R, N, V, L, S>:
    low_u, low_v, stages.du, stages.dv, stages.lambda, start
);

visits!([R: Real, const N: usize, const V: usize] Scales<R, N, V>: weights.0, weights.1, floor);
