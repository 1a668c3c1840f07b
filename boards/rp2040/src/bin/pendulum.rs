//! The board as a plant: `pendulum`.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_rp2040::run(stiffstep_plants::rigs::pendulum(2e-3))
}
