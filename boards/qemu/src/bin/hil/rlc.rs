//! The board as a plant: `rlc`.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_qemu::hil::run(stiffstep_plants::rigs::rlc(1e-3))
}
