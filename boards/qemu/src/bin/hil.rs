//! The emulated board as a plant: a feature of the plant's name chooses it; without one it is the DC motor.
#![no_std]
#![no_main]

use stiffstep_plants::rigs;

#[cfg(feature = "arm")]
use rigs::arm as plant;
#[cfg(not(any(
    feature = "arm",
    feature = "half-bridge",
    feature = "pendulum",
    feature = "rlc",
    feature = "slider-crank"
)))]
use rigs::dc_motor as plant;
#[cfg(feature = "half-bridge")]
use rigs::half_bridge as plant;
#[cfg(feature = "pendulum")]
use rigs::pendulum as plant;
#[cfg(feature = "rlc")]
use rigs::rlc as plant;
#[cfg(feature = "slider-crank")]
use rigs::slider_crank as plant;

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_qemu::hil::run(plant(1e-3), rigs::BUILD)
}
