//! What a method has to say of a step on a kind of model: its mathematics, as functions without side effects.
//!
//! A step that was tried is a value of its own, a [`Now`]; it replaces the old one if it is taken, and is dropped if not. So errors
//! roll back by themselves. What is not mathematics a [`Machine`](super::machine::Machine) does, once for all schemes.

use super::convergence::{Convergence, accepted};
use super::increments::Variables;
use super::newton::{newton, newton_or_noise};
use super::{Budget, Control, Each, Error, Estimate, Inputs, Report, Tolerance};
use crate::method::Met;
use crate::model::Numbers;
use crate::number::{Real, cold_path};
use core::ops::Deref;

/// The mathematics of one step: a method on a kind of model. No function has side effects.
pub trait Scheme: Sized {
    /// The number type.
    type Real: Real;
    /// What a method has to say at run time; `()` if it is all in its type.
    type Method: Copy;
    /// The model.
    type Model;
    /// The inputs, held over a step.
    type Input: Inputs;
    /// What a user sees.
    type State: Numbers<Self::Real>;
    /// What else goes from step to step: what rounding left out, and the last stages.
    type Carry: Copy;
    /// The magnitudes that count as one, and what rounding does to increments.
    type Scales: Copy;
    /// What is kept to save work. It depends on the rest and may be computed anew at any time; `()` if nothing is kept.
    type Kept;
    /// A step that was tried.
    type Trial: Tried<Self>;
    /// What a step must know of the inputs of the step before.
    type Met: Met<Self::Input>;
    /// The period of a model's functions of time, if it has one.
    const PERIOD: fn(&Self::Model) -> Option<Self::Real> = |_| None;
    /// Whether a step goes on from accelerations or multipliers at its start, which are others where inputs jump.
    const RENEWS: bool = false;
    /// Whether anything is kept; if not, a snapshot has no words for it.
    const KEEPS: bool = true;
    /// Whether steps are tried by [`attempt_at`](Self::attempt_at).
    const IN_PLACE: bool = false;
    /// A place for a trial. What is in it does not matter.
    #[inline(always)]
    fn place(now: &Now<Self>) -> Now<Self> {
        *now
    }
    /// Takes a trial from its place.
    #[inline(always)]
    fn put(trial: &Now<Self>, now: &mut Now<Self>) {
        *now = *trial;
    }

    /// A start that fits the model. Whatever a user can get wrong in a model is looked at here.
    fn start(at: &Place<'_, Self>, start: &Self::State) -> Result<Now<Self>, Error>;
    /// The scales of a start. Not together with it: a pair of the two is copied, on the stack, wherever it goes.
    fn scales(at: &Place<'_, Self>, state: &Self::State) -> Result<Self::Scales, Error>;
    /// State and scales that fit a model which was changed. What the state left unsatisfied of the equations of the model `before`
    /// the change must not mend.
    fn fit(old: &Old<'_, Self>, before: &Self::Model) -> Fitted<Self>;
    /// The same point after the inputs changed.
    fn renewed(old: &Old<'_, Self>) -> Result<Now<Self>, Error> {
        Ok(old.now())
    }
    /// Makes scales those of a step of size `h`, `ratio` times the old one, and the last step's stages, where the next one is
    /// predicted from them. Answers whether it did that: dense output covers as much then.
    fn rescale(
        now: &mut Now<Self>,
        scales: &mut Self::Scales,
        h: Self::Real,
        ratio: Self::Real,
    ) -> bool;
    /// What serves all steps until model or step size change.
    fn keep(old: &Old<'_, Self>) -> Result<Self::Kept, Error>;
    /// A step: tried, not taken.
    fn attempt<B: Budget<Self::Real>>(
        old: &Old<'_, Self>,
        kept: &mut Self::Kept,
        budget: &mut B,
    ) -> Attempt<Self>;
    /// The same, written to a place for it, for schemes to which a copy is a burden: [`IN_PLACE`](Self::IN_PLACE).
    #[inline(always)]
    fn attempt_at<B: Budget<Self::Real>>(
        old: &Old<'_, Self>,
        kept: &mut Self::Kept,
        budget: &mut B,
        now: &mut Now<Self>,
    ) -> Result<Report<Self::Real>, Error> {
        let (trial, report) = Self::attempt(old, kept, budget)?;
        trial.take(now);
        Ok(report)
    }
    /// The state `by` before `now`, which a step of size `h` reached: dense output.
    fn before(now: &Now<Self>, h: Self::Real, by: Self::Real) -> Self::State;
    /// Shows the numbers of a state that must be finite.
    #[inline(always)]
    fn numbers(state: &Self::State, see: impl FnMut(&[Self::Real])) {
        state.numbers(see);
    }
}

/// A step that was tried. It is taken, or dropped.
pub trait Tried<S: Scheme> {
    /// Whether it leads to finite numbers.
    fn finite(&self) -> bool;
    /// Takes it.
    fn take(self, now: &mut Now<S>);
}

impl<S: Scheme> Tried<S> for Now<S> {
    #[inline(always)]
    fn finite(&self) -> bool {
        finite::<S>(&self.state)
    }

    #[inline(always)]
    fn take(self, now: &mut Now<S>) {
        *now = self;
    }
}

/// A scheme whose stage equations are solved by the simplified Newton iteration.
pub trait Implicit: Scheme {
    /// What the Newton matrix is made of, whatever the step size.
    type Linear: Copy;
    /// The factorised Newton matrix.
    type Factors;
    /// What a step knows of its old point besides the state.
    type Point;
    /// What the stage equations are solved for.
    type Unknowns;
    /// Squared increments, variable by variable.
    type Squares: Variables<Self::Real>;
    /// Whether one iteration solves the equations but for rounding.
    const EXACT: bool = false;
    /// Whether [`noise_at_most`](Self::noise_at_most) knows more than the floor.
    const NOISY: bool = false;

    /// What the Newton matrix is made of: half a step `ahead`, where it serves the whole step better, or here.
    fn linear(old: &Old<'_, Self>, ahead: bool) -> Result<Self::Linear, Error>;
    /// The Newton matrix.
    fn factor(old: &Old<'_, Self>, linear: &Self::Linear) -> Result<Self::Factors, Error>;
    /// What a step knows of its old point.
    fn point(old: &Old<'_, Self>) -> Result<Self::Point, Error>;
    /// Where the iteration starts.
    fn predict(old: &Old<'_, Self>, point: &Self::Point) -> Self::Unknowns;
    /// Increments up to this are rounding.
    fn floor(scales: &Self::Scales) -> Self::Real;
    /// What rounding does to increments at most, if that may be more than the floor says.
    #[inline(always)]
    fn noise_at_most(old: &Old<'_, Self>, _factors: &Self::Factors) -> Self::Real {
        Self::floor(old.scales)
    }
    /// One iteration; the squares of its increments in units of the scales, and the sum of those of the multipliers.
    fn iterate(
        old: &Old<'_, Self>,
        point: &Self::Point,
        factors: &Self::Factors,
        x: &mut Self::Unknowns,
    ) -> Result<(Self::Squares, Self::Real), Error>;
    /// The end of the step. What it knows of multipliers it adds to the report.
    fn end(
        old: &Old<'_, Self>,
        point: &Self::Point,
        factors: &Self::Factors,
        x: Self::Unknowns,
        judged: (&Convergence<Self::Real>, &mut Report<Self::Real>),
    ) -> Result<Now<Self>, Error>;
}

/// Tries a step of an implicit scheme. Whether increments that do not shrink are rounding is asked where the number of iterations is fixed; a budget
/// that looks at them stops before.
#[inline(always)]
pub(super) fn solve<S: Implicit, B: Budget<S::Real>>(
    old: &Old<'_, S>,
    factors: &S::Factors,
    budget: &mut B,
) -> Result<(Now<S>, Report<S::Real>), Error> {
    let point = S::point(old)?;
    let mut x = S::predict(old, &point);
    let floor = S::floor(old.scales);
    let iterate = || S::iterate(old, &point, factors, &mut x);
    let (convergence, mut report) = if S::NOISY && !B::LOOKS {
        let noise = || S::noise_at_most(old, factors);
        newton_or_noise(budget, (floor, S::EXACT), iterate, noise)?
    } else {
        newton(budget, floor, S::EXACT, iterate)?
    };
    let now = S::end(old, &point, factors, x, (&convergence, &mut report))?;
    doubt::<S, B>(old, &convergence, budget, &mut report);
    Ok((now, report))
}

/// Holds the claim of a step in double precision against its multipliers, when all that follows from the step is decided: what is
/// said changes, and not what is done. In single precision the tolerance is so near to the increments that a claim after two
/// iterations cannot be a hundred times too small.
#[inline(always)]
pub(super) fn doubt<S: Implicit, B: Budget<S::Real>>(
    old: &Old<'_, S>,
    convergence: &Convergence<S::Real>,
    budget: &B,
    report: &mut Report<S::Real>,
) {
    if S::Real::EXACT_ENOUGH && convergence.forces_linger(report.claim) {
        cold_path();
        let accepted = accepted(budget.tolerance(), S::floor(old.scales));
        report.at_least(convergence.left_by_forces(), accepted);
    }
}

/// Where a simulation is, and its scales, or why there is no such place.
pub type Fitted<S> = Result<(Now<S>, <S as Scheme>::Scales), Error>;

/// A trial and what is said of it, or why there is none.
pub type Attempt<S> = Result<(<S as Scheme>::Trial, Report<<S as Scheme>::Real>), Error>;

/// Tolerances and what they are taken to mean.
pub type Measure<'a, S> = (
    &'a Tolerance<<S as Scheme>::Real, <S as Estimated>::Absolute>,
    Control,
);

/// A scheme that can estimate its error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no estimate of its error",
    label = "cannot be stepped adaptively",
    note = "an `Adaptive` takes first-order and mechanical models with `RadauIIA::<3>` or `RadauIIA::<5>`, and second-order models with any of their methods",
    note = "all other steppers take fixed steps: compare two sizes to choose one"
)]
pub trait Estimated: Implicit {
    /// Absolute tolerances of all components.
    type Absolute: Each;
    /// What rounding does to the increments of an iteration with a factorised matrix.
    type Noise;
    /// The stages of the method.
    const STAGES: usize;
    /// Evaluations of the model when a step is taken, beyond those of its stages.
    const AT_END: u32 = 0;

    /// Whether a step that took many iterations makes the next one shorter. Not for mechanisms, nor for variables of higher index: their
    /// iterations may hang on rounding, and so would the steps.
    fn frugal(_model: &Self::Model) -> bool {
        false
    }

    /// Absolute tolerances of `relative` times the nominal magnitudes.
    fn absolute(
        model: &Self::Model,
        state: &Self::State,
        relative: Self::Real,
    ) -> Result<Self::Absolute, Error>;
    /// What rounding does.
    fn noise(old: &Old<'_, Self>, linear: &Self::Linear, factors: &Self::Factors) -> Self::Noise;
    /// The scales in units of the tolerance.
    fn tolerated(
        old: &Old<'_, Self>,
        factors: &Factorised<Self>,
        measure: Measure<'_, Self>,
    ) -> Result<Self::Scales, Error>;
    /// Makes the last stages those from which the next step is predicted, whatever the iteration says: errors are under control.
    fn trust(trial: &mut Now<Self>);
    /// The estimated error of a trial in units of the tolerance: the difference to an embedded formula, filtered by the real
    /// factorisation so that stiff components do not exaggerate it (Hairer & Wanner II, IV.8). Filtered `twice` where the
    /// first estimate may be of a transient that dies out.
    fn error(
        old: &Old<'_, Self>,
        factors: &Factorised<Self>,
        trial: &Now<Self>,
        measure: Measure<'_, Self>,
        twice: bool,
    ) -> Result<Estimate<Self::Real>, Error>;
    /// A trial that is taken, and ends at `at`: with all that depends on time and inputs there.
    fn settled(_at: &Place<'_, Self>, trial: Now<Self>) -> Result<Now<Self>, Error> {
        Ok(trial)
    }
}

/// A Newton matrix with what it was made of.
pub struct Factorised<S: Estimated> {
    pub(super) linear: S::Linear,
    pub(super) factors: S::Factors,
    pub(super) noise: S::Noise,
}

/// Where a simulation is.
pub struct Now<S: Scheme> {
    /// What a user sees.
    pub state: S::State,
    /// What else the last step left.
    pub carry: S::Carry,
}

impl<S: Scheme> Clone for Now<S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Scheme> Copy for Now<S> {}

/// A model at a time, with the inputs and the step size.
pub struct Place<'a, S: Scheme> {
    /// The method.
    pub method: S::Method,
    /// The model.
    pub model: &'a S::Model,
    /// The step size.
    pub h: S::Real,
    /// The time.
    pub t: S::Real,
    /// The inputs.
    pub u: &'a S::Input,
}

impl<'a, S: Scheme> Place<'a, S> {
    #[inline(always)]
    pub(super) fn new(
        method: S::Method,
        model: &'a S::Model,
        h: S::Real,
        (t, u): (S::Real, &'a S::Input),
    ) -> Self {
        Place {
            method,
            model,
            h,
            t,
            u,
        }
    }
}

/// Where a step starts: a place, and what the last step left.
pub struct Old<'a, S: Scheme> {
    /// Where and when it is.
    pub at: Place<'a, S>,
    /// The state.
    pub state: &'a S::State,
    /// What else the last step left.
    pub carry: &'a S::Carry,
    /// What counts as one.
    pub scales: &'a S::Scales,
}

impl<'a, S: Scheme> Deref for Old<'a, S> {
    type Target = Place<'a, S>;

    #[inline(always)]
    fn deref(&self) -> &Place<'a, S> {
        &self.at
    }
}

impl<'a, S: Scheme> Old<'a, S> {
    #[inline(always)]
    pub(super) fn new(at: Place<'a, S>, now: &'a Now<S>, scales: &'a S::Scales) -> Self {
        Old {
            at,
            state: &now.state,
            carry: &now.carry,
            scales,
        }
    }

    /// The same point of another model.
    pub fn of<'b>(&'b self, model: &'b S::Model) -> Old<'b, S> {
        let at = Place { model, ..self.at };
        Old { at, ..*self }
    }

    /// The old point as it is.
    #[inline(always)]
    pub fn now(&self) -> Now<S> {
        Now {
            state: *self.state,
            carry: *self.carry,
        }
    }
}

/// Numbers must be finite. In single precision one test serves all of them: their sum less itself is zero, unless one of them is
/// infinite or NaN, or all together are beyond the largest number. In double precision, where a processor may have no such
/// addition, the bits are looked at.
pub(super) struct Finite<R> {
    sum: R,
    first: bool,
    each: bool,
}

impl<R: Real> Finite<R> {
    #[inline(always)]
    pub fn none() -> Self {
        Finite {
            sum: R::ZERO,
            first: true,
            each: true,
        }
    }

    /// One more.
    #[inline(always)]
    pub fn see(&mut self, x: R) {
        if R::EXACT_ENOUGH {
            self.each &= x.finite();
        } else {
            self.sum = if self.first { x } else { self.sum + x };
            self.first = false;
        }
    }

    /// Whether all of them are.
    #[inline(always)]
    #[allow(clippy::eq_op)]
    pub fn all(&self) -> bool {
        self.each && self.sum - self.sum == R::ZERO
    }
}

/// Whether a state is.
#[inline(always)]
pub(super) fn finite<S: Scheme>(state: &S::State) -> bool {
    let mut finite = Finite::none();
    S::numbers(state, |numbers| {
        for x in numbers {
            finite.see(*x);
        }
    });
    finite.all()
}
