//! A plant for inline tests, of which every step and every event is where arithmetic says.

use super::{FirstOrder, Linear, Unit, Vector};
use crate::number::Scalar;

/// A number that grows by one a second, and by its input.
#[derive(Clone, Copy)]
pub struct Clockwork;

/// Its state.
pub type Count = Vector<f64, 1>;

impl FirstOrder<f64, 1, 1> for Clockwork {
    type Mass = Unit;
    const AFFINE: bool = true;
    fn rhs<T: Scalar<f64>>(&self, _t: T, _x: &Vector<T, 1>, u: &Vector<f64, 1>) -> Vector<T, 1> {
        [T::constant(1.0 + u[0])].into()
    }
}

impl Linear<f64, 1, 1> for Clockwork {}
