//! What a sine costs: the instructions of the f32 kernel for arguments within (-100, 100).
#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m_rt::entry;
use stiffstep::number::trig;
use stiffstep_plants::workload::Probe;
use stiffstep_qemu::count::Counter;

/// How many arguments, evenly spread; small ones and multiples of pi/2 are in between.
const ARGUMENTS: u16 = 799;

fn arguments() -> impl Iterator<Item = f32> {
    (1..=ARGUMENTS).map(|n| (f32::from(n) - 400.0) * 0.25)
}

#[inline(never)]
fn sin(x: f32) -> f32 {
    trig::sin(x)
}

#[inline(never)]
fn cos(x: f32) -> f32 {
    trig::cos(x)
}

#[inline(never)]
fn sin_cos(x: f32) -> (f32, f32) {
    trig::sin_cos(x)
}

/// Calls and their return included.
fn measure<Y>(name: &str, counter: Counter, function: fn(f32) -> Y) {
    let mut counter = counter.restarted();
    for x in arguments() {
        let x = black_box(x);
        counter.begin();
        let y = function(x);
        counter.end();
        black_box(y);
    }
    defmt::println!(
        "cost|{=str}|{=u32}|{=u32}",
        name,
        counter.least,
        counter.most
    );
}

#[entry]
fn main() -> ! {
    if let Some(counter) = Counter::new() {
        measure("sin", counter, sin);
        measure("cos", counter, cos);
        measure("sin_cos", counter, sin_cos);
    }
    semihosting::process::exit(0)
}
