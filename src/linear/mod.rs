//! Linear algebra of fixed size: in place, on the stack, without a panic path.

mod lu;

pub use lu::{Lu, Singular};
