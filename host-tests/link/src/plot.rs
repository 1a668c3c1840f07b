//! A picture of a recording: one curve a signal, signals of the same unit in the same frame.

use super::recording::Recording;
use anyhow::{Context, Result, anyhow, bail};
use plotters::prelude::*;
use std::path::Path;

/// Points of a curve: more would not be seen.
const POINTS: usize = 4_000;

/// Draws a recording.
pub fn plot(recording: &Recording, path: &Path) -> Result<()> {
    let (Some(first), Some(last)) = (recording.rows.first(), recording.rows.last()) else {
        bail!("there is nothing in the recording to draw");
    };
    // The errors of the library borrow from the drawing and cannot be passed on.
    draw(recording, (first.0, last.0), path)
        .map_err(|error| anyhow!("{error}"))
        .with_context(|| format!("{} could not be drawn", path.display()))
}

/// The columns by their units, in the order of the first of each.
fn by_unit(columns: &[String]) -> Vec<(String, Vec<usize>)> {
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let unit = column.split_once('[').map_or("", |(_, unit)| unit);
        let unit = unit.trim_end_matches(']').to_owned();
        match groups.iter_mut().find(|(known, _)| *known == unit) {
            Some((_, members)) => members.push(index),
            None => groups.push((unit, vec![index])),
        }
    }
    groups
}

fn draw(
    recording: &Recording,
    (from, to): (f64, f64),
    path: &Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let groups = by_unit(&recording.columns);
    let height = 60 + 240 * groups.len() as u32;
    let root = SVGBackend::new(path, (1000, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let body = root.titled(&recording.title, ("sans-serif", 18))?;
    let every = recording.rows.len().div_ceil(POINTS).max(1);
    for ((unit, members), area) in groups.iter().zip(body.split_evenly((groups.len(), 1))) {
        let values = || {
            let rows = recording.rows.iter();
            rows.flat_map(|row| members.iter().filter_map(|&k| row.1.get(k).copied()))
        };
        let (low, high) = (
            values().fold(f64::INFINITY, f64::min),
            values().fold(f64::NEG_INFINITY, f64::max),
        );
        let margin = ((high - low) * 0.05).max(1e-6 * high.abs()).max(1e-9);
        let mut axes = ChartBuilder::on(&area)
            .margin(10)
            .x_label_area_size(34)
            .y_label_area_size(64)
            .build_cartesian_2d(from..to.max(from + 1e-9), low - margin..high + margin)?;
        axes.configure_mesh()
            .x_desc("t [s]")
            .y_desc(unit)
            .light_line_style(WHITE)
            .draw()?;
        for (colour, &k) in members.iter().enumerate() {
            let colour = Palette99::pick(colour).to_rgba();
            let rows = recording.rows.iter().step_by(every);
            let points = rows.filter_map(|row| Some((row.0, *row.1.get(k)?)));
            let name = recording.columns.get(k).map_or("", |name| name);
            axes.draw_series(LineSeries::new(points, colour.stroke_width(2)))?
                .label(name)
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2))
                });
        }
        axes.configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()?;
    }
    root.present()?;
    Ok(())
}
