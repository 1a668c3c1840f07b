//! An STM32F4 as the plant.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_stm32f4::run(elastic_drive::rig(elastic_drive::STEP), 0)
}
