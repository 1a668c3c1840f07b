//! Runs one workload of each problem of the benchmark, so that every board's image is built quickly.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use stiffstep_plants::workload::COSTS;
use stiffstep_qemu::record::run_all;

#[entry]
fn main() -> ! {
    run_all(COSTS.iter());
    semihosting::process::exit(0)
}
