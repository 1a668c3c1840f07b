//! A step of a backward differentiation formula for `F(t, x, x', x'') = 0` (Wunderlich (15)-(23)).
//!
//! With the predicted `x_p` and the velocity and acceleration that belong to it, the unknown is the correction d alone:
//! `x = x_p + d`, `v = v_p + c_1 d`, `a = a_p + c_1 c_2 d`, with Newton matrix `F_x + c_1 F_v + c_1 c_2 F_a`: one
//! system of N equations a step where collocation solves one a mode.
//!
//! In single precision the multiplier of a constraint carries rounding of order `epsilon / h^2`, because positions are
//! differentiated twice. A [`Mechanical`](crate::model::Mechanical) model stepped by Radau does not have it.

use super::general_linear::one_step;
use super::second_order::{Point, course_at, squares, weights};
use super::{Budget, Convergence, Error, Method, Report, Stepper, checked_step};
use crate::linear::Lu;
use crate::method::bdf::{Backward, Bdf, Formula, Grid, OrdinaryBdf, Started, VALUES};
use crate::model::{Course, SecondOrder, Vector};
use crate::number::Real;
use core::marker::PhantomData;

/// The kind of a second-order model stepped by a multistep method, for inference.
#[derive(Clone, Copy, Debug)]
pub struct OfMultistep<R, const N: usize, const U: usize>(PhantomData<R>);

/// All kinds of formula step alike.
macro_rules! method {
    ($($name:ty),*) => {$(
        impl<R, M, const N: usize, const U: usize, const K: usize> Method<M, OfMultistep<R, N, U>> for $name
        where
            R: Real,
            M: SecondOrder<R, N, U>,
        {
            type Real = R;
            type Start = (Vector<R, N>, Vector<R, N>);
            type Stepper = MultistepStepper<R, M, Self, N, U>;

            fn stepper(self, model: M, h: R, start: Self::Start) -> Result<Self::Stepper, Error> {
                MultistepStepper::new(model, self, h, start)
            }
        }
    )*};
}
method!(Bdf<K>, OrdinaryBdf<K>, Started<Bdf<K>>);

/// What is known of the past, the last point first.
#[derive(Clone, Copy, Debug)]
pub struct Past<R, const N: usize> {
    x: [[R; N]; VALUES + 1],
    v: [[R; N]; VALUES + 1],
    grid: Grid,
    now: Course<R, N>,
}

impl<R: Real, const N: usize> Past<R, N> {
    /// A start.
    fn new(now: Course<R, N>) -> Self {
        Past {
            x: [now.x.data.0[0]; VALUES + 1],
            v: [now.v.data.0[0]; VALUES + 1],
            grid: Grid::default(),
            now,
        }
    }
}

/// A second-order model with its past, stepped by the formula `B`.
pub struct MultistepStepper<R: Real, M, B, const N: usize, const U: usize> {
    model: M,
    method: PhantomData<B>,
    h: R,
    past: Past<R, N>,
    /// The order to go to, by one a step.
    target: usize,
    formula: Formula<R>,
    /// The step and the order that it is for; zero if for none.
    formulated: (R, usize),
    /// One over the nominal magnitudes.
    weights: [R; N],
    factors: Lu<R, N>,
    /// Whether the factors belong to the model and the formula at hand; only of use if the model is affine.
    factored: bool,
}

/// The weights of the past, which is one step older than the formula that they belong to.
#[inline(always)]
fn older<R: Real, const W: usize>(weights: &[R; W]) -> [R; W] {
    let mut shifted = [R::ZERO; W];
    for i in 1..W {
        shifted[i - 1] = weights[i];
    }
    shifted
}

/// The combination of values, the weights of which sum to minus that of `from` or to one less, by their differences from the first: what is common to all of
/// them does not round.
#[inline(always)]
fn differences<R: Real, const N: usize, const W: usize>(
    weights: &[R; W],
    from: &[R; N],
    values: &[[R; N]; VALUES + 1],
    (first, last): (usize, usize),
) -> [R; N] {
    let mut sum = [R::ZERO; N];
    for i in 0..W {
        if i >= first && i <= last {
            for n in 0..N {
                sum[n] += weights[i] * (values[i][n] - from[n]);
            }
        }
    }
    sum
}

impl<R, M, B, const N: usize, const U: usize> MultistepStepper<R, M, B, N, U>
where
    R: Real,
    M: SecondOrder<R, N, U>,
    B: Backward,
{
    /// A stepper at a start (x, x').
    pub fn new(
        model: M,
        _method: B,
        h: R,
        start: (Vector<R, N>, Vector<R, N>),
    ) -> Result<Self, Error> {
        let now = course_at(h, &start)?;
        Ok(MultistepStepper {
            weights: weights(&model)?,
            model,
            method: PhantomData,
            h,
            past: Past::new(now),
            target: B::ORDER,
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

    /// The order of the last step; zero in a start.
    pub fn order(&self) -> usize {
        self.past.grid.order()
    }

    /// The order to go to, at most the method's: at once if it is lower, by one a step if it is higher.
    pub fn set_order(&mut self, order: usize) {
        self.target = order.clamp(1, B::ORDER);
    }

    /// Forgets the past: the next step is of order 1, as after a start. To be called when the plant's motion has a kink, such
    /// as an impact; a change of the input needs it, too, if the multipliers right after it matter.
    pub fn restart(&mut self) {
        self.recall(Past::new(self.past.now));
    }

    /// What is known of the past, to come back to.
    pub(crate) fn past(&self) -> Past<R, N> {
        self.past
    }

    /// Comes back to an earlier past.
    pub(crate) fn recall(&mut self, past: Past<R, N>) {
        self.past = past;
        self.formulated = (R::ZERO, 0);
        self.factored = false;
    }

    /// Points known before the last step, as far as they matter.
    pub(crate) fn depth(&self) -> usize {
        self.past.grid.points().saturating_sub(1).min(VALUES)
    }

    /// Estimates of the errors of x and x' in a step of order `points - 1`: how far x is from the polynomial through so many
    /// points before it, times the part that the step is of all that they span, and what the slope makes of that. (The
    /// velocities' own distance would not do: they jump by as much as they are wrong whenever the step changes.)
    pub(crate) fn estimate(&self, points: usize) -> ([R; N], [R; N]) {
        let (weights, mut part) = self.past.grid.deviation::<R>(points);
        let values = &self.past.x;
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
                x[n] -= self.h * self.past.v[1][n];
                part = R::ONE;
            }
            x[n] *= part;
            v[n] = x[n] * self.formula.velocity[0];
        }
        (x, v)
    }

    /// Whether the order is still on its way from 1 to the method's.
    pub(crate) fn starting(&self) -> bool {
        self.past.grid.points() <= B::ORDER + 1
    }

    /// The formula of the next step: that of the last one, as long as nothing has changed.
    #[inline(always)]
    fn prepare(&mut self) -> usize {
        let grid = &self.past.grid;
        let order = grid.next(self.target);
        // A step that failed may have left another formula behind.
        if !(grid.settled(self.h, order) && self.formulated == (self.h, order)) {
            self.formula = self.reformulate(order);
            self.formulated = (self.h, order);
            self.factored = false;
        }
        order
    }

    #[inline(never)]
    fn reformulate(&self, order: usize) -> Formula<R> {
        self.past.grid.formula(self.h, order, B::MODIFIED)
    }

    /// A step of the one-step method that starts [`Started`] formulas.
    #[inline(never)]
    fn start<C: Budget<R>>(
        &mut self,
        t: R,
        u: &Vector<R, U>,
        budget: &mut C,
    ) -> Result<Report<R>, Error> {
        let (end, report) = one_step(&self.model, (t, self.h), &self.past.now, u, budget)?;
        self.keep(&Point {
            t,
            x: end.x.data.0[0],
            v: end.v.data.0[0],
            a: end.a.data.0[0],
        });
        self.past.grid.push_exact(self.h);
        Ok(report)
    }

    /// Makes a new point the first of the past.
    #[inline(always)]
    fn keep(&mut self, point: &Point<R, N>) {
        let past = &mut self.past;
        // As many as the next step, or an estimate for an order more, may ask for.
        for i in (0..B::ORDER + 1).rev() {
            past.x[i + 1] = past.x[i];
            past.v[i + 1] = past.v[i];
        }
        (past.x[0], past.v[0]) = (point.x, point.v);
        past.now = Course {
            x: point.x.into(),
            v: point.v.into(),
            a: point.a.into(),
        };
    }

    /// The point that the past points to.
    #[inline(always)]
    fn predict(&self, t: R) -> Point<R, N> {
        let (past, formula) = (&self.past, &self.formula);
        let newest = &past.x[0];
        let mut x = differences(&formula.prediction, newest, &past.x, (1, B::ORDER));
        for n in 0..N {
            x[n] += newest[n];
            if past.grid.points() == 1 && !M::ALGEBRAIC[n] {
                x[n] += self.h * past.v[0][n];
            }
        }
        let v = differences(&older(&formula.velocity), &x, &past.x, (0, B::ORDER - 1));
        let weights = older(&formula.acceleration);
        let a = if formula.direct {
            differences(&weights, &x, &past.x, (0, B::ORDER))
        } else {
            differences(&weights, &v, &past.v, (0, B::ORDER - 1))
        };
        Point {
            t: t + self.h,
            x,
            v,
            a,
        }
    }
}

impl<R, M, B, const N: usize, const U: usize> Stepper for MultistepStepper<R, M, B, N, U>
where
    R: Real,
    M: SecondOrder<R, N, U>,
    B: Backward,
{
    type Real = R;
    type Model = M;
    type Input = Vector<R, U>;
    type State = Course<R, N>;

    #[inline(always)]
    fn take_step<C: Budget<R>>(
        &mut self,
        t: R,
        u: &Self::Input,
        budget: &mut C,
    ) -> Result<Report<R>, Error> {
        if B::STARTED && self.past.grid.points() < self.target {
            return self.start(t, u, budget);
        }
        let order = self.prepare();
        let rate = self.formula.velocity[0];
        let mut curvature = self.formula.acceleration[0];
        if !self.formula.direct {
            curvature *= rate;
        }
        let mut point = self.predict(t);
        if !(M::AFFINE && self.factored) {
            self.factored = false;
            self.factors = Lu::factor(point.jacobian(&self.model, u, [R::ONE, rate, curvature]))?;
            self.factored = true;
        }
        let period = R::ONE / rate;
        let mut convergence = Convergence::start(R::EPSILON * R::from_f64(8.0) * rate);
        while budget.another(&convergence) {
            let mut d = point.residual(&self.model, u);
            self.factors.solve(&mut d);
            for n in 0..N {
                point.x[n] -= d[n];
                if !M::ALGEBRAIC[n] {
                    point.v[n] -= rate * d[n];
                    point.a[n] -= curvature * d[n];
                }
            }
            convergence.record(squares::<R, M, N, U>(&d, &self.weights, rate, period));
            if M::AFFINE {
                break;
            }
        }
        let report = convergence.verdict(budget.tolerance(), M::AFFINE)?;
        for n in 0..N {
            if M::ALGEBRAIC[n] {
                (point.v[n], point.a[n]) = (R::ZERO, R::ZERO);
            }
            if !(point.x[n].finite() && point.v[n].finite() && point.a[n].finite()) {
                return Err(Error::NonFinite);
            }
        }
        self.keep(&point);
        self.past.grid.push(self.h, order);
        Ok(report)
    }

    #[inline(always)]
    fn h(&self) -> R {
        self.h
    }

    fn set_h(&mut self, h: R) -> Result<(), Error> {
        self.h = checked_step(h)?;
        Ok(())
    }

    #[inline(always)]
    fn state(&self) -> &Self::State {
        &self.past.now
    }

    #[inline(always)]
    fn model(&self) -> &M {
        &self.model
    }

    fn model_mut(&mut self) -> &mut M {
        &mut self.model
    }

    /// The past belongs to the old model: this restarts.
    fn refit(&mut self, _t: R, _u: &Self::Input) -> Result<(), Error> {
        self.weights = weights(&self.model)?;
        self.restart();
        Ok(())
    }
}
