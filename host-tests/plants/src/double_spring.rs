//! The test problem of Ariel, Sanz-Serna & Tsai (section 5.1): two unit masses in the plane, the first on a stiff spring from the
//! origin, the second on one from the first, both of unit length. Without gravity.

use stiffstep::prelude::*;

/// What springs and rods have in common: the masses, no force, and how much longer than 1 they are.
macro_rules! masses {
    () => {
        type Mass<T: Scalar<R>> = Unit;

        #[inline(always)]
        fn force<T: Scalar<R>>(
            &self,
            _t: T,
            _q: &Vector<T, 4>,
            _v: &Vector<T, 4>,
            _u: &Vector<R, 0>,
        ) -> Vector<T, 4> {
            [T::constant(R::ZERO); 4].into()
        }
        #[inline(always)]
        fn constraint<T: Scalar<R>>(&self, _t: T, q: &Vector<T, 4>) -> Vector<T, 2> {
            let (x, y) = (q[0] - q[2], q[1] - q[3]);
            [
                (q[0] * q[0] + q[1] * q[1]).sqrt() - R::ONE,
                (x * x + y * y).sqrt() - R::ONE,
            ]
            .into()
        }
    };
}

/// Two masses on two springs; coordinates are (x_1, y_1, x_2, y_2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoubleSpring<R> {
    /// The springs' stiffness, omega_i^2.
    pub stiffness: [R; 2],
}

/// (29)-(30): off the manifold by 3 %.
pub const OFF: ([f64; 4], [f64; 4]) = ([1.0, 0.25, 2.0, 0.0], [0.0, -0.5, 0.0, 0.5]);

/// (31)-(32): on the constraints, and nearly slow.
pub const ON: ([f64; 4], [f64; 4]) = ([1.0, 0.0, 2.0, 0.0], [0.0, -0.5, 0.0, 0.5]);

/// A start in the number type at hand.
pub fn start<R: Real>((q, v): ([f64; 4], [f64; 4])) -> (Vector<R, 4>, Vector<R, 4>) {
    (q.map(R::from_f64).into(), v.map(R::from_f64).into())
}

impl<R: Real> DoubleSpring<R> {
    /// Both springs alike.
    pub fn new(omega: f64) -> Self {
        DoubleSpring {
            stiffness: [R::from_f64(omega * omega); 2],
        }
    }
}

impl<R: Real> Mechanical<R, 4, 2, 0> for DoubleSpring<R> {
    type Joints = Elastic<R, 2>;
    masses!();

    #[inline(always)]
    fn joints(&self) -> Elastic<R, 2> {
        Elastic {
            stiffness: self.stiffness,
        }
    }
}

/// The limit of [`DoubleSpring`] for an infinite stiffness: a double pendulum without gravity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DoubleRod;

impl<R: Real> Mechanical<R, 4, 2, 0> for DoubleRod {
    type Joints = Rigid;
    masses!();

    #[inline(always)]
    fn joints(&self) -> Rigid {
        Rigid
    }
}
