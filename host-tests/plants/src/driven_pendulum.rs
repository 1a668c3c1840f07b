//! The stiff pendulum in SI units, with a force to push it: a mass on a stiff spring of 1 m, Cartesian.

use stiffstep::prelude::*;

/// The pendulum. The input is a horizontal force on its mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrivenPendulum {
    /// In kg.
    pub mass: f32,
    /// The spring's stiffness, in N/m.
    pub stiffness: f32,
    /// In m/s^2.
    pub gravity: f32,
    /// The drag, in N s/m.
    pub drag: f32,
}

impl DrivenPendulum {
    /// A kilogram on a spring that a metre's stretch would take a meganewton.
    pub const STIFF: DrivenPendulum = DrivenPendulum {
        mass: 1.0,
        stiffness: 1e6,
        gravity: 9.81,
        drag: 0.3,
    };
}

impl Mechanical<f32, 2, 1, 1> for DrivenPendulum {
    type Joints = Elastic<f32, 1>;
    type Mass<T: Scalar<f32>> = Diagonal<T, 2>;

    #[inline(always)]
    fn joints(&self) -> Elastic<f32, 1> {
        Elastic {
            stiffness: [self.stiffness],
        }
    }

    #[inline(always)]
    fn mass<T: Scalar<f32>>(&self, _q: &Vector<T, 2>) -> Diagonal<T, 2> {
        Diagonal([T::constant(self.mass); 2].into())
    }

    #[inline(always)]
    fn force<T: Scalar<f32>>(
        &self,
        _t: T,
        _q: &Vector<T, 2>,
        v: &Vector<T, 2>,
        u: &Vector<f32, 1>,
    ) -> Vector<T, 2> {
        [
            v[0] * -self.drag + u[0],
            v[1] * -self.drag - self.mass * self.gravity,
        ]
        .into()
    }

    #[inline(always)]
    fn constraint<T: Scalar<f32>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        [(q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0].into()
    }

    #[inline(always)]
    fn nominal(&self) -> Nominal<f32, 2> {
        Nominal {
            q: [1.0; 2],
            v: [3.0; 2],
        }
    }
}

impl Plant<f32, 1, 3> for DrivenPendulum {
    type State = Motion<f32, 2, 1>;
    const NAME: &'static str = "stiff pendulum";
    const INPUTS: [Quantity; 1] = quantities![("force", "N")];
    const OUTPUTS: [Quantity; 3] = quantities![("x", "m"), ("y", "m"), ("tension", "N")];
    const STATES: &'static [Quantity] = &quantities![
        ("x", "m"),
        ("y", "m"),
        ("x speed", "m/s"),
        ("y speed", "m/s"),
        ("x acceleration", "m/s^2"),
        ("y acceleration", "m/s^2"),
        ("tension", "N"),
    ];
    const PARAMETERS: &'static [Parameter<Self>] = parameters![
        ("mass", "kg", 1e-3, 1e3, mass),
        ("stiffness", "N/m", 1e2, 1e10, stiffness),
        ("gravity", "m/s^2", 0.0, 1e2, gravity),
        ("drag", "N s/m", 0.0, 10.0, drag),
    ];

    fn outputs(&self, _t: f32, at: &Self::State, _u: &Vector<f32, 1>) -> Vector<f32, 3> {
        [at.q[0], at.q[1], at.lambda[0]].into()
    }
}

remembers_parameters!(DrivenPendulum);
