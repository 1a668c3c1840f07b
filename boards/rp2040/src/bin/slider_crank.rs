//! The board as a plant: `slider-crank`.
#![no_std]
#![no_main]

use stiffstep_plants::rigs;

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_rp2040::run(rigs::slider_crank(2e-3), rigs::BUILD)
}
