//! The two-link arm and nothing else, so that the image's size is that of a mechanism.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use stiffstep_plants::workload::ARM;
use stiffstep_qemu::count::Counter;
use stiffstep_qemu::record::run_and_log;

#[entry]
fn main() -> ! {
    if let Some(counter) = Counter::new() {
        run_and_log(&ARM, counter);
    }
    semihosting::process::exit(0)
}
