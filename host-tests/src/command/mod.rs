//! What commands share: work in stages, tools that are installed on the way, tables.

pub mod table;

pub use stiffstep_emulator::{install, stage};
