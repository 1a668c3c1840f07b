//! Steps as large as a tolerance allows, for the desk, for a plant's start on a board, and for finding the fixed step that real
//! time can afford.
//!
//! One driver keeps time, limits, inputs, events and counts for all methods. How a step is judged and how large the next one may
//! be is the method's: first-order and mechanical models go at RADAU5's pace (Hairer & Wanner II, IV.8) without its heap, a
//! simplified Newton iteration that is stopped when it is good enough or hopeless included; second-order models choose orders, too.

mod budget;
mod controller;
mod eventful;
mod orders;
mod paced;
mod radau;
mod sampled;

pub use paced::Paced;
pub use radau::Controlled;

use super::clock::Clock;
use crate::number::{Field, Real, Scalar};
use crate::step::{Each, Error, Inputs, Method, Restart, Tolerance, checked_period};
use paced::{Allowed, Tried};

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
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
    /// Accepted steps whose estimate of *all* components is beyond the tolerance: those of higher index are judged by their
    /// effect on the others, see [`Adaptive::new`]. Zero means that every step kept every tolerance; with rigid joints that takes
    /// [`Projected`](crate::method::Projected).
    pub beyond: u32,
}

/// An accepted step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
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
pub struct Adaptive<P: Paced> {
    /// The inputs, held until they are changed.
    pub input: P::Input,
    /// Steps are never larger than this.
    pub longest: P::Real,
    /// A run takes at most so many steps; then [`Error::TooManySteps`] is the answer.
    pub most_steps: u32,
    /// The inputs of the last step.
    last_input: P::Input,
    stepper: P,
    allowed: Allowed<P>,
    pace: P::Pace,
    clock: Clock<P::Real>,
    /// The size of the next step.
    next: P::Real,
    statistics: Statistics,
}

impl<P: Paced> Adaptive<P> {
    /// A simulation at time zero with inputs zero; `first` is the size of the first step to try, better too small than too large.
    ///
    /// What the tolerance means: every step's error is held to such a part of it that the errors of the whole run come to about
    /// `relative` times the size plus the nominal magnitude of each component. On the published problems of the tests they are
    /// within 12 times that at 1e-4, 1e-6 and 1e-8, whatever the units. A plant that amplifies errors by itself amplifies these.
    ///
    /// - *Systems of first order*: every variable of index 1. Those of index 2 and 3, if a model
    ///   [says](crate::model::FirstOrder::index) which they are, are judged by `(h / pace)^(index - 1)` times their error.
    /// - *Mechanisms*, with [`Projected`](crate::method::Projected): positions, velocities and multipliers, rigid joints and
    ///   elastic ones. Springs that a step resolves are followed as they ring. Those that it does not resolve follow the slow
    ///   motion; ringing of theirs is resolved too if its velocity is beyond `sqrt(relative)`, and damped out otherwise.
    /// - *Without projection* the same, but not across joints that are rigid or that a step does not resolve. There
    ///   velocities and multipliers are of lower order, and are judged by what their errors do to positions within the step: `h`
    ///   and `h^2` times the errors are held to the tolerance of positions. They may be hundreds of tolerances off, and
    ///   [`Statistics::beyond`] counts the steps.
    /// - *Second-order systems*: every step's difference to what the steps before predicted, of every unknown and of the
    ///   derivatives of those that have any, is held to the tolerance; errors add up. Orders are chosen with the steps.
    /// - A method of one stage holds each step to the tolerance; its errors add up.
    ///
    /// For a mechanism `Projected(RadauIIA::<3>)` is the method to take, and `RadauIIA::<3>` for a system of first order; with five
    /// stages tolerances below 1e-6 are cheaper.
    pub fn new<M, Kind, K: Method<M, Kind, Stepper = P, Real = P::Real>>(
        model: M,
        method: K,
        relative: P::Real,
        first: P::Real,
        start: K::Start,
    ) -> Result<Self, Error> {
        let mut stepper = method.stepper(model, first, start)?;
        checked_period(stepper.period())?;
        if !(relative > P::Real::ZERO && relative < P::Real::ONE) {
            return Err(Error::Tolerance);
        }
        stepper.begin(P::Real::ZERO, &P::no_input())?;
        let absolute = stepper.allowed(relative)?;
        Ok(Adaptive {
            input: P::no_input(),
            last_input: P::no_input(),
            longest: P::Real::ONE / P::Real::ZERO,
            most_steps: u32::MAX,
            stepper,
            allowed: Tolerance { relative, absolute },
            pace: P::pace(relative),
            clock: Clock::start(),
            next: first,
            statistics: Statistics::default(),
        })
    }

    /// The same with absolute tolerances of its own for each component: finite and greater than zero, or
    /// [`Error::Tolerance`] is the answer.
    pub fn with_absolute(mut self, absolute: P::Absolute) -> Result<Self, Error> {
        if !absolute.positive() {
            return Err(Error::Tolerance);
        }
        self.allowed.absolute = absolute;
        Ok(self)
    }

    /// The same from time `t` on: the state is the start there.
    pub fn starting_at(mut self, t: P::Real) -> Result<Self, Error>
    where
        P: Restart,
        P::Model: Clone,
    {
        if !t.finite() {
            return Err(Error::StepSize);
        }
        self.clock = Clock::at(t, self.stepper.period());
        let t = self.model_time();
        self.stepper.restart(t, &self.input, |_, _| ())?;
        self.stepper.begin(t, &self.input)?;
        Ok(self)
    }

    /// One step, tried until it is good enough. After an error time and state are as they were.
    pub fn step(&mut self) -> Result<Taken<P::Real>, Error> {
        self.step_within(self.longest)
    }

    /// One step of at most this size.
    fn step_within(&mut self, most: P::Real) -> Result<Taken<P::Real>, Error> {
        checked_period(self.stepper.period())?;
        if self.input == self.last_input {
            return self.stepped(most);
        }
        self.input.checked()?;
        let (h, t) = (self.stepper.h(), self.model_time());
        let before = self.stepper.meet(t, &self.input)?;
        self.statistics.evaluations += P::AT_END;
        let last = core::mem::replace(&mut self.last_input, self.input);
        let stepped = self.stepped(most);
        if stepped.is_err() {
            self.last_input = last;
            if let Some(point) = before {
                self.stepper.leave(h, point);
            }
        }
        stepped
    }

    /// The same where everything fits the inputs.
    fn stepped(&mut self, most: P::Real) -> Result<Taken<P::Real>, Error> {
        let t = self.model_time();
        let tick = self.tick();
        let mut wanted = self.next;
        let mut reason = Error::StepTooSmall;
        loop {
            let h = wanted.min(most).min(self.longest);
            // False for NaN, too.
            if !(h > tick && h > P::Real::ZERO) {
                return Err(reason);
            }
            wanted = match self.attempt(t, h) {
                Ok((trial, estimate, iterations)) if estimate.error < P::Real::ONE => {
                    let (error, all) = (estimate.error, estimate.all);
                    let clock = self.clock.after(h, self.stepper.period());
                    let end = clock.model_time(self.stepper.period());
                    self.stepper.take(end, &self.input, trial)?;
                    self.clock = clock;
                    self.statistics.steps += 1;
                    self.statistics.beyond += u32::from(all >= P::Real::ONE || !all.finite());
                    self.statistics.evaluations += P::AT_END;
                    self.next = P::next(&mut self.pace, (h, wanted), error, iterations);
                    return Ok(Taken {
                        h,
                        error,
                        iterations,
                    });
                }
                Ok((_, estimate, iterations)) => {
                    P::smaller(&mut self.pace, h, Some((estimate.error, iterations)))
                }
                Err(Error::Diverged | Error::NonFinite | Error::Singular { .. }) => {
                    P::smaller(&mut self.pace, h, None)
                }
                Err(error) => return Err(error),
            };
            self.statistics.rejected += 1;
            if self.stepper.drowns(&self.pace, &self.allowed) {
                reason = Error::Rounding;
            }
            // The smallest numbers do not get smaller by a tenth: at time zero nothing else would end this.
            let shrinks = wanted < h;
            if !shrinks {
                return Err(reason);
            }
        }
    }

    /// Tries a step of size `h` from time `t`.
    fn attempt(&mut self, t: P::Real, h: P::Real) -> Result<Tried<P>, Error> {
        let (at, done) = ((t, &self.input), &mut self.statistics);
        self.stepper
            .try_step(&mut self.pace, at, h, &self.allowed, done)
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
    fn approach(&mut self, end: P::Real) -> Result<bool, Error> {
        let left = self.clock.until(end);
        if !left.finite() {
            return Err(Error::StepSize);
        }
        if left <= self.tick() {
            if left > P::Real::ZERO {
                let period = self.stepper.period();
                self.clock = self.clock.after(left, period).reached(end);
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
            self.clock = self.clock.reached(end);
        }
        Ok(reached)
    }

    /// What time does not resolve: it is a compensated sum, finer by a thousand than what it shows, so that a fast transition
    /// late in a run of single precision is no obstacle.
    fn tick(&self) -> P::Real {
        P::Real::EPSILON * P::Real::from_f64(1.0 / 1024.0) * self.time().abs()
    }

    /// The time reached, since the start.
    pub fn time(&self) -> P::Real {
        self.clock.time()
    }

    /// The time that the model and its events see: the time within its period if it has one, and [`time`](Self::time) if it
    /// has none.
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
        P: Clone,
        P::Model: Clone,
    {
        self.anew(|stepper, now, input| stepper.change(now, input, edit))
    }

    /// Changes model and state as something happens to them, and begins anew from there, as
    /// [`Simulation::restart`](crate::Simulation::restart) does.
    pub fn restart<T>(
        &mut self,
        edit: impl FnOnce(&mut P::Model, &mut P::State) -> T,
    ) -> Result<T, Error>
    where
        P: Restart + Clone,
        P::Model: Clone,
    {
        self.anew(|stepper, now, input| stepper.restart(now, input, edit))
    }

    /// Goes on from what an edit makes of the stepper. After an error it is as it was.
    fn anew<T>(
        &mut self,
        edit: impl FnOnce(&mut P, P::Real, &P::Input) -> Result<T, Error>,
    ) -> Result<T, Error>
    where
        P: Clone,
    {
        let (now, mut stepper) = (self.model_time(), self.stepper.clone());
        let answer = edit(&mut stepper, now, &self.input)?;
        stepper.begin(now, &self.input)?;
        self.stepper = stepper;
        self.clock = self.clock.folded(self.stepper.period());
        P::forget(&mut self.pace);
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::{Adaptive, Error};
    use crate::drive::{After, Crossing, Events, Watch};
    use crate::method::RadauIIA;
    use crate::model::Vector;
    use crate::model::clockwork::{Clockwork, Count};
    use crate::step::Stepper;

    type Plant = Adaptive<crate::step::FirstOrderStepper<f64, Clockwork, RadauIIA<3>, 1, 1, 3>>;

    fn clockwork() -> Result<Plant, Error> {
        Adaptive::new(Clockwork, RadauIIA::<3>, 1e-6, 0.1, Vector::from([0.0]))
    }

    fn assert_near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    /// Ends are met to the bit, and tolerances are between zero and one.
    #[test]
    fn runs_end_where_they_should() -> Result<(), Error> {
        let mut plant = clockwork()?;
        for end in [0.05, 0.7, 0.7, 3.1] {
            plant.run_to(end)?;
            assert_eq!(plant.time(), end);
            assert_near(plant.state()[0], end);
        }
        assert_eq!(plant.run_to(f64::INFINITY), Err(Error::StepSize));
        plant.most_steps = 0;
        assert_eq!(plant.run_to(4.0), Err(Error::TooManySteps));
        for wrong in [0.0, 1.0, -1e-3, f64::NAN] {
            let plant = Adaptive::new(Clockwork, RadauIIA::<3>, wrong, 0.1, Vector::from([0.0]));
            assert_eq!(plant.err(), Some(Error::Tolerance));
        }
        Ok(())
    }

    /// Steps are no longer than the longest, grow by up to eight, and the last two before an end are halves.
    #[test]
    fn steps_have_a_longest_and_halves_at_the_end() -> Result<(), Error> {
        let mut plant = clockwork()?;
        plant.longest = 0.5;
        let taken = [plant.step()?.h, plant.step()?.h, plant.step()?.h];
        assert_eq!(taken, [0.1, 0.5, 0.5]);
        let before = plant.statistics();
        assert_eq!((before.steps, before.rejected), (3, 0));
        // 0.7 are left: twice 0.35 instead of 0.5 and 0.2.
        plant.run_to(1.8)?;
        assert_eq!(plant.statistics().steps, 5);
        assert_near(plant.stepper().h(), 0.35);
        Ok(())
    }

    /// Samples at multiples of their period, from where the run is, and at no other times.
    #[test]
    fn samples_are_multiples_of_their_period() -> Result<(), Error> {
        let mut plant = clockwork()?;
        let mut shown = [0.0; 8];
        let sample = |plant: &mut Plant, shown: &mut [f64; 8], period, end| {
            let mut count = 0;
            plant.sample(period, end, |t, x: &Count| {
                assert_near(x[0], t);
                shown[count] = t;
                count += 1;
            })?;
            Ok::<_, Error>(count)
        };
        assert_eq!(sample(&mut plant, &mut shown, 0.25, 1.0)?, 5);
        assert_eq!(shown[..5], [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(sample(&mut plant, &mut shown, 0.25, 1.6)?, 3);
        assert_eq!(shown[..3], [1.0, 1.25, 1.5]);
        assert_eq!(sample(&mut plant, &mut shown, 0.25, 2.0)?, 2);
        assert_eq!(shown[..2], [1.75, 2.0]);
        for wrong in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            let sampled = sample(&mut plant, &mut shown, wrong, 3.0);
            assert_eq!(sampled, Err(Error::StepSize));
        }
        Ok(())
    }

    /// Times of a timetable; the last one stops the run. What happens throws the number back by ten.
    struct Timetable {
        times: [f64; 2],
        happened: [f64; 2],
    }
    impl<U> Events<f64, Clockwork, Count, U, 2> for Timetable {
        const CROSSINGS: [Crossing; 2] = [Crossing::Rising, Crossing::Falling];
        fn values(&self, t: f64, _m: &Clockwork, _x: &Count, _u: &U) -> [f64; 2] {
            [t - self.times[0], self.times[1] * self.times[1] - t * t]
        }
        fn happen(&mut self, i: usize, t: f64, _m: &mut Clockwork, x: &mut Count) -> After {
            self.happened[i] = t;
            x[0] -= 10.0;
            if i == 1 { After::Stop } else { After::GoOn }
        }
    }

    fn timetable() -> Watch<f64, Timetable, 2> {
        Watch::new(Timetable {
            times: [0.375, 1.3],
            happened: [0.0; 2],
        })
    }

    /// Events by time, whatever the steps are, and the run stops at the last.
    #[test]
    fn events_by_time_happen_on_time() -> Result<(), Error> {
        let (mut plant, mut watch) = (clockwork()?, timetable());
        assert_eq!(plant.run_with(&mut watch, 0.25)?, None);
        assert_eq!(plant.time(), 0.25);
        assert_eq!(plant.run_with(&mut watch, 9.0)?, Some(1));
        assert_near(watch.events.happened[0], 0.375);
        assert_near(watch.events.happened[1], 1.3);
        assert_near(plant.time(), 1.3);
        assert_near(plant.state()[0], 1.3 - 20.0);
        Ok(())
    }

    /// An input that changes counts from then on; one that is no number is refused.
    #[test]
    fn inputs_count_from_when_they_change() -> Result<(), Error> {
        let mut plant = clockwork()?;
        plant.run_to(1.0)?;
        plant.input = Vector::from([2.0]);
        plant.run_to(1.5)?;
        assert_near(plant.state()[0], 2.5);
        plant.input = Vector::from([f64::NAN]);
        assert!(plant.run_to(2.0).is_err());
        assert_eq!(plant.time(), 1.5);
        let late = clockwork()?.starting_at(5.0)?;
        assert_eq!(late.time(), 5.0);
        assert_eq!(
            clockwork()?.starting_at(f64::NAN).err(),
            Some(Error::StepSize)
        );
        Ok(())
    }
}
