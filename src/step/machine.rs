//! What all steps share, whatever the method and the model: a state that moves only when all of a step is known to be sound.
//!
//! A [`Machine`] holds a model, a step size and a state, and does once for all [schemes](super::scheme) what is not mathematics:
//! stepping, change with rollback, restart, error control, memory.

use super::scheme::{
    Estimated, Factorised, Measure, Now, Old, Place, Scheme, Tried, finite, solve,
};
use super::{Budget, Dense, Error, Remember, Report};
use super::{Inputs, Restart, Stepper, checked_period, checked_step};
use crate::memory::{Memory, Words};
use crate::method::Met;
use crate::number::{Field, Real};

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
    /// The step that dense output covers: the last one, or that of a start.
    pub(crate) span: S::Real,
    /// What goes from step to step.
    pub(crate) now: Now<S>,
    /// The inputs that accelerations and multipliers there belong to, where a step goes on from these.
    met: S::Met,
    scales: S::Scales,
    /// What is kept to save work.
    pub(crate) kept: S::Kept,
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
        checked_period((S::PERIOD)(&model))?;
        let at = Place::new(method, &model, h, (t, u));
        let now = S::start(&at, start)?;
        let scales = S::scales(&at, &now.state)?;
        if !finite::<S>(&now.state) {
            return Err(Error::NonFinite);
        }
        let kept = S::keep(&Old::new(at, &now, &scales))?;
        Ok(Machine {
            method,
            model,
            h,
            span: h,
            now,
            met: S::Met::of(u),
            scales,
            kept,
        })
    }

    #[inline(always)]
    pub(crate) fn place<'a>(&'a self, t: S::Real, u: &'a S::Input) -> Place<'a, S> {
        Place::new(self.method, &self.model, self.h, (t, u))
    }

    #[inline(always)]
    pub(crate) fn old<'a>(&'a self, t: S::Real, u: &'a S::Input) -> Old<'a, S> {
        Old::new(self.place(t, u), &self.now, &self.scales)
    }

    /// A step was taken with these inputs.
    #[inline(always)]
    fn taken(&mut self, u: &S::Input) {
        self.span = self.h;
        self.met = S::Met::of(u);
    }

    /// Makes the point that was reached fit inputs that have changed, and answers it as it was.
    pub(crate) fn meet(&mut self, t: S::Real, u: &S::Input) -> Result<Now<S>, Error> {
        let now = S::renewed(&self.old(t, u))?;
        self.met = S::Met::of(u);
        Ok(core::mem::replace(&mut self.now, now))
    }

    /// Goes back to a point that a step of size `h` led to.
    pub(crate) fn leave(&mut self, h: S::Real, point: Now<S>) {
        // The stages of a point are those of its step. Nothing refuses a size that was one before.
        let _known = self.set_h(h);
        (self.now, self.span) = (point, h);
    }

    /// All that follows a change of the model.
    fn follow(&mut self, t: S::Real, u: &S::Input, before: &S::Model) -> Result<(), Error> {
        checked_period((S::PERIOD)(&self.model))?;
        let (now, scales) = S::fit(&self.old(t, u), before)?;
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

    // With every call inlined, tests that step in many places take twice as long to build.
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take_step<B: Budget<S::Real>>(
        &mut self,
        t: S::Real,
        u: &S::Input,
        budget: &mut B,
    ) -> Result<Report<S::Real>, Error> {
        let place = Place::new(self.method, &self.model, self.h, (t, u));
        let mut old = Old::new(place, &self.now, &self.scales);
        let renewed;
        if S::RENEWS && self.met.differs(u) {
            renewed = S::renewed(&old)?;
            old = Old::new(old.at, &renewed, &self.scales);
        }
        if S::IN_PLACE {
            let mut next = S::place(&self.now);
            let report = S::attempt_at(&old, &mut self.kept, budget, &mut next)?;
            if !finite::<S>(&next.state) {
                return Err(Error::NonFinite);
            }
            S::put(&next, &mut self.now);
            self.taken(u);
            return Ok(report);
        }
        let (trial, report) = S::attempt(&old, &mut self.kept, budget)?;
        if !trial.finite() {
            return Err(Error::NonFinite);
        }
        trial.take(&mut self.now);
        self.taken(u);
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
        let fits = S::rescale(&mut now, &mut scales, h, ratio);
        let u = S::Input::none();
        let place = Place::new(self.method, &self.model, h, (S::Real::ZERO, &u));
        self.kept = S::keep(&Old::new(place, &now, &scales))?;
        (self.h, self.now, self.scales) = (h, now, scales);
        if fits {
            self.span = h;
        }
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
        (S::PERIOD)(&self.model)
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
        let before = self.model.clone();
        let answer = edit(&mut self.model);
        if let Err(error) = self.follow(t, u, &before) {
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
        S::before(&self.now, self.span, by)
    }
}

/// Steps that are tried before they are taken, for drivers that judge them by their error.
impl<S: Estimated> Machine<S> {
    /// The Newton matrix at time `t` for the current step size, with the Jacobian of another one if there is one to keep, or
    /// else one from half a step `ahead`, where it serves the whole step better, or from here.
    pub(crate) fn factor(
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

    /// Tries a step from time `t`, with the increments of the iteration in units of the tolerance.
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn attempt<B: Budget<S::Real>>(
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

    /// What rounding does to the increments of a step's iteration with these factors, in units of the tolerance.
    pub(crate) fn rounding(&self, factors: &Factorised<S>, measure: Measure<'_, S>) -> S::Real {
        // Neither time nor inputs have a part in it.
        let u = S::Input::none();
        let scales = S::tolerated(&self.old(S::Real::ZERO, &u), factors, measure);
        scales.map_or(S::Real::ZERO, |scales| S::floor(&scales))
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
        self.span.visit(words);
        self.now.state.visit(words);
        self.now.carry.visit(words);
        self.met.visit(words);
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
