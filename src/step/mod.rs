//! One step: the simplified Newton iteration and what it answers.

mod budget;
mod check;
mod controlled;
mod convergence;
mod copy;
mod first_order;
mod full;
mod general_linear;
mod hessenberg;
mod increments;
mod lean;
mod linearization;
pub(crate) mod machine;
mod map;
mod mechanical;
pub(crate) mod methods;
mod modes;
pub(crate) mod motion;
mod multistep;
mod narrow;
mod newton;
mod partitioned;
mod potential;
mod prediction;
mod report;
pub(crate) mod scheme;
mod second_order;
pub(crate) mod turn;

pub use crate::Error;
pub use budget::{Budget, Deadline, Fixed, Until};
pub use check::Inputs;
pub(crate) use check::{
    checked_joints, checked_period, checked_start, checked_state, checked_step, inverse_magnitudes,
    velocity_weights,
};
pub use controlled::{Control, Dense, Each, Estimate, Remember, Restart, Tolerance};
pub use convergence::Convergence;
pub use first_order::{FirstOrderStepper, OnFirstOrder};
pub use general_linear::{GeneralLinearStepper, OnGeneralLinear};
pub use hessenberg::{HessenbergStepper, OnHessenberg};
pub use machine::Machine;
pub use map::{MapStepper, OnMap};
pub use mechanical::{EachOfMotion, Manner, MechanicalStepper, OnMechanical};
pub use methods::{Named, OfFirstOrder, OfGeneralLinear, OfHessenberg, OfMechanical, OfMultistep};
pub use methods::{OfPair, OfPotential, OfSecondOrder, StepperOf};
pub use multistep::{MultistepStepper, OnMultistep};
pub use partitioned::{OnPair, PairStepper};
pub use potential::{OnPotential, PotentialStepper};
pub use report::{Outcome, Report};
pub use scheme::Now;
pub use second_order::EachOfCourse;

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
        checked_period(self.period())?;
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
    /// The period of the model's functions of time, if it has one.
    #[inline(always)]
    fn period(&self) -> Option<Self::Real> {
        None
    }
    /// Changes the model at time `t` and makes the state fit: whatever was derived from the model is computed anew. After an
    /// error model and state are as they were.
    fn change<T>(
        &mut self,
        t: Self::Real,
        input: &Self::Input,
        edit: impl FnOnce(&mut Self::Model) -> T,
    ) -> Result<T, Error>
    where
        Self::Model: Clone;
}
