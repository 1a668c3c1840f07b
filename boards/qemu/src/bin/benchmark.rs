//! Runs the benchmark's workloads and nothing else, so that the image is built quickly.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use stiffstep_plants::workload::benchmark;
use stiffstep_qemu::record::run_all;

#[entry]
fn main() -> ! {
    run_all(benchmark());
    semihosting::process::exit(0)
}
