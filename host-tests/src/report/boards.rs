//! What a step costs on each board.

use super::chart::{Axis, Look, Panel};
use super::{Body, Chapter, Wish};
use crate::benchmark::budgets::Budgets;
use crate::benchmark::rows::{Row, costs_on_board};
use crate::certificate::report::thousands;
use crate::emulator::{BOARDS, Board};
use crate::figures::Comparison;
use anyhow::Result;

/// The boards with what was measured on each, and how many runs had other bits than this machine.
type Measured = Vec<(Board, Vec<Row>, usize)>;

/// The chapter.
pub fn chapter(wish: &Wish) -> Result<Chapter> {
    let mut all = Vec::new();
    for board in BOARDS {
        wish.say(&format!("boards: {}", board.core));
        let (rows, different) = costs_on_board(board)?;
        all.push((board, rows, different));
    }
    let bits = all.iter().map(|(board, rows, different)| {
        let runs = format!("{}: runs of {}", board.core, rows.len());
        let what = format!("{runs} with another bit than on this machine");
        Comparison::limit(what, *different as f64, 0.0)
    });
    let charts = vec![chart(&all, "f32"), chart(&all, "f64")];
    Chapter::of(
        "boards",
        vec![
            ("boards-bits", Body::List(bits.collect())),
            ("boards-chart", charts.into()),
            ("boards-single", table(&all, "f32")),
            ("boards-double", table(&all, "f64")),
            ("boards-stack", stack(&all)),
            ("boards-limits", limits(&all)?.into()),
        ],
    )
}

/// What problems and methods were measured in a precision: those of the first board.
fn names(all: &Measured, scalar: &str) -> Vec<(String, String)> {
    let rows = all.first().map_or(&[][..], |(_, rows, _)| rows);
    let named = rows.iter().filter(|row| row.scalar == scalar);
    named
        .map(|row| (row.problem.clone(), row.method.clone()))
        .collect()
}

fn find<'a>(rows: &'a [Row], name: &(String, String), scalar: &str) -> Option<&'a Row> {
    rows.iter()
        .find(|row| (&row.problem, &row.method) == (&name.0, &name.1) && row.scalar == scalar)
}

fn body(all: &Measured, scalar: &str, cell: fn(&Row) -> String) -> Body {
    let mut header = vec!["problem".to_owned(), "method".to_owned()];
    header.extend(all.iter().map(|(board, _, _)| board.core.to_owned()));
    let row = |name: (String, String)| {
        let cells = all
            .iter()
            .map(|(_, rows, _)| find(rows, &name, scalar).map_or_else(|| "–".to_owned(), cell));
        let cells: Vec<String> = cells.collect();
        [vec![name.0.clone(), name.1.clone()], cells].concat()
    };
    let rows = names(all, scalar).into_iter().map(row).collect();
    Body::Plain { header, rows }
}

fn table(all: &Measured, scalar: &str) -> Body {
    body(all, scalar, |row| {
        let most = row.instructions_max.unwrap_or(0);
        let mean = thousands(row.instructions_per_step.round() as u64);
        format!("{mean} ({})", thousands(most.into()))
    })
}

fn stack(all: &Measured) -> Body {
    body(all, "f32", |row| thousands(row.stack.unwrap_or(0).into()))
}

fn chart(all: &Measured, scalar: &str) -> Panel {
    let wanted = names(all, scalar);
    let labels = wanted.iter().map(|name| name.0.clone()).collect();
    let title = match scalar {
        "f32" => "single precision",
        _ => "double precision",
    };
    let x = Axis::logarithmic("instructions a step").within(1e2, 1e7);
    let axes = Panel::new(title, x, Axis::names(labels));
    all.iter().fold(axes, |panel, (board, rows, _)| {
        let points = wanted.iter().enumerate().filter_map(|(k, name)| {
            Some((find(rows, name, scalar)?.instructions_per_step, k as f64))
        });
        panel.with(board.core.trim_start_matches("Cortex-"), Look::Dots, points)
    })
}

fn limits(all: &Measured) -> Result<Vec<Comparison>> {
    let budgets = Budgets::read()?;
    let rows = all.iter().flat_map(|(_, rows, _)| rows);
    let limited = rows.filter_map(|row| Some((row, budgets.of(row)?)));
    let comparisons = limited.flat_map(|(row, budget)| {
        let name = [&*row.target, &row.problem, &row.scalar, &row.method].join(", ");
        let cost = budget.promised.map(|limit| {
            let ours = row.instructions_per_step.round();
            Comparison::limit(format!("{name}: instructions"), ours, limit)
        });
        let error = budget.error.map(|limit| {
            // A run that did not get there has no error.
            let ours = row.error.unwrap_or(f64::NAN);
            Comparison::limit(format!("{name}: error"), ours, limit)
        });
        [cost, error].into_iter().flatten()
    });
    Ok(comparisons.collect())
}
