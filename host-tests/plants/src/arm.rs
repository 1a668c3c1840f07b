//! The two-link arm of the benchmark (P4): links q_1, q_2 on elastic, damped joints, driven by motors p_1, p_2.

use core::marker::PhantomData;
use stiffstep::prelude::*;

/// The arm. Coordinates are (q_1, q_2, p_1, p_2), inputs the motors' torques.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arm<R, J> {
    /// The joints' stiffness K.
    pub stiffness: R,
    /// The joints' damping D.
    pub damping: R,
    /// The Jacobian to iterate with.
    pub jacobian: PhantomData<J>,
}

/// The torques of the benchmark.
pub const TORQUES: [f64; 2] = [12.0, 3.0];

impl<R: Real, J> Arm<R, J> {
    /// The benchmark's arm with joints of this stiffness.
    pub fn new(stiffness: f64) -> Self {
        Arm {
            stiffness: R::from_f64(stiffness),
            damping: R::ONE,
            jacobian: PhantomData,
        }
    }
}

impl<R: Real, J: Jacobian> Mechanical<R, 4, 2, 2> for Arm<R, J> {
    type Joints = Damped<R, 2>;
    type Mass<T: Scalar<R>> = Block<T, 2, 4>;
    type Jacobian = J;

    #[inline(always)]
    fn joints(&self) -> Damped<R, 2> {
        Damped {
            stiffness: [self.stiffness; 2],
            damping: [self.damping; 2],
        }
    }

    #[inline(always)]
    fn mass<T: Scalar<R>>(&self, q: &Vector<T, 4>) -> Block<T, 2, 4> {
        let (a, b, d) = (
            R::from_f64(0.6),
            R::from_f64(0.125),
            R::from_f64(1.0 / 12.0),
        );
        let coupling = q[1].sin_cos().1 * b;
        let off = coupling + d;
        let motor = T::constant(R::from_f64(0.01));
        Block {
            block: Matrix::from([[coupling + coupling + a, off], [off, T::constant(d)]]),
            diagonal: [motor; 4].into(),
        }
    }

    #[inline(always)]
    fn force<T: Scalar<R>>(
        &self,
        _t: T,
        q: &Vector<T, 4>,
        v: &Vector<T, 4>,
        u: &Vector<R, 2>,
    ) -> Vector<T, 4> {
        let (g1, g2) = (R::from_f64(7.3575), R::from_f64(2.4525));
        // Sine and cosine together, as in the mass: the compiler makes one call of the two.
        let coriolis = q[1].sin_cos().0 * R::from_f64(0.125);
        let forearm = (q[0] + q[1]).cos() * g2;
        [
            coriolis * (v[0] * v[1] * R::from_f64(2.0) + v[1] * v[1]) - q[0].cos() * g1 - forearm,
            -(coriolis * v[0] * v[0]) - forearm,
            T::constant(u[0]),
            T::constant(u[1]),
        ]
        .into()
    }

    #[inline(always)]
    fn nominal(&self) -> Nominal<R, 4> {
        // The motors reach some rad/s within the first swing.
        Nominal {
            q: [R::ONE; 4],
            v: [R::from_f64(5.0); 4],
        }
    }

    #[inline(always)]
    fn constraint<T: Scalar<R>>(&self, _t: T, q: &Vector<T, 4>) -> Vector<T, 2> {
        [q[2] - q[0], q[3] - q[1]].into()
    }
}
