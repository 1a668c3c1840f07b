//! A picture of a recording: one curve a signal, signals of the same unit in the same frame.

use super::chart::{Axis, Look, Panel};
use super::drawing::sheet;
use super::recording::Recording;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;

/// Points of a curve: more would not be seen.
const POINTS: usize = 4_000;

/// Draws a recording.
pub fn plot(recording: &Recording, path: &Path) -> Result<()> {
    let Recording {
        title,
        columns,
        rows,
    } = recording;
    ensure!(
        !rows.is_empty(),
        "there is nothing in the recording to draw"
    );
    let every = rows.len().div_ceil(POINTS).max(1);
    let panel = |(n, (unit, members)): (usize, (String, Vec<usize>))| {
        let title = if n == 0 { title } else { "" };
        let axes = Panel::new(title, Axis::linear("t [s]"), Axis::linear(&unit)).sized(1000, 260);
        members.into_iter().fold(axes, |panel, k| {
            let points = rows.iter().step_by(every);
            let points = points.filter_map(|row| Some((row.0, *row.1.get(k)?)));
            panel.with(&columns[k], Look::Line, points)
        })
    };
    let panels: Vec<Panel> = by_unit(columns)
        .into_iter()
        .enumerate()
        .map(panel)
        .collect();
    fs::write(path, sheet(&panels, 1)?)
        .with_context(|| format!("{} could not be written", path.display()))
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
