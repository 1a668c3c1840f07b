//! A smooth nonlinear equation whose solution is known, for measuring orders of convergence.

use stiffstep::prelude::*;

/// With `w(t) = t + t^2 / 2`, the solution is `(exp(sin w), cos w, 1 / (1 + t))`.
///
/// Time appears explicitly and every equation is nonlinear:
/// `x1' = (1 + t) x1 x2`, `x2' = -(1 + t) ln x1`, `x3' = -x3^2 (x2^2 + ln^2 x1)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownSolution;

impl KnownSolution {
    /// The solution at time t.
    pub fn at<R: Real>(t: R) -> Vector<R, 3> {
        let (sin, cos) = (t + t * t * R::from_f64(0.5)).sin_cos();
        [sin.exp(), cos, R::ONE / (t + R::ONE)].into()
    }
}

impl<R: Real> FirstOrder<R, 3, 0> for KnownSolution {
    type Mass = Unit;

    #[inline]
    fn rhs<T: Scalar<R>>(&self, t: T, x: &Vector<T, 3>, _u: &Vector<R, 0>) -> Vector<T, 3> {
        let pace = t + R::ONE;
        let sin = x[0].ln();
        [
            pace * x[0] * x[1],
            -pace * sin,
            -x[2].square() * (x[1].square() + sin.square()),
        ]
        .into()
    }
}
