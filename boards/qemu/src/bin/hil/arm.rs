//! The board as a plant: `arm`.
#![no_std]
#![no_main]

use stiffstep_plants::rigs;

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_qemu::hil::run(rigs::arm(1e-3), rigs::BUILD)
}
