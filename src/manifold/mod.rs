//! The manifold that constraints leave to a mechanism: getting onto it, and what holds there.

mod consistent;

pub use consistent::{consistent, free_motion};
