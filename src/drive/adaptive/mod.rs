//! Steps as large as a tolerance allows.
//!
//! The classical driver of RADAU5 (Hairer & Wanner II, IV.8) without its heap: an error estimate from the step's own real
//! factorisation, predictive step size control, a simplified Newton iteration that is stopped when it is good enough or
//! hopeless, and Jacobian and factorisation kept while they serve. For the desk, for a plant's start on a board, and for
//! finding the fixed step that real time can afford.

mod controller;
mod eventful;
mod newton;

use crate::number::{Compensated, Field, Real, Scalar};
use crate::step::{Controlled, Dense, Error, Inputs, Method, Tolerance};
use controller::Controller;
use newton::{Simplified, good};

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Statistics {
    /// Steps that were accepted.
    pub steps: u32,
    /// Steps that were rejected: their error was too large, or their iteration failed.
    pub rejected: u32,
    /// Evaluations of the right-hand side, or of forces and constraints, one a stage and one an error estimate.
    pub evaluations: u32,
    /// Evaluations of the Jacobian.
    pub jacobians: u32,
    /// Factorisations of the Newton matrix, all modes together.
    pub factorisations: u32,
    /// Solutions with it, all modes together: one an iteration and one an error estimate.
    pub solves: u32,
}

/// An accepted step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Taken<R> {
    /// Its size.
    pub h: R,
    /// Its estimated error in units of what is allowed.
    pub error: R,
    /// Newton iterations of the last attempt.
    pub iterations: u8,
}

/// A model, a method and a tolerance: a plant that moves by steps as large as the tolerance allows.
///
/// ```
/// use stiffstep::prelude::*;
///
/// /// Van der Pol's oscillator.
/// struct VanDerPol { mu: f64 }
/// impl FirstOrder<f64, 2, 0> for VanDerPol {
///     type Mass = Unit;
///     fn mass(&self) -> Unit {
///         Unit
///     }
///     fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 2>, _u: &Vector<f64, 0>) -> Vector<T, 2> {
///         [x[1], (-x[0] * x[0] + 1.0) * x[1] * self.mu - x[0]].into()
///     }
/// }
///
/// let oscillator = VanDerPol { mu: 1000.0 };
/// let mut plant = Adaptive::new(oscillator, RadauIIA::<3>, 1e-8, 1e-6, [2.0, 0.0].into())?;
/// plant.run_to(2000.0)?;
/// assert!((plant.state()[0] - 1.706167732170469).abs() < 1e-7);
/// println!("{:?}", plant.statistics());
/// # Ok::<(), stiffstep::Error>(())
/// ```
pub struct Adaptive<P: Controlled> {
    /// The inputs, held until they are changed.
    pub input: P::Input,
    /// Steps are never larger than this.
    pub longest: P::Real,
    /// A run takes at most so many steps.
    pub most_steps: u32,
    /// The inputs of the last step.
    last_input: P::Input,
    pub(super) stepper: P,
    tolerance: Tolerance<P::Real, P::Absolute>,
    /// How much larger than the tolerance an estimate of the lower, embedded order may be.
    allowance: P::Real,
    pub(super) time: Compensated<P::Real>,
    /// The size of the next step.
    pub(super) next: P::Real,
    factors: Option<P::Factors>,
    /// Whether their Jacobian was evaluated where the simulation is.
    fresh: bool,
    /// Whether their Jacobian contracts too slowly to be kept.
    stale: bool,
    newton: Simplified<P::Real>,
    controller: Controller<P::Real>,
    statistics: Statistics,
}

impl<P: Controlled> Adaptive<P> {
    /// A simulation at time zero with inputs zero. Components are to be exact to `relative` times their size, or times their
    /// nominal magnitude if that is larger; `first` is the size of the first step to try, better too small than too large.
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
        let stepper = method.stepper(model, first, start)?;
        if !(relative > P::Real::ZERO && relative < P::Real::ONE) {
            return Err(Error::Tolerance);
        }
        let absolute = stepper.absolute(relative);
        // RADAU5's: an estimate of order s for a result of order 2s - 1.
        let s = P::STAGES as f64;
        let power = P::Real::from_f64((s + 1.0) / (2.0 * s));
        let tenth = P::Real::from_f64(0.1);
        let inner = tenth * (relative.ln() * power).exp();
        let rounding = P::Real::EPSILON * P::Real::from_f64(10.0) / inner;
        let accuracy = inner.sqrt().min(P::Real::from_f64(0.03)).max(rounding);
        let allowance = inner / relative;
        let most = 10 + (P::STAGES as u8).saturating_sub(3) * 5 / 2;
        Ok(Adaptive {
            input: P::no_input(),
            last_input: P::no_input(),
            longest: P::Real::ONE / P::Real::ZERO,
            most_steps: u32::MAX,
            stepper,
            tolerance: Tolerance { relative, absolute },
            allowance,
            time: Compensated::new(P::Real::ZERO),
            next: first,
            factors: None,
            fresh: false,
            stale: false,
            newton: Simplified::new(accuracy * allowance, most),
            controller: Controller::new(P::STAGES),
            statistics: Statistics::default(),
        })
    }

    /// The same with absolute tolerances of its own for each component.
    pub fn with_absolute(mut self, absolute: P::Absolute) -> Self {
        self.tolerance.absolute = absolute;
        self
    }

    /// One step, tried until it is good enough. After an error time and state are as they were.
    pub fn step(&mut self) -> Result<Taken<P::Real>, Error> {
        self.step_within(self.longest)
    }

    /// One step of at most this size.
    pub(super) fn step_within(&mut self, most: P::Real) -> Result<Taken<P::Real>, Error> {
        let t = self.time();
        if self.input != self.last_input {
            self.input.checked()?;
            self.stepper.renew(t, &self.input)?;
            self.statistics.evaluations += P::AT_END;
            self.last_input = self.input;
        }
        let tick = self.tick();
        let mut wanted = self.next;
        loop {
            let h = wanted.min(most).min(self.longest);
            // False for NaN, too.
            if !(h > tick && h > P::Real::ZERO) {
                return Err(Error::StepTooSmall);
            }
            wanted = match self.attempt(t, h) {
                Ok((trial, error, iterations)) if error < P::Real::ONE => {
                    let time = self.time.plus(h);
                    self.stepper.accept(time.high, &self.input, trial)?;
                    self.time = time;
                    self.statistics.steps += 1;
                    self.statistics.evaluations += P::AT_END;
                    let next = self
                        .controller
                        .accepted(h, error, iterations, self.newton.most);
                    self.plan(h, wanted, next);
                    return Ok(Taken {
                        h,
                        error,
                        iterations,
                    });
                }
                Ok((_, error, iterations)) => {
                    // A Jacobian from this very point is as good as it gets.
                    self.stale |= !self.fresh;
                    let most = self.newton.most;
                    self.controller.rejected(h, error, iterations, most)
                }
                Err(Error::Diverged | Error::NonFinite | Error::Singular { .. }) => {
                    // It was evaluated half a step ahead, which may have been too far.
                    self.stale = true;
                    self.newton.forget();
                    self.controller.failed(h)
                }
                Err(error) => return Err(error),
            };
            self.statistics.rejected += 1;
            // The smallest numbers do not get smaller by a tenth: at time zero nothing else would end this.
            let shrinks = wanted < h;
            if !shrinks {
                return Err(Error::StepTooSmall);
            }
        }
    }

    /// Tries a step of size `h`: the trial, its error in units of what is allowed, and its iterations.
    fn attempt(&mut self, t: P::Real, h: P::Real) -> Result<(P::Trial, P::Real, u8), Error> {
        let moved = self.stepper.h() != h;
        if moved {
            self.stepper.set_h(h)?;
        }
        let factors = match self.factors.take() {
            Some(factors) if !(moved || self.stale) => factors,
            old => {
                let kept = if self.stale { None } else { old.as_ref() };
                let evaluated = kept.is_none();
                let factors = self.stepper.factor(t, &self.input, kept)?;
                self.statistics.factorisations += 1;
                self.statistics.jacobians += u32::from(evaluated);
                self.fresh |= evaluated;
                self.stale = false;
                factors
            }
        };
        let factors = self.factors.insert(factors);
        self.newton.begin();
        let tried =
            self.stepper
                .attempt(t, &self.input, factors, &self.tolerance, &mut self.newton);
        let iterations = self.newton.iterations;
        self.statistics.evaluations += u32::from(iterations) * P::STAGES as u32;
        self.statistics.solves += u32::from(iterations);
        let (trial, _) = tried?;
        let mut estimate = |twice| {
            self.statistics.evaluations += P::AN_ESTIMATE + u32::from(twice);
            self.statistics.solves += 1 + u32::from(twice);
            let (input, tolerance) = (&self.input, &self.tolerance);
            self.stepper
                .error(t, input, factors, &trial, tolerance, twice)
                .map(|error| error / self.allowance)
        };
        let mut error = estimate(false)?;
        if error >= P::Real::ONE && self.controller.wary() {
            error = estimate(true)?;
        }
        if !error.finite() {
            return Err(Error::NonFinite);
        }
        Ok((trial, error, iterations))
    }

    /// The next step, after one of size `h` where `wanted` was planned.
    fn plan(&mut self, h: P::Real, wanted: P::Real, next: P::Real) {
        self.fresh = false;
        self.stale = self.newton.theta > good();
        let grows = next / h;
        self.next = if h < wanted {
            // Cut short by something else than the error.
            wanted
        } else if !self.stale && grows >= P::Real::ONE && grows <= P::Real::from_f64(1.2) {
            // Not worth a factorisation.
            h
        } else {
            next
        };
    }

    /// Runs to the time `end`, and ends exactly there.
    pub fn run_to(&mut self, end: P::Real) -> Result<(), Error> {
        for _ in 0..self.most_steps {
            if self.approach(end)? {
                return Ok(());
            }
        }
        Err(Error::TooManySteps)
    }

    /// A step towards the time `end`, or none if it is reached; answers whether it is.
    pub(super) fn approach(&mut self, end: P::Real) -> Result<bool, Error> {
        let left = (end - self.time.high) - self.time.low;
        if left <= self.tick() {
            if left > P::Real::ZERO {
                self.time = Compensated::new(end);
            }
            return Ok(true);
        }
        // Half of what is left, if the step after the next would be a tiny one.
        let next = self.next.min(self.longest);
        let half = left * P::Real::from_f64(0.5);
        let most = if left > next && half < next {
            half
        } else {
            left
        };
        let taken = self.step_within(most)?;
        let reached = taken.h == left;
        if reached {
            self.time = Compensated::new(end);
        }
        Ok(reached)
    }

    /// What time does not resolve: it is a compensated sum, finer by a thousand than what it shows, so that a fast transition
    /// late in a run of single precision is no obstacle.
    fn tick(&self) -> P::Real {
        P::Real::EPSILON * P::Real::from_f64(1.0 / 1024.0) * self.time().abs()
    }

    /// The time reached.
    pub fn time(&self) -> P::Real {
        self.time.high
    }

    /// The state reached.
    pub fn state(&self) -> &P::State {
        self.stepper.state()
    }

    /// The model.
    pub fn model(&self) -> &P::Model {
        self.stepper.model()
    }

    /// What was done so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Changes parameters of the model between two steps, as [`Simulation::change`](crate::Simulation::change) does.
    pub fn change<T>(&mut self, edit: impl FnOnce(&mut P::Model) -> T) -> Result<T, Error>
    where
        P::Model: Clone,
    {
        let now = self.time();
        let answer = self.stepper.change(now, &self.input, edit)?;
        self.forget();
        Ok(answer)
    }

    /// Nothing that was learned so far is a guide any more.
    pub(super) fn forget(&mut self) {
        self.factors = None;
        self.newton.forget();
        self.controller.forget();
    }
}

impl<P: Controlled + Dense> Adaptive<P> {
    /// Runs to the time `end` and shows the state at every multiple of `period` on the way, whatever the steps: the start
    /// and the end included, if they are multiples.
    pub fn sample(
        &mut self,
        period: P::Real,
        end: P::Real,
        mut show: impl FnMut(P::Real, &P::State),
    ) -> Result<(), Error> {
        if !(period > P::Real::ZERO && period.finite()) {
            return Err(Error::StepSize);
        }
        let mut count = 0_u64;
        let mut due = P::Real::from_count(count) * period;
        while due < self.time() {
            count += 1;
            due = P::Real::from_count(count) * period;
        }
        if due == self.time() {
            show(due, self.state());
            count += 1;
            due = P::Real::from_count(count) * period;
        }
        for _ in 0..self.most_steps {
            let reached = self.approach(end)?;
            while due <= self.time() {
                show(due, &self.stepper.before(self.time() - due));
                count += 1;
                due = P::Real::from_count(count) * period;
            }
            if reached {
                return Ok(());
            }
        }
        Err(Error::TooManySteps)
    }
}
