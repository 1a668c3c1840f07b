//! A Raspberry Pi Pico as the plant.
#![no_std]
#![no_main]

#[stiffstep_rp2040::entry]
fn main() -> ! {
    stiffstep_rp2040::run(elastic_drive::rig(elastic_drive::STEP), 0)
}
