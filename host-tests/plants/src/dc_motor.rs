//! A DC motor that drives a load through an elastic shaft: linear, so that its factorisation is kept and one Newton iteration
//! is exact.
//!
//! `L i' = u - R i - k w_m`, `J_m w_m' = k i - b_m w_m - T`, `J_l w_l' = T - b_l w_l - T_load`, `twist' = w_m - w_l`, with the
//! shaft's torque `T = c twist + d (w_m - w_l)`. The twist is a state of its own: the difference of two angles that have
//! turned a million times would be rounding.

use stiffstep::prelude::*;

/// The motor, its shaft and its load. States are the current, the speeds of motor and load, and the twist; inputs the
/// voltage and the torque that the load resists with besides its friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DcMotor {
    /// R, in ohm.
    pub resistance: f32,
    /// L, in henry.
    pub inductance: f32,
    /// k, in N m/A and V s/rad alike.
    pub torque_constant: f32,
    /// J_m and J_l, in kg m^2.
    pub inertia: [f32; 2],
    /// b_m and b_l, in N m s/rad.
    pub friction: [f32; 2],
    /// c, in N m/rad.
    pub stiffness: f32,
    /// d, in N m s/rad.
    pub damping: f32,
}

impl DcMotor {
    /// A small servo drive for 24 V, with a shaft that rings at 160 Hz.
    pub const SERVO: DcMotor = DcMotor {
        resistance: 0.5,
        inductance: 1e-3,
        torque_constant: 0.1,
        inertia: [1e-4, 2e-4],
        friction: [1e-4, 1e-4],
        stiffness: 70.0,
        damping: 2e-3,
    };

    fn shaft_torque<T: Scalar<f32>>(&self, x: &Vector<T, 4>) -> T {
        x[3] * self.stiffness + (x[1] - x[2]) * self.damping
    }
}

impl FirstOrder<f32, 4, 2> for DcMotor {
    type Mass = Diagonal<f32, 4>;
    const AFFINE: bool = true;

    #[inline(always)]
    fn mass(&self) -> Self::Mass {
        Diagonal([self.inductance, self.inertia[0], self.inertia[1], 1.0].into())
    }

    #[inline(always)]
    fn rhs<T: Scalar<f32>>(&self, _t: T, x: &Vector<T, 4>, u: &Vector<f32, 2>) -> Vector<T, 4> {
        let torque = self.shaft_torque(x);
        [
            -(x[0] * self.resistance) - x[1] * self.torque_constant + u[0],
            x[0] * self.torque_constant - x[1] * self.friction[0] - torque,
            torque - x[2] * self.friction[1] - u[1],
            x[1] - x[2],
        ]
        .into()
    }

    #[inline(always)]
    fn nominal(&self) -> Vector<f32, 4> {
        [10.0, 200.0, 200.0, 1e-2].into()
    }
}

impl Plant<f32, 2, 4> for DcMotor {
    type State = Vector<f32, 4>;
    const NAME: &'static str = "DC motor with an elastic shaft";
    const INPUTS: [Quantity; 2] = quantities![("voltage", "V"), ("load torque", "N m")];
    const OUTPUTS: [Quantity; 4] = quantities![
        ("motor speed", "rad/s"),
        ("load speed", "rad/s"),
        ("current", "A"),
        ("shaft torque", "N m"),
    ];
    const STATES: &'static [Quantity] = &quantities![
        ("current", "A"),
        ("motor speed", "rad/s"),
        ("load speed", "rad/s"),
        ("twist", "rad"),
    ];
    const PARAMETERS: &'static [Parameter<Self>] = parameters![
        ("resistance", "Ohm", 1e-3, 1e3, resistance),
        ("inductance", "H", 1e-6, 1.0, inductance),
        ("torque constant", "N m/A", 0.0, 10.0, torque_constant),
        ("motor inertia", "kg m^2", 1e-6, 1.0, inertia[0]),
        ("load inertia", "kg m^2", 1e-6, 1.0, inertia[1]),
        ("motor friction", "N m s/rad", 0.0, 1.0, friction[0]),
        ("load friction", "N m s/rad", 0.0, 1.0, friction[1]),
        ("shaft stiffness", "N m/rad", 1e-2, 1e6, stiffness),
        ("shaft damping", "N m s/rad", 0.0, 10.0, damping),
    ];

    fn outputs(&self, _t: f32, x: &Self::State, _u: &Vector<f32, 2>) -> Vector<f32, 4> {
        [x[1], x[2], x[0], self.shaft_torque(x)].into()
    }
}

remembers_parameters!(DcMotor);
