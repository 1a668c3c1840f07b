//! The Raspberry Pi Pico's cycles, counted by rp2040js, which emulates the chip.

use super::steps::Step;
use crate::emulator::firmware::workspace;
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;
use std::process::Command;

/// The instructions and cycles of the first calls of a function in an image that is linked for the Pico.
pub fn steps(image: &Path, entry: u32, count: u32) -> Result<Vec<Step>> {
    let output = Command::new("node")
        .arg(workspace().join("boards/rp2040/emulator/cycles.mjs"))
        .arg(image)
        .args([entry.to_string(), count.to_string()])
        .output()
        .context("node could not be started; it emulates the Raspberry Pi Pico")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "rp2040js: {said}");
    let text = String::from_utf8(output.stdout)?;
    text.lines()
        .map(|line| match line.split_once(' ') {
            Some((instructions, cycles)) => Ok(Step {
                instructions: instructions.parse()?,
                cycles: cycles.parse()?,
                ..Step::default()
            }),
            None => bail!("`{line}` is no step"),
        })
        .collect()
}
