//! The board as a plant: `rlc`.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_rp2040::run(stiffstep_plants::rigs::rlc(1e-3))
}
