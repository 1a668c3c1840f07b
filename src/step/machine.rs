//! What all steps share, whatever the method and the model: a state that moves only when all of a step is known to be sound.
//!
//! A [`Scheme`] is the mathematics of a step: functions without side effects. A [`Machine`] holds a model, a step size and a state, and
//! does once for all schemes what is not mathematics. A step that was tried is a value of its own, a [`Now`]; it replaces the
//! old one if it is taken, and is dropped if not. So errors roll back by themselves.

use super::convergence::{Convergence, Variables};
use super::newton::newton_with_forces;
use super::{Budget, Control, Controlled, Dense, Each, Error, Estimate, Inputs, Remember, Report};
use super::{Restart, Stepper, Tolerance, checked_period, checked_step};
use crate::memory::{Memory, Words};
use crate::number::{Field, Real};
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
    type State: Copy;
    /// What else goes from step to step: what rounding left out, and the last stages.
    type Carry: Copy;
    /// The magnitudes that count as one, and what rounding does to increments.
    type Scales: Copy;
    /// What is kept to save work. It depends on the rest and may be computed anew at any time; `()` if nothing is kept.
    type Kept;
    /// What the state leaves unsatisfied of the model's equations, and a change of the model must not mend.
    type Defect;
    /// A step that was tried.
    type Trial: Tried<Self>;
    /// Whether anything is kept; if not, a snapshot has no words for it.
    const KEEPS: bool = true;

    /// The period of the model's functions of time, if it has one.
    fn period(model: &Self::Model) -> Option<Self::Real>;
    /// A start that fits the model, and its scales. Whatever a user can get wrong in a model is looked at here.
    fn start(at: &Place<'_, Self>, start: &Self::State)
    -> Result<(Now<Self>, Self::Scales), Error>;
    /// What the state leaves unsatisfied.
    fn defect(old: &Old<'_, Self>) -> Result<Self::Defect, Error>;
    /// State and scales that fit a model which was changed. Before the change the state lacked `lacked`.
    fn fit(old: &Old<'_, Self>, lacked: &Self::Defect) -> Result<(Now<Self>, Self::Scales), Error>;
    /// Makes carry and scales those of a step of size `h`, `ratio` times the old one.
    fn rescale(now: &mut Now<Self>, scales: &mut Self::Scales, h: Self::Real, ratio: Self::Real);
    /// What serves all steps until model or step size change.
    fn keep(old: &Old<'_, Self>) -> Result<Self::Kept, Error>;
    /// A step: tried, not taken.
    fn attempt<B: Budget<Self::Real>>(
        old: &Old<'_, Self>,
        kept: &mut Self::Kept,
        budget: &mut B,
    ) -> Attempt<Self>;
    /// The state `by` before `now`, which a step of size `h` reached: dense output.
    fn before(now: &Now<Self>, h: Self::Real, by: Self::Real) -> Self::State;
    /// Shows all numbers of a state, by slices: chains of iterators are not inlined.
    fn numbers(state: &Self::State, see: impl FnMut(&[Self::Real]));
}

/// A step that was tried. It is taken, or dropped.
pub trait Tried<S: Scheme> {
    /// Where it leads.
    fn state<'a>(&'a self, kept: &'a S::Kept) -> &'a S::State;
    /// Takes it.
    fn take(self, now: &mut Now<S>, kept: &S::Kept);
}

impl<S: Scheme> Tried<S> for Now<S> {
    #[inline(always)]
    fn state<'a>(&'a self, _kept: &'a S::Kept) -> &'a S::State {
        &self.state
    }

    #[inline(always)]
    fn take(self, now: &mut Now<S>, _kept: &S::Kept) {
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

/// Tries a step of an implicit scheme.
#[inline(always)]
pub(super) fn solve<S: Implicit, B: Budget<S::Real>>(
    old: &Old<'_, S>,
    factors: &S::Factors,
    budget: &mut B,
) -> Result<(Now<S>, Report<S::Real>), Error> {
    let point = S::point(old)?;
    let mut x = S::predict(old, &point);
    let (convergence, mut report) =
        newton_with_forces(budget, S::floor(old.scales), S::EXACT, || {
            S::iterate(old, &point, factors, &mut x)
        })?;
    let now = S::end(old, &point, factors, x, (&convergence, &mut report))?;
    Ok((now, report))
}

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
    /// The estimated error of a trial in units of the tolerance, see [`Controlled::error`].
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
    /// The same point after the inputs changed.
    fn renewed(old: &Old<'_, Self>) -> Result<Now<Self>, Error> {
        Ok(old.now())
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
    fn new(at: Place<'a, S>, now: &'a Now<S>, scales: &'a S::Scales) -> Self {
        Old {
            at,
            state: &now.state,
            carry: &now.carry,
            scales,
        }
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
#[inline(always)]
#[allow(clippy::eq_op)]
fn finite<S: Scheme>(state: &S::State) -> bool {
    let (mut sum, mut first, mut finite) = (S::Real::ZERO, true, true);
    S::numbers(state, |numbers| {
        for x in numbers {
            if S::Real::EXACT_ENOUGH {
                finite &= x.finite();
            } else {
                sum = if first { *x } else { sum + *x };
                first = false;
            }
        }
    });
    finite && sum - sum == S::Real::ZERO
}

/// A start must be finite; an error names the first number that is not, counted over the whole state.
fn checked_start<S: Scheme>(state: &S::State) -> Result<(), Error> {
    let (mut index, mut bad) = (0, None);
    S::numbers(state, |numbers| {
        for x in numbers {
            if bad.is_none() && !x.finite() {
                bad = Some(index);
            }
            index += 1;
        }
    });
    bad.map_or(Ok(()), |index| Err(Error::Start { index }))
}

/// A model with its state, stepped by a scheme.
pub struct Machine<S: Scheme> {
    method: S::Method,
    model: S::Model,
    h: S::Real,
    now: Now<S>,
    scales: S::Scales,
    kept: S::Kept,
}

impl<S: Scheme> Clone for Machine<S>
where
    S::Model: Clone,
    S::Kept: Clone,
{
    fn clone(&self) -> Self {
        Machine {
            model: self.model.clone(),
            kept: self.kept.clone(),
            ..*self
        }
    }
}

impl<S: Scheme<Method = ()>> Machine<S> {
    /// At a start, at time zero with inputs zero.
    pub fn new(model: S::Model, h: S::Real, start: impl Into<S::State>) -> Result<Self, Error> {
        Self::with((), model, h, start)
    }
}

impl<S: Scheme> Machine<S> {
    /// At a start, at time zero with inputs zero, stepped by a method with values of its own.
    pub fn with(
        method: S::Method,
        model: S::Model,
        h: S::Real,
        start: impl Into<S::State>,
    ) -> Result<Self, Error> {
        let (t, u) = (S::Real::ZERO, S::Input::none());
        Self::started(method, model, checked_step(h)?, (t, &u), &start.into())
    }

    fn started(
        method: S::Method,
        model: S::Model,
        h: S::Real,
        (t, u): (S::Real, &S::Input),
        start: &S::State,
    ) -> Result<Self, Error> {
        checked_start::<S>(start)?;
        checked_period(S::period(&model))?;
        let at = Place {
            method,
            model: &model,
            h,
            t,
            u,
        };
        let (now, scales) = S::start(&at, start)?;
        if !finite::<S>(&now.state) {
            return Err(Error::NonFinite);
        }
        let kept = S::keep(&Old::new(at, &now, &scales))?;
        Ok(Machine {
            method,
            model,
            h,
            now,
            scales,
            kept,
        })
    }

    #[inline(always)]
    pub(crate) fn place<'a>(&'a self, t: S::Real, u: &'a S::Input) -> Place<'a, S> {
        Place {
            method: self.method,
            model: &self.model,
            h: self.h,
            t,
            u,
        }
    }

    #[inline(always)]
    fn old<'a>(&'a self, t: S::Real, u: &'a S::Input) -> Old<'a, S> {
        Old::new(self.place(t, u), &self.now, &self.scales)
    }

    /// What goes from step to step.
    #[inline(always)]
    pub(crate) fn now(&self) -> &Now<S> {
        &self.now
    }

    /// The same, to go back to an earlier one.
    pub(crate) fn now_mut(&mut self) -> &mut Now<S> {
        &mut self.now
    }

    /// What is kept to save work.
    pub(crate) fn kept(&self) -> &S::Kept {
        &self.kept
    }

    /// All that follows a change of the model.
    fn follow(&mut self, t: S::Real, u: &S::Input, lacked: &S::Defect) -> Result<(), Error> {
        checked_period(S::period(&self.model))?;
        let (now, scales) = S::fit(&self.old(t, u), lacked)?;
        if !finite::<S>(&now.state) {
            return Err(Error::NonFinite);
        }
        let kept = S::keep(&Old::new(self.place(t, u), &now, &scales))?;
        (self.now, self.scales, self.kept) = (now, scales, kept);
        Ok(())
    }
}

impl<S: Scheme> Stepper for Machine<S> {
    type Real = S::Real;
    type Model = S::Model;
    type Input = S::Input;
    type State = S::State;

    #[inline(always)]
    fn take_step<B: Budget<S::Real>>(
        &mut self,
        t: S::Real,
        u: &S::Input,
        budget: &mut B,
    ) -> Result<Report<S::Real>, Error> {
        let place = Place {
            method: self.method,
            model: &self.model,
            h: self.h,
            t,
            u,
        };
        let old = Old::new(place, &self.now, &self.scales);
        let (trial, report) = S::attempt(&old, &mut self.kept, budget)?;
        if !finite::<S>(trial.state(&self.kept)) {
            return Err(Error::NonFinite);
        }
        trial.take(&mut self.now, &self.kept);
        Ok(report)
    }

    #[inline(always)]
    fn h(&self) -> S::Real {
        self.h
    }

    fn set_h(&mut self, h: S::Real) -> Result<(), Error> {
        let ratio = checked_step(h)? / self.h;
        if h == self.h {
            return Ok(());
        }
        let (mut now, mut scales) = (self.now, self.scales);
        S::rescale(&mut now, &mut scales, h, ratio);
        let u = S::Input::none();
        let place = Place {
            method: self.method,
            model: &self.model,
            h,
            t: S::Real::ZERO,
            u: &u,
        };
        self.kept = S::keep(&Old::new(place, &now, &scales))?;
        (self.h, self.now, self.scales) = (h, now, scales);
        Ok(())
    }

    #[inline(always)]
    fn state(&self) -> &S::State {
        &self.now.state
    }

    #[inline(always)]
    fn model(&self) -> &S::Model {
        &self.model
    }

    #[inline(always)]
    fn period(&self) -> Option<S::Real> {
        S::period(&self.model)
    }

    fn change<T>(
        &mut self,
        t: S::Real,
        u: &S::Input,
        edit: impl FnOnce(&mut S::Model) -> T,
    ) -> Result<T, Error>
    where
        S::Model: Clone,
    {
        let lacked = S::defect(&self.old(t, u))?;
        let before = self.model.clone();
        let answer = edit(&mut self.model);
        if let Err(error) = self.follow(t, u, &lacked) {
            self.model = before;
            return Err(error);
        }
        Ok(answer)
    }
}

impl<S: Scheme> Restart for Machine<S> {
    fn restart<T>(
        &mut self,
        t: S::Real,
        u: &S::Input,
        edit: impl FnOnce(&mut S::Model, &mut S::State) -> T,
    ) -> Result<T, Error>
    where
        S::Model: Clone,
    {
        let (mut model, mut state) = (self.model.clone(), self.now.state);
        let answer = edit(&mut model, &mut state);
        *self = Self::started(self.method, model, self.h, (t, u), &state)?;
        Ok(answer)
    }
}

impl<S: Scheme> Dense for Machine<S> {
    fn before(&self, by: S::Real) -> S::State {
        S::before(&self.now, self.h, by)
    }
}

impl<S: Estimated> Controlled for Machine<S> {
    type Absolute = S::Absolute;
    type Factors = Factorised<S>;
    type Trial = Now<S>;
    const STAGES: usize = S::STAGES;
    const AT_END: u32 = S::AT_END;

    fn absolute(&self, relative: S::Real) -> Result<S::Absolute, Error> {
        S::absolute(&self.model, &self.now.state, relative)
    }

    fn factor(
        &self,
        t: S::Real,
        u: &S::Input,
        kept: Option<&Factorised<S>>,
        ahead: bool,
    ) -> Result<Factorised<S>, Error> {
        let old = self.old(t, u);
        let linear = match kept {
            Some(kept) => kept.linear,
            None => S::linear(&old, ahead)?,
        };
        let factors = S::factor(&old, &linear)?;
        Ok(Factorised {
            noise: S::noise(&old, &linear, &factors),
            linear,
            factors,
        })
    }

    #[inline(always)]
    fn attempt<B: Budget<S::Real>>(
        &self,
        t: S::Real,
        u: &S::Input,
        factors: &Factorised<S>,
        measure: Measure<'_, S>,
        budget: &mut B,
    ) -> Result<(Now<S>, Report<S::Real>), Error> {
        let old = self.old(t, u);
        let scales = &S::tolerated(&old, factors, measure)?;
        let (mut trial, report) = solve(&Old { scales, ..old }, &factors.factors, budget)?;
        if !finite::<S>(&trial.state) {
            return Err(Error::NonFinite);
        }
        S::trust(&mut trial);
        Ok((trial, report))
    }

    fn rounding(&self, factors: &Factorised<S>, measure: Measure<'_, S>) -> S::Real {
        // Neither time nor inputs have a part in it.
        let u = S::Input::none();
        let scales = S::tolerated(&self.old(S::Real::ZERO, &u), factors, measure);
        scales.map_or(S::Real::ZERO, |scales| S::floor(&scales))
    }

    fn error(
        &self,
        t: S::Real,
        u: &S::Input,
        factors: &Factorised<S>,
        trial: &Now<S>,
        measure: Measure<'_, S>,
        twice: bool,
    ) -> Result<Estimate<S::Real>, Error> {
        S::error(&self.old(t, u), factors, trial, measure, twice)
    }

    #[inline(always)]
    fn accept(&mut self, t: S::Real, u: &S::Input, trial: Now<S>) -> Result<(), Error> {
        self.now = S::settled(&self.place(t, u), trial)?;
        Ok(())
    }

    fn renew(&mut self, t: S::Real, u: &S::Input) -> Result<(), Error> {
        self.now = S::renewed(&self.old(t, u))?;
        Ok(())
    }
}

impl<S: Scheme> Remember for Machine<S>
where
    S::State: Memory,
    S::Carry: Memory,
    S::Scales: Memory,
    S::Kept: Memory,
{
    fn remember<W: Words>(&mut self, words: &mut W, model: impl FnOnce(&mut S::Model, &mut W)) {
        model(&mut self.model, words);
        self.h.visit(words);
        self.now.state.visit(words);
        self.now.carry.visit(words);
        self.scales.visit(words);
        if S::KEEPS {
            self.kept.visit(words);
        }
    }
}

impl<S: Scheme> Memory for Machine<S>
where
    Self: Remember<Model = S::Model>,
    S::Model: Memory,
{
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.remember(words, |model, words| model.visit(words));
    }
}
