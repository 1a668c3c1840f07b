//! The board as a plant: `half-bridge`.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_qemu::hil::run(stiffstep_plants::rigs::half_bridge(1e-3))
}
