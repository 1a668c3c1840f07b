//! Many steps: fixed ones in real time, adaptive ones as large as a tolerance allows, and whatever happens in between.

mod adaptive;
mod clock;
mod events;
mod reproject;
mod simulation;
mod switching;

pub use adaptive::{Adaptive, Controlled, Paced, Statistics, Taken};
pub use events::{After, Crossing, Events, Watch};
pub use simulation::{Simulated, Simulation};
pub use switching::Switched;
