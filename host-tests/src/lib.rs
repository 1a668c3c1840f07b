//! The desk side of stiffstep.

pub mod emulator;
pub mod reference;
pub mod sine;
