//! Wunderlich's examples, second-order systems as they are, and the pendulum in their form.

use crate::rlc::{Rlc, wunderlich};
use stiffstep::prelude::*;

/// Positions and velocities of a solution with its multiplier: a start.
type Start<R> = (Vector<R, 3>, Vector<R, 3>);

/// Example 1.3, a particle on a circle pushed along it: `y'' = 2 (y2, -y1) + lambda y`, `|y|^2 = 1`. With y = (sin t^2,
/// cos t^2) and lambda = -4 t^2. The equations do not know the time: a run may start anywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Track;

impl Track {
    /// The solution at time t, (y, lambda) and its derivative.
    pub fn at<R: Real>(t: R) -> Start<R> {
        let (sin, cos) = (t * t).sin_cos();
        let (two, eight) = (R::from_f64(2.0), R::from_f64(8.0));
        (
            [sin, cos, -(t * t) * two * two].into(),
            [two * t * cos, -two * t * sin, -eight * t].into(),
        )
    }
}

impl<R: Real> SecondOrder<R, 3, 0> for Track {
    const ALGEBRAIC: [bool; 3] = [false, false, true];

    #[inline(always)]
    fn residual<T: Scalar<R>>(
        &self,
        _t: T,
        x: &Vector<T, 3>,
        _v: &Vector<T, 3>,
        a: &Vector<T, 3>,
        _u: &Vector<R, 0>,
    ) -> Vector<T, 3> {
        let two = R::from_f64(2.0);
        let [y1, y2, lambda] = x.data.0[0];
        [
            a[0] - y2 * two - lambda * y1,
            a[1] + y1 * two - lambda * y2,
            y1 * y1 + y2 * y2 - R::ONE,
        ]
        .into()
    }
}

/// (62) with `2 y1 y1'^2` where `2 y1 y2'^2` is printed, which makes the solution that the paper names the solution:
/// y = (sin t, cos t), lambda = sin t cos t.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Circle;

impl Circle {
    /// The solution at time t, (y, lambda) and its derivative.
    pub fn at<R: Real>(t: R) -> Start<R> {
        let (sin, cos) = t.sin_cos();
        (
            [sin, cos, sin * cos].into(),
            [cos, -sin, cos * cos - sin * sin].into(),
        )
    }
}

impl<R: Real> SecondOrder<R, 3, 0> for Circle {
    const ALGEBRAIC: [bool; 3] = [false, false, true];

    #[inline(always)]
    fn residual<T: Scalar<R>>(
        &self,
        _t: T,
        x: &Vector<T, 3>,
        v: &Vector<T, 3>,
        a: &Vector<T, 3>,
        _u: &Vector<R, 0>,
    ) -> Vector<T, 3> {
        let two = R::from_f64(2.0);
        let [y1, y2, lambda] = x.data.0[0];
        [
            a[0] + y1 + y1 * v[0] * v[1] * two + y1 * lambda * two,
            a[1] + v[0] - y1 * v[0] * v[0] * two + y2 * lambda * two,
            y1 * y1 + y2 * y2 - R::ONE,
        ]
        .into()
    }
}

/// The rigid pendulum, `y'' = (0, -1) - lambda y`, `(|y|^2 - 1) / 2 = 0`: its tension is `-3 y2` when it was let go level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bob;

impl Bob {
    /// Level and at rest.
    pub fn level<R: Real>() -> Start<R> {
        ([R::ONE, R::ZERO, R::ZERO].into(), [R::ZERO; 3].into())
    }
}

impl<R: Real> SecondOrder<R, 3, 0> for Bob {
    const ALGEBRAIC: [bool; 3] = [false, false, true];

    #[inline(always)]
    fn residual<T: Scalar<R>>(
        &self,
        _t: T,
        x: &Vector<T, 3>,
        _v: &Vector<T, 3>,
        a: &Vector<T, 3>,
        _u: &Vector<R, 0>,
    ) -> Vector<T, 3> {
        let [y1, y2, lambda] = x.data.0[0];
        [
            a[0] + y1 * lambda,
            a[1] + R::ONE + y2 * lambda,
            (y1 * y1 + y2 * y2 - R::ONE) * R::from_f64(0.5),
        ]
        .into()
    }
}

/// (67): the series RLC circuit in its three voltages `v_L, v_C, v_R`, with a leading matrix of rank one. `L C v_C'' = v_L`,
/// `v_R = R C v_C'`, `v_L + v_C + v_R = u`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voltages<R>(pub Rlc<R>);

impl<R: Real> Voltages<R> {
    /// The exact solution of the mild circuit at time t that [`wunderlich`] has, and its derivative.
    pub fn at(t: R) -> Start<R> {
        let state = wunderlich(t);
        let rate = R::from_f64(7.0).sqrt() - R::from_f64(3.0);
        let x = Vector::from([state[2], state[0], state[3]]);
        let v = Vector::from([x[0] * rate, x[1] * rate, x[2] * rate]);
        (x, v)
    }
}

impl<R: Real> SecondOrder<R, 3, 1> for Voltages<R> {
    const ALGEBRAIC: [bool; 3] = [true, false, true];
    const AFFINE: bool = true;

    #[inline(always)]
    fn residual<T: Scalar<R>>(
        &self,
        _t: T,
        x: &Vector<T, 3>,
        v: &Vector<T, 3>,
        a: &Vector<T, 3>,
        u: &Vector<R, 1>,
    ) -> Vector<T, 3> {
        let Rlc {
            capacitance,
            inductance,
            resistance,
        } = self.0;
        let [v_l, v_c, v_r] = x.data.0[0];
        [
            a[1] * (inductance * capacitance) - v_l,
            v[1] * (resistance * capacitance) - v_r,
            v_l + v_c + v_r - u[0],
        ]
        .into()
    }
}
