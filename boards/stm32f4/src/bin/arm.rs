//! The board as a plant: `arm`.
#![no_std]
#![no_main]

use stiffstep_plants::rigs;

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_stm32f4::run(rigs::arm(1e-3), rigs::BUILD)
}
