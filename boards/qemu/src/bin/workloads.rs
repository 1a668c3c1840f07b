//! Runs the common workloads, all or those whose plant's name starts with the emulator's first argument.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use stiffstep_plants::workload::common;
use stiffstep_qemu::record::run_all;

#[entry]
fn main() -> ! {
    run_all(common());
    semihosting::process::exit(0)
}
