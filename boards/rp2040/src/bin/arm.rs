//! The board as a plant: `arm`.
#![no_std]
#![no_main]

use stiffstep_plants::rigs;

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_rp2040::run(rigs::arm(4e-3), rigs::BUILD)
}
