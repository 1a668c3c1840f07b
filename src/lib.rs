// Links of the page below. They come before its own, which are for a Git host, and the first one counts.
#![doc = include_str!("guide/motor.md")]
#![doc = include_str!("guide/links.md")]
#![doc = include_str!("../README.md")]
//!
//! # The layers
//!
//! | module | what |
//! |---|---|
//! | [`memory`] | everything that survives a step: kept, restored, compared |
//! | [`number`] | what physics computes with: values, dual numbers, increments; the f32 sine and cosine |
//! | [`linear`] | LU and LDL^T of fixed size |
//! | [`model`] | what a user writes |
//! | [`method`] | Runge-Kutta methods as data, computed from their nodes at compile time |
//! | [`geometry`] | a mechanism's constraints: consistent values, diagnostics |
//! | [`step`] | one step of a method on a kind of model; budgets, reports |
//! | [`switched`] | converters: circuits with switches and diodes, edges and commutations within a step |
//! | [`electric`] | drives: machines, inverters, shafts |
//! | [`slow`] | slow manifolds of stiff springs, and steps along them |
//! | [`drive`] | many steps |
//! | [`guide`] | how to use all of it |
//! | `hil` | a board as the plant: link, parameters, faults, supervision (feature `hil`) |
//!
//! # Notation
//!
//! The textbook's: t time, h step, x states, u inputs, q coordinates, v velocities, M mass, f force, g constraints, G their
//! Jacobian, lambda their multipliers, C compliance, A, b, c a method's tableau, s its stages.
#![no_std]

pub mod drive;
pub mod electric;
mod error;
pub mod geometry;
pub mod guide;
#[cfg(feature = "hil")]
pub mod hil;
pub mod linear;
pub mod memory;
pub mod method;
pub mod mild;
pub mod model;
pub mod number;
pub mod slow;
pub mod step;
pub mod switched;

pub use drive::Simulation;
pub use error::Error;

/// The manifold that constraints leave to a mechanism: getting onto it, and what holds there. With springs in place of rigid
/// joints it is a slow manifold nearby; [`slow`] says how to get there, and which way to choose.
pub mod manifold {
    pub use crate::geometry::{Diagnostics, consistent, free_motion};
    pub use crate::slow::{Ending, Ipa, Kernel, Slow};
}

/// Everything that a model and its simulation usually need.
pub mod prelude {
    pub use crate::drive::{Adaptive, Simulated, Simulation};
    pub use crate::method::{
        Bdf, Direct, Gauss, Lean, LobattoIIIA, LobattoPair, Mapped, Projected, RadauIIA, Started,
    };
    pub use crate::model::{
        Block, Circuit, Course, Damped, Diagonal, Elastic, FirstOrder, Hessenberg, Joints, Linear,
        MassMatrix, Matrix, Mechanical, Motion, Nominal, Parameter, ParameterError, Plant,
        Potential, Quantity, Rigid, SecondOrder, Unit, Vector, vector,
    };
    pub use crate::number::{Real, Scalar};
    pub use crate::slow::RungeKutta4Ipa;
    pub use crate::step::{Budget, Deadline, Error, Fixed, Outcome, Report, Stepper, Until};
}
