//! Plants that are ready to flash: each with its method, its starting state, and what the full swing of its pins means.
//!
//! The step is the board's choice: without floating point in hardware, a mechanism needs more time.

use crate::arm::Arm;
use crate::dc_motor::DcMotor;
use crate::driven_pendulum::DrivenPendulum;
use crate::half_bridge::HalfBridge;
use crate::rlc::Rlc;
use crate::slider_crank::SliderCrank;
use stiffstep::hil::{PlantRig, Range, Setup};
use stiffstep::prelude::*;
use stiffstep::step::{FirstOrderStepper, Free, MechanicalStepper};

/// A hash of the sources of library and plants: a board and a desk with the same one compute the same.
pub const BUILD: u32 = {
    let text = env!("STIFFSTEP_BUILD").as_bytes();
    let (mut value, mut i) = (0_u32, 0);
    while i < text.len() {
        value = value.wrapping_mul(10).wrapping_add((text[i] - b'0') as u32);
        i += 1;
    }
    value
};

/// The plants' names on the command line, which are also those of their images.
pub const NAMES: [&str; 6] = [
    "rlc",
    "half-bridge",
    "dc-motor",
    "arm",
    "slider-crank",
    "pendulum",
];

/// Newton iterations a step, on boards and desk alike.
pub const ITERATIONS: u8 = Setup::ITERATIONS;

/// How boards run the plants of this library.
pub fn setup(board: &'static str, emulated: bool) -> Setup {
    Setup::new(board, emulated, BUILD)
}

type FirstOrderRig<M, const N: usize, const U: usize, const Y: usize, const S: usize> =
    PlantRig<FirstOrderStepper<f32, M, RadauIIA<S>, N, U, S>, U, Y>;
type MechanicalRig<M, const Q: usize, const L: usize, const U: usize, const Y: usize> =
    PlantRig<MechanicalStepper<f32, M, RadauIIA<3>, Free, Q, L, U, 3>, U, Y>;

/// The series RLC circuit.
pub fn rlc(h: f32) -> Result<FirstOrderRig<Rlc<f32>, 2, 1, 2, 3>, Error> {
    let plant = Simulation::new(Rlc::mild(), RadauIIA::<3>, h, [0.0; 2].into())?;
    let swing = Range::new(-5.0, 5.0);
    PlantRig::new(plant, [swing], [swing, Range::new(-2.0, 2.0)])
}

/// The LC filter with its half bridge.
pub fn half_bridge(h: f32) -> Result<FirstOrderRig<HalfBridge, 2, 2, 2, 3>, Error> {
    let plant = Simulation::new(HalfBridge::SMALL, RadauIIA::<3>, h, [0.0; 2].into())?;
    PlantRig::new(
        plant,
        [Range::new(0.0, 1.0), Range::new(0.0, 5.0)],
        [Range::new(0.0, 33.0), Range::new(-16.5, 16.5)],
    )
}

/// The DC motor with its elastic shaft, by the method that leaves a core without floating point half of its time.
pub fn dc_motor(h: f32) -> Result<FirstOrderRig<DcMotor, 4, 2, 4, 2>, Error> {
    let plant = Simulation::new(DcMotor::SERVO, RadauIIA::<2>, h, [0.0; 4].into())?;
    let speed = Range::new(-330.0, 330.0);
    PlantRig::new(
        plant,
        [Range::new(-24.0, 24.0), Range::new(-2.0, 2.0)],
        [speed, speed, Range::new(-50.0, 50.0), Range::new(-5.0, 5.0)],
    )
}

/// The two-link arm on elastic joints.
pub fn arm(h: f32) -> Result<MechanicalRig<Arm<f32, Lean>, 4, 2, 2, 8>, Error> {
    // Hanging at rest.
    let down = [-core::f32::consts::FRAC_PI_2, 0.0];
    let at = [down[0], down[1], down[0], down[1]];
    let plant = Simulation::new(
        Arm::new(1e5),
        RadauIIA::<3>,
        h,
        (at.into(), [0.0; 4].into()),
    )?;
    let (torque, angle) = (Range::new(-40.0, 40.0), Range::new(-4.0, 4.0));
    let (speed, joint) = (Range::new(-10.0, 10.0), Range::new(-40.0, 40.0));
    PlantRig::new(
        plant,
        [torque, torque],
        [angle, angle, angle, angle, speed, speed, joint, joint],
    )
}

/// The slider-crank.
pub fn slider_crank(h: f32) -> Result<MechanicalRig<SliderCrank, 3, 2, 2, 5>, Error> {
    // Roughly: the start is projected onto the loop.
    let at = [1.0, 0.28, 0.17];
    let plant = Simulation::new(
        SliderCrank::COMPRESSOR,
        RadauIIA::<3>,
        h,
        (at.into(), [0.0; 3].into()),
    )?;
    PlantRig::new(
        plant,
        [Range::new(-3.0, 3.0), Range::new(-200.0, 200.0)],
        [
            Range::new(-6.6, 6.6),
            Range::new(-165.0, 165.0),
            Range::new(0.0, 0.33),
            Range::new(-10.0, 10.0),
            Range::new(0.0, 1000.0),
        ],
    )
}

/// The stiff pendulum.
pub fn pendulum(h: f32) -> Result<MechanicalRig<DrivenPendulum, 2, 1, 1, 3>, Error> {
    let model = DrivenPendulum::STIFF;
    // Hanging at rest, with the spring as long as the weight makes it.
    let length = 1.0 + model.mass * model.gravity / model.stiffness;
    let start = ([0.0, -length].into(), [0.0; 2].into());
    let plant = Simulation::new(model, RadauIIA::<3>, h, start)?;
    let way = Range::new(-1.5, 1.5);
    PlantRig::new(
        plant,
        [Range::new(-20.0, 20.0)],
        [way, way, Range::new(-100.0, 100.0)],
    )
}
