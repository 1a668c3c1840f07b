//! Runs what plans are made of, all or those whose plant's name starts with the emulator's first argument.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use stiffstep_plants::workload::planned;
use stiffstep_qemu::record::run_all;

#[entry]
fn main() -> ! {
    run_all(planned());
    semihosting::process::exit(0)
}
