//! The board as a plant: `dc-motor`.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_rp2040::run(stiffstep_plants::rigs::dc_motor(1e-3))
}
