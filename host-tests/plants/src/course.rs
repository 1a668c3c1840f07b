//! Plants with a trajectory each, in any number type: what a fixed step is planned for.
//!
//! A course says where its plant starts and which inputs it gets, held from time zero on, and shows how far it got in numbers
//! that are relative to the plant's nominal magnitudes.

use crate::arm::{Arm, TORQUES};
use crate::drive::Drive;
use crate::pendulum::{RigidPendulum, StiffPendulum};
use crate::rlc::Rlc;
use stiffstep::prelude::*;

/// The most numbers that a course shows.
pub const MOST_SHOWN: usize = 4;

/// Where a plant is, relative to its nominal magnitudes. What a plant does not have is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Coordinates, or states.
    pub positions: [f64; MOST_SHOWN],
    /// Velocities, if it has any.
    pub velocities: [f64; MOST_SHOWN],
}

impl Sample {
    /// The largest difference from `other`: of positions, and of velocities. Infinite if a number is none.
    pub fn distance(&self, other: &Sample) -> [f64; 2] {
        let largest = |ours: &[f64], theirs: &[f64]| {
            let differences = ours.iter().zip(theirs).map(|(x, y)| (x - y).abs());
            // `f64::max` passes over a NaN.
            let differences = differences.map(|d| if d.is_nan() { f64::INFINITY } else { d });
            differences.fold(0.0, f64::max)
        };
        [
            largest(&self.positions, &other.positions),
            largest(&self.velocities, &other.velocities),
        ]
    }
}

/// A plant, its start and its inputs.
pub trait Course {
    /// The name on the command line.
    const NAME: &'static str;
    /// What it is.
    const WHAT: &'static str;
    /// The time between two looks at it, in seconds; the longest step to be tried.
    const PERIOD: f64;
    /// How long it is unless told otherwise, in seconds.
    const SECONDS: f64;
    /// A step that every method takes without trouble, in seconds.
    const STEP: f64;

    /// The plant.
    type Model<R: Real>;
    /// What a simulation starts from.
    type Start<R: Real>;
    /// The inputs.
    type Input<R: Real>;
    /// The state that a simulation shows.
    type State<R: Real>;

    /// The plant.
    fn model<R: Real>() -> Self::Model<R>;
    /// The start.
    fn start<R: Real>() -> Self::Start<R>;
    /// The inputs, held all the time.
    fn input<R: Real>() -> Self::Input<R>;
    /// What counts of a state.
    fn sample<R: Real>(model: &Self::Model<R>, state: &Self::State<R>) -> Sample;
}

/// Coordinates and velocities of a mechanism, with the turns that were taken off the coordinates.
fn motion<R: Real, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    at: &Motion<R, Q, L>,
) -> Sample
where
    M: Mechanical<R, Q, L, U>,
{
    let (nominal, turn) = (model.nominal(), model.turn());
    let mut sample = Sample::default();
    let shown = sample.positions.iter_mut().zip(&mut sample.velocities);
    for (i, (position, velocity)) in shown.take(Q).enumerate() {
        let angle = at.q[i].to_f64() + f64::from(at.turns) * turn[i].to_f64();
        *position = angle / nominal.q[i].to_f64();
        *velocity = at.v[i].to_f64() / nominal.v[i].to_f64();
    }
    sample
}

/// The start of a pendulum: level and at rest.
fn level<R: Real>() -> (Vector<R, 2>, Vector<R, 2>) {
    ([R::ONE, R::ZERO].into(), [R::ZERO; 2].into())
}

/// The start of other mechanisms: zero and at rest.
fn rest<R: Real, const Q: usize>() -> (Vector<R, Q>, Vector<R, Q>) {
    ([R::ZERO; Q].into(), [R::ZERO; Q].into())
}

/// Courses of mechanisms, each by its names; by its period, its length and its step; by its plant with the numbers of coordinates, joints and
/// inputs; and by its start and its inputs.
macro_rules! mechanisms {
    ($($(#[$doc:meta])* $course:ident $name:literal $what:literal
        [$period:literal, $seconds:literal, $step:literal]
        $model:ty = $new:expr, [$q:literal, $l:literal, $u:literal],
        $start:expr, $input:expr;
    )*) => { $(
        $(#[$doc])*
        pub struct $course;

        impl Course for $course {
            const NAME: &'static str = $name;
            const WHAT: &'static str = $what;
            const PERIOD: f64 = $period;
            const SECONDS: f64 = $seconds;
            const STEP: f64 = $step;
            type Model<R: Real> = $model;
            type Start<R: Real> = (Vector<R, $q>, Vector<R, $q>);
            type Input<R: Real> = Vector<R, $u>;
            type State<R: Real> = Motion<R, $q, $l>;

            fn model<R: Real>() -> $model {
                $new
            }
            fn start<R: Real>() -> Self::Start<R> {
                $start
            }
            fn input<R: Real>() -> Vector<R, $u> {
                $input.into()
            }
            fn sample<R: Real>(model: &$model, state: &Self::State<R>) -> Sample {
                motion(model, state)
            }
        }
    )* };
}

mechanisms! {
    /// P1 of the benchmark, eps = 1e-3.
    SpringPendulum "spring-pendulum" "pendulum on a spring of stiffness 1e6, released level"
        [0.5, 5.0, 1e-2]
        StiffPendulum<R> = StiffPendulum::new(1e-3), [2, 1, 0],
        level(), [];

    /// P2 of the benchmark.
    RodPendulum "rigid-pendulum" "pendulum on a rod, Cartesian, index 3, released level"
        [0.5, 5.0, 1e-2]
        RigidPendulum = RigidPendulum, [2, 1, 0],
        level(), [];

    /// P4 of the benchmark, K = 1e5: torques that lift the arm from level rest.
    LiftedArm "arm" "two-link arm on joints of stiffness 1e5, lifted by torques of 12 and 3 N m"
        [0.1, 1.0, 1e-3]
        Arm<R> = Arm::new(1e5), [4, 2, 2],
        rest(), TORQUES.map(R::from_f64);

    /// The servo drive from rest with a motor torque of 1 N m, which makes its shaft ring.
    StartedDrive "drive" "motor and load on an elastic shaft that rings at 160 Hz, started by a torque of 1 N m"
        [1e-2, 0.5, 1e-3]
        Drive<R> = Drive::servo(), [2, 1, 2],
        rest(), [R::ONE, R::ZERO];
}

/// P3 of the benchmark: the mild circuit with its algebraic equations, switched on at time zero.
pub struct SwitchedOnRlc;

impl Course for SwitchedOnRlc {
    const NAME: &'static str = "rlc";
    const WHAT: &'static str =
        "series RLC circuit with its algebraic equations, switched on to 1 V";
    const PERIOD: f64 = 1.0;
    const SECONDS: f64 = 7.0;
    const STEP: f64 = 1e-2;
    type Model<R: Real> = Circuit<R, 4, 1>;
    type Start<R: Real> = Vector<R, 4>;
    type Input<R: Real> = Vector<R, 1>;
    type State<R: Real> = Vector<R, 4>;

    fn model<R: Real>() -> Circuit<R, 4, 1> {
        Rlc::mild().dae()
    }
    fn start<R: Real>() -> Vector<R, 4> {
        [R::ZERO, R::ZERO, R::ONE, R::ZERO].into()
    }
    fn input<R: Real>() -> Vector<R, 1> {
        [R::ONE].into()
    }
    fn sample<R: Real>(model: &Circuit<R, 4, 1>, state: &Vector<R, 4>) -> Sample {
        let mut sample = Sample::default();
        for (i, position) in sample.positions.iter_mut().enumerate() {
            *position = state[i].to_f64() / model.nominal[i].to_f64();
        }
        sample
    }
}
