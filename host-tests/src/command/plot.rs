//! Drawings as SVG files in cargo's target folder.
//!
//! Logarithmic axes are those of the exponents: tick marks at whole powers of ten, whatever the library thinks of logarithms.

use anyhow::{Context, Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::path::PathBuf;

/// What is drawn on.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Two axes on it.
pub type Axes<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Whether drawing worked. The errors of the library borrow from the drawing and cannot be passed on as they are.
pub type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Draws a file of that name and size and says where it is.
pub fn plot(file: &str, size: (u32, u32), draw: impl FnOnce(&Area) -> Drawn) -> Result<PathBuf> {
    let path = folder()?.join(file);
    let onto = || -> Drawn {
        let root = SVGBackend::new(&path, size).into_drawing_area();
        root.fill(&WHITE)?;
        draw(&root)?;
        root.present()?;
        Ok(())
    };
    onto()
        .map_err(|error| anyhow!("{error}"))
        .with_context(|| format!("{} could not be drawn", path.display()))?;
    Ok(path)
}

/// Cargo's target folder: the one that this program was built into.
pub fn folder() -> Result<PathBuf> {
    let program = std::env::current_exe().context("this program does not know where it is")?;
    let folder = program.ancestors().nth(2);
    Ok(folder
        .context("this program is not in a target folder")?
        .to_path_buf())
}

/// The label of an exponent.
pub fn power_of_ten(exponent: &f64) -> String {
    format!("1e{exponent:.0}")
}

/// A line in a legend.
pub fn key((x, y): (i32, i32), style: ShapeStyle) -> PathElement<(i32, i32)> {
    PathElement::new([(x, y), (x + 18, y)], style)
}
