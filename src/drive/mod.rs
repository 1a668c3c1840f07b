//! Many steps: fixed ones in real time, adaptive ones as large as a tolerance allows, of variable order for second-order
//! systems, and whatever happens in between.

mod adaptive;
mod clock;
mod events;
mod reproject;
mod simulation;
mod switching;
mod variable;

pub use adaptive::{Adaptive, Statistics, Taken};
pub use events::{After, Crossing, Events, Watch};
pub use simulation::{Simulated, Simulation};
pub use switching::Switched;
pub use variable::{Judged, Variable};
