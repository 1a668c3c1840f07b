//! A pendulum in a valley whose stiffness changes along it: `P = (1 + y_1^2 / 2) (r - 1)^2 / 2`, unit mass and gravity. No
//! function g makes this `|g|^2 / 2` with constant stiffness, so it takes Lubich's iteration (8.5)-(8.8).

use stiffstep::prelude::*;

/// The pendulum; with `C = 0` without the correction (8.7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Valley<R, const C: u8> {
    /// `1 / eps^2`.
    pub stiffness: R,
}

impl<R: Real, const C: u8> Valley<R, C> {
    /// The pendulum with the paper's small parameter.
    pub fn new(eps: f64) -> Self {
        Valley {
            stiffness: R::from_f64(1.0 / (eps * eps)),
        }
    }
}

impl<R: Real, const C: u8> Potential<R, 2, 1, 0> for Valley<R, C> {
    type Mass<T: Scalar<R>> = Unit;
    const CORRECTED: bool = C > 0;

    fn mass(&self) -> Unit {
        Unit
    }

    fn force(
        &self,
        _t: R,
        _q: &Vector<R, 2>,
        _v: &Vector<R, 2>,
        _u: &Vector<R, 0>,
    ) -> Vector<R, 2> {
        [R::ZERO, -R::ONE].into()
    }

    fn potential<T: Scalar<R>>(&self, q: &Vector<T, 2>) -> T {
        let half = R::from_f64(0.5);
        let depth = (q[0] * q[0] + q[1] * q[1]).sqrt() - R::ONE;
        (q[0] * q[0] * half + R::ONE) * depth * depth * half
    }

    fn stiffness(&self) -> R {
        self.stiffness
    }

    fn directions(&self, q: &Vector<R, 2>) -> [[R; 2]; 1] {
        let r = (q[0] * q[0] + q[1] * q[1]).sqrt();
        [[q[0] / r, q[1] / r]]
    }
}
