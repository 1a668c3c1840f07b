//! What larger mechanisms cost: chains of one to sixteen elastic links.

use super::chart::{Axis, Look, Panel};
use super::{Body, Chapter, Wish};
use crate::benchmark::chains::{Cost, exponent, on_board};
use crate::certificate::report::thousands;
use crate::emulator::board;
use anyhow::Result;

/// The chapter.
pub fn chapter(wish: &Wish) -> Result<Chapter> {
    let board = board(wish.board)?;
    wish.say(&format!("chains: {}", board.core));
    let (costs, code) = on_board(board)?;
    let curves = vec![
        panel("instructions a step", &costs, |cost| cost.instructions),
        panel("bytes of stack", &costs, |cost| cost.stack.into()),
    ];
    let exhibits = [
        ("chains-table", table(&costs)),
        ("chains-curves", curves.into()),
    ];
    let mut chapter = Chapter::of("chains", exhibits)?;
    let (core, code) = (board.core, thousands(code));
    chapter.text.push(format!(
        "Measured on {core}; the code of all of them: {code} bytes."
    ));
    Ok(chapter)
}

fn table([lean, full]: &[Vec<Cost>; 2]) -> Body {
    let header = "links | lean | power | stack | full | power | stack";
    let cells = |costs: &[Cost], k: usize| {
        if k >= costs.len() {
            return [const { String::new() }; 3];
        }
        let at = |k: usize| (costs[k].links, costs[k].instructions);
        let power = match k {
            0 => String::new(),
            _ => format!("{:.2}", exponent(at(k - 1), at(k))),
        };
        let count = thousands(costs[k].instructions as u64);
        [count, power, thousands(costs[k].stack.into())]
    };
    let rows = (0..lean.len()).map(|k| {
        let mut row = vec![lean[k].links.to_string()];
        row.extend(cells(lean, k));
        row.extend(cells(full, k));
        row
    });
    Body::plain(header, rows.collect())
}

/// Both axes logarithmic, with a cubic to compare with.
fn panel(title: &str, costs: &[Vec<Cost>; 2], figure: fn(&Cost) -> f64) -> Panel {
    let axes = Panel::new(title, Axis::logarithmic("links"), Axis::logarithmic(""));
    let panel = costs
        .iter()
        .zip(["lean", "full"])
        .fold(axes, |panel, (costs, name)| {
            let points = costs.iter().map(|cost| (cost.links as f64, figure(cost)));
            panel.with(name, Look::Both, points)
        });
    let least = costs[0].first().map_or(0.0, figure);
    let top = costs[1].last().map_or(0.0, figure);
    let cubic = [1.0, 2.0, 4.0, 8.0].map(|links: f64| (links, top * (links / 8.0).powi(3)));
    let inside = cubic.into_iter().filter(|(_, y)| *y >= least);
    panel.coloured(6, "cubic", Look::Line, inside)
}
