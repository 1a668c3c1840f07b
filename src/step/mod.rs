//! One step: the simplified Newton iteration and what it answers.

mod budget;
mod check;
mod controlled;
mod error;
mod first_order;
mod full;
mod general_linear;
pub(crate) mod geometry;
mod hessenberg;
mod lean;
mod linearization;
mod mechanical;
mod multistep;
mod newton;
mod partitioned;
mod potential;
mod report;
mod second_order;
mod slow;

pub use budget::{Budget, Deadline, Fixed, Until};
pub use check::Inputs;
pub(crate) use check::{checked_start, checked_state, checked_step, inverse_magnitudes};
pub use controlled::{Controlled, Dense, Restart, Tolerance};
pub use error::Error;
pub use first_order::{FirstOrderStepper, OfFirstOrder};
pub use general_linear::{GeneralLinearStepper, OfGeneralLinear, OfSecondOrder, Values};
pub use hessenberg::{HessenbergStepper, OfHessenberg};
pub use linearization::{Full, Jacobian, Lean};
pub use mechanical::{EachOfMotion, End, Free, MechanicalStepper, OfMechanical, OntoManifold};
pub use multistep::{MultistepStepper, OfMultistep, Past};
pub use newton::Convergence;
pub use partitioned::{OfPair, PairStepper};
pub use potential::{OfPotential, PotentialStepper};
pub use report::{Outcome, Report};
pub use second_order::EachOfCourse;
pub use slow::{OfSlow, SlowStepper};

use crate::number::Real;

/// A method that can step the model `M`. Simulations are made of such pairs; a pair that makes no sense does not compile.
///
/// `Kind` says which kind of model `M` is, and is inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot step `{M}`",
    label = "no such pair of method and model",
    note = "a model implements `FirstOrder`, `SecondOrder`, `Mechanical`, `Hessenberg` or `Potential`; a method is one that the module `method` lists, with a number of stages it comes in (`RadauIIA::<3>`: 1, 2, 3, 5)",
    note = "rigid joints need a stiffly accurate method such as `RadauIIA::<3>`, or `Projected(method)`, which returns to the constraints after every step; `Direct(method)` shows what happens without"
)]
pub trait Method<M, Kind> {
    /// The model's number type.
    type Real: Real;
    /// What a simulation starts from.
    type Start;
    /// The machinery of one step.
    type Stepper: Stepper<Real = Self::Real, Model = M>;

    /// The stepper for `model` at step `h`, with the starting state checked.
    fn stepper(self, model: M, h: Self::Real, start: Self::Start) -> Result<Self::Stepper, Error>;
}

/// The machinery of one step: a model, its state and what is kept between steps.
pub trait Stepper {
    /// The number type.
    type Real: Real;
    /// The model.
    type Model;
    /// The inputs, held over a step.
    type Input: Inputs;
    /// The state that a user sees.
    type State;

    /// All inputs zero.
    #[inline(always)]
    fn no_input() -> Self::Input {
        Self::Input::none()
    }
    /// Advances the state by one step from time `t`; after an error the state is bit for bit what it was.
    #[inline(always)]
    fn advance<B: Budget<Self::Real>>(
        &mut self,
        t: Self::Real,
        input: &Self::Input,
        budget: &mut B,
    ) -> Result<Report<Self::Real>, Error> {
        input.checked()?;
        self.take_step(t, input, budget)
    }
    /// What [`advance`](Self::advance) does with inputs that are finite.
    fn take_step<B: Budget<Self::Real>>(
        &mut self,
        t: Self::Real,
        input: &Self::Input,
        budget: &mut B,
    ) -> Result<Report<Self::Real>, Error>;
    /// The step size.
    fn h(&self) -> Self::Real;
    /// Changes the step size.
    fn set_h(&mut self, h: Self::Real) -> Result<(), Error>;
    /// The current state.
    fn state(&self) -> &Self::State;
    /// The model.
    fn model(&self) -> &Self::Model;
    /// The model, to be changed: [`refit`](Self::refit) must follow.
    fn model_mut(&mut self) -> &mut Self::Model;
    /// Makes state and kept values fit a model that was changed at time `t`. After an error they are as they were.
    fn refit(&mut self, t: Self::Real, input: &Self::Input) -> Result<(), Error>;
    /// Changes the model at time `t` and makes the state fit: whatever was derived from the model is computed anew. After an
    /// error model and state are as they were.
    fn change<T>(
        &mut self,
        t: Self::Real,
        input: &Self::Input,
        edit: impl FnOnce(&mut Self::Model) -> T,
    ) -> Result<T, Error>
    where
        Self::Model: Clone,
    {
        let before = self.model().clone();
        let answer = edit(self.model_mut());
        if let Err(error) = self.refit(t, input) {
            *self.model_mut() = before;
            return Err(error);
        }
        Ok(answer)
    }
}
