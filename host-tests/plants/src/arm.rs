//! The two-link arm of the benchmark (P4): links q_1, q_2 on elastic, damped joints, driven by motors p_1, p_2.
//!
//! The benchmark's arm has neither friction nor stops, and torques by chance whirl it around at 470 rad/s. Boards run it with
//! both: whatever a controller does, it stays what an arm is.

use stiffstep::prelude::*;

/// The arm. Coordinates are (q_1, q_2, p_1, p_2), inputs the motors' torques. `FITTED` with friction and stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arm<R, const FITTED: bool = false> {
    /// The joints' stiffness K.
    pub stiffness: R,
    /// The joints' damping D.
    pub damping: R,
    /// The links' friction, in N m s/rad; zero in the benchmark. Not the motors': their small inertia would make it stiff.
    pub friction: [R; 2],
}

/// The torques of the benchmark.
pub const TORQUES: [f64; 2] = [12.0, 3.0];

/// How far each link turns until it meets its stop, in rad.
const STOP: f64 = 3.2;

/// The stops' stiffness, in N m/rad.
const STOP_STIFFNESS: f64 = 300.0;

impl<R: Real> Arm<R> {
    /// The benchmark's arm with joints of this stiffness.
    pub fn new(stiffness: f64) -> Self {
        Arm {
            stiffness: R::from_f64(stiffness),
            damping: R::ONE,
            friction: [R::ZERO; 2],
        }
    }

    /// The same with friction and stops.
    pub fn fitted(self) -> Arm<R, true> {
        Arm {
            stiffness: self.stiffness,
            damping: self.damping,
            friction: [2.0, 0.4].map(R::from_f64),
        }
    }
}

/// The torque of a stop against a link that has turned too far.
#[inline(always)]
fn stop<R: Real, T: Scalar<R>>(q: T) -> T {
    let within = T::constant(R::from_f64(STOP));
    (q - q.min(within).max(-within)) * R::from_f64(-STOP_STIFFNESS)
}

impl<R: Real, const FITTED: bool> Mechanical<R, 4, 2, 2> for Arm<R, FITTED> {
    type Joints = Damped<R, 2>;
    type Mass<T: Scalar<R>> = Block<T, 2, 4>;

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
        let mut force = [
            coriolis * (v[0] * v[1] * R::from_f64(2.0) + v[1] * v[1]) - q[0].cos() * g1 - forearm,
            -(coriolis * v[0] * v[0]) - forearm,
            T::constant(u[0]),
            T::constant(u[1]),
        ];
        if FITTED {
            for n in 0..2 {
                force[n] += stop(q[n]) - v[n] * self.friction[n];
            }
        }
        force.into()
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

impl<const FITTED: bool> Plant<f32, 2, 8> for Arm<f32, FITTED> {
    type State = Motion<f32, 4, 2>;
    const NAME: &'static str = "two-link arm on elastic joints";
    const INPUTS: [Quantity; 2] = quantities![("torque 1", "N m"), ("torque 2", "N m")];
    const OUTPUTS: [Quantity; 8] = quantities![
        ("link 1", "rad"),
        ("link 2", "rad"),
        ("motor 1", "rad"),
        ("motor 2", "rad"),
        ("motor speed 1", "rad/s"),
        ("motor speed 2", "rad/s"),
        ("joint torque 1", "N m"),
        ("joint torque 2", "N m"),
    ];
    const PARAMETERS: &'static [Parameter<Self>] = if FITTED {
        parameters![
            ("joint stiffness", "N m/rad", 1e2, 1e8, stiffness),
            ("joint damping", "N m s/rad", 0.0, 1e3, damping),
            ("friction 1", "N m s/rad", 0.0, 10.0, friction[0]),
            ("friction 2", "N m s/rad", 0.0, 10.0, friction[1]),
        ]
    } else {
        parameters![
            ("joint stiffness", "N m/rad", 1e2, 1e8, stiffness),
            ("joint damping", "N m s/rad", 0.0, 1e3, damping),
        ]
    };

    fn outputs(&self, _t: f32, at: &Self::State, _u: &Vector<f32, 2>) -> Vector<f32, 8> {
        [
            at.q[0],
            at.q[1],
            at.q[2],
            at.q[3],
            at.v[2],
            at.v[3],
            at.lambda[0],
            at.lambda[1],
        ]
        .into()
    }
}

remembers_parameters!([const FITTED: bool] Arm<f32, FITTED>);
