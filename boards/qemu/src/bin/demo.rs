//! Example (67) of Wunderlich and nothing else, so that the image's size is that of a plant.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use stiffstep_plants::workload::DEMO;
use stiffstep_qemu::count::Counter;
use stiffstep_qemu::record::run_and_log;

#[entry]
fn main() -> ! {
    if let Some(counter) = Counter::new() {
        run_and_log(&DEMO, counter);
    }
    semihosting::process::exit(0)
}
