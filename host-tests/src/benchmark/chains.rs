//! What size costs: chains of elastic links on a board.

use crate::emulator::Board;
use crate::emulator::bench::image;
use crate::emulator::boot::{Boot, boot};
use crate::emulator::image::size;
use crate::emulator::record::{Run, runs};
use anyhow::{Result, ensure};
use stiffstep_plants::workload::{CHAINS, LINKS};

/// A chain's step.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// How many links it has.
    pub links: usize,
    /// Instructions a step.
    pub instructions: f64,
    /// Bytes of stack, the chain itself included.
    pub stack: u32,
}

/// The chains with the lean Jacobian and those with the full one, by their size; and the code of all of them together.
pub fn on_board(board: Board) -> Result<([Vec<Cost>; 2], u64)> {
    let image = image(board, "chains")?;
    let runs = runs(&boot(board, &image, Boot::counted())?)?;
    let complete = runs.iter().all(|run| run.record.steps == CHAINS[0].steps);
    ensure!(complete && runs.len() == CHAINS.len(), "a chain broke");
    let costs = |jacobian: &str| -> Vec<Cost> {
        let of = |links: &usize| {
            let name = format!("{jacobian} chain {links}");
            let run = runs.iter().find(|run: &&Run| run.name.plant == name)?;
            Some(Cost {
                links: *links,
                instructions: run.instructions.typical(),
                stack: run.stack,
            })
        };
        LINKS.iter().filter_map(of).collect()
    };
    Ok(([costs("lean"), costs("full")], size(&image)?.step))
}

/// The power of the number of links by which a figure grows from one chain to a longer one.
pub fn exponent(from: (usize, f64), to: (usize, f64)) -> f64 {
    (to.1 / from.1).ln() / (to.0 as f64 / from.0 as f64).ln()
}
