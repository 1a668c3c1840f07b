//! The desk side of hardware in the loop, as far as no board is needed.

pub use stiffstep_link::{client, clock, desk, names, noise, port, reference, verify};
