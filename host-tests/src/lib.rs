//! The desk side of stiffstep.

pub mod reference;
