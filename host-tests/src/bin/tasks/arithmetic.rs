//! `cargo xtask arithmetic`: software floating point on boards against this machine's hardware.

use crate::stage::Stages;
use anyhow::Result;
use stiffstep_host_tests::arithmetic::{DOUBLE, SINGLE};
use stiffstep_host_tests::emulator::bench::image;
use stiffstep_host_tests::emulator::board;

/// How much is compared.
#[derive(clap::Args)]
pub struct Pairs {
    /// Pairs of operands for each routine; a thousand million take hours for all of them
    #[arg(long, default_value_t = 100_000_000)]
    pairs: u64,
    /// Only routines whose name contains this
    #[arg(long, default_value = "")]
    routine: String,
}

/// Compares; the error names the first operands whose result differs.
pub fn arithmetic(wish: &Pairs) -> Result<()> {
    let boards = [(board("m0")?, &SINGLE[..]), (board("m4f")?, &DOUBLE[..])];
    let mut routines = Vec::new();
    for (board, all) in boards {
        let chosen = all.iter().filter(|of| of.name.contains(&wish.routine));
        routines.extend(chosen.map(|routine| (board, routine)));
    }
    let mut stages = Stages::new(1 + routines.len());
    stages.tools(&boards.map(|(board, _)| board))?;
    for (board, routine) in routines {
        stages.run(&format!("{} on {}", routine.name, board.core), |_| {
            let image = image(board, "arithmetic")?;
            routine.same_on_grid(board, &image)?;
            routine.same_on_pairs(board, &image, wish.pairs)?;
            Ok(format!("{} pairs give the same bits", wish.pairs))
        })?;
    }
    Ok(())
}
