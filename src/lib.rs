// The picture, for the page below, as a link that comes before the README's own.
#![doc = include_str!("guide/motor.md")]
#![doc = include_str!("../README.md")]
//!
//! # The layers
//!
//! | module | what |
//! |---|---|
//! | [`number`] | what physics computes with: values, dual numbers, increments; the f32 sine and cosine |
//! | [`linear`] | LU and LDL^T of fixed size |
//! | [`model`] | what a user writes |
//! | [`method`] | Runge-Kutta methods as data, computed from their nodes at compile time |
//! | [`step`] | one step of a method on a kind of model; budgets, reports, errors |
//! | [`manifold`] | consistent values, slow motions, diagnostics |
//! | [`drive`] | many steps |
//! | [`guide`] | how to use all of it |
//! | [`memory`] | everything that survives a step: kept, restored, compared |
//! | `hil` | a board as the plant: link, parameters, faults, supervision (feature `hil`) |
//!
//! # Notation
//!
//! The textbook's: t time, h step, x states, u inputs, q coordinates, v velocities, M mass, f force, g constraints, G their
//! Jacobian, lambda their multipliers, C compliance, A, b, c a method's tableau, s its stages.
#![no_std]

pub mod drive;
pub mod guide;
#[cfg(feature = "hil")]
pub mod hil;
pub mod linear;
pub mod manifold;
pub mod memory;
pub mod method;
pub mod model;
pub mod number;
pub mod step;

pub use drive::Simulation;
pub use step::Error;

/// Everything that a model and its simulation usually need.
pub mod prelude {
    pub use crate::drive::{Adaptive, Simulation};
    pub use crate::method::{
        Bdf, Direct, Gauss, LobattoIIIA, LobattoPair, OrdinaryBdf, Projected, RadauIA, RadauIIA,
        RungeKutta4Ipa, Started,
    };
    pub use crate::model::{
        Block, Circuit, Course, Damped, Diagonal, Elastic, FirstOrder, Hessenberg, Joints,
        MassMatrix, Matrix, Mechanical, Motion, Nominal, Parameter, ParameterError, Plant,
        Potential, Quantity, Rigid, SecondOrder, Unit, Vector,
    };
    pub use crate::number::{Real, Scalar};
    pub use crate::step::{
        Budget, Deadline, Error, Fixed, Full, Jacobian, Lean, Outcome, Report, Stepper, Until,
    };
}
