#![doc = include_str!("../README.md")]
#![no_std]

pub mod drive;
pub mod linear;
pub mod method;
pub mod model;
pub mod number;
pub mod step;

pub use drive::Simulation;
pub use step::Error;

/// Everything that a model and its simulation usually need.
pub mod prelude {
    pub use crate::drive::Simulation;
    pub use crate::method::RadauIIA;
    pub use crate::model::{
        Circuit, Diagonal, FirstOrder, MassMatrix, Matrix, Parameter, ParameterError, Plant,
        Quantity, Unit, Vector,
    };
    pub use crate::number::{Real, Scalar};
    pub use crate::step::{Budget, Deadline, Error, Fixed, Outcome, Report, Stepper, Until};
}
