//! The board as a plant: a feature of the plant's name chooses it, `cargo run --features arm`; without one it is the DC motor.
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

/// The period, in s, of which a core without floating point works 70 % at most (`a_pico_runs_every_plant`).
const STEP: f32 = if cfg!(any(feature = "arm", feature = "slider-crank")) {
    2e-3
} else {
    1e-3
};

#[stiffstep_rp2040::entry]
fn main() -> ! {
    stiffstep_rp2040::run(plant(STEP), rigs::BUILD)
}
