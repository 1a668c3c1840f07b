//! Many steps: fixed ones in real time, adaptive ones as large as a tolerance allows.

mod adaptive;
mod simulation;

pub use adaptive::{Adaptive, Statistics, Taken};
pub use simulation::Simulation;
