//! The figures that pages of the guide print, for the tests that measure them.

use crate::emulator::firmware::workspace;
use anyhow::{Context, Result};

/// The numbers in the cells behind the one that says `name`, in a table of this page, up to the next cell that is none.
pub fn figures(page: &str, name: &str) -> Result<Vec<f64>> {
    let file = workspace().join("src/guide").join(page);
    let text = std::fs::read_to_string(&file)?;
    let cells = text.lines().filter(|line| line.starts_with('|'));
    let mut cells = cells.flat_map(|line| line.split('|')).map(str::trim);
    cells
        .find(|cell| *cell == name)
        .with_context(|| format!("{}: no cell says {name}", file.display()))?;
    let numbers = cells.map_while(|cell| cell.replace(',', "").parse().ok());
    Ok(numbers.collect())
}

/// Whether a page's figure is what was measured, but for rounding and a percent or two.
pub fn agrees(printed: f64, measured: f64) -> bool {
    (measured / printed - 1.0).abs() <= 0.03
}
