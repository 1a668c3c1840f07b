//! The emulated board as the plant.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_qemu::hil::run(elastic_drive::rig(elastic_drive::STEP), 0)
}
