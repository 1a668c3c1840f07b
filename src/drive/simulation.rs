//! Fixed steps, in real time or on the desk.

use super::clock::Phase;
use crate::memory::{Memory, Words};
use crate::number::{Compensated, Field, Real};
use crate::step::{
    Budget, Dense, Error, Fixed, Method, Remember, Report, Restart, Stepper, StepperOf,
    checked_period,
};

/// A model, a method and a step: a plant that moves by one step whenever it is told to.
///
/// ```
/// use stiffstep::prelude::*;
///
/// /// x' = u - x.
/// struct Lag;
/// impl FirstOrder<f64, 1, 1> for Lag {
///     type Mass = Unit;
///     fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 1>, u: &Vector<f64, 1>) -> Vector<T, 1> {
///         [-x[0] + u[0]].into()
///     }
/// }
///
/// let mut lag = Simulation::new(Lag, RadauIIA::<3>, 0.1, Vector::from([0.0]))?;
/// lag.input = [1.0].into();
/// for _ in 0..10 {
///     lag.step()?;
/// }
/// assert_eq!(lag.time(), 1.0);
/// assert!((lag.state()[0] - 0.632120558828).abs() < 1e-9);
/// # Ok::<(), stiffstep::Error>(())
/// ```
pub struct Simulation<P: Stepper, B = Fixed> {
    /// The inputs, held over each step until they are changed.
    pub input: P::Input,
    pub(super) stepper: P,
    pub(super) budget: B,
    /// Time is a count of steps since an origin: a sum of steps would lose 70 s in an hour at 1 kHz in single precision. The origin
    /// is a sum itself where the step changes, and keeps what rounding leaves.
    origin: Compensated<P::Real>,
    pub(super) steps: u64,
    /// Where the model is within its period, if it has one.
    phase: Phase<P::Real>,
}

/// The simulation of the model `M` by the method `K`, by name: for a struct or a `static` that keeps one. The model says of which
/// kind it is.
///
/// ```
/// use std::sync::Mutex;
/// use stiffstep::drive::Simulated;
/// use stiffstep::prelude::*;
/// use stiffstep::step::{Named, OfFirstOrder};
///
/// /// x' = u - x.
/// struct Lag;
/// impl FirstOrder<f32, 1, 1> for Lag {
///     type Mass = Unit;
///     fn rhs<T: Scalar<f32>>(&self, _t: T, x: &Vector<T, 1>, u: &Vector<f32, 1>) -> Vector<T, 1> {
///         [-x[0] + u[0]].into()
///     }
/// }
/// impl Named for Lag {
///     type Kind = OfFirstOrder<f32, 1, 1>;
/// }
///
/// struct Observer {
///     plant: Simulated<Lag, RadauIIA<3>>,
/// }
///
/// static PLANT: Mutex<Option<Simulated<Lag, RadauIIA<3>>>> = Mutex::new(None);
///
/// let new = || Simulation::new(Lag, RadauIIA::<3>, 0.1, [1.0].into());
/// let mut observer = Observer { plant: new()? };
/// observer.plant.step()?;
/// *PLANT.lock().unwrap() = Some(new()?);
/// # Ok::<(), stiffstep::Error>(())
/// ```
pub type Simulated<M, K, B = Fixed> = Simulation<StepperOf<M, K>, B>;

impl<P: Stepper + Clone, B: Clone> Clone for Simulation<P, B> {
    fn clone(&self) -> Self {
        Simulation {
            stepper: self.stepper.clone(),
            budget: self.budget.clone(),
            ..*self
        }
    }
}

impl<P: Stepper> Simulation<P> {
    /// A simulation at time zero with inputs zero and two Newton iterations a step.
    #[inline(always)]
    pub fn new<M, Kind, K>(model: M, method: K, h: P::Real, start: K::Start) -> Result<Self, Error>
    where
        K: Method<M, Kind, Stepper = P, Real = P::Real>,
    {
        let stepper = method.stepper(model, h, start)?;
        checked_period(stepper.period())?;
        Ok(Simulation {
            input: P::no_input(),
            stepper,
            budget: Fixed(2),
            origin: Compensated::new(P::Real::ZERO),
            steps: 0,
            phase: Phase::START,
        })
    }
}

impl<P: Stepper, B: Budget<P::Real>> Simulation<P, B> {
    /// The same simulation with another budget of Newton iterations.
    pub fn with_budget<C: Budget<P::Real>>(self, budget: C) -> Simulation<P, C> {
        Simulation {
            input: self.input,
            stepper: self.stepper,
            budget,
            origin: self.origin,
            steps: self.steps,
            phase: self.phase,
        }
    }

    /// The same with a clock that has counted `steps`, the state as it is: a test of a late hour need not wait for it.
    #[doc(hidden)]
    pub fn with_steps(mut self, steps: u64) -> Self {
        self.steps = steps;
        if let Some(period) = self.stepper.period() {
            self.phase = Phase::of(steps, self.stepper.h(), period);
        }
        self
    }

    /// One step. After an error everything is as it was before.
    #[inline(always)]
    pub fn step(&mut self) -> Result<Report<P::Real>, Error> {
        let report = self
            .stepper
            .advance(self.model_time(), &self.input, &mut self.budget)?;
        self.tick();
        Ok(report)
    }

    /// One step with another budget, this once.
    #[inline(always)]
    pub fn step_within<C: Budget<P::Real>>(
        &mut self,
        budget: &mut C,
    ) -> Result<Report<P::Real>, Error> {
        let report = self
            .stepper
            .advance(self.model_time(), &self.input, budget)?;
        self.tick();
        Ok(report)
    }

    /// The clock moves by a step.
    #[inline(always)]
    pub(super) fn tick(&mut self) {
        self.steps += 1;
        if let Some(period) = self.stepper.period() {
            self.phase = self.phase.after(self.stepper.h(), period);
        }
    }

    /// The time reached, since the start. A product of count and step, rounded: in single precision it resolves 6e-8 of itself, which
    /// from 2^24 steps on is more than a step.
    #[inline(always)]
    pub fn time(&self) -> P::Real {
        self.origin.high + (self.since_origin() + self.origin.low)
    }

    #[inline(always)]
    fn since_origin(&self) -> P::Real {
        P::Real::from_count(self.steps) * self.stepper.h()
    }

    /// The time that the model, its outputs and its events see: the time within its period if it has one, and
    /// [`time`](Self::time) if it has none.
    #[inline(always)]
    pub fn model_time(&self) -> P::Real {
        match self.stepper.period() {
            Some(_) => self.phase.time(),
            None => self.time(),
        }
    }

    /// Steps done since the step size last changed.
    #[inline(always)]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The step size.
    #[inline(always)]
    pub fn h(&self) -> P::Real {
        self.stepper.h()
    }

    /// Goes on with another step size.
    pub fn set_h(&mut self, h: P::Real) -> Result<(), Error> {
        let now = self.origin.plus(self.since_origin());
        let before = self.stepper.h();
        self.stepper.set_h(h)?;
        if h != before {
            (self.origin, self.steps) = (now, 0);
        }
        Ok(())
    }

    /// The state reached.
    #[inline(always)]
    pub fn state(&self) -> &P::State {
        self.stepper.state()
    }

    /// The state `by` before the one that was reached, within the last step.
    pub fn before(&self, by: P::Real) -> P::State
    where
        P: Dense,
    {
        self.stepper.before(by)
    }

    /// The model.
    #[inline(always)]
    pub fn model(&self) -> &P::Model {
        self.stepper.model()
    }

    /// Changes parameters of the model between two steps. Joints take up the forces that belong to their new parameters, a
    /// rigid mechanism moves to where it fits, and after an error model and state are as they were. (Inputs need not go this
    /// way: they are the field [`input`](Self::input), and a linear plant keeps its factorisation when they change.)
    ///
    /// ```
    /// # use stiffstep::prelude::*;
    /// # let rc = Circuit { e: [[1.0]].into(), a: [[-1.0]].into(), b: [[1.0]].into(), nominal: [1.0].into() };
    /// # let mut rc = Simulation::new(rc, RadauIIA::<1>, 0.1_f32, Vector::from([1.0]))?;
    /// rc.change(|circuit| circuit.a[0] = -2.0)?;
    /// # Ok::<(), stiffstep::Error>(())
    /// ```
    pub fn change<T>(&mut self, edit: impl FnOnce(&mut P::Model) -> T) -> Result<T, Error>
    where
        P::Model: Clone,
    {
        let now = self.model_time();
        let answer = self.stepper.change(now, &self.input, edit)?;
        self.fold();
        Ok(answer)
    }

    /// The phase is within the period, which a change of the model may have changed.
    fn fold(&mut self) {
        if let Some(period) = self.stepper.period() {
            self.phase = self.phase.folded(period);
        }
    }

    /// Changes model and state as something happens to them, and goes on from there at the same time with the same inputs.
    /// After an error everything is as it was.
    pub fn restart<T>(
        &mut self,
        edit: impl FnOnce(&mut P::Model, &mut P::State) -> T,
    ) -> Result<T, Error>
    where
        P: Restart,
        P::Model: Clone,
    {
        let now = self.model_time();
        let answer = self.stepper.restart(now, &self.input, edit)?;
        self.fold();
        Ok(answer)
    }
}

impl<P: Stepper, B> Simulation<P, B>
where
    P::Input: Memory,
{
    /// Visits everything but the budget, which is how a step is computed and not where it starts.
    fn visit_with<W: Words>(&mut self, words: &mut W, stepper: impl FnOnce(&mut P, &mut W)) {
        self.input.visit(words);
        stepper(&mut self.stepper, words);
        self.origin.visit(words);
        self.steps.visit(words);
        if self.stepper.period().is_some() {
            self.phase.visit(words);
        }
    }

    /// Visits everything that survives a step; `model` visits the model.
    pub fn remember<W: Words>(&mut self, words: &mut W, model: impl FnOnce(&mut P::Model, &mut W))
    where
        P: Remember,
    {
        self.visit_with(words, |stepper, words| stepper.remember(words, model));
    }
}

impl<P: Stepper + Memory, B> Memory for Simulation<P, B>
where
    P::Input: Memory,
{
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.visit_with(words, |stepper, words| stepper.visit(words));
    }
}
