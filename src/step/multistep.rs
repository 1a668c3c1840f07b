//! A step of a backward differentiation formula for `F(t, x, x', x'') = 0` (Wunderlich (15)-(23)).
//!
//! With the predicted `x_p` and the velocity and acceleration that belong to it, the unknown is the correction d alone:
//! `x = x_p + d`, `v = v_p + c_1 d`, `a = a_p + c_1 c_2 d`, with Newton matrix `F_x + c_1 F_v + c_1 c_2 F_a`: one
//! system of N equations a step where collocation solves one a mode.
//!
//! In single precision the multiplier of a constraint carries rounding of order `epsilon / h^2`, because positions are
//! differentiated twice. A [`Mechanical`](crate::model::Mechanical) model stepped by Radau does not have it.

use super::convergence::HIGHEST;
use super::general_linear::one_step;
use super::machine::Machine;
use super::newton::newton;
use super::scheme::{Attempt, Fitted, Now, Old, Place, Scheme, Tried, finite};
use super::second_order::{Point, course_before, squares};
use super::{Budget, Error, Stepper, inverse_magnitudes};
use crate::linear::Lu;
use crate::memory::visits;
use crate::method::bdf::{Backward, Formula, Grid, VALUES};
use crate::model::{Course, SecondOrder, Vector};
use crate::number::Real;
use core::marker::PhantomData;

/// A second-order model with its past, stepped by the formula `B`.
pub type MultistepStepper<R, M, B, const N: usize, const U: usize> =
    Machine<OnMultistep<R, M, B, N, U>>;

/// The formula `B` on a second-order model.
pub struct OnMultistep<R, M, B, const N: usize, const U: usize>(PhantomData<(R, M, B)>);

/// What is known of the past, the last point first.
#[derive(Clone, Copy, Debug)]
pub struct Past<R, const N: usize> {
    x: [[R; N]; VALUES + 1],
    v: [[R; N]; VALUES + 1],
    grid: Grid,
    /// The order to go to, by one a step.
    target: u8,
}

impl<R: Real, const N: usize> Past<R, N> {
    /// A start, and where the step before it began, for dense output.
    fn new(now: &Course<R, N>, (x, v): ([R; N], [R; N]), target: u8) -> Self {
        let mut past = Past {
            x: [now.x.data.0[0]; VALUES + 1],
            v: [now.v.data.0[0]; VALUES + 1],
            grid: Grid::default(),
            target,
        };
        (past.x[1], past.v[1]) = (x, v);
        past
    }
}

visits!([R: Real, const N: usize] Past<R, N>: x, v, grid, target);

/// The formula of the last step, which serves the next one as long as nothing changes, and its Newton matrix.
#[derive(Clone, Copy)]
pub struct Kept<R, const N: usize> {
    formula: Formula<R>,
    /// The step and the order that the formula is for; zero if for none.
    formulated: (R, u8),
    factors: Lu<R, N>,
    /// Whether the factors belong to the model and the formula at hand; only of use if the model is affine.
    factored: bool,
}

visits!(
    [R: Real, const N: usize] Kept<R, N>:
    formula.velocity, formula.acceleration, formula.direct, formula.prediction, formulated.0, formulated.1, factors, factored
);

/// A new point, and the order of the step that led there; zero if another method took it.
pub struct Trial<R, const N: usize> {
    state: Course<R, N>,
    h: R,
    order: u8,
}

impl<R, M: SecondOrder<R, N, U>, B: Backward, const N: usize, const U: usize>
    Tried<OnMultistep<R, M, B, N, U>> for Trial<R, N>
{
    #[inline(always)]
    fn finite(&self) -> bool {
        finite::<OnMultistep<R, M, B, N, U>>(&self.state)
    }

    /// Makes the new point the first of the past.
    #[inline(always)]
    fn take(self, now: &mut Now<OnMultistep<R, M, B, N, U>>) {
        let past = &mut now.carry;
        // As many as the next step, or an estimate for an order more, may ask for.
        for i in (0..B::ORDER + 1).rev() {
            past.x[i + 1] = past.x[i];
            past.v[i + 1] = past.v[i];
        }
        past.x[0] = self.state.x.data.0[0];
        past.v[0] = self.state.v.data.0[0];
        now.state = self.state;
        if self.order == 0 {
            past.grid.push_exact(self.h);
        } else {
            past.grid.push(self.h, self.order.into());
        }
    }
}

/// The combination of values, the weights of which sum to minus that of `from` or to one less, by their differences from the
/// first: what is common to all of them does not round.
#[inline(always)]
fn differences<R: Real, const N: usize>(weights: &[R], from: &[R; N], values: &[[R; N]]) -> [R; N] {
    let mut sum = [R::ZERO; N];
    for (weight, value) in weights.iter().zip(values) {
        for n in 0..N {
            sum[n] += *weight * (value[n] - from[n]);
        }
    }
    sum
}

impl<R, M: SecondOrder<R, N, U>, B: Backward, const N: usize, const U: usize> Scheme
    for OnMultistep<R, M, B, N, U>
{
    type Real = R;
    type Method = ();
    type Model = M;
    type Input = Vector<R, U>;
    type State = Course<R, N>;
    type Carry = Past<R, N>;
    /// One over the nominal magnitudes.
    type Scales = [R; N];
    type Kept = Kept<R, N>;
    type Trial = Trial<R, N>;
    type Met = ();
    const PERIOD: fn(&M) -> Option<R> = M::period;
    /// The formula of a step follows from its size and order once the steps before it are alike.
    const KEEPS: bool = M::AFFINE;

    fn start(at: &Place<'_, Self>, start: &Course<R, N>) -> Result<Now<Self>, Error> {
        let mut state = *start;
        state.a = [R::ZERO; N].into();
        let (mut earlier, v) = (state.x.data.0[0], state.v.data.0[0]);
        for n in 0..N {
            if !M::ALGEBRAIC[n] {
                earlier[n] -= at.h * v[n];
            }
        }
        let carry = Past::new(&state, (earlier, v), B::ORDER as u8);
        Ok(Now { state, carry })
    }

    fn scales(at: &Place<'_, Self>, _state: &Course<R, N>) -> Result<[R; N], Error> {
        inverse_magnitudes(&at.model.nominal(), 0)
    }

    /// The past belongs to the old model: this begins anew.
    fn fit(old: &Old<'_, Self>, _before: &M) -> Fitted<Self> {
        let past = old.carry;
        let now = Now {
            state: *old.state,
            carry: Past::new(old.state, (past.x[1], past.v[1]), past.target),
        };
        Ok((now, Self::scales(&old.at, old.state)?))
    }

    fn rescale(_now: &mut Now<Self>, _scales: &mut [R; N], _h: R, _ratio: R) -> bool {
        false
    }

    fn keep(_old: &Old<'_, Self>) -> Result<Kept<R, N>, Error> {
        Ok(Kept {
            formula: Formula {
                velocity: [R::ZERO; VALUES],
                acceleration: [R::ZERO; VALUES + 1],
                direct: false,
                prediction: [R::ZERO; VALUES],
            },
            formulated: (R::ZERO, 0),
            factors: Lu::unit(),
            factored: false,
        })
    }

    #[inline(always)]
    fn attempt<C: Budget<R>>(
        old: &Old<'_, Self>,
        kept: &mut Kept<R, N>,
        budget: &mut C,
    ) -> Attempt<Self> {
        if B::STARTED && old.carry.grid.points() < usize::from(old.carry.target) {
            return old.start(budget);
        }
        let order = old.prepare(kept);
        let formula = &kept.formula;
        let rate = formula.velocity[0];
        let mut curvature = formula.acceleration[0];
        if !formula.direct {
            curvature *= rate;
        }
        let mut point = old.predict(formula);
        if !(M::AFFINE && kept.factored) {
            kept.factored = false;
            kept.factors = Lu::factor(point.jacobian(old.model, old.u, [R::ONE, rate, curvature]))?;
            kept.factored = true;
        }
        let floor = (R::EPSILON * R::from_f64(8.0) * rate).min(R::from_f64(HIGHEST));
        let (_, report) = newton(budget, floor, M::AFFINE, || {
            let mut improve = || {
                let mut d = point.residual(old.model, old.u);
                kept.factors.solve(&mut d);
                point.correct::<M, U>(&d, rate, curvature);
                d
            };
            let mut d = improve();
            if M::AFFINE {
                // Where one iteration is exact a refinement measures what rounding left.
                d = improve();
            }
            let squares = squares::<R, M, N, U>(&d, old.scales, rate, R::ONE / rate);
            Ok((squares, R::ZERO))
        })?;
        for n in 0..N {
            if M::ALGEBRAIC[n] {
                (point.v[n], point.a[n]) = (R::ZERO, R::ZERO);
            }
        }
        let trial = Trial {
            state: point.course(),
            h: old.h,
            order,
        };
        Ok((trial, report))
    }

    fn before(now: &Now<Self>, h: R, by: R) -> Course<R, N> {
        let past = &now.carry;
        course_before::<R, M, N, U>((&past.x[1], &past.v[1]), &now.state, (h, by))
    }
}

impl<R, M: SecondOrder<R, N, U>, B: Backward, const N: usize, const U: usize>
    Old<'_, OnMultistep<R, M, B, N, U>>
{
    /// The order of the next step, with its formula: that of the last one, as long as nothing has changed.
    #[inline(always)]
    fn prepare(&self, kept: &mut Kept<R, N>) -> u8 {
        let grid = &self.carry.grid;
        let order = grid.next(self.carry.target.into());
        let (settled, of) = (grid.settled(self.h, order), (self.h, order as u8));
        // A step that failed may have left another formula behind.
        if !(settled && kept.formulated == of) {
            kept.formula = self.reformulate(order);
            // That of points that are not alike serves no other points, as a snapshot may bring them.
            kept.formulated = if settled { of } else { (R::ZERO, 0) };
            kept.factored = false;
        }
        order as u8
    }

    #[inline(never)]
    fn reformulate(&self, order: usize) -> Formula<R> {
        self.carry.grid.formula(self.h, order, B::MODIFIED)
    }

    /// A step of the one-step method that starts [`Started`] formulas.
    #[inline(never)]
    fn start<C: Budget<R>>(&self, budget: &mut C) -> Attempt<OnMultistep<R, M, B, N, U>> {
        let (state, report) = one_step(self.model, (self.t, self.h), self.state, self.u, budget)?;
        let trial = Trial {
            state,
            h: self.h,
            order: 0,
        };
        Ok((trial, report))
    }

    /// The point that the past points to.
    #[inline(always)]
    fn predict(&self, formula: &Formula<R>) -> Point<R, N> {
        let past = self.carry;
        let newest = &past.x[0];
        let mut x = differences(&formula.prediction[1..=B::ORDER], newest, &past.x[1..]);
        for n in 0..N {
            x[n] += newest[n];
            if past.grid.points() == 1 && !M::ALGEBRAIC[n] {
                x[n] += self.h * past.v[0][n];
            }
        }
        // The past is one step older than the formula that weighs it.
        let v = differences(&formula.velocity[1..=B::ORDER], &x, &past.x);
        let weights = &formula.acceleration[1..];
        let a = if formula.direct {
            differences(&weights[..=B::ORDER], &x, &past.x)
        } else {
            differences(&weights[..B::ORDER], &v, &past.v)
        };
        Point {
            t: self.t + self.h,
            x,
            v,
            a,
        }
    }
}

impl<R, M: SecondOrder<R, N, U>, B: Backward, const N: usize, const U: usize>
    MultistepStepper<R, M, B, N, U>
{
    /// The order of the last step; zero in a start.
    pub fn order(&self) -> usize {
        self.now.carry.grid.order()
    }

    /// The order to go to, at most the method's: at once if it is lower, by one a step if it is higher.
    pub fn set_order(&mut self, order: usize) {
        self.now.carry.target = order.clamp(1, B::ORDER) as u8;
    }

    /// Points known before the last step, as far as they matter.
    pub(crate) fn depth(&self) -> usize {
        self.now.carry.grid.points().saturating_sub(1).min(VALUES)
    }

    /// Estimates of the errors of x and x' in a step of order `points - 1`: how far x is from the polynomial through so many
    /// points before it, times the part that the step is of all that they span, and what the slope makes of that. (The
    /// velocities' own distance would not do: they jump by as much as they are wrong whenever the step changes.)
    pub(crate) fn estimate(&self, points: usize) -> ([R; N], [R; N]) {
        let (weights, mut part) = self.now.carry.grid.deviation::<R>(points);
        let values = &self.now.carry.x;
        let (mut x, mut v) = ([R::ZERO; N], [R::ZERO; N]);
        for n in 0..N {
            for i in 0..VALUES {
                // The weights sum to one.
                if i < points {
                    x[n] += weights[i] * (values[0][n] - values[i + 1][n]);
                }
            }
            // One point, but its velocity is known, too.
            if points == 1 && !M::ALGEBRAIC[n] {
                x[n] -= self.h() * self.now.carry.v[1][n];
                part = R::ONE;
            }
            x[n] *= part;
            v[n] = x[n] * self.kept.formula.velocity[0];
        }
        (x, v)
    }

    /// Whether the order is still on its way from 1 to the method's.
    pub(crate) fn starting(&self) -> bool {
        self.now.carry.grid.points() <= B::ORDER + 1
    }
}
