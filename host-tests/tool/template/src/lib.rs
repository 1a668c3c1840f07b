//! A motor that turns a load through an elastic shaft.
//!
//! `cargo test` compares it with a formula, `cargo stiffstep check` every sample of an emulated board with this machine's, to the bit.
#![no_std]

use stiffstep::hil::{PlantRig, Range, Rig, Steps};
use stiffstep::prelude::*;

/// The period, in s.
pub const STEP: f32 = 2e-3;

/// Motor and load on one elastic shaft. The input is the motor's torque, in N m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// Of motor and load, in kg m^2.
    pub inertia: [f32; 2],
    /// Of the load, in N m s/rad.
    pub friction: f32,
    /// Of the shaft, in N m/rad.
    pub stiffness: f32,
    /// Of the shaft, in N m s/rad.
    pub damping: f32,
}

/// A small one.
pub const SMALL: Drive = Drive {
    inertia: [1e-3, 2e-3],
    friction: 1e-3,
    stiffness: 500.0,
    damping: 0.01,
};

// The physics: 2 coordinates, 1 constraint, 1 input; generic in its number type, because derivatives come from it.
impl Mechanical<f32, 2, 1, 1> for Drive {
    type Joints = Damped<f32, 1>;
    type Mass<T: Scalar<f32>> = Diagonal<T, 2>;

    fn joints(&self) -> Self::Joints {
        let (stiffness, damping) = ([self.stiffness], [self.damping]);
        Damped { stiffness, damping }
    }

    fn mass<T: Scalar<f32>>(&self, _q: &Vector<T, 2>) -> Diagonal<T, 2> {
        Diagonal(self.inertia.map(T::constant).into())
    }

    fn force<T: Scalar<f32>>(
        &self,
        _t: T,
        _q: &Vector<T, 2>,
        v: &Vector<T, 2>,
        torque: &Vector<f32, 1>,
    ) -> Vector<T, 2> {
        let load = v[1] * -self.friction;
        vector([T::constant(torque[0]), load])
    }

    fn constraint<T: Scalar<f32>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        vector([q[0] - q[1]])
    }

    // Both ends of the shaft may be turned back by one turn: single precision would lose the twist of angles that grow for ever.
    fn turn(&self) -> [f32; 2] {
        [core::f32::consts::TAU; 2]
    }

    fn nominal(&self) -> Nominal<f32, 2> {
        let (q, v) = ([1.0; 2], [100.0; 2]);
        Nominal { q, v }
    }
}

// How it looks from outside: 1 input, 3 outputs, and what may be changed while it runs.
impl Plant<f32, 1, 3> for Drive {
    type State = Motion<f32, 2, 1>;
    const NAME: &'static str = "elastic-drive";
    const INPUTS: [Quantity; 1] = [Quantity::new("torque", "N m")];
    const OUTPUTS: [Quantity; 3] = [
        Quantity::new("motor speed", "rad/s"),
        Quantity::new("load speed", "rad/s"),
        Quantity::new("shaft torque", "N m"),
    ];
    const PARAMETERS: &'static [Parameter<Self>] = &[
        Parameter::new("motor inertia", "kg m^2", 1e-5, 1.0, |d| &mut d.inertia[0]),
        Parameter::new("load inertia", "kg m^2", 1e-5, 1.0, |d| &mut d.inertia[1]),
        Parameter::new("friction", "N m s/rad", 0.0, 1.0, |d| &mut d.friction),
        Parameter::new("stiffness", "N m/rad", 1.0, 1e6, |d| &mut d.stiffness),
        Parameter::new("damping", "N m s/rad", 0.0, 1.0, |d| &mut d.damping),
    ];

    fn outputs(&self, _t: f32, state: &Self::State, _u: &Vector<f32, 1>) -> Vector<f32, 3> {
        vector([state.v[0], state.v[1], state.lambda[0]])
    }
}

/// The drive at rest, with its method.
pub fn simulation(h: f32) -> Result<Simulation<impl Steps<Drive, 1, 3>>, Error> {
    Simulation::new(SMALL, RadauIIA::<3>, h, ([0.0; 2].into(), [0.0; 2].into()))
}

/// The drive as boards run it; the ranges are what the full swing of each pin means.
pub fn rig(h: f32) -> Result<impl Rig, Error> {
    let [torque, speed, shaft] = [0.5, 200.0, 1.0].map(|most| Range::new(-most, most));
    PlantRig::new(simulation(h)?, [torque], [speed, speed, shaft])
}
