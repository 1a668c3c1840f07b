//! Methods: data only. A method is its nodes; everything else is computed from them at compile time.

mod projected;
mod radau;
mod spectrum;
mod tableau;

pub use projected::Projected;
pub use radau::RadauIIA;
pub use tableau::{Coefficients, Mode, Modes, Slots, Stages};

use crate::number::Real;

/// A collocation method with `S` implicit stages and an invertible matrix A.
pub trait Collocation<const S: usize>: Copy
where
    Stages<S>: Modes,
{
    /// The method's name, for reports.
    const NAME: &'static str;
    /// The classical order of convergence.
    const ORDER: usize;
    /// The coefficients, rounded to the number type that is asked for.
    fn coefficients<R: Real>() -> &'static Coefficients<R, S>;
}
