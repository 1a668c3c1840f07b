//! Tables as Rust source, for flash, and what steps are given as bytes.

use crate::cases::Case;
use crate::library::tables;
use crate::scenario::{Given, MOST_EDGES};
use crate::with_sizes;
use stiffstep::number::Real;

/// Steps of each converter on a board.
pub const STEPS: usize = 4000;
/// Steps of each drive on a board: its course in a sixth of the time.
pub const DRIVE_STEPS: usize = 1000;
/// The share of a period by which a drive's steps are behind its controller's on a board.
pub const SHIFT: f64 = 0.3;

fn source_of<
    R: Real,
    const N: usize,
    const U: usize,
    const Y: usize,
    const M: usize,
    const L: usize,
    const K: usize,
>(
    case: &Case,
) -> Result<(String, [usize; 6]), String> {
    // What the compiler prints for debugging is what it reads: numbers in their shortest form that has the same bits.
    let tables = tables::<R, N, U, Y, M, L, K>(case)?;
    Ok((format!("{tables:?}"), [N, U, Y, M, L, K]))
}

/// The single-precision tables of a case as an expression, and its sizes: states, inputs, devices, modes, maps, degree.
pub fn source(case: &Case) -> Result<(String, [usize; 6]), String> {
    with_sizes!(case.name, source_of, f32, case)
}

/// What steps are given, little endian: inputs, changes, how many edges, then time and gates of each.
pub fn bytes(given: &[Given]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for step in given {
        for value in step.start.iter().chain(&step.change) {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend((step.edges.len() as u32).to_le_bytes());
        for k in 0..MOST_EDGES {
            let (at, gates) = step.edges.get(k).copied().unwrap_or((0.0, 0));
            bytes.extend(at.to_le_bytes());
            bytes.extend(gates.to_le_bytes());
        }
    }
    bytes
}

/// What steps of a drive are given, little endian: begin and end of two pulses for each phase, and the load.
pub fn pulses(given: &[crate::servo::Given]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (pulses, load) in given {
        for value in pulses.iter().flatten().flatten().chain([load]) {
            bytes.extend((*value as f32).to_le_bytes());
        }
    }
    bytes
}
