//! A collocation step for `E x' = f(t, x, u)`.
//!
//! Unknowns are the stage derivatives K: `X_i = x_n + h sum a_ij K_j`, `E K_i = f(t_n + c_i h, X_i, u)`. Each iteration
//! solves `(I (x) E - h A (x) J) dK = f(X) - E K`, one small real or complex system a mode of A.

mod affine;
mod controlled;
mod factors;
mod zeros;

use self::factors::FirstOrderFactors;
use self::zeros::{ZerosOf, checked_zeros};
use super::convergence::Convergence;
use super::machine::Machine;
use super::newton::Norm;
use super::prediction::{Start, motion, over_a_step, regular, rescale};
use super::scheme::{Attempt, Fitted, Implicit, Now, Old, Place, Scheme, solve};
use super::{Budget, Error, Report, inverse_magnitudes};
use crate::geometry::{combine, plus};
use crate::linear::{Lu, Shape};
use crate::memory::visits;
use crate::method::Collocation;
use crate::model::{FirstOrder, MassMatrix, Matrix, Vector};
use crate::number::{Angle, Compensated, Real, add_compensated};
use core::array::from_fn;
use core::marker::PhantomData;

/// A first-order model with its state, stepped by the collocation method `K` of `S` stages.
pub type FirstOrderStepper<R, M, K, const N: usize, const U: usize, const S: usize> =
    Machine<OnFirstOrder<R, M, K, N, U, S>>;

/// The collocation method `K` of `S` stages on a first-order model.
pub struct OnFirstOrder<R, M, K, const N: usize, const U: usize, const S: usize>(
    PhantomData<(R, M, K)>,
);

/// What rounding left out of x, the last step's stage derivatives, and where the next iteration starts.
#[derive(Clone, Copy, Debug)]
pub struct Carry<R, const N: usize, const S: usize> {
    low: [R; N],
    k: [[R; N]; S],
    start: Start,
}

visits!([R: Real, const N: usize, const S: usize] Carry<R, N, S>: low, k, start);

/// E, and the derivative at the old point if the method has an explicit stage there.
pub struct Point<R, E, const N: usize> {
    mass: E,
    first: [R; N],
}

/// Increments in units of the nominal magnitudes.
fn norm<R: Real, const N: usize>(nominal: &Vector<R, N>) -> Result<Norm<R, N>, Error> {
    Ok(Norm {
        weights: inverse_magnitudes(&nominal.data.0[0], 0)?,
        floor: R::EPSILON * R::from_f64(2.0),
    })
}

impl<R, M: FirstOrder<R, N, U>, K: Collocation<S>, const N: usize, const U: usize, const S: usize>
    Scheme for OnFirstOrder<R, M, K, N, U, S>
{
    type Real = R;
    type Method = ();
    type Model = M;
    type Input = Vector<R, U>;
    type State = Vector<R, N>;
    type Carry = Carry<R, N, S>;
    type Scales = Norm<R, N>;
    type Kept = FirstOrderFactors<R, N, S>;
    type Trial = Now<Self>;
    type Met = ();
    const PERIOD: fn(&M) -> Option<R> = M::period;
    const KEEPS: bool = M::AFFINE;

    fn start(at: &Place<'_, Self>, x: &Vector<R, N>) -> Result<Now<Self>, Error> {
        checked_zeros(at.model, at.t, x, at.u)?;
        let carry = Carry {
            low: [R::ZERO; N],
            k: [[R::ZERO; N]; S],
            start: Start::Rest,
        };
        Ok(Now { state: *x, carry })
    }

    fn scales(at: &Place<'_, Self>, _x: &Vector<R, N>) -> Result<Norm<R, N>, Error> {
        norm(&at.model.nominal())
    }

    fn fit(old: &Old<'_, Self>, _before: &M) -> Fitted<Self> {
        Ok((old.now(), norm(&old.model.nominal())?))
    }

    fn rescale(now: &mut Now<Self>, _scales: &mut Norm<R, N>, _h: R, ratio: R) -> bool {
        let carry = &mut now.carry;
        let fits =
            carry.start == Start::Continued && rescale(K::coefficients(), ratio, &mut carry.k);
        if !fits {
            carry.start = Start::Rest;
        }
        fits
    }

    /// An affine model has the same matrix in all steps, so that each of them costs the same. Others get a place for theirs, where
    /// each step puts it anew.
    fn keep(old: &Old<'_, Self>) -> Result<Self::Kept, Error> {
        if M::AFFINE {
            Self::factor(old, &Self::linear(old, true)?)
        } else {
            Ok(FirstOrderFactors::unit())
        }
    }

    #[inline(always)]
    fn attempt<B: Budget<R>>(
        old: &Old<'_, Self>,
        kept: &mut Self::Kept,
        budget: &mut B,
    ) -> Attempt<Self> {
        if M::AFFINE {
            return solve(old, kept, budget);
        }
        let jacobian = Self::linear(old, true)?;
        let (mass, table) = (old.model.mass(), K::coefficients());
        kept.refactor::<ZerosOf<R, M, N, U>, _>(&mass, old.h, &jacobian, table)?;
        solve(old, kept, budget)
    }

    fn before(now: &Now<Self>, h: R, by: R) -> Self::State {
        let weights = K::coefficients::<R>().integrals_to(R::ONE - by / h);
        let z = combine(&weights, &now.carry.k);
        let mut x = now.state;
        plus(&mut x.data.0[0], h, &z);
        x
    }
}

impl<R, M: FirstOrder<R, N, U>, K: Collocation<S>, const N: usize, const U: usize, const S: usize>
    Implicit for OnFirstOrder<R, M, K, N, U, S>
{
    type Linear = Matrix<R, N, N>;
    type Factors = FirstOrderFactors<R, N, S>;
    type Point = Point<R, M::Mass, N>;
    type Unknowns = [[R; N]; S];
    type Squares = [R; N];
    /// For affine models, as long as the transformation to modes is good to rounding. With five stages it costs two digits,
    /// which a second iteration gives back.
    const EXACT: bool = M::AFFINE && S <= 3;
    const NOISY: bool = !Self::EXACT;

    /// Not ahead if the last step is no guide to where the state goes: an exponential may be huge there, and an iteration with
    /// its slope hardly moves.
    #[inline(always)]
    fn linear(old: &Old<'_, Self>, ahead: bool) -> Result<Matrix<R, N, N>, Error> {
        if !ahead {
            return Ok(old.model.jacobian(old.t, old.state, old.u));
        }
        let half = old.h * R::from_f64(0.5);
        let mut middle = *old.state;
        if old.carry.start == Start::Continued {
            plus(&mut middle.data.0[0], half, &old.carry.k[S - 1]);
        }
        Ok(old.model.jacobian(old.t + half, &middle, old.u))
    }

    fn factor(old: &Old<'_, Self>, jacobian: &Matrix<R, N, N>) -> Result<Self::Factors, Error> {
        let mass = old.model.mass();
        if M::AFFINE {
            return FirstOrderFactors::by_sums(&mass, old.h, jacobian, K::coefficients());
        }
        let mut factors = FirstOrderFactors::unit();
        let table = K::coefficients();
        factors.refactor::<ZerosOf<R, M, N, U>, _>(&mass, old.h, jacobian, table)?;
        Ok(factors)
    }

    /// With `E^-1 f` at the old point, if there is an explicit stage, for which E must be regular.
    #[inline(always)]
    fn point(old: &Old<'_, Self>) -> Result<Self::Point, Error> {
        let mass = old.model.mass();
        let mut first = [R::ZERO; N];
        if K::EXPLICIT_FIRST {
            let mut rows = [[R::ZERO; N]; N];
            mass.add_to(&mut rows);
            first = old.model.rhs(old.t, old.state, old.u).data.0[0];
            Lu::<R, N>::factor(rows)?.solve(&mut first);
        }
        Ok(Point { mass, first })
    }

    /// The last step's collocation polynomial, continued. Without a guide from rest: the last derivative, held, may carry a
    /// state beyond where its model is defined. One way or the other the same work, with `regular` at the end, so that a jump
    /// does not change what a step costs. Where one iteration is exact nothing is predicted.
    #[inline(always)]
    fn predict(old: &Old<'_, Self>, _point: &Self::Point) -> Self::Unknowns {
        if !Self::EXACT && old.carry.start == Start::Continued {
            return from_fn(|i| combine(&K::coefficients().extrapolation[i], &old.carry.k));
        }
        [[R::ZERO; N]; S]
    }

    #[inline(always)]
    fn floor(scales: &Norm<R, N>) -> R {
        scales.floor
    }

    /// Not a part of the floor, because it costs a Jacobian.
    #[inline(always)]
    fn noise_at_most(old: &Old<'_, Self>, factors: &Self::Factors) -> R {
        old.noise_floor(factors)
    }

    #[inline(always)]
    fn iterate(
        old: &Old<'_, Self>,
        point: &Self::Point,
        factors: &Self::Factors,
        k: &mut Self::Unknowns,
    ) -> Result<([R; N], R), Error> {
        if Self::EXACT {
            return Ok((old.solve_affine(point, factors, k), R::ZERO));
        }
        // No zeros are written first.
        let residual: [_; S] = from_fn(|i| old.residual(point, i, k));
        let dk =
            factors
                .modes
                .solve_around(ZerosOf::<R, M, N, U>::KNOWN, &residual, K::coefficients());
        for i in 0..S {
            plus(&mut k[i], R::ONE, &dk[i]);
        }
        Ok((squares(&dk, old.h, &old.scales.weights), R::ZERO))
    }

    #[inline(always)]
    fn end(
        old: &Old<'_, Self>,
        point: &Self::Point,
        _factors: &Self::Factors,
        k: Self::Unknowns,
        (convergence, report): (&Convergence<R>, &mut Report<R>),
    ) -> Result<Now<Self>, Error> {
        let table = K::coefficients::<R>();
        let mut slope = combine(&table.b, &k);
        if K::EXPLICIT_FIRST {
            for n in 0..N {
                slope[n] += table.first[S - 1] * point.first[n];
            }
        }
        let (mut state, mut low) = (*old.state, old.carry.low);
        add_compensated(&mut state.data.0[0], &mut low, old.h, &slope);
        if let Some(n) = M::TURNS
            && n < N
        {
            let (high, low) = (&mut state.data.0[0][n], &mut low[n]);
            let angle = Angle::of(Compensated {
                high: *high,
                low: *low,
            })
            .sum();
            (*high, *low) = (angle.high, angle.low);
        }
        let mut start = Start::Rest;
        if !Self::EXACT {
            let rates = over_a_step(&old.scales.weights, old.h);
            let stages = (&old.carry.k, &k);
            let last = old.carry.start;
            let regular = regular(last, convergence, table, stages, &rates);
            let moved = motion(&slope, &rates);
            start = Start::after(report, moved, regular, table.swing);
        }
        let carry = Carry { low, k, start };
        Ok(Now { state, carry })
    }
}

impl<R, M: FirstOrder<R, N, U>, K: Collocation<S>, const N: usize, const U: usize, const S: usize>
    Old<'_, OnFirstOrder<R, M, K, N, U, S>>
{
    /// What rounding does to the increments `h dK` of an iteration with these factors, in epsilons: the terms of which f and
    /// `E K` consist are as exact as their sizes, and what cancels in a sum of them does not cancel in their rounding. An
    /// algebraic equation may be hidden in such a sum, and an exponential makes the rounding of a voltage that of a current.
    fn noise(&self, jacobian: &Matrix<R, N, N>, factors: &FirstOrderFactors<R, N, S>) -> [R; N] {
        let mut rows = [[R::ZERO; N]; N];
        self.model.mass().add_to(&mut rows);
        let (x, k) = (&self.state.data.0[0], &self.carry.k[S - 1]);
        let (mut sizes, mut noise) = ([R::ZERO; N], [R::ZERO; N]);
        for i in 0..N {
            noise[i] = x[i].abs();
            for j in 0..N {
                sizes[i] += (rows[i][j] * k[j]).abs() + (jacobian.data.0[j][i] * x[j]).abs();
            }
        }
        for lu in factors.modes.real.as_ref() {
            // Rounding has any signs; equal and alternating ones show what sums and differences of rows do.
            for turn in [R::ONE, -R::ONE] {
                let (mut response, mut sign) = (sizes, R::ONE);
                for n in 0..N {
                    response[n] *= sign;
                    sign *= turn;
                }
                lu.solve_around(ZerosOf::<R, M, N, U>::KNOWN, &mut response);
                for n in 0..N {
                    noise[n] = noise[n].max((self.h * response[n]).abs());
                }
            }
        }
        noise
    }

    /// The same as a norm, from here.
    #[cold]
    #[inline(never)]
    fn noise_floor(&self, factors: &FirstOrderFactors<R, N, S>) -> R {
        let jacobian = self.model.jacobian(self.t, self.state, self.u);
        let noise = self.noise(&jacobian, factors);
        Norm::rounded(self.scales.weights, &noise, S).floor
    }

    /// `f(X_i) - E K_i`.
    #[inline(always)]
    fn residual(&self, point: &Point<R, M::Mass, N>, i: usize, k: &[[R; N]; S]) -> [R; N] {
        let table = K::coefficients::<R>();
        let mut x = *self.state;
        if K::EXPLICIT_FIRST {
            plus(&mut x.data.0[0], self.h * table.first[i], &point.first);
        }
        let z = combine(&table.a[i], k);
        plus(&mut x.data.0[0], self.h, &z);
        let f = self.model.rhs(self.t + table.c[i] * self.h, &x, self.u);
        let (mut residual, ek) = (f.data.0[0], point.mass.times(&k[i]));
        plus(&mut residual, -R::ONE, &ek);
        residual
    }
}

/// The weighted squares of the increments `h dK`, variable by variable.
#[inline(always)]
fn squares<R: Real, const N: usize, const S: usize>(
    dk: &[[R; N]; S],
    h: R,
    weights: &[R; N],
) -> [R; N] {
    let mut squares = [R::ZERO; N];
    for n in 0..N {
        let weight = h * weights[n];
        for i in 0..S {
            let d = dk[i][n] * weight;
            squares[n] = if i == 0 { d * d } else { squares[n] + d * d };
        }
    }
    squares
}

impl<R, M: FirstOrder<R, N, U>, K: Collocation<S>, const N: usize, const U: usize, const S: usize>
    FirstOrderStepper<R, M, K, N, U, S>
{
    /// Derivatives of the last step's stages, for tests that judge what a step claims.
    #[doc(hidden)]
    pub fn stages(&self) -> &[[R; N]; S] {
        &self.now.carry.k
    }
}
