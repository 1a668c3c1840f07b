//! Plants with constant coefficients.

use super::{Circuit, FirstOrder};
use crate::number::Real;

/// A first-order model `E x' = A x + B u + b` whose A, B and b depend on neither t nor x nor u: a promise in a type, which lets a
/// [`Mapped`](crate::method::Mapped) method replace the stages of a step by one matrix.
///
/// Parameters may change while the plant runs; the matrices are then computed anew. The promise is not checked: of a model that breaks
/// it the steps are those of its tangent at zero.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say that its coefficients are constant",
    note = "a plant that is linear with constant coefficients says so: `impl Linear<f32, 2, 1> for Plant {{}}`; every other one is stepped by the method itself, without `Mapped`"
)]
pub trait Linear<R: Real, const N: usize, const U: usize>: FirstOrder<R, N, U> {}

impl<R: Real, const N: usize, const U: usize> Linear<R, N, U> for Circuit<R, N, U> {}
