//! Runs the workloads, all or those whose plant's name starts with the emulator's first argument.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use semihosting::experimental::env;
use stiffstep_plants::workload::workloads;
use stiffstep_qemu::count::Counter;
use stiffstep_qemu::record::run_and_log;

#[entry]
fn main() -> ! {
    let arguments = env::args::<256>();
    // The first is the image's own name.
    let group = match &arguments {
        Ok(arguments) => { arguments }.nth(1).and_then(Result::ok).unwrap_or(""),
        Err(_) => "",
    };
    if let Some(counter) = Counter::new() {
        for workload in workloads() {
            if workload.plant.starts_with(group) {
                run_and_log(workload, counter);
            }
        }
    }
    semihosting::process::exit(0)
}
