//! What drivers need of a stepper beyond fixed steps: dense output, restarts, and steps that are tried, judged by an estimate
//! of their error, and then taken or not.

use super::{Budget, Error, Report, Stepper};

/// Dense output: the last step's collocation polynomial. Its order is that of the stages, lower than that of the steps'
/// ends. A new start leaves none behind: then it is the start.
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

/// How exact a solution is to be: component i up to `absolute_i + relative |x_i|` a step, in the sense of RADAU5.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance<R, A> {
    /// Relative to each component's size.
    pub relative: R,
    /// Of each component.
    pub absolute: A,
}

/// A stepper whose steps can be tried before they are taken, with an estimate of their error.
pub trait Controlled: Stepper {
    /// Absolute tolerances of all components.
    type Absolute: Copy;
    /// The factorised Newton matrix, with what must be kept to make it anew for another step size.
    type Factors;
    /// A step that was tried.
    type Trial;
    /// The stages of the method.
    const STAGES: usize;
    /// Evaluations of the model when a step is taken, beyond those of its stages.
    const AT_END: u32 = 0;
    /// Evaluations of the model that an estimate needs; one more if it is filtered twice.
    const AN_ESTIMATE: u32 = 1;

    /// Absolute tolerances `relative` times the nominal magnitudes.
    fn absolute(&self, relative: Self::Real) -> Self::Absolute;

    /// The Newton matrix at time `t` for the current step size, with the Jacobian of another one if there is one to keep.
    fn factor(
        &self,
        t: Self::Real,
        input: &Self::Input,
        kept: Option<&Self::Factors>,
    ) -> Result<Self::Factors, Error>;

    /// Tries a step from time `t`, with the increments of the iteration in units of the tolerance.
    fn attempt<B: Budget<Self::Real>>(
        &self,
        t: Self::Real,
        input: &Self::Input,
        factors: &Self::Factors,
        tolerance: &Tolerance<Self::Real, Self::Absolute>,
        budget: &mut B,
    ) -> Result<(Self::Trial, Report<Self::Real>), Error>;

    /// The estimated error of a step in units of the tolerance: the difference to an embedded formula, filtered by the real
    /// factorisation so that stiff components do not exaggerate it (Hairer & Wanner II, IV.8). Filtered `twice` where the
    /// first estimate may be of a transient that dies out.
    fn error(
        &self,
        t: Self::Real,
        input: &Self::Input,
        factors: &Self::Factors,
        trial: &Self::Trial,
        tolerance: &Tolerance<Self::Real, Self::Absolute>,
        twice: bool,
    ) -> Result<Self::Real, Error>;

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
