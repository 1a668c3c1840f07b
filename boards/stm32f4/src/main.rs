//! The board as a plant: a feature of the plant's name chooses it, `cargo run --features f405,arm`; without one it is the DC motor.
#![no_std]
#![no_main]

use stiffstep_plants::{plant_by_feature, rigs};

plant_by_feature!();

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_stm32f4::run(plant(STEPS.stm32f4), rigs::BUILD)
}
