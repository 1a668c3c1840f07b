//! The board as a plant: `slider-crank`.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_rp2040::run(stiffstep_plants::rigs::slider_crank(2e-3))
}
