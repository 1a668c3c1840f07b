//! What commands share: work in stages, tools that are installed on the way, tables, drawings.

pub mod plot;
pub mod table;

pub use stiffstep_emulator::{install, stage};
