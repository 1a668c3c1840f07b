//! Many steps.

mod simulation;

pub use simulation::Simulation;
