//! Plants that are ready to flash: each with its method, its starting state, and what the full swing of its pins means.
//!
//! The step is the board's choice: without floating point in hardware, a mechanism needs more time.

use crate::arm::Arm;
use crate::dc_motor::DcMotor;
use crate::driven_pendulum::DrivenPendulum;
use crate::half_bridge::HalfBridge;
use crate::rlc::Rlc;
use crate::slider_crank::SliderCrank;
use stiffstep::hil::{PlantRig, Range, Setup, States};
use stiffstep::prelude::*;
use stiffstep::step::{Dense, FirstOrderStepper, MechanicalStepper, Remember};

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

/// The steps of a plant's images, in s.
pub struct Steps {
    /// On the emulated board, whose core takes no time for memory.
    pub emulated: f32,
    /// On an STM32F4.
    pub stm32f4: f32,
    /// On a Pico, whose core has no floating point: of this it works 70 % at most, of the drive's 90 %, because that motor must not turn
    /// by more than half a radian, electrically, in a step: 250 rad/s (`a_pico_runs_every_plant`, `a_pico_runs_power_electronics`).
    pub rp2040: f32,
}

/// Names the plant that a feature of the firmware's package chooses `plant`: one of [`NAMES`] or of the converters, the DC motor without one.
/// `STEPS` has its steps.
#[macro_export]
macro_rules! plant_by_feature {
    () => {
        $crate::one_of! {
            "arm" rigs::arm [1e-3, 1e-3, 2e-3],
            "half-bridge" rigs::half_bridge [1e-3, 1e-3, 1e-3],
            "pendulum" rigs::pendulum [1e-3, 1e-3, 1e-3],
            "rlc" rigs::rlc [1e-3, 1e-3, 1e-3],
            "slider-crank" rigs::slider_crank [1e-3, 1e-3, 2e-3],
            "boost" power::boost [20e-6, 200e-6, 2e-3],
            "buck" power::buck [20e-6, 100e-6, 1e-3],
            "drive" power::drive [50e-6, 100e-6, 500e-6],
            "flyback" power::flyback [20e-6, 200e-6, 4e-3],
            "h-bridge" power::h_bridge [20e-6, 200e-6, 1e-3],
            "lcl-inverter" power::lcl_inverter [100e-6, 1e-3, 20e-3],
            "six-pulse" power::six_pulse [50e-6, 200e-6, 2e-3],
        }
    };
}

/// The plant of the feature that is set, for [`plant_by_feature`].
#[doc(hidden)]
#[macro_export]
macro_rules! one_of {
    ($($feature:tt $module:ident :: $plant:ident $steps:tt,)*) => {
        $(
            #[cfg(feature = $feature)]
            use $crate::$module::$plant as plant;
            #[cfg(feature = $feature)]
            const STEPS: $crate::rigs::Steps = $crate::rigs::Steps::new($steps);
        )*
        #[cfg(not(any($(feature = $feature),*)))]
        use $crate::rigs::dc_motor as plant;
        #[cfg(not(any($(feature = $feature),*)))]
        const STEPS: $crate::rigs::Steps = $crate::rigs::Steps::new([1e-3; 3]);
    };
}

impl Steps {
    /// In the order of the fields.
    pub const fn new([emulated, stm32f4, rp2040]: [f32; 3]) -> Self {
        Steps {
            emulated,
            stm32f4,
            rp2040,
        }
    }
}

/// A plant and what the full swing of its pins means.
pub struct Wired<P: Stepper, const U: usize, const Y: usize> {
    /// The plant at its start.
    pub plant: Simulation<P>,
    /// The ranges of its inputs.
    pub inputs: [Range; U],
    /// The ranges of its outputs.
    pub outputs: [Range; Y],
}

type Circuits<M, const N: usize, const U: usize, const S: usize> =
    FirstOrderStepper<f32, M, RadauIIA<S>, N, U, S>;
type Mechanisms<M, const Q: usize, const L: usize, const U: usize> =
    MechanicalStepper<f32, M, Lean<RadauIIA<3>>, Q, L, U, 3>;

impl<P, const U: usize, const Y: usize> Wired<P, U, Y>
where
    P: Dense<Real = f32, Input = Vector<f32, U>> + Remember,
    P::Model: Plant<f32, U, Y, State = P::State> + Clone,
    P::State: States,
{
    /// On its rig.
    fn rig(self) -> Result<PlantRig<P, U, Y>, Error> {
        PlantRig::new(self.plant, self.inputs, self.outputs)
    }
}

/// The series RLC circuit, wired.
pub fn wired_rlc(h: f32) -> Result<Wired<Circuits<Rlc<f32>, 2, 1, 3>, 1, 2>, Error> {
    let swing = Range::new(-5.0, 5.0);
    Ok(Wired {
        plant: Simulation::new(Rlc::mild(), RadauIIA::<3>, h, [0.0; 2].into())?,
        inputs: [swing],
        outputs: [swing, Range::new(-3.0, 3.0)],
    })
}

/// The LC filter with its half bridge, wired.
pub fn wired_half_bridge(h: f32) -> Result<Wired<Circuits<HalfBridge, 2, 2, 3>, 2, 2>, Error> {
    Ok(Wired {
        plant: Simulation::new(HalfBridge::SMALL, RadauIIA::<3>, h, [0.0; 2].into())?,
        inputs: [Range::new(0.0, 1.0), Range::new(0.0, 5.0)],
        outputs: [Range::new(-12.0, 48.0), Range::new(-16.5, 16.5)],
    })
}

/// The DC motor with its elastic shaft, wired, by the method that leaves a core without floating point half of its time.
pub fn wired_dc_motor(h: f32) -> Result<Wired<Circuits<DcMotor, 4, 2, 2>, 2, 4>, Error> {
    let speed = Range::new(-330.0, 330.0);
    Ok(Wired {
        plant: Simulation::new(DcMotor::SERVO, RadauIIA::<2>, h, [0.0; 4].into())?,
        inputs: [Range::new(-24.0, 24.0), Range::new(-1.5, 1.5)],
        outputs: [
            speed,
            speed,
            Range::new(-100.0, 100.0),
            Range::new(-8.0, 8.0),
        ],
    })
}

/// The two-link arm on elastic joints, wired.
pub fn wired_arm(h: f32) -> Result<Wired<Mechanisms<Arm<f32, true>, 4, 2, 2>, 2, 8>, Error> {
    // Hanging at rest.
    let down = [-core::f32::consts::FRAC_PI_2, 0.0];
    let at = [down[0], down[1], down[0], down[1]];
    let start = (at.into(), [0.0; 4].into());
    let angle = Range::new(-4.0, 4.0);
    let (speed, joint) = (Range::new(-15.0, 15.0), Range::new(-40.0, 40.0));
    Ok(Wired {
        plant: Simulation::new(Arm::new(1e5).fitted(), Lean(RadauIIA::<3>), h, start)?,
        inputs: [Range::new(-12.0, 12.0), Range::new(-3.0, 3.0)],
        outputs: [angle, angle, angle, angle, speed, speed, joint, joint],
    })
}

/// The slider-crank, wired.
pub fn wired_slider_crank(h: f32) -> Result<Wired<Mechanisms<SliderCrank, 3, 2, 2>, 2, 5>, Error> {
    // Roughly: the start is projected onto the loop.
    let start = ([1.0, 0.28, 0.17].into(), [0.0; 3].into());
    Ok(Wired {
        plant: Simulation::new(SliderCrank::COMPRESSOR, Lean(RadauIIA::<3>), h, start)?,
        inputs: [Range::new(-2.5, 2.5), Range::new(-30.0, 30.0)],
        outputs: [
            Range::new(-6.6, 6.6),
            Range::new(-165.0, 165.0),
            Range::new(0.0, 0.33),
            Range::new(-10.0, 10.0),
            Range::new(0.0, 1000.0),
        ],
    })
}

/// The stiff pendulum, wired.
pub fn wired_pendulum(h: f32) -> Result<Wired<Mechanisms<DrivenPendulum, 2, 1, 1>, 1, 3>, Error> {
    let model = DrivenPendulum::STIFF;
    // Hanging at rest, with the spring as long as the weight makes it.
    let length = 1.0 + model.mass * model.gravity / model.stiffness;
    let start = ([0.0, -length].into(), [0.0; 2].into());
    let way = Range::new(-1.5, 1.5);
    Ok(Wired {
        plant: Simulation::new(model, Lean(RadauIIA::<3>), h, start)?,
        inputs: [Range::new(-10.0, 10.0)],
        outputs: [way, way, Range::new(-100.0, 100.0)],
    })
}

/// The series RLC circuit.
pub fn rlc(h: f32) -> Result<PlantRig<Circuits<Rlc<f32>, 2, 1, 3>, 1, 2>, Error> {
    wired_rlc(h)?.rig()
}

/// The LC filter with its half bridge.
pub fn half_bridge(h: f32) -> Result<PlantRig<Circuits<HalfBridge, 2, 2, 3>, 2, 2>, Error> {
    wired_half_bridge(h)?.rig()
}

/// The DC motor with its elastic shaft.
pub fn dc_motor(h: f32) -> Result<PlantRig<Circuits<DcMotor, 4, 2, 2>, 2, 4>, Error> {
    wired_dc_motor(h)?.rig()
}

/// The two-link arm on elastic joints.
pub fn arm(h: f32) -> Result<PlantRig<Mechanisms<Arm<f32, true>, 4, 2, 2>, 2, 8>, Error> {
    wired_arm(h)?.rig()
}

/// The slider-crank.
pub fn slider_crank(h: f32) -> Result<PlantRig<Mechanisms<SliderCrank, 3, 2, 2>, 2, 5>, Error> {
    wired_slider_crank(h)?.rig()
}

/// The stiff pendulum.
pub fn pendulum(h: f32) -> Result<PlantRig<Mechanisms<DrivenPendulum, 2, 1, 1>, 1, 3>, Error> {
    wired_pendulum(h)?.rig()
}
