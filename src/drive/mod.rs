//! Many steps: fixed ones in real time, adaptive ones as large as a tolerance allows.

mod adaptive;
mod events;
mod simulation;
mod switching;

pub use adaptive::{Adaptive, Statistics, Taken};
pub use events::{After, Crossing, Events, Watch};
pub use simulation::Simulation;
pub use switching::Switched;
