//! The bits of this version: what every workload leaves behind, in a file.
//!
//! Boards and desk agree whatever the bits are. But a recording of last year's plant is only good for a comparison if the same
//! plant still gives the same bits: whoever changes them does so on purpose, and the changelog says so.

use stiffstep_plants::workload::{Record, Workload, workloads};

/// The file, as it was when this was compiled.
pub const LEDGER: &str = include_str!("../bits.txt");

/// A line of the file: a hash of every bit of every state of all steps, and the bits of the time.
fn line(workload: &Workload) -> String {
    let Record {
        steps, hash, time, ..
    } = workload.run(&mut ());
    let name = [workload.plant, workload.method, workload.scalar].join(", ");
    format!("{name}: {steps} steps, {hash:016x}, {time:x}")
}

/// What the file should say now.
pub fn lines() -> Vec<String> {
    workloads().map(line).collect()
}

/// The lines that the file does not have.
pub fn changed() -> Vec<String> {
    let known = |line: &String| LEDGER.lines().any(|known| known == line);
    lines().into_iter().filter(|line| !known(line)).collect()
}
