//! Steps, and orders, chosen by the error that they make: for the methods of second-order systems.
//!
//! Every step is compared with what the steps before it predicted, component by component, each with a tolerance of its own
//! (Wunderlich's experiments allow multipliers a hundred times more than positions). For the backward differentiation
//! formulas the difference times `h / (t_n - t_(n-k-1))` estimates the error of a step of order k, and those of the orders
//! next to k come from the same past. For Runge-Kutta and general linear methods the difference between the stages and the
//! continued polynomial of the last ones is taken as it is: of lower order than the step's own error, and so an upper bound.

use super::clock::Clock;
use super::{Statistics, Taken};
use crate::method::{Backward, GeneralLinear, Modes, Stages};
use crate::model::{Course, SecondOrder};
use crate::number::{Field, Real, Scalar};
use crate::step::{
    EachOfCourse, Error, GeneralLinearStepper, Method, MultistepStepper, Now, OnGeneralLinear,
    OnMultistep, Outcome, Report, Stepper, Tolerance, Until, checked_period,
};

/// What is allowed of each component's error.
type Allowed<R, const N: usize> = Tolerance<R, EachOfCourse<R, N>>;

/// A step's report, its error in units of what is allowed, and the factor for the next step.
type Attempt<R> = (Report<R>, R, R);

/// The largest of the errors of x and x' in units of what is allowed; of those of positions alone if nothing else counts.
fn measure<R, M, const N: usize, const U: usize>(
    allowed: &Allowed<R, N>,
    (x, v): &([R; N], [R; N]),
    at: &Course<R, N>,
    positions: bool,
) -> R
where
    R: Real,
    M: SecondOrder<R, N, U>,
{
    let mut largest = R::ZERO;
    let mut take = |error: R, value: R, absolute: R| {
        let ratio = error.abs() / (absolute + allowed.relative * value.abs());
        // A NaN must not pass for no error.
        if ratio > largest || !ratio.finite() {
            largest = ratio;
        }
    };
    for n in 0..N {
        if !(positions && M::ALGEBRAIC[n]) {
            take(x[n], at.x.data.0[0][n], allowed.absolute.x[n]);
        }
        if !(positions || M::ALGEBRAIC[n]) {
            take(v[n], at.v.data.0[0][n], allowed.absolute.v[n]);
        }
    }
    largest
}

/// A stepper that can say how good a step was, and take it back.
pub trait Judged<const N: usize>: Stepper {
    /// What it takes to come back.
    type Memory: Copy;
    /// Evaluations of the model an iteration.
    const STAGES: u32;
    /// Systems solved an iteration.
    const MODES: u32;
    /// Before the first step: whatever makes it comparable with a prediction.
    fn begin(&mut self) -> Result<(), Error>;
    /// What to keep before a step.
    fn remember(&self) -> Self::Memory;
    /// Comes back.
    fn recall(&mut self, memory: Self::Memory);
    /// After a step: its error in units of the tolerances, and the factor by which the next one may be larger. May choose
    /// another order for it, if the error is less than one.
    fn judge(
        &mut self,
        allowed: &Tolerance<Self::Real, EachOfCourse<Self::Real, N>>,
    ) -> (Self::Real, Self::Real);
}

/// The factor that makes an error of order `order` in h one, with a margin.
fn factor<R: Real>(error: R, order: usize) -> R {
    let least = R::from_f64(1e-8);
    let error = if error > least { error } else { least };
    let exponent = R::from_count(order as u64);
    R::from_f64(0.8) * (-(error.ln()) / exponent).exp()
}

impl<R, M, B, const N: usize, const U: usize> Judged<N> for MultistepStepper<R, M, B, N, U>
where
    R: Real,
    M: SecondOrder<R, N, U>,
    B: Backward,
{
    type Memory = Now<OnMultistep<R, M, B, N, U>>;
    const STAGES: u32 = 1;
    const MODES: u32 = 1;

    fn begin(&mut self) -> Result<(), Error> {
        Ok(())
    }
    fn remember(&self) -> Self::Memory {
        *self.now()
    }
    fn recall(&mut self, memory: Self::Memory) {
        *self.now_mut() = memory;
    }

    fn judge(&mut self, allowed: &Allowed<R, N>) -> (R, R) {
        let order = self.order();
        // At the first, low orders velocities and multipliers are what they are. Nothing remembers them: later ones come from
        // the positions. To hold them to their tolerances would take steps so small that multipliers drown in rounding.
        // The momentum remembers, though, and that is what the caution is for.
        let caution = R::from_f64(if self.starting() { 10.0 } else { 1.0 });
        let error = |points: usize| {
            let points = points.min(self.depth()).max(1);
            let error = self.estimate(points);
            caution * measure::<R, M, N, U>(allowed, &error, self.state(), self.starting())
        };
        if order == 0 {
            // A step of the method that starts the others.
            let own = error(1);
            return (own, R::ONE);
        }
        // Velocities and multipliers are of order k, too.
        let own = error(order + 1);
        let mut best = (order, factor(own, order));
        if own <= R::ONE {
            if self.starting() {
                // Low orders are there to get away from.
                best.0 = order + 1;
            } else {
                if order > 1 {
                    let lower = factor(error(order), order - 1);
                    if lower > best.1 {
                        best = (order - 1, lower);
                    }
                }
                if order < B::ORDER && self.depth() >= order + 2 {
                    let higher = factor(error(order + 2), order + 1);
                    if higher > best.1 {
                        best = (order + 1, higher);
                    }
                }
            }
            self.set_order(best.0);
        }
        // Beyond these ratios variable-step formulas are not stable (order 2: 1 + sqrt 2, order 3: 1.5).
        let most = R::from_f64(if order <= 2 { 2.0 } else { 1.4 });
        (own, if best.1 < most { best.1 } else { most })
    }
}

impl<R, M, G, const N: usize, const U: usize, const S: usize, const K: usize> Judged<N>
    for GeneralLinearStepper<R, M, G, N, U, S, K>
where
    R: Real,
    M: SecondOrder<R, N, U>,
    G: GeneralLinear<S, K>,
    Stages<S>: Modes,
{
    type Memory = Now<OnGeneralLinear<R, M, G, N, U, S, K>>;
    const STAGES: u32 = S as u32;
    // Stage by stage, or one a real mode and one a pair.
    const MODES: u32 = match G::DIAGONAL {
        Some(_) => S as u32,
        None => S as u32 / 2 + S as u32 % 2,
    };

    fn begin(&mut self) -> Result<(), Error> {
        GeneralLinearStepper::begin(self, R::ZERO, &Self::no_input())
    }
    fn remember(&self) -> Self::Memory {
        *self.now()
    }
    fn recall(&mut self, memory: Self::Memory) {
        *self.now_mut() = memory;
    }

    fn judge(&mut self, allowed: &Allowed<R, N>) -> (R, R) {
        let error = measure::<R, M, N, U>(allowed, &self.estimate(), self.state(), false);
        // The prediction of a multiplier is of order s.
        let factor = factor(error, S);
        let most = R::from_f64(2.0);
        (error, if factor < most { factor } else { most })
    }
}

/// A second-order model that moves with steps, and orders, as large as tolerances allow.
///
/// ```
/// use stiffstep::drive::Variable;
/// use stiffstep::prelude::*;
///
/// /// y'' = -y.
/// struct Spring;
/// impl SecondOrder<f64, 1, 0> for Spring {
///     fn residual<T: Scalar<f64>>(
///         &self, _t: T, x: &Vector<T, 1>, _v: &Vector<T, 1>, a: &Vector<T, 1>, _u: &Vector<f64, 0>,
///     ) -> Vector<T, 1> {
///         [a[0] + x[0]].into()
///     }
/// }
///
/// let start = ([1.0].into(), [0.0].into());
/// let mut spring = Variable::new(Spring, Bdf::<5>, 1e-6, 1e-3, start)?;
/// spring.run_to(1.0)?;
/// assert!((spring.state().x[0] - 0.540_302_3).abs() < 1e-5);
/// println!("{:?}", spring.statistics());
/// # Ok::<(), stiffstep::Error>(())
/// ```
pub struct Variable<P: Stepper, const N: usize> {
    /// The inputs, held until they are changed.
    pub input: P::Input,
    /// Steps are never larger than this.
    pub longest: P::Real,
    /// A run takes at most so many steps.
    pub most_steps: u32,
    stepper: P,
    allowed: Allowed<P::Real, N>,
    clock: Clock<P::Real>,
    /// The size of the next step.
    next: P::Real,
    statistics: Statistics,
}

impl<P: Judged<N>, const N: usize> Variable<P, N> {
    /// A simulation at time zero with inputs zero. Every component is to be exact to `relative`, absolutely and relative to
    /// its size; `first` is the size of the first step to try, better too small than too large.
    pub fn new<M, Kind, K>(
        model: M,
        method: K,
        relative: P::Real,
        first: P::Real,
        start: K::Start,
    ) -> Result<Self, Error>
    where
        K: Method<M, Kind, Stepper = P, Real = P::Real>,
    {
        if !(relative > P::Real::ZERO && relative < P::Real::ONE) {
            return Err(Error::Tolerance);
        }
        let mut stepper = method.stepper(model, first, start)?;
        checked_period(stepper.period())?;
        stepper.begin()?;
        Ok(Variable {
            input: P::no_input(),
            longest: P::Real::LARGEST,
            most_steps: u32::MAX,
            stepper,
            allowed: Tolerance {
                relative,
                absolute: EachOfCourse {
                    x: [relative; N],
                    v: [relative; N],
                },
            },
            clock: Clock::start(),
            next: first,
            statistics: Statistics::default(),
        })
    }

    /// The same with absolute tolerances of its own for each component.
    pub fn with_absolute(mut self, absolute: EachOfCourse<P::Real, N>) -> Result<Self, Error> {
        let all = absolute.x.iter().chain(&absolute.v);
        // False for NaN, too.
        if !all.clone().all(|x| *x > P::Real::ZERO && x.finite()) {
            return Err(Error::Tolerance);
        }
        self.allowed.absolute = absolute;
        Ok(self)
    }

    /// One step, tried until it is good enough. After an error time and state are as they were.
    pub fn step(&mut self) -> Result<Taken<P::Real>, Error> {
        self.step_within(P::Real::LARGEST)
    }

    /// One step of at most this size.
    fn step_within(&mut self, most: P::Real) -> Result<Taken<P::Real>, Error> {
        let (one, shrink) = (P::Real::ONE, P::Real::from_f64(0.25));
        let memory = self.stepper.remember();
        let now = self.model_time();
        let tick = P::Real::EPSILON * P::Real::from_f64(4.0) * self.time().abs();
        let mut wanted = self.next;
        loop {
            let h = wanted.min(most).min(self.longest);
            // False for NaN, too.
            if !(h > tick && h > P::Real::ZERO) {
                return Err(Error::StepTooSmall);
            }
            let factor = match self.attempt(now, h) {
                Ok((report, error, factor)) if error <= one => {
                    // Small gains are not worth new coefficients, and a step cut short says nothing of the next.
                    if factor < one || factor >= P::Real::from_f64(1.2) {
                        let next = h * factor;
                        self.next = if h < wanted { wanted } else { next };
                    } else {
                        self.next = wanted;
                    }
                    self.clock = self.clock.after(h, self.stepper.period());
                    self.statistics.steps += 1;
                    return Ok(Taken {
                        h,
                        error,
                        iterations: report.iterations,
                    });
                }
                Ok((_, _, factor)) => factor.max(shrink).min(P::Real::from_f64(0.9)),
                Err(Error::Diverged | Error::NonFinite | Error::Singular { .. }) => shrink,
                Err(error) => {
                    self.stepper.recall(memory);
                    return Err(error);
                }
            };
            self.statistics.rejected += 1;
            self.stepper.recall(memory);
            wanted = h * factor;
            // The smallest numbers do not get smaller by a tenth: at time zero nothing else would end this.
            let shrinks = wanted < h;
            if !shrinks {
                return Err(Error::StepTooSmall);
            }
        }
    }

    /// A step of size h, with its error and the factor for the next one.
    fn attempt(&mut self, now: P::Real, h: P::Real) -> Result<Attempt<P::Real>, Error> {
        let each = &self.allowed.absolute;
        let mut least = P::Real::LARGEST;
        for tolerance in each.x.iter().chain(&each.v) {
            least = least.min(*tolerance);
        }
        let mut budget = Until {
            tolerance: least * P::Real::from_f64(1e-3),
            max: 10,
        };
        self.stepper.set_h(h)?;
        self.statistics.jacobians += 1;
        self.statistics.factorisations += P::MODES;
        let report = self.stepper.advance(now, &self.input, &mut budget)?;
        let iterations = u32::from(report.iterations);
        self.statistics.evaluations += iterations * P::STAGES;
        self.statistics.solves += iterations * P::MODES;
        if report.outcome != Outcome::Converged {
            return Err(Error::Diverged);
        }
        let (error, factor) = self.stepper.judge(&self.allowed);
        Ok((report, error, factor))
    }

    /// Steps until time `end`, and at most [`most_steps`](Self::most_steps). The last steps are shortened to meet it; if only a crumb of time is left, too small a step may be
    /// the answer, because multipliers drown in rounding when positions are differentiated twice over a crumb.
    pub fn run_to(&mut self, end: P::Real) -> Result<(), Error> {
        let mut steps = 0;
        loop {
            let rest = self.clock.until(end);
            let tick = P::Real::EPSILON * P::Real::from_f64(4.0) * end.abs();
            if !rest.finite() {
                return Err(Error::StepSize);
            }
            if rest <= tick {
                return Ok(());
            }
            if steps == self.most_steps {
                return Err(Error::TooManySteps);
            }
            steps += 1;
            // Two equal steps rather than a full one and a crumb.
            let half = rest * P::Real::from_f64(0.5);
            let most = if self.next < rest && self.next > half {
                half
            } else {
                rest
            };
            self.step_within(most)?;
        }
    }

    /// The time reached.
    pub fn time(&self) -> P::Real {
        self.clock.time()
    }

    /// The time that the model sees: the time within its period if it has one, and [`time`](Self::time) if it has none.
    pub fn model_time(&self) -> P::Real {
        self.clock.model_time(self.stepper.period())
    }

    /// The state reached.
    pub fn state(&self) -> &P::State {
        self.stepper.state()
    }

    /// The stepper, to ask it for what is its own, such as the order.
    pub fn stepper(&self) -> &P {
        &self.stepper
    }

    /// What it took.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}
