//! Robertson's reaction (IVP Test Set): three species whose rates differ by nine orders of magnitude.

use stiffstep::prelude::*;

/// The reaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Robertson;

/// The start.
pub const START: [f64; 3] = [1.0, 0.0, 0.0];
/// The end of the interval.
pub const END_TIME: f64 = 1e11;
/// The published solution there.
pub const END: [f64; 3] = [
    2.083340149701255e-8,
    8.333360770334713e-14,
    0.999999979166505,
];

impl<R: Real> FirstOrder<R, 3, 0> for Robertson {
    type Mass = Unit;

    #[inline]
    fn rhs<T: Scalar<R>>(&self, _t: T, y: &Vector<T, 3>, _u: &Vector<R, 0>) -> Vector<T, 3> {
        let k = R::from_f64;
        let slow = y[0] * k(0.04);
        let middle = y[1] * y[2] * k(1e4);
        let fast = y[1] * y[1] * k(3e7);
        [middle - slow, slow - middle - fast, fast].into()
    }

    #[inline]
    fn nominal(&self) -> Vector<R, 3> {
        [1.0, 4e-5, 1.0].map(R::from_f64).into()
    }
}
