//! Workloads on a board, from source to figures.

use super::Board;
use super::boot::{Boot, boot};
use super::firmware::{Features, build};
use super::record::{Run, runs};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use stiffstep_plants::workload::{Workload, common, special};

/// The image of a board, built on first use in this process.
pub fn image(board: Board, binary: &'static str) -> Result<PathBuf> {
    built(board, binary, Features::Log)
}

/// The image of a board on which nothing is measured but bits: another way to compile the same steps.
pub fn bits_image(board: Board, binary: &'static str) -> Result<PathBuf> {
    built(board, binary, Features::QuickLog)
}

/// The same with floating point of our own.
pub fn soft_image(board: Board, binary: &'static str) -> Result<PathBuf> {
    built(board, binary, Features::QuickSoft)
}

fn built(board: Board, binary: &'static str, features: Features) -> Result<PathBuf> {
    type Images = BTreeMap<(&'static str, &'static str, Features), PathBuf>;
    static BUILT: Mutex<Images> = Mutex::new(BTreeMap::new());
    let key = (board.name, binary, features);
    let images = || BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(image) = images().get(&key) {
        return Ok(image.clone());
    }
    // Without the lock: other boards are built meanwhile, and whoever wants the same one finds it up to date.
    let image = build(board, &[binary], features)?.into_iter().next();
    let image = image.with_context(|| format!("there is no image `{binary}`"))?;
    images().insert(key, image.clone());
    Ok(image)
}

/// The workloads whose plant's name starts with `group`, run on a board by `-icount`. A number type and a number of steps may follow
/// the name, all apart by semicolons and without blanks: only workloads of that type, with so many steps.
pub fn counted(board: Board, group: &str) -> Result<Vec<Run>> {
    let how = Boot {
        argument: group,
        ..Boot::counted()
    };
    let name = group.split(';').next().unwrap_or(group);
    let named = |workload: &Workload| workload.plant.starts_with(name);
    let binary = if common().any(named) {
        "workloads"
    } else if special().any(named) {
        "special"
    } else {
        "plan"
    };
    runs(&boot(board, &image(board, binary)?, how)?)
}
