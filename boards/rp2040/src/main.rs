//! The board as a plant: a feature of the plant's name chooses it, `cargo run --features arm`; without one it is the DC motor.
#![no_std]
#![no_main]

use stiffstep_plants::{plant_by_feature, rigs};

plant_by_feature!();

#[stiffstep_rp2040::entry]
fn main() -> ! {
    stiffstep_rp2040::run(plant(STEPS.rp2040), rigs::BUILD)
}
