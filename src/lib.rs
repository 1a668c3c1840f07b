#![doc = include_str!("../README.md")]
#![no_std]

pub mod drive;
pub mod linear;
pub mod manifold;
pub mod method;
pub mod model;
pub mod number;
pub mod step;

pub use drive::Simulation;
pub use step::Error;

/// Everything that a model and its simulation usually need.
pub mod prelude {
    pub use crate::drive::Simulation;
    pub use crate::method::{
        Direct, Gauss, LobattoIIIA, LobattoPair, Projected, RadauIA, RadauIIA,
    };
    pub use crate::model::{
        Block, Circuit, Damped, Diagonal, Elastic, FirstOrder, Hessenberg, Joints, MassMatrix,
        Matrix, Mechanical, Motion, Nominal, Parameter, ParameterError, Plant, Potential, Quantity,
        Rigid, Unit, Vector,
    };
    pub use crate::number::{Real, Scalar};
    pub use crate::step::{
        Budget, Deadline, Error, Fixed, Full, Jacobian, Lean, Outcome, Report, Stepper, Until,
    };
}
