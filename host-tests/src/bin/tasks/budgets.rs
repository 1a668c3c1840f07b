//! `cargo xtask budgets`: what steps cost against what they may, and new budgets on purpose.

use crate::stage::Stages;
use anyhow::{Context, Result, bail};
use std::fs;
use stiffstep_host_tests::benchmark::budgets::{Budgets, path};
use stiffstep_host_tests::benchmark::rows::{Row, double_on_m7, on_board, on_host};
use stiffstep_host_tests::benchmark::workload;
use stiffstep_host_tests::certificate::cycles::Flash;
use stiffstep_host_tests::emulator::alone::Alone;
use stiffstep_host_tests::emulator::board;
use stiffstep_host_tests::emulator::boot::{Boot, boot};
use stiffstep_host_tests::emulator::image::size;
use stiffstep_host_tests::emulator::record::runs;

/// The boards whose benchmark has budgets.
const TARGETS: [&str; 2] = ["m0", "m4f"];

/// The image that has one, on the last of them.
const IMAGE: &str = "arm";

fn alone() -> Result<Alone> {
    let arm = workload("P4 K 1e5 lean", "f32", "Radau IIA 3");
    Ok(Alone::of(arm.context("the arm is no workload")?))
}

/// What becomes of the budgets.
#[derive(clap::Args)]
pub struct Change {
    /// Sets all budgets to what is measured now and writes the file, within what is promised
    #[arg(long)]
    update: bool,
}

/// Measures, and says what exceeds its budget, or writes new ones.
pub fn budgets(change: &Change) -> Result<()> {
    let budgets = Budgets::read()?;
    let boards = TARGETS.map(board).into_iter().collect::<Result<Vec<_>>>()?;
    let mut stages = Stages::new(boards.len() + 4);
    stages.tools(&boards)?;
    let mut rows: Vec<Row> = Vec::new();
    for &board in &boards {
        rows.extend(stages.make(&format!("steps on {}", board.core), |_| {
            on_board(board, Flash { wait_states: 0 })
        })?);
    }
    rows.extend(stages.make("double precision on Cortex-M7", |_| double_on_m7())?);
    stages.run("steps on this machine", |_| {
        let host = on_host(false)?;
        let counted = !host.is_empty();
        rows.extend(host);
        let left_out = "left out: valgrind is not installed";
        Ok(if counted { "" } else { left_out }.to_owned())
    })?;
    let (size, stack) = stages.make("the image of the arm alone", |_| {
        let board = board("m4f")?;
        let image = alone()?.image(board)?;
        let runs = runs(&boot(board, &image, Boot::default())?)?;
        let stack = runs.first().context("the image logged nothing")?.stack;
        Ok((size(&image)?, stack))
    })?;
    let budgets = if change.update {
        let updated = budgets.updated(&rows, &[(IMAGE, size, stack)])?;
        let path = path();
        fs::write(&path, updated.text()?)
            .with_context(|| format!("{} cannot be written", path.display()))?;
        println!("{} steps have new budgets: {}", rows.len(), path.display());
        updated
    } else {
        budgets
    };
    // Beyond what is promised an update does not help.
    let mut excess = budgets.excess(&rows)?;
    excess.extend(budgets.excess_of_image(IMAGE, size, stack)?);
    if !excess.is_empty() {
        bail!("{}", excess.join("\n"));
    }
    println!("every step is within its budget");
    Ok(())
}
