//! What a driver asks of a stepper to choose its steps.

use super::Statistics;
use crate::step::{Each, Error, Estimate, Stepper, Tolerance};

/// A step that was tried, its error in units of what is allowed, and its iterations.
pub type Tried<P> = (<P as Paced>::Trial, Estimate<<P as Stepper>::Real>, u8);

/// Tolerances of a stepper.
pub type Allowed<P> = Tolerance<<P as Stepper>::Real, <P as Paced>::Absolute>;

/// A stepper whose steps an [`Adaptive`](super::Adaptive) can choose: it tries a step, says how good it was, and learns from it how
/// large the next one should be.
#[diagnostic::on_unimplemented(message = "`{Self}` has no estimate of its error")]
pub trait Paced: Stepper {
    /// Absolute tolerances of all components.
    type Absolute: Each;
    /// A step that was tried.
    type Trial;
    /// What is learned from step to step.
    type Pace;
    /// Evaluations of the model when a step is taken, or inputs change, beyond those of the stages.
    const AT_END: u32 = 0;

    /// Absolute tolerances of `relative` times the nominal magnitudes.
    fn allowed(&self, relative: Self::Real) -> Result<Self::Absolute, Error>;
    /// What is known before the first step.
    fn pace(relative: Self::Real) -> Self::Pace;
    /// After a start or a restart at time `t`: whatever the first step needs besides.
    fn begin(&mut self, _t: Self::Real, _input: &Self::Input) -> Result<(), Error> {
        Ok(())
    }
    /// Makes what is kept of the old point fit inputs that have changed. Answers the point as it was, if it did not fit them.
    fn meet(&mut self, _t: Self::Real, _input: &Self::Input) -> Result<Option<Self::Trial>, Error> {
        Ok(None)
    }
    /// Goes back to the point before inputs changed, whose step was of size `h`.
    fn leave(&mut self, _h: Self::Real, _point: Self::Trial) {}
    /// Tries a step of size `h` from time `t`; the state is as it was.
    fn try_step(
        &mut self,
        pace: &mut Self::Pace,
        at: (Self::Real, &Self::Input),
        h: Self::Real,
        allowed: &Allowed<Self>,
        done: &mut Statistics,
    ) -> Result<Tried<Self>, Error>;
    /// Takes a step that was tried and ends at time `t`.
    fn take(&mut self, t: Self::Real, input: &Self::Input, trial: Self::Trial)
    -> Result<(), Error>;
    /// The size of the next step, after one of size `h`, where `wanted` was planned, that was taken with this error.
    fn next(
        pace: &mut Self::Pace,
        sizes: (Self::Real, Self::Real),
        error: Self::Real,
        iterations: u8,
    ) -> Self::Real;
    /// The size to try after one of size `h` whose error was too large, or, without one, whose iteration failed.
    fn smaller(pace: &mut Self::Pace, h: Self::Real, error: Option<(Self::Real, u8)>)
    -> Self::Real;
    /// The last Newton matrix did not serve.
    fn doubt(_pace: &mut Self::Pace) {}
    /// Nothing that was learned so far is a guide any more.
    fn forget(pace: &mut Self::Pace);
    /// Whether rounding is as large as what the iteration must get below.
    fn drowns(&self, _pace: &Self::Pace, _allowed: &Allowed<Self>) -> bool {
        false
    }
}
