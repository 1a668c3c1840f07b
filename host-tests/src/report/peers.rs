//! The benchmark beside other solvers.

use super::chart::{Axis, Look, Panel};
use super::{Body, Chapter, Wish};
use crate::benchmark::peers::{Peer, peers};
use crate::benchmark::rows::{Row, on_board, on_host};
use crate::certificate::cycles::Flash;
use crate::certificate::report::thousands;
use crate::emulator::board;
use crate::figures::{Comparison, Figures};
use crate::unique;
use anyhow::Result;

/// The chapter.
pub fn chapter(wish: &Wish) -> Result<Chapter> {
    wish.say("peers: Cortex-M4F");
    let mut rows = on_board(board("m4f")?, Flash { wait_states: 0 })?;
    wish.say("peers: this machine");
    let host = on_host(false)?;
    let left_out = host.is_empty();
    rows.extend(host);
    // Only what somebody else solves, too.
    let peers = peers()?;
    rows.retain(|row| peers.iter().any(|peer| same(row, peer)));
    let charts: Vec<Panel> = [
        ("m4f", "f32", "Cortex-M4F, single precision"),
        ("m4f", "f64", "Cortex-M4F, double precision"),
        ("host", "f64", "this machine, double precision"),
    ]
    .into_iter()
    .filter_map(|(target, scalar, title)| chart(&rows, &peers, target, scalar, title))
    .collect();
    let exhibits = [
        ("peers-chart", charts.into()),
        ("peers-table", table(&rows, &peers)),
        ("peers-fewer", ratios(&rows, &peers).into()),
    ];
    let mut chapter = Chapter::of("peers", exhibits)?;
    if left_out {
        chapter.text.push("valgrind is not installed here, so nothing was measured on this machine; the Cortex-M4F is all there is.".to_owned());
    }
    Ok(chapter)
}

fn same(row: &Row, peer: &Peer) -> bool {
    row.problem.starts_with(&peer.problem) && peer.target == row.target && peer.scalar == row.scalar
}

fn adaptive(row: &Row) -> bool {
    row.problem.starts_with("adaptive")
}

fn table(rows: &[Row], peers: &[Peer]) -> Body {
    let header = "problem | where | solver | instructions | error";
    let error =
        |error: Option<f64>| error.map_or_else(|| "–".to_owned(), |error| format!("{error:.1e}"));
    let count = |instructions: f64, run: bool| {
        let of = if run { "the run " } else { "" };
        format!("{of}{}", thousands(instructions.round() as u64))
    };
    let mut all: Vec<Vec<String>> = Vec::new();
    for row in rows {
        all.push(vec![
            row.problem.clone(),
            format!("{}, {}", row.target, row.scalar),
            format!("stiffstep, {}", row.method),
            count(row.instructions_per_step, adaptive(row)),
            error(row.error),
        ]);
    }
    for peer in peers {
        let theirs = peer.instructions.map(|n| count(n.into(), peer.whole_run));
        all.push(vec![
            peer.problem.clone(),
            format!("{}, {}", peer.target, peer.scalar),
            peer.solver.clone(),
            theirs.unwrap_or_else(|| "fails".to_owned()),
            error(peer.error),
        ]);
    }
    // Ours first within a problem and a place, because the sort keeps their order.
    let key = |row: &Vec<String>| (row[1].clone(), row[0].chars().take(8).collect::<String>());
    all.sort_by_key(key);
    Body::plain(header, all)
}

fn ratios(rows: &[Row], peers: &[Peer]) -> Vec<Comparison> {
    let mut all = Vec::new();
    for peer in peers {
        let Some(theirs) = peer.instructions else {
            continue;
        };
        let alike = |row: &&Row| same(row, peer) && adaptive(row) == peer.whole_run;
        for row in rows.iter().filter(alike) {
            // A run that is adaptive elsewhere and not here cannot be compared step by step.
            let names = [&*row.problem, &row.target, &row.scalar, &row.method];
            let what = format!("{}: over {}", names.join(", "), peer.solver);
            all.limit(what, row.instructions_per_step / f64::from(theirs), 1.0);
        }
    }
    all
}

fn chart(rows: &[Row], peers: &[Peer], target: &str, scalar: &str, title: &str) -> Option<Panel> {
    let here = |row: &&Row| row.target == target && row.scalar == scalar && !adaptive(row);
    let mut names: Vec<String> = Vec::new();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let there = peers.iter().filter(|peer| {
        let same = peer.target == target && peer.scalar == scalar;
        same && !peer.whole_run && peer.instructions.is_some()
    });
    for problem in unique(there.map(|peer| peer.problem.as_str())) {
        let mine = rows.iter().filter(here);
        let mine = mine.filter(|row| row.problem.starts_with(problem));
        let exact = |row: &&Row| row.error.unwrap_or(f64::INFINITY);
        let best = mine.min_by(|a, b| exact(a).total_cmp(&exact(b)))?;
        ours.push((best.instructions_per_step, names.len() as f64));
        names.push(format!("{problem}, stiffstep"));
        for peer in peers
            .iter()
            .filter(|peer| same(best, peer) && !peer.whole_run)
        {
            if let Some(instructions) = peer.instructions {
                theirs.push((f64::from(instructions), names.len() as f64));
                names.push(peer.solver.clone());
            }
        }
    }
    let x = Axis::logarithmic("instructions a step").within(1e2, 1e6);
    let panel = Panel::new(title, x, Axis::names(names));
    (!ours.is_empty()).then(|| {
        panel
            .coloured(0, "stiffstep", Look::Bars, ours)
            .coloured(6, "others", Look::Bars, theirs)
    })
}
