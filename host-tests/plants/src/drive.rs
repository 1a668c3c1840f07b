//! A motor that drives a load through an elastic shaft.

use stiffstep::prelude::*;

/// Motor, shaft and load. Coordinates are the angles of motor and load, inputs the torque of the motor and the one that
/// the load resists with besides its friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive<R> {
    /// The inertias of motor and load, in kg m^2.
    pub inertia: [R; 2],
    /// The shaft's stiffness, in N m/rad.
    pub stiffness: R,
    /// The shaft's damping, in N m s/rad.
    pub damping: R,
    /// The load's viscous friction, in N m s/rad.
    pub friction: R,
}

impl<R: Real> Drive<R> {
    /// A servo drive of about a kilowatt at 300 rad/s, with a shaft that rings at 160 Hz.
    pub fn servo() -> Self {
        Drive {
            inertia: [1e-3, 2e-3].map(R::from_f64),
            stiffness: R::from_f64(700.0),
            damping: R::from_f64(0.02),
            friction: R::from_f64(1e-2),
        }
    }

    /// The twist of the shaft, from its torque: the difference of two angles that have turned a million times is rounding.
    pub fn twist(&self, at: &Motion<R, 2, 1>) -> R {
        (at.lambda[0] - self.damping * (at.v[0] - at.v[1])) / self.stiffness
    }
}

impl<R: Real> Mechanical<R, 2, 1, 2> for Drive<R> {
    type Joints = Damped<R, 1>;
    type Mass<T: Scalar<R>> = Diagonal<T, 2>;

    #[inline]
    fn joints(&self) -> Damped<R, 1> {
        Damped {
            stiffness: [self.stiffness],
            damping: [self.damping],
        }
    }

    #[inline]
    fn mass<T: Scalar<R>>(&self, _q: &Vector<T, 2>) -> Diagonal<T, 2> {
        Diagonal(self.inertia.map(T::constant).into())
    }

    #[inline]
    fn force<T: Scalar<R>>(
        &self,
        _t: T,
        _q: &Vector<T, 2>,
        v: &Vector<T, 2>,
        u: &Vector<R, 2>,
    ) -> Vector<T, 2> {
        [T::constant(u[0]), v[1] * -self.friction - u[1]].into()
    }

    #[inline]
    fn constraint<T: Scalar<R>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        [q[0] - q[1]].into()
    }

    #[inline]
    fn turn(&self) -> [R; 2] {
        [R::from_f64(core::f64::consts::TAU); 2]
    }

    #[inline]
    fn nominal(&self) -> Nominal<R, 2> {
        Nominal {
            q: [R::ONE; 2],
            v: [R::from_f64(300.0); 2],
        }
    }
}

impl Plant<f32, 2, 4> for Drive<f32> {
    type State = Motion<f32, 2, 1>;
    const NAME: &'static str = "motor and load on an elastic shaft";
    const INPUTS: [Quantity; 2] = quantities![("motor torque", "N m"), ("load torque", "N m")];
    const OUTPUTS: [Quantity; 4] = quantities![
        ("motor speed", "rad/s"),
        ("load speed", "rad/s"),
        ("shaft torque", "N m"),
        ("shaft twist", "rad"),
    ];
    const PARAMETERS: &'static [Parameter<Self>] = parameters![
        ("motor inertia", "kg m^2", 1e-6, UNLIMITED, inertia[0]),
        ("load inertia", "kg m^2", 1e-6, UNLIMITED, inertia[1]),
        ("shaft stiffness", "N m/rad", 1e-3, UNLIMITED, stiffness),
        ("shaft damping", "N m s/rad", 0.0, UNLIMITED, damping),
        ("load friction", "N m s/rad", 0.0, UNLIMITED, friction),
    ];

    fn outputs(&self, _t: f32, state: &Self::State, _u: &Vector<f32, 2>) -> Vector<f32, 4> {
        [state.v[0], state.v[1], state.lambda[0], self.twist(state)].into()
    }
}

/// No upper limit but that of the number type.
const UNLIMITED: f64 = f32::MAX as f64;
