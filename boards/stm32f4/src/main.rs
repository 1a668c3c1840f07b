//! The board as a plant: a feature of the plant's name chooses it, `cargo run --features f405,arm`; without one it is the DC motor.
#![no_std]
#![no_main]

use stiffstep_plants::{plant_by_feature, rigs};

plant_by_feature!();

/// The period, in s. That of a buck is what the slowest chip of the family, at 100 MHz, has time for.
const STEP: f32 = if cfg!(feature = "buck") {
    100e-6
} else {
    USUAL_STEP
};

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_stm32f4::run(plant(STEP), rigs::BUILD)
}
