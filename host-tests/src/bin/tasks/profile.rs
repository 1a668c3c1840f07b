//! `cargo xtask profile`: what the instructions of a step on the Cortex-M4F are, and what cycles they take by the core's table.

use crate::stage::Stages;
use crate::table::table_of;
use anyhow::{Context, Result};
use stiffstep_host_tests::benchmark::rows::{profile, tuned};
use stiffstep_host_tests::benchmark::workload;
use stiffstep_host_tests::certificate::report::thousands;
use stiffstep_host_tests::certificate::steps::KINDS;
use stiffstep_host_tests::emulator::alone::Alone;
use stiffstep_host_tests::emulator::board;

/// What is looked at.
const PLANTS: [&str; 6] = [
    "P1 eps 1e-3",
    "P2",
    "P4 K 1e5 lean",
    "lean chain 4",
    "lean chain 8",
    "lean chain 16",
];

/// Prints a table with instructions and cycles by kinds, for the target as it is and for `-C target-cpu=cortex-m4`.
pub fn steps() -> Result<()> {
    let boards = [board("m4f")?, tuned()?];
    let mut stages = Stages::new(2);
    stages.tools(&boards[..1])?;
    let mut lines = Vec::new();
    stages.run("steps, one instruction at a time", |_| {
        for plant in PLANTS {
            let row = workload(plant, "f32", "Radau IIA 3").context("no such workload")?;
            for board in boards {
                let step = profile(board, Alone::of(row))?;
                let both = |counts: [u64; 2]| counts.map(thousands).join(" / ");
                let mut line = vec![plant.to_owned(), board.processor.unwrap_or("").to_owned()];
                line.push(both([step.instructions, step.cycles]));
                line.extend(step.kinds.map(both));
                lines.push(line);
            }
        }
        Ok(String::new())
    })?;
    let header = format!("plant | target-cpu | all | {}", KINDS.join(" | "));
    println!("\n{}", table_of(&header, 2, lines));
    println!(
        "instructions / cycles of one step by Radau IIA 3 in single precision on the Cortex-M4F; cycles by the table in the core's manual, an estimate"
    );
    Ok(())
}
