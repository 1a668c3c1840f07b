//! HIRES: high irradiance response of photomorphogenesis, a chemical reaction of eight species (IVP Test Set).
//!
//! A stiff ordinary differential equation. Fast transients at the start, a long calm, and a second transient when species 8
//! is used up.

use stiffstep::prelude::*;

/// The reaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hires;

/// The start.
pub const START: [f64; 8] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057];
/// The end of the interval.
pub const END_TIME: f64 = 321.8122;
/// The published solution there.
pub const END: [f64; 8] = [
    7.371312573325668e-4,
    1.442485726316185e-4,
    5.888729740967575e-5,
    1.175651343283149e-3,
    2.386356198831331e-3,
    6.238968252742796e-3,
    2.849998395185769e-3,
    2.850001604814231e-3,
];

impl<R: Real> FirstOrder<R, 8, 0> for Hires {
    type Mass = Unit;

    #[inline]
    fn rhs<T: Scalar<R>>(&self, _t: T, y: &Vector<T, 8>, _u: &Vector<R, 0>) -> Vector<T, 8> {
        let k = R::from_f64;
        let [y1, y2, y3, y4, y5, y6, y7, y8] = y.data.0[0];
        let bound = y6 * y8 * k(280.0) - y7 * k(1.81);
        [
            y1 * k(-1.71) + y2 * k(0.43) + y3 * k(8.32) + k(0.0007),
            y1 * k(1.71) - y2 * k(8.75),
            y3 * k(-10.03) + y4 * k(0.43) + y5 * k(0.035),
            y2 * k(8.32) + y3 * k(1.71) - y4 * k(1.12),
            y5 * k(-1.745) + y6 * k(0.43) + y7 * k(0.43),
            y6 * y8 * k(-280.0) + y4 * k(0.69) + y5 * k(1.71) - y6 * k(0.43) + y7 * k(0.69),
            bound,
            -bound,
        ]
        .into()
    }

    #[inline]
    fn nominal(&self) -> Vector<R, 8> {
        [1.0, 0.2, 0.1, 0.4, 0.5, 0.7, 0.0057, 0.0057]
            .map(R::from_f64)
            .into()
    }
}
