//! The car axis of the IVP test set: two wheels on a rigid axis over a bumpy road, index 3, with a constraint that moves.
//!
//! Coordinates are the ends (x_l, y_l) and (x_r, y_r) of the axle. Springs hold them above (0, 0) and above a point
//! (x_b, y_b) that the road moves up and down; the left spring stays at a right angle to the chassis, and the axle keeps
//! its length. The published multipliers pull the other way: they are minus ours.

use core::marker::PhantomData;
use stiffstep::prelude::*;

/// The car axis; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CarAxis<R>(PhantomData<R>);

/// The start: positions and velocities.
pub const START: ([f64; 4], [f64; 4]) = ([0.0, 0.5, 1.0, 0.5], [-0.5, 0.0, -0.5, 0.0]);

/// The positions at t = 3.
pub const END_Q: [f64; 4] = [
    0.049_345_578_427_540_28,
    0.496_989_460_230_171_15,
    1.041_742_524_885_421_5,
    0.373_911_027_265_361_24,
];

/// The velocities at t = 3.
pub const END_V: [f64; 4] = [
    -0.077_058_368_404_097_24,
    0.007_446_866_587_237_786,
    0.017_556_815_753_723_223,
    0.770_341_043_779_252,
];

/// The multipliers at t = 3, with our sign.
pub const END_LAMBDA: [f64; 2] = [0.004_736_886_590_848_933, 0.001_104_680_331_257_343_6];

/// The rest length of the springs.
const REST: f64 = 0.5;
/// The mass of each wheel, `M eps^2 / 2` with M = 10 and eps = 1e-2; gravity is 1.
const MASS: f64 = 5e-4;

/// The point above the road to which the right spring is attached.
#[inline]
fn chassis<R: Real, T: Scalar<R>>(t: T) -> (T, T) {
    let y = (t * R::from_f64(10.0)).sin() * R::from_f64(0.1);
    (((-(y * y)) + R::ONE).sqrt(), y)
}

/// The force of a spring whose end is (x, y) away from its support.
#[inline]
fn spring<R: Real, T: Scalar<R>>(x: T, y: T) -> (T, T) {
    let length = (x * x + y * y).sqrt();
    let pull = (-length + R::from_f64(REST)) / length;
    (pull * x, pull * y)
}

impl<R: Real> Mechanical<R, 4, 2, 0> for CarAxis<R> {
    type Joints = Rigid;
    type Mass<T: Scalar<R>> = Diagonal<T, 4>;

    fn joints(&self) -> Rigid {
        Rigid
    }

    fn mass<T: Scalar<R>>(&self, _q: &Vector<T, 4>) -> Diagonal<T, 4> {
        Diagonal([T::constant(R::from_f64(MASS)); 4].into())
    }

    fn force<T: Scalar<R>>(
        &self,
        t: T,
        q: &Vector<T, 4>,
        _v: &Vector<T, 4>,
        _u: &Vector<R, 0>,
    ) -> Vector<T, 4> {
        let (x_b, y_b) = chassis(t);
        let weight = R::from_f64(MASS);
        let left = spring(q[0], q[1]);
        let right = spring(q[2] - x_b, q[3] - y_b);
        [left.0, left.1 - weight, right.0, right.1 - weight].into()
    }

    fn constraint<T: Scalar<R>>(&self, t: T, q: &Vector<T, 4>) -> Vector<T, 2> {
        let (x_b, y_b) = chassis(t);
        let (x, y) = (q[0] - q[2], q[1] - q[3]);
        [q[0] * x_b + q[1] * y_b, x * x + y * y - R::ONE].into()
    }
}
