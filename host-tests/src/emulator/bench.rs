//! Workloads on a board, from source to figures.

use super::Board;
use super::boot::{Boot, boot};
use super::firmware::{Features, build};
use super::record::{Run, runs};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The images that log, all of which a board needs sooner or later.
const IMAGES: [&str; 3] = ["workloads", "sine", "arm"];

/// The image of a board, built with its siblings on first use in this process.
pub fn image(board: Board, binary: &str) -> Result<PathBuf> {
    static BUILT: Mutex<BTreeMap<&str, Vec<PathBuf>>> = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if !built.contains_key(board.name) {
        built.insert(board.name, build(board, &IMAGES, Features::Log)?);
    }
    let images = built.get(board.name).into_iter().flatten();
    let mut named = IMAGES
        .iter()
        .zip(images)
        .filter(|(name, _)| **name == binary);
    let (_, path) = named
        .next()
        .with_context(|| format!("there is no image `{binary}`"))?;
    Ok(path.clone())
}

/// The workloads whose plant's name starts with `group`, run on a board by `-icount`.
pub fn counted(board: Board, group: &str) -> Result<Vec<Run>> {
    let how = Boot {
        argument: group,
        counted: true,
        ..Boot::default()
    };
    runs(&boot(board, &image(board, "workloads")?, how)?)
}
