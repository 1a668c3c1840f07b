//! Prints the bits that every workload leaves behind: the boards' tests compare builds with each other by it.
//!
//! `cargo run -p stiffstep-plants --example bits [--release]`

use stiffstep_plants::workload::{DEMO, workloads};

fn main() {
    for workload in workloads().chain([&DEMO]) {
        let record = workload.run(&mut ());
        println!(
            "{}|{}|{}|{}|{:016x}|{:x}|{:x?}",
            workload.plant,
            workload.scalar,
            workload.method,
            record.steps,
            record.hash,
            record.time,
            record.final_state()
        );
    }
}
