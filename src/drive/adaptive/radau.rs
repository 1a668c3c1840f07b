//! RADAU5's pace: an error estimate from the step's own real factorisation, predictive step size control, Jacobian and
//! factorisation kept while they serve.

use super::budget::{Simplified, good};
use super::controller::Controller;
use super::paced::{Allowed, Paced, Tried};
use super::{Adaptive, Statistics};
use crate::number::{Field, Real, Scalar};
use crate::step::scheme::{Estimated, Factorised};
use crate::step::{Control, Error, Estimate, Machine, Now, Report, Stepper};

/// What is learned from step to step.
pub struct Pace<S: Estimated> {
    control: Control,
    /// How much larger than the tolerance an estimate of the lower, embedded order may be.
    allowance: S::Real,
    factors: Option<Factorised<S>>,
    /// The step that they are for: an event takes a stepper to another one and back, and these stay.
    sized: S::Real,
    /// Whether their Jacobian was evaluated where the simulation is.
    fresh: bool,
    /// Whether their Jacobian contracts too slowly to be kept.
    stale: bool,
    newton: Simplified<S::Real>,
    controller: Controller<S::Real>,
}

/// What an estimate of order s may be, so that the error of a method of order 2s - 1 that adds up over a run is the tolerance:
/// with `h^(s+1)` of the one and `h^(2s-1)` of the other, `tolerance^((s+1)/(2s-1))`, and a factor that published problems
/// agree with. (Of a single stage every step is held to the tolerance, which adds up.)
fn inner<R: Real>(tolerance: R, stages: usize) -> R {
    let (power, factor) = match stages {
        0..3 => (1.0, 0.1),
        3 => (4.0 / 5.0, 0.4),
        s => ((s as f64 + 1.0) / (2.0 * s as f64 - 1.0), 0.05),
    };
    R::from_f64(factor) * (tolerance.ln() * R::from_f64(power)).exp()
}

/// The same by RADAU5: `0.1 tolerance^((s+1)/(2s))`.
fn radau5<R: Real>(tolerance: R, stages: usize) -> R {
    let s = stages as f64;
    let power = R::from_f64((s + 1.0) / (2.0 * s));
    R::from_f64(0.1) * (tolerance.ln() * power).exp()
}

impl<S: Estimated> Pace<S> {
    fn new(relative: S::Real, control: Control) -> Self {
        let (least, inner) = match control {
            Control::Tolerances => (2, inner(relative, S::STAGES)),
            Control::Radau5 => (1, radau5(relative, S::STAGES)),
        };
        let allowance = inner / relative;
        let rounding = S::Real::EPSILON * S::Real::from_f64(10.0) / inner;
        let accuracy = inner.sqrt().min(S::Real::from_f64(0.03)).max(rounding);
        let most = 10 + (S::STAGES as u8).saturating_sub(3) * 5 / 2;
        let mut newton = Simplified::new(accuracy * allowance, (least, most));
        if control == Control::Tolerances {
            newton.far = S::Real::from_f64(0.2) / relative;
            newton.rounding = allowance;
        }
        Pace {
            control,
            allowance,
            factors: None,
            sized: S::Real::ZERO,
            fresh: false,
            stale: false,
            newton,
            controller: Controller::new(S::STAGES),
        }
    }

    /// The Newton matrix: the old one if it serves, or its Jacobian with another step size, or all of it anew.
    fn factored(
        &mut self,
        stepper: &mut Machine<S>,
        (t, input): (S::Real, &S::Input),
        (h, ahead): (S::Real, bool),
        done: &mut Statistics,
    ) -> Result<Factorised<S>, Error> {
        stepper.set_h(h)?;
        let moved = self.sized != h;
        let old = match self.factors.take() {
            Some(factors) if !(moved || self.stale) => return Ok(factors),
            old => old,
        };
        let kept = if self.stale { None } else { old.as_ref() };
        let evaluated = kept.is_none();
        let factors = stepper.factor(t, input, kept, ahead)?;
        self.sized = h;
        done.factorisations += 1;
        done.jacobians += u32::from(evaluated);
        self.fresh |= evaluated;
        if evaluated {
            self.newton.ahead = ahead;
        }
        self.stale = false;
        Ok(factors)
    }

    fn attempt(
        &mut self,
        stepper: &mut Machine<S>,
        (t, input): (S::Real, &S::Input),
        size: (S::Real, bool),
        allowed: &Allowed<Machine<S>>,
        done: &mut Statistics,
    ) -> Result<Tried<Machine<S>>, Error> {
        let factors = self.factored(stepper, (t, input), size, done)?;
        let factors = self.factors.insert(factors);
        self.newton.begin();
        self.controller.frugal = self.control == Control::Tolerances && S::frugal(stepper.model());
        let measure = (allowed, self.control);
        let tried = stepper.attempt(t, input, factors, measure, &mut self.newton);
        // Where one iteration is exact nobody asks for another, and only the report has it.
        let counted = |(_, report): &(Now<S>, Report<S::Real>)| report.iterations;
        let iterations = tried.as_ref().map_or(self.newton.iterations, counted);
        done.evaluations += u32::from(iterations) * S::STAGES as u32;
        done.solves += u32::from(iterations);
        let (trial, _) = tried?;
        let mut estimate = |twice| {
            let old = stepper.old(t, input);
            let found = S::error(&old, factors, &trial, measure, twice)?;
            done.evaluations += found.evaluations;
            done.solves += 1 + u32::from(twice);
            Ok::<_, Error>(Estimate {
                error: found.error / self.allowance,
                all: found.all / self.allowance,
                evaluations: found.evaluations,
            })
        };
        let mut error = estimate(false)?;
        if error.error >= S::Real::ONE && self.controller.wary() {
            error = estimate(true)?;
        }
        if !error.error.finite() {
            return Err(Error::NonFinite);
        }
        Ok((trial, error, iterations))
    }
}

impl<S: Estimated> Paced for Machine<S> {
    type Absolute = S::Absolute;
    type Trial = Now<S>;
    type Pace = Pace<S>;
    const AT_END: u32 = S::AT_END;

    fn allowed(&self, relative: S::Real) -> Result<S::Absolute, Error> {
        S::absolute(self.model(), self.state(), relative)
    }

    fn pace(relative: S::Real) -> Pace<S> {
        Pace::new(relative, Control::Tolerances)
    }

    fn meet(&mut self, t: S::Real, input: &S::Input) -> Result<Option<Now<S>>, Error> {
        Ok(Some(Machine::meet(self, t, input)?))
    }

    fn leave(&mut self, h: S::Real, point: Now<S>) {
        Machine::leave(self, h, point);
    }

    /// If the Jacobian from half a step ahead turns out to be from where nothing leads, again with one from here: it may be far
    /// stiffer than anything on the way, and would make increments and estimates of errors vanish.
    fn try_step(
        &mut self,
        pace: &mut Pace<S>,
        at: (S::Real, &S::Input),
        h: S::Real,
        allowed: &Allowed<Self>,
        done: &mut Statistics,
    ) -> Result<Tried<Self>, Error> {
        let ahead = pace.control == Control::Radau5 || pace.controller.steady(h);
        let tried = pace.attempt(self, at, (h, ahead), allowed, done);
        if tried.is_err() && pace.newton.misled() {
            pace.stale = true;
            return pace.attempt(self, at, (h, false), allowed, done);
        }
        tried
    }

    fn take(&mut self, t: S::Real, input: &S::Input, trial: Now<S>) -> Result<(), Error> {
        self.now = S::settled(&self.place(t, input), trial)?;
        self.span = self.h();
        Ok(())
    }

    fn next(
        pace: &mut Pace<S>,
        (h, wanted): (S::Real, S::Real),
        error: S::Real,
        iterations: u8,
    ) -> S::Real {
        let most = pace.newton.most;
        let next = pace.controller.accepted(h, error, iterations, most);
        pace.fresh = false;
        let classic = pace.control == Control::Radau5;
        // Where two iterations were enough another Jacobian would save none.
        let slow = if classic || pace.newton.iterations > 2 {
            good()
        } else {
            S::Real::from_f64(0.01)
        };
        pace.stale = pace.newton.theta > slow;
        let grows = next / h;
        let (least, most) = if classic { (1.0, 1.2) } else { (0.9, 1.4) };
        let alike = grows >= S::Real::from_f64(least) && grows <= S::Real::from_f64(most);
        if h < wanted {
            // Cut short by something else than the error.
            wanted
        } else if !pace.stale && alike {
            // Not worth a factorisation.
            h
        } else {
            next
        }
    }

    fn smaller(pace: &mut Pace<S>, h: S::Real, error: Option<(S::Real, u8)>) -> S::Real {
        let most = pace.newton.most;
        match error {
            Some((error, iterations)) => {
                // A Jacobian from this very point is as good as it gets.
                pace.stale |= !pace.fresh;
                pace.controller.rejected(h, error, iterations, most)
            }
            None => {
                Self::doubt(pace);
                pace.controller.failed(h)
            }
        }
    }

    /// It was evaluated half a step ahead, which may have been too far.
    fn doubt(pace: &mut Pace<S>) {
        pace.stale = true;
        pace.newton.forget();
    }

    fn forget(pace: &mut Pace<S>) {
        pace.factors = None;
        pace.newton.forget();
        pace.controller.forget();
    }

    /// Rounding is known to a factor of three or so.
    fn drowns(&self, pace: &Pace<S>, allowed: &Allowed<Self>) -> bool {
        let measure = (allowed, pace.control);
        let rounding = |factors| self.rounding(factors, measure) * S::Real::from_f64(3.0);
        pace.factors.as_ref().map(rounding) > Some(pace.newton.tolerance)
    }
}

/// A stepper whose steps can be judged in more than one way: see [`Control`].
pub trait Controlled: Paced {
    /// What is known before the first step, if it is judged so.
    fn pace_by(relative: Self::Real, control: Control) -> Self::Pace;
}

impl<S: Estimated> Controlled for Machine<S> {
    fn pace_by(relative: S::Real, control: Control) -> Pace<S> {
        Pace::new(relative, control)
    }
}

impl<P: Controlled> Adaptive<P> {
    /// The same, judged otherwise: see [`Control`].
    pub fn with_control(mut self, control: Control) -> Self {
        self.pace = P::pace_by(self.allowed.relative, control);
        self
    }
}
