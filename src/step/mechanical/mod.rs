//! A collocation step for mechanisms, `M v' = f - G^T lambda`, `q' = v`, `g + tau (g_t + G v) = C lambda`.
//!
//! Unknowns are the stages' accelerations W and multipliers Lambda; velocities and positions follow,
//! `V_i = v + h sum a_ij W_j`, `Q_i = q + c_i h v + h^2 sum (A^2)_ij W_j`, and cost no unknowns. The residuals are
//!
//! ```text
//! r1_i = M(Q_i) W_i - f(Q_i, V_i) + G(Q_i)^T Lambda_i
//! r2_i = [ g_i + tau gdot_i - C Lambda_i ] / h^2
//! ```
//!
//! In single precision the rounding of g_i, divided by h^2, would drown the multipliers. There r2 is formed of increments,
//! `g_i - g_n + tau (gdot_i - gdot_n) - C (Lambda_i - lambda_n)`, computed without cancellation, and what the old point
//! itself lacks, `d_n = g_n + tau gdot_n - C lambda_n`, is made good slowly: the position is drawn to the manifold inside
//! the compensated sum.

mod controlled;
mod end;
mod manner;
mod measure;
mod residual;
mod scales;
mod start;

pub use controlled::EachOfMotion;
pub(super) use manner::{Iterated, MetBy};
pub use manner::{Manner, MechanicalStepper};

use super::convergence::{Convergence, accepted};
use super::copy::copy;
use super::linearization::{Factors, Parts, Solves};
use super::motion::{Carry, StageValues, motion_before};
use super::narrow::NarrowFactors;
use super::newton::newton;
use super::prediction::{Start, rescale};
use super::scheme::{Attempt, Fitted, Implicit, Now, Old, Place, Scheme, doubt, solve};
use super::turn::take_turn;
use super::{Budget, Error, Report, velocity_weights};
use crate::geometry::{Degenerate, Geometry, PatternOf, plus};
use crate::model::{MassMatrix, Mechanical, Motion, Vector};
use core::marker::PhantomData;
use nalgebra::ArrayStorage;
use residual::{Point, place};
use scales::{Scales, force_weights};

/// The method `K` of `S` stages on a mechanism.
pub struct OnMechanical<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>(
    PhantomData<(R, M, K)>,
);

/// As many constraints are unrolled, and what belongs to them is in registers, where copies cost nothing. With more of them it is worked on where it
/// is kept.
const FEW: usize = 6;

/// What the Newton matrix is made of.
#[derive(Clone, Copy)]
pub struct Linear<R, T, F, const Q: usize, const L: usize> {
    geometry: Geometry<R, F, Q, L>,
    parts: Parts<R, T, Q>,
}

/// The shape of a model's mass, and of that factorised.
type MassOf<R, M, const Q: usize, const L: usize, const U: usize> =
    <M as Mechanical<R, Q, L, U>>::Mass<R>;
type MassFactorOf<R, M, const Q: usize, const L: usize, const U: usize> =
    <MassOf<R, M, Q, L, U> as MassMatrix<R, R, Q>>::Factor;

/// The factorised Newton matrix of a model.
type FactorsOf<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize> =
    <K as Manner<S>>::Factors<R, MassFactorOf<R, M, Q, L, U>, Q, L>;

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize> Scheme
    for OnMechanical<R, M, K, Q, L, U, S>
where
    M: Mechanical<R, Q, L, U>,
    K: Manner<S>,
{
    type Real = R;
    type Method = ();
    type Model = M;
    type Input = Vector<R, U>;
    type State = Motion<R, Q, L>;
    type Carry = Carry<R, Q, L, S>;
    type Scales = Scales<R, Q, L>;
    type Kept = ();
    type Trial = Now<Self>;
    type Met = MetBy<K, Vector<R, U>, S>;
    const PERIOD: fn(&M) -> Option<R> = M::period;
    const RENEWS: bool = !K::STIFF || K::EXPLICIT_FIRST;

    fn start(at: &Place<'_, Self>, start: &Motion<R, Q, L>) -> Result<Now<Self>, Error> {
        Self::started(at, start)
    }

    /// In a frame of its own: the geometry of many links is large, and that of the start is gone by then.
    #[inline(never)]
    fn scales(at: &Place<'_, Self>, state: &Motion<R, Q, L>) -> Result<Self::Scales, Error> {
        let (model, place) = (at.model, (at.t, &state.q.data.0[0]));
        let all = (
            velocity_weights(&model.nominal())?,
            force_weights(model, place)?,
        );
        let step = (at.h, K::coefficients::<R>().amplification);
        Ok(Scales::at(model, place, all, step))
    }

    fn fit(old: &Old<'_, Self>, before: &M) -> Fitted<Self> {
        Self::synchronised(old, &old.of(before).constraints().defect)
    }

    fn renewed(old: &Old<'_, Self>) -> Result<Now<Self>, Error> {
        if Self::RENEWS || Self::PROJECTED_RIGID {
            return Self::met(old);
        }
        Ok(old.now())
    }

    fn rescale(now: &mut Now<Self>, scales: &mut Self::Scales, h: R, ratio: R) -> bool {
        let table = K::coefficients::<R>();
        scales.resize::<M::Joints>(h, table.amplification);
        let Carry { stages, start, .. } = &mut now.carry;
        if *start != Start::Continued {
            return false;
        }
        let fits = rescale(table, ratio, &mut stages.w);
        if fits {
            rescale(table, ratio, &mut stages.lambda);
        } else {
            *start = Start::Held;
        }
        fits
    }

    fn keep(_old: &Old<'_, Self>) -> Result<(), Error> {
        Ok(())
    }

    #[inline(always)]
    fn attempt<B: Budget<R>>(old: &Old<'_, Self>, _kept: &mut (), budget: &mut B) -> Attempt<Self> {
        match PatternOf::<R, M, Q, L, U>::NARROW {
            4 if !K::FORCES => return Self::attempt_narrow::<B, 4>(old, budget),
            8 if !K::FORCES => return Self::attempt_narrow::<B, 8>(old, budget),
            _ => {}
        }
        let linear = Self::linear(old, true)?;
        let factors = Self::factor(old, &linear)?;
        if !K::FORCES {
            return solve(old, &factors, budget);
        }
        let step = (old.h, K::coefficients::<R>().amplification);
        let (q, weights) = (&old.state.q.data.0[0], &old.scales.norm.weights);
        let noise = linear.rounded_forces(q, weights, step);
        let (now, mut report) = solve(old, &factors, budget)?;
        let accepted = accepted(budget.tolerance(), Self::floor(old.scales));
        // What looks at increments stops at one that is small by chance.
        let least = if B::LOOKS {
            noise
        } else {
            noise.min(report.last)
        };
        report.at_least(least, accepted);
        Ok((now, report))
    }

    /// Zeros, which are cheaper than a copy.
    #[inline(always)]
    fn place(_now: &Now<Self>) -> Now<Self> {
        Now {
            state: Self::STILL,
            carry: Carry::NOTHING,
        }
    }

    #[inline(always)]
    fn put(trial: &Now<Self>, now: &mut Now<Self>) {
        let (from, to) = (&trial.state, &mut now.state);
        copy(&from.q.data.0[0], &mut to.q.data.0[0]);
        copy(&from.v.data.0[0], &mut to.v.data.0[0]);
        copy(&from.a.data.0[0], &mut to.a.data.0[0]);
        copy(&from.lambda.data.0[0], &mut to.lambda.data.0[0]);
        to.turns = from.turns;
        let (from, to) = (&trial.carry, &mut now.carry);
        copy(&from.low_q, &mut to.low_q);
        copy(&from.low_v, &mut to.low_v);
        for i in 0..S {
            copy(&from.stages.w[i], &mut to.stages.w[i]);
            copy(&from.stages.lambda[i], &mut to.stages.lambda[i]);
        }
        to.start = from.start;
    }

    const IN_PLACE: bool = L > FEW && !K::FORCES && PatternOf::<R, M, Q, L, U>::NARROW > 0;

    #[inline(always)]
    fn attempt_at<B: Budget<R>>(
        old: &Old<'_, Self>,
        _kept: &mut (),
        budget: &mut B,
        now: &mut Now<Self>,
    ) -> Result<Report<R>, Error> {
        if PatternOf::<R, M, Q, L, U>::NARROW <= 4 {
            Self::attempt_many::<B, 4>(old, budget, now)
        } else {
            Self::attempt_many::<B, 8>(old, budget, now)
        }
    }

    fn before(now: &Now<Self>, h: R, by: R) -> Self::State {
        motion_before(K::coefficients(), &now.carry.stages, &now.state, (h, by))
    }

    #[inline(always)]
    fn numbers(at: &Motion<R, Q, L>, mut see: impl FnMut(&[R])) {
        see(&at.q.data.0[0]);
        see(&at.v.data.0[0]);
        see(&at.lambda.data.0[0]);
        // The last stage is part of the velocity; what the stages say of the end may be larger than any of them.
        if !K::STIFF || K::EXPLICIT_FIRST {
            see(&at.a.data.0[0]);
        }
    }
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize> Implicit
    for OnMechanical<R, M, K, Q, L, U, S>
where
    M: Mechanical<R, Q, L, U>,
    K: Manner<S>,
{
    type Linear = Linear<R, MassOf<R, M, Q, L, U>, MassFactorOf<R, M, Q, L, U>, Q, L>;
    type Factors = FactorsOf<R, M, K, Q, L, U, S>;
    type Point = Point<R, Q, L, S>;
    type Unknowns = StageValues<R, Q, L, S>;
    type Squares = [R; Q];

    /// With the accelerations and multipliers of the last stage: those of the slow motion at first, even if a joint is strained.
    #[inline(always)]
    fn linear(old: &Old<'_, Self>, ahead: bool) -> Result<Self::Linear, Error> {
        let (t, q) = if ahead {
            Self::ahead(old)
        } else {
            (old.t, old.state.q.data.0[0])
        };
        let v = &old.state.v.data.0[0];
        let last = &old.carry.stages;
        let stage = (&last.w[S - 1], &last.lambda[S - 1]);
        Ok(Linear {
            geometry: Geometry::at(old.model, t, &q)?,
            parts: Parts::at(old.model, t, (&q, v), stage, old.u, K::FORCES),
        })
    }

    #[inline(always)]
    fn factor(old: &Old<'_, Self>, linear: &Self::Linear) -> Result<Self::Factors, Error> {
        let (geometry, parts) = (linear.geometry, &linear.parts);
        let step = (old.h, K::coefficients());
        Ok(Factors::factor(geometry, parts, &old.model.joints(), step)?)
    }

    #[inline(always)]
    fn point(old: &Old<'_, Self>) -> Result<Self::Point, Error> {
        let (joints, a) = (old.constraints(), old.acceleration()?);
        let held = Self::held(old, &a)?;
        Ok(Point { joints, a, held })
    }

    #[inline(always)]
    fn predict(old: &Old<'_, Self>, point: &Self::Point) -> Self::Unknowns {
        let mut x = old.carry.stages;
        Self::predict_into(old, point, &mut x);
        x
    }

    #[inline(always)]
    fn floor(scales: &Self::Scales) -> R {
        scales.norm.floor
    }

    #[inline(always)]
    fn iterate(
        old: &Old<'_, Self>,
        point: &Self::Point,
        factors: &Self::Factors,
        x: &mut Self::Unknowns,
    ) -> Result<([R; Q], R), Error> {
        Self::iterate_by(old, point, factors, x)
    }

    #[inline(always)]
    fn end(
        old: &Old<'_, Self>,
        point: &Self::Point,
        factors: &Self::Factors,
        x: Self::Unknowns,
        (convergence, report): (&Convergence<R>, &mut Report<R>),
    ) -> Result<Now<Self>, Error> {
        let mut now = old.now();
        now.carry.stages = x;
        Self::end_by(old, point, factors, &mut now, (convergence, report))?;
        Ok(now)
    }
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>
    OnMechanical<R, M, K, Q, L, U, S>
where
    M: Mechanical<R, Q, L, U>,
    K: Manner<S>,
{
    const STILL: Motion<R, Q, L> = Motion {
        q: Vector::from_array_storage(ArrayStorage([[R::ZERO; Q]])),
        v: Vector::from_array_storage(ArrayStorage([[R::ZERO; Q]])),
        a: Vector::from_array_storage(ArrayStorage([[R::ZERO; Q]])),
        lambda: Vector::from_array_storage(ArrayStorage([[R::ZERO; L]])),
        turns: 0,
    };

    /// [`Scheme::attempt`] where constraints touch few coordinates each, and rows of `N` elements are enough.
    #[inline(always)]
    fn attempt_narrow<B: Budget<R>, const N: usize>(
        old: &Old<'_, Self>,
        budget: &mut B,
    ) -> Attempt<Self> {
        let (t, q) = Self::ahead(old);
        let mass = old.model.mass(&Vector::from(q)).factor();
        let mut factors =
            NarrowFactors::<R, M, Q, L, U, S, N>::place(mass.map_err(Degenerate::mass)?);
        factors.set(old.model, (t, &q), old.h, K::coefficients())?;
        let (point, floor) = (Self::point(old)?, Self::floor(old.scales));
        let mut x = Self::predict(old, &point);
        let (convergence, mut report) = newton(budget, floor, Self::EXACT, || {
            Self::iterate_by(old, &point, &factors, &mut x)
        })?;
        let mut now = old.now();
        now.carry.stages = x;
        Self::end_by(old, &point, &factors, &mut now, (&convergence, &mut report))?;
        doubt(old, &convergence, budget, &mut report);
        Ok((now, report))
    }

    /// The same for many constraints.
    #[inline(always)]
    fn attempt_many<B: Budget<R>, const N: usize>(
        old: &Old<'_, Self>,
        budget: &mut B,
        now: &mut Now<Self>,
    ) -> Result<Report<R>, Error> {
        let (t, q) = Self::ahead(old);
        let mass = old.model.mass(&Vector::from(q)).factor();
        let mut factors =
            NarrowFactors::<R, M, Q, L, U, S, N>::place(mass.map_err(Degenerate::mass)?);
        factors.set(old.model, (t, &q), old.h, K::coefficients())?;
        let (point, floor) = (Self::point(old)?, Self::floor(old.scales));
        Self::predict_into(old, &point, &mut now.carry.stages);
        let (mut moved, mut q) = place();
        let (mut r1, mut r2) = ([[R::ZERO; Q]; S], [[R::ZERO; L]; S]);
        let (convergence, mut report) = newton(budget, floor, Self::EXACT, || {
            let x = &mut now.carry.stages;
            for i in 0..S {
                let stage = (&mut moved, &mut q);
                old.residual(&point, i, x, stage, (&mut r1[i], &mut r2[i]));
            }
            Ok(Self::improve(old, &factors, x, (&mut r1, &mut r2)))
        })?;
        now.state.turns = old.state.turns;
        if !K::STIFF {
            // What is kept of them at the end is R(infinity) times that.
            copy(&old.state.a.data.0[0], &mut now.state.a.data.0[0]);
            copy(&old.state.lambda.data.0[0], &mut now.state.lambda.data.0[0]);
        }
        Self::end_by(old, &point, &factors, now, (&convergence, &mut report))?;
        doubt(old, &convergence, budget, &mut report);
        Ok(report)
    }

    /// Half a step ahead, as the velocity says.
    #[inline(always)]
    fn ahead(old: &Old<'_, Self>) -> (R, [R; Q]) {
        let (mut q, v) = (old.state.q.data.0[0], &old.state.v.data.0[0]);
        let half = old.h * R::from_f64(0.5);
        plus(&mut q, half, v);
        (old.t + half, q)
    }

    /// [`Implicit::iterate`], whatever the factors.
    #[inline(always)]
    fn iterate_by(
        old: &Old<'_, Self>,
        point: &Point<R, Q, L, S>,
        factors: &impl Solves<R, Q, L, S>,
        x: &mut StageValues<R, Q, L, S>,
    ) -> Result<([R; Q], R), Error> {
        let (mut r1, mut r2) = ([[R::ZERO; Q]; S], [[R::ZERO; L]; S]);
        for i in 0..S {
            let (mut moved, mut q) = place();
            let stage = (&mut moved, &mut q);
            old.residual(point, i, x, stage, (&mut r1[i], &mut r2[i]));
        }
        Ok(Self::improve(old, factors, x, (&mut r1, &mut r2)))
    }

    /// Takes what residuals lead to off the unknowns, and answers its squares.
    #[inline(always)]
    fn improve<F: Solves<R, Q, L, S>>(
        old: &Old<'_, Self>,
        factors: &F,
        x: &mut StageValues<R, Q, L, S>,
        (r1, r2): (&mut [[R; Q]; S], &mut [[R; L]; S]),
    ) -> ([R; Q], R) {
        let mut apart = [[R::ZERO; Q]; S];
        factors.solve(r1, r2, &mut apart, K::coefficients());
        let (mut squares, mut pulls) = ([R::ZERO; Q], R::ZERO);
        for n in 0..Q {
            let weight = old.scales.rates[n];
            for i in 0..S {
                let mut d = r1[i][n];
                if F::APART {
                    d += apart[i][n];
                }
                x.w[i][n] -= d;
                d *= weight;
                squares[n] = if i == 0 { d * d } else { squares[n] + d * d };
            }
        }
        for i in 0..S {
            for j in 0..L {
                x.lambda[i][j] += r2[i][j];
                let d = r2[i][j] * old.scales.force_weights[j];
                pulls = if i + j == 0 { d * d } else { pulls + d * d };
            }
        }
        (squares, pulls)
    }

    /// [`Implicit::end`], whatever the factors: makes the old point with the step's stages the new one.
    #[inline(always)]
    fn end_by(
        old: &Old<'_, Self>,
        point: &Point<R, Q, L, S>,
        factors: &impl Solves<R, Q, L, S>,
        now: &mut Now<Self>,
        (convergence, report): (&Convergence<R>, &mut Report<R>),
    ) -> Result<(), Error> {
        report.lambda += old.scales.force_noise;
        let mut speed = [R::ZERO; Q];
        Self::drift(old, point, factors, &mut speed)?;
        Self::advance(old, point, &mut speed, now);
        if K::PROJECTED {
            Self::project(old, now)?;
        }
        take_turn(&mut now.state, &old.model.turn());
        Self::forces(old, now)?;
        let found = (&now.carry.stages.w, &speed);
        now.carry.start = Self::next_start(old, point, (convergence, report), found);
        Ok(())
    }
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>
    MechanicalStepper<R, M, K, Q, L, U, S>
where
    M: Mechanical<R, Q, L, U>,
    K: Manner<S>,
{
    /// Accelerations and multipliers of the last step's stages, for tests that judge what a step claims.
    #[doc(hidden)]
    pub fn stages(&self) -> (&[[R; Q]; S], &[[R; L]; S]) {
        let stages = &self.now.carry.stages;
        (&stages.w, &stages.lambda)
    }
}
