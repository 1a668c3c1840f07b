//! The board as a plant: a feature of the plant's name chooses it, `cargo run --features arm`; without one it is the DC motor.
#![no_std]
#![no_main]

use stiffstep_plants::{plant_by_feature, rigs};

plant_by_feature!();

/// The period, in s, of which a core without floating point works 70 % at most (`a_pico_runs_every_plant`); of the drive's 90 %, because the motor
/// must not turn by more than half a radian, electrically, in it: 250 rad/s.
const STEP: f32 = if cfg!(any(feature = "arm", feature = "slider-crank")) {
    2e-3
} else if cfg!(feature = "drive") {
    500e-6
} else {
    1e-3
};

#[stiffstep_rp2040::entry]
fn main() -> ! {
    stiffstep_rp2040::run(plant(STEP), rigs::BUILD)
}
