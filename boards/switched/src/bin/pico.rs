//! A drive in the memories of a Raspberry Pi Pico, for an emulator that counts its cycles.
#![no_std]
#![no_main]

use core::hint::black_box;
use semihosting as _;
use stiffstep::electric::{Servo, Shaft, Synchronous};
use stiffstep_switched::{Reader, turn};

include!(concat!(env!("OUT_DIR"), "/drives.rs"));

/// The whole course of a drive.
#[inline(never)]
fn run(machine: Synchronous<f32>, shaft: Shaft<f32>, supply: f32, given: &'static [u8]) {
    let mut reader = Reader(given);
    if let Ok(mut servo) = Servo::new(black_box(machine), shaft, 50e-6) {
        while let Some((pulses, load)) = reader.pulses() {
            turn(&mut servo, supply, &pulses, load);
        }
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    macro_rules! each {
        ($name:expr, $machine:expr, $shaft:expr, $nominal:expr, $supply:expr, $given:ident) => {
            run($machine, $shaft, $supply, $given)
        };
    }
    every_drive!(each);
    semihosting::process::exit(0)
}
