//! A slider-crank: crank, connecting rod and slider in one rigid loop, index 3.
//!
//! Coordinates are the crank's angle phi, the rod's angle psi and the slider's position x, with
//! `r cos phi + l cos psi = x` and `r sin phi = l sin psi`. The rod is two masses at its ends and what inertia that leaves.

use stiffstep::prelude::*;

/// The mechanism. Inputs are the crank's torque and the force on the slider, against its way outwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliderCrank {
    /// r, in m.
    pub crank: f32,
    /// l, in m.
    pub rod: f32,
    /// The crank's inertia with the rod's part at its pin, in kg m^2.
    pub inertia: f32,
    /// What inertia the rod has besides, in kg m^2.
    pub rod_inertia: f32,
    /// The slider's mass with the rod's part at its pin, in kg.
    pub mass: f32,
    /// The crank's friction, in N m s/rad.
    pub friction: f32,
    /// The slider's friction, in N s/m.
    pub slider_friction: f32,
}

impl SliderCrank {
    /// A small compressor: 50 mm of crank, 150 mm of rod.
    pub const COMPRESSOR: SliderCrank = SliderCrank {
        crank: 0.05,
        rod: 0.15,
        inertia: 4e-3,
        rod_inertia: 2e-4,
        mass: 0.4,
        friction: 8e-2,
        slider_friction: 1.0,
    };
}

impl Mechanical<f32, 3, 2, 2> for SliderCrank {
    type Joints = Rigid;
    type Mass<T: Scalar<f32>> = Diagonal<T, 3>;

    #[inline(always)]
    fn joints(&self) -> Rigid {
        Rigid
    }

    #[inline(always)]
    fn mass<T: Scalar<f32>>(&self, _q: &Vector<T, 3>) -> Diagonal<T, 3> {
        Diagonal(
            [self.inertia, self.rod_inertia, self.mass]
                .map(T::constant)
                .into(),
        )
    }

    #[inline(always)]
    fn force<T: Scalar<f32>>(
        &self,
        _t: T,
        _q: &Vector<T, 3>,
        v: &Vector<T, 3>,
        u: &Vector<f32, 2>,
    ) -> Vector<T, 3> {
        [
            v[0] * -self.friction + u[0],
            T::constant(0.0),
            v[2] * -self.slider_friction - u[1],
        ]
        .into()
    }

    #[inline(always)]
    fn constraint<T: Scalar<f32>>(&self, _t: T, q: &Vector<T, 3>) -> Vector<T, 2> {
        let (crank, rod) = (q[0].sin_cos(), q[1].sin_cos());
        [
            crank.1 * self.crank + rod.1 * self.rod - q[2],
            crank.0 * self.crank - rod.0 * self.rod,
        ]
        .into()
    }

    #[inline(always)]
    fn turn(&self) -> [f32; 3] {
        [core::f32::consts::TAU, 0.0, 0.0]
    }

    #[inline(always)]
    fn nominal(&self) -> Nominal<f32, 3> {
        Nominal {
            q: [1.0, 0.3, 0.2],
            v: [50.0, 15.0, 2.5],
        }
    }
}

impl Plant<f32, 2, 5> for SliderCrank {
    type State = Motion<f32, 3, 2>;
    const NAME: &'static str = "slider-crank";
    const INPUTS: [Quantity; 2] = quantities![("crank torque", "N m"), ("slider force", "N")];
    const OUTPUTS: [Quantity; 5] = quantities![
        ("crank angle", "rad"),
        ("crank speed", "rad/s"),
        ("slider position", "m"),
        ("slider speed", "m/s"),
        ("pin force", "N"),
    ];
    const STATES: &'static [Quantity] = &quantities![
        ("crank angle", "rad"),
        ("rod angle", "rad"),
        ("slider position", "m"),
        ("crank speed", "rad/s"),
        ("rod speed", "rad/s"),
        ("slider speed", "m/s"),
        ("crank acceleration", "rad/s^2"),
        ("rod acceleration", "rad/s^2"),
        ("slider acceleration", "m/s^2"),
        ("pin force along", "N"),
        ("pin force across", "N"),
    ];
    const PARAMETERS: &'static [Parameter<Self>] = parameters![
        ("crank", "m", 1e-3, 0.1, crank),
        ("rod", "m", 0.11, 10.0, rod),
        ("crank inertia", "kg m^2", 1e-5, 10.0, inertia),
        ("rod inertia", "kg m^2", 1e-6, 10.0, rod_inertia),
        ("slider mass", "kg", 1e-3, 1e3, mass),
        ("crank friction", "N m s/rad", 0.0, 1.0, friction),
        ("slider friction", "N s/m", 0.0, 1e2, slider_friction),
    ];

    fn outputs(&self, _t: f32, at: &Self::State, _u: &Vector<f32, 2>) -> Vector<f32, 5> {
        let force = at.lambda[0].square() + at.lambda[1].square();
        let force = Scalar::<f32>::sqrt(force);
        [at.q[0], at.v[0], at.q[2], at.v[2], force].into()
    }
}

remembers_parameters!(SliderCrank);
