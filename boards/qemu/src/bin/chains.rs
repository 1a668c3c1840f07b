//! Runs the chains of elastic links.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use stiffstep_plants::workload::CHAINS;
use stiffstep_qemu::record::run_all;

#[entry]
fn main() -> ! {
    run_all(CHAINS.iter());
    semihosting::process::exit(0)
}
