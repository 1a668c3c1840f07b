//! Linear algebra of fixed size: in place, on the stack, without a panic path.

mod band;
mod ldlt;
mod lu;
mod symmetric;
mod zeros;

pub use band::Band;
pub use ldlt::Ldlt;
pub use lu::{Lu, Singular};
pub use symmetric::eigenvalues;
pub(crate) use zeros::{Known, Shape, Zeros};
