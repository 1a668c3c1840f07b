//! The board as a plant: `arm`.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_qemu::hil::run(stiffstep_plants::rigs::arm(1e-3))
}
