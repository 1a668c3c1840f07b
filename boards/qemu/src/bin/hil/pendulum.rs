//! The board as a plant: `pendulum`.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_qemu::hil::run(stiffstep_plants::rigs::pendulum(1e-3))
}
