//! Van der Pol's oscillator (IVP Test Set): long slow branches, and jumps between them within a thousandth of their time.

use stiffstep::prelude::*;

/// `y1' = y2`, `y2' = mu (1 - y1^2) y2 - y1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VanDerPol<R> {
    /// The damping; stiff when it is large.
    pub mu: R,
}

impl<R: Real> VanDerPol<R> {
    /// mu = 1000, as published.
    pub fn published() -> Self {
        VanDerPol {
            mu: R::from_f64(1000.0),
        }
    }
}

/// The start.
pub const START: [f64; 2] = [2.0, 0.0];
/// The end of the interval.
pub const END_TIME: f64 = 2000.0;
/// The published solution there, for mu = 1000.
pub const END: [f64; 2] = [1.706167732170469, -8.928097010248125e-4];

impl<R: Real> FirstOrder<R, 2, 0> for VanDerPol<R> {
    type Mass = Unit;

    #[inline]
    fn rhs<T: Scalar<R>>(&self, _t: T, y: &Vector<T, 2>, _u: &Vector<R, 0>) -> Vector<T, 2> {
        let damping = (y[0] * y[0] - R::ONE) * self.mu;
        [y[1], -damping * y[1] - y[0]].into()
    }

    /// The velocity is that of the jumps.
    #[inline]
    fn nominal(&self) -> Vector<R, 2> {
        [R::from_f64(2.0), self.mu].into()
    }
}
