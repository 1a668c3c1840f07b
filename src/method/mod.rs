//! Methods: data only. A method is its nodes; everything else is computed from them at compile time.

mod accuracy;
pub mod bdf;
mod differences;
mod gauss;
pub mod general_linear;
mod interpolation;
mod lean;
mod lobatto;
mod mapped;
mod modes;
mod partitioned;
mod projected;
mod radau;
mod runge_kutta;
mod spectrum;
mod tableau;

pub use accuracy::{Accuracy, All, AllImplicit, ExplicitFirst, Holds, Loose, Met, StifflyAccurate};
pub use bdf::{Backward, Bdf, Started};
pub use gauss::Gauss;
pub use general_linear::{GeneralLinear, OneStep};
pub use lean::Lean;
pub use lobatto::LobattoIIIA;
pub use mapped::Mapped;
pub(crate) use modes::visit_slots;
pub use modes::{Modes, Slots, Stages};
pub use partitioned::{LobattoPair, PairCoefficients};
pub use projected::{Direct, Projected};
pub use radau::RadauIIA;
pub use runge_kutta::Explicit;
pub use tableau::{Coefficients, Mode, lagrange_integral, legendre_nodes};

use crate::number::{Implies, Real};

/// An implicit Runge-Kutta method with `S` stages and an invertible matrix A, most of them collocation methods.
pub trait Collocation<const S: usize>: Copy + Implies<Stages<S>, Is: Modes> {
    /// The method's name, for reports.
    const NAME: &'static str;
    /// The classical order of convergence.
    const ORDER: usize;
    /// Whether the last stage is the result, and whether there is another stage before these.
    type Accuracy: Accuracy;
    /// Whether there is another stage before these, at the start of the step, which is explicit.
    const EXPLICIT_FIRST: bool = Self::Accuracy::EXPLICIT_FIRST;
    /// The coefficients.
    const TABLE: Coefficients<f64, S>;
    /// The same in single precision.
    const SINGLE: Coefficients<f32, S> = Self::TABLE.single();
    /// The coefficients, rounded to the number type that is asked for.
    #[inline(always)]
    fn coefficients<R: Real>() -> &'static Coefficients<R, S> {
        R::own::<Stages<S>>(const { &Self::SINGLE }, const { &Self::TABLE })
    }
}

/// A method that can estimate its own error, by a formula embedded in its stages whose filter is the real mode.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not estimate its error",
    note = "adaptive steps are taken with `RadauIIA::<3>` or `RadauIIA::<5>`"
)]
pub trait Embedded<const S: usize>: Collocation<S> {}
