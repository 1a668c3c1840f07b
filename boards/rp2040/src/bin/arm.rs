//! The board as a plant: `arm`.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_rp2040::run(stiffstep_plants::rigs::arm(4e-3))
}
