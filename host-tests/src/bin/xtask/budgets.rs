//! `cargo xtask budgets`: what steps cost against what they may, and new budgets on purpose.

use crate::install;
use crate::stage::Stages;
use anyhow::{Context, Result, bail};
use std::fs;
use stiffstep_host_tests::benchmark::budgets::{Budgets, path};
use stiffstep_host_tests::benchmark::rows::{Row, on_board};
use stiffstep_host_tests::emulator::bench::image;
use stiffstep_host_tests::emulator::board;
use stiffstep_host_tests::emulator::boot::{Boot, boot};
use stiffstep_host_tests::emulator::image::{Size, size};
use stiffstep_host_tests::emulator::record::runs;

/// The boards that have budgets.
const TARGETS: [&str; 2] = ["m0", "m4f"];

/// The image that has one, on the last of them.
const IMAGE: &str = "arm";

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
    let mut stages = Stages::new(boards.len() + 2);
    stages.run("tools", |bar| {
        install::targets(&boards, bar)?;
        install::emulator(bar)?;
        Ok(String::new())
    })?;
    let mut rows: Vec<Row> = Vec::new();
    for &board in &boards {
        stages.run(&format!("steps on {}", board.core), |_| {
            rows.extend(on_board(board)?);
            Ok(String::new())
        })?;
    }
    let mut measured: Option<(Size, u32)> = None;
    stages.run("the image of the arm alone", |_| {
        let board = board("m4f")?;
        let image = image(board, IMAGE)?;
        let runs = runs(&boot(board, &image, Boot::default())?)?;
        let stack = runs.first().context("the image logged nothing")?.stack;
        measured = Some((size(&image)?, stack));
        Ok(String::new())
    })?;
    let (size, stack) = measured.context("the image was not measured")?;
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
