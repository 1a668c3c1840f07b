//! What drivers need of a stepper beyond fixed steps: dense output, restarts, and steps that are tried, judged by an estimate
//! of their error, and then taken or not.

use super::{Budget, Error, Report, Stepper};
use crate::memory::Words;
use crate::model::Vector;
use crate::number::Real;

/// Dense output: the polynomial of the last step's stages, or a cubic between the ends of a step whose stages are none. Its order is
/// lower than that of the steps' ends; see [`guide::steppers`](crate::guide::steppers). A new start leaves no step behind: then it
/// is the start, continued backwards.
pub trait Dense: Stepper {
    /// The state `by` before the one that was reached; within the last step, or a little beyond it if `by` is negative.
    fn before(&self, by: Self::Real) -> Self::State;
}

/// A stepper that can begin anew from where it is.
pub trait Restart: Stepper {
    /// Changes model and state at time `t` as something happens to them, and begins anew: without predictions, with
    /// multipliers that belong to the new state. After an error all is as it was.
    fn restart<T>(
        &mut self,
        t: Self::Real,
        input: &Self::Input,
        edit: impl FnOnce(&mut Self::Model, &mut Self::State) -> T,
    ) -> Result<T, Error>
    where
        Self::Model: Clone;
}

/// A stepper whose memory can be visited, the model's part by whoever knows it.
pub trait Remember: Stepper {
    /// Visits everything that survives a step; `model` visits the model.
    fn remember<W: Words>(&mut self, words: &mut W, model: impl FnOnce(&mut Self::Model, &mut W));
}

/// How exact a solution is to be: component i up to `absolute_i + relative |x_i|` a step, in the sense of RADAU5.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance<R, A> {
    /// Relative to each component's size.
    pub relative: R,
    /// Of each component.
    pub absolute: A,
}

/// One positive number for each component, such as an absolute tolerance.
pub trait Each: Copy {
    /// Whether all of them are finite and greater than zero.
    fn positive(&self) -> bool;
}

/// Whether numbers are finite and greater than zero.
pub(super) fn all_positive<'a, R: Real>(numbers: impl IntoIterator<Item = &'a R>) -> bool {
    // False for NaN, too.
    numbers.into_iter().all(|x| *x > R::ZERO && x.finite())
}

impl<R: Real, const N: usize> Each for Vector<R, N> {
    fn positive(&self) -> bool {
        all_positive(self.iter())
    }
}

/// What an adaptive step is judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Control {
    /// The tolerance of every component, positions, velocities and multipliers alike. Only where the equations are of index 3,
    /// in the direction of joints that a step does not resolve, and only without projection, velocities and multipliers are
    /// judged by what their errors do to positions within the step.
    #[default]
    Tolerances,
    /// RADAU5's own, with which its published counts were made: velocities times h, multipliers times the square of h in every
    /// mechanism, and an iteration that may end after its first increment. Counts depend on the unit of time, and velocities and
    /// multipliers may be far beyond their tolerances.
    Radau5,
}

/// What is known of a step's error, in units of the tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate<R> {
    /// Of what is controlled.
    pub error: R,
    /// Of all components, with those that are judged by their effect on others.
    pub all: R,
    /// Evaluations of the model that it took.
    pub evaluations: u32,
}

/// A stepper whose steps can be tried before they are taken, with an estimate of their error.
pub trait Controlled: Stepper {
    /// Absolute tolerances of all components.
    type Absolute: Each;
    /// The factorised Newton matrix, with what must be kept to make it anew for another step size.
    type Factors;
    /// A step that was tried.
    type Trial;
    /// The stages of the method.
    const STAGES: usize;
    /// Evaluations of the model when a step is taken, beyond those of its stages.
    const AT_END: u32 = 0;

    /// Whether a step that took many iterations makes the next one shorter. Not for mechanisms, nor for variables of higher index: their
    /// iterations may hang on rounding, and so would the steps.
    fn frugal(&self) -> bool {
        false
    }

    /// Absolute tolerances `relative` times the nominal magnitudes.
    fn absolute(&self, relative: Self::Real) -> Result<Self::Absolute, Error>;

    /// The Newton matrix at time `t` for the current step size, with the Jacobian of another one if there is one to keep, or
    /// else one from half a step `ahead`, where it serves the whole step better, or from here.
    fn factor(
        &self,
        t: Self::Real,
        input: &Self::Input,
        kept: Option<&Self::Factors>,
        ahead: bool,
    ) -> Result<Self::Factors, Error>;

    /// Tries a step from time `t`, with the increments of the iteration in units of the tolerance.
    fn attempt<B: Budget<Self::Real>>(
        &self,
        t: Self::Real,
        input: &Self::Input,
        factors: &Self::Factors,
        measure: (&Tolerance<Self::Real, Self::Absolute>, Control),
        budget: &mut B,
    ) -> Result<(Self::Trial, Report<Self::Real>), Error>;

    /// What rounding does to the increments of a step's iteration with these factors, in units of the tolerance.
    fn rounding(
        &self,
        factors: &Self::Factors,
        measure: (&Tolerance<Self::Real, Self::Absolute>, Control),
    ) -> Self::Real;

    /// The estimated error of a step in units of the tolerance: the difference to an embedded formula, filtered by the real
    /// factorisation so that stiff components do not exaggerate it (Hairer & Wanner II, IV.8). Filtered `twice` where the
    /// first estimate may be of a transient that dies out.
    fn error(
        &self,
        t: Self::Real,
        input: &Self::Input,
        factors: &Self::Factors,
        trial: &Self::Trial,
        measure: (&Tolerance<Self::Real, Self::Absolute>, Control),
        twice: bool,
    ) -> Result<Estimate<Self::Real>, Error>;

    /// Takes a step that was tried and ends at time `t`.
    fn accept(
        &mut self,
        t: Self::Real,
        input: &Self::Input,
        trial: Self::Trial,
    ) -> Result<(), Error>;

    /// Makes what is kept of the old point fit inputs that have changed.
    fn renew(&mut self, _t: Self::Real, _input: &Self::Input) -> Result<(), Error> {
        Ok(())
    }
}
