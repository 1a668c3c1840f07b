//! The benchmark beside other solvers.

use super::chart::{Axis, Look, Panel};
use super::{Body, Chapter, Exhibit};
use crate::benchmark::peers::{PEERS, Peer};
use crate::benchmark::rows::{Row, on_board, on_host};
use crate::certificate::cycles::Flash;
use crate::certificate::report::thousands;
use crate::emulator::board;
use crate::figures::Comparison;
use anyhow::Result;

const SOURCE: &str = "host-tests/src/benchmark/peers.rs";

/// The chapter.
pub fn chapter(say: &dyn Fn(&str)) -> Result<Chapter> {
    say("peers: Cortex-M4F");
    let mut rows = on_board(board("m4f")?, Flash { wait_states: 0 })?;
    say("peers: this machine");
    let host = on_host(false)?;
    let left_out = host.is_empty();
    rows.extend(host);
    // Only what somebody else solves, too.
    rows.retain(|row| PEERS.iter().any(|peer| same(row, peer)));
    let mut text = vec![
        "The same plants with the same steps by other solvers, which were measured in the same way: CasADi 3.8.2 (generated collocation code), \
         acados 21376cb with BLASFEO 0ab5db3, SUNDIALS 7.5.0, RADAU5 of 2002, numeris 0.6.0, compiled with gcc 12 -O2 where they are C or \
         Fortran. Instructions a step, or of the whole run where the solver chooses its steps."
            .to_owned(),
    ];
    if left_out {
        text.push("valgrind is not installed here, so nothing was measured on this machine; the Cortex-M4F is all there is.".to_owned());
    }
    let mut exhibits = Vec::new();
    let charts: Vec<Panel> = [
        ("m4f", "f32", "Cortex-M4F, single precision"),
        ("m4f", "f64", "Cortex-M4F, double precision"),
        ("host", "f64", "this machine, double precision"),
    ]
    .into_iter()
    .filter_map(|(target, scalar, title)| chart(&rows, target, scalar, title))
    .collect();
    exhibits.push(Exhibit::new(
        "peers-chart",
        "Instructions a step",
        "Fixed steps only. Ours is the most exact of our rows for a problem.",
        SOURCE,
        Body::Chart(charts),
    ));
    exhibits.push(Exhibit::new(
        "peers-table",
        "The benchmark beside its peers",
        "Instructions, and the largest error at the end where it is known.",
        SOURCE,
        table(&rows),
    ));
    exhibits.push(Exhibit::new(
        "peers-fewer",
        "Fewer instructions than each",
        "Ours over the peer's, where both take a step or both a whole run.",
        SOURCE,
        Body::List(ratios(&rows)),
    ));
    Ok(Chapter {
        id: "peers",
        title: "The benchmark beside other solvers",
        text,
        exhibits,
    })
}

fn same(row: &Row, peer: &Peer) -> bool {
    row.problem.starts_with(peer.problem) && peer.target == row.target && peer.scalar == row.scalar
}

fn adaptive(row: &Row) -> bool {
    row.problem.starts_with("adaptive")
}

fn table(rows: &[Row]) -> Body {
    let header = ["problem", "where", "solver", "instructions", "error"];
    let error =
        |error: Option<f64>| error.map_or_else(|| "–".to_owned(), |error| format!("{error:.1e}"));
    let count = |instructions: f64, run: bool| {
        let of = if run { "the run " } else { "" };
        format!("{of}{}", thousands(instructions.round() as u64))
    };
    let mut all: Vec<Vec<String>> = Vec::new();
    for row in rows {
        let place = format!("{}, {}", row.target, row.scalar);
        all.push(vec![
            row.problem.clone(),
            place.clone(),
            format!("stiffstep, {}", row.method),
            count(row.instructions_per_step, adaptive(row)),
            error(row.error),
        ]);
    }
    for peer in &PEERS {
        all.push(vec![
            peer.problem.to_owned(),
            format!("{}, {}", peer.target, peer.scalar),
            peer.solver.to_owned(),
            peer.instructions.map_or_else(
                || "fails".to_owned(),
                |instructions| count(instructions.into(), peer.whole_run),
            ),
            error(peer.error),
        ]);
    }
    // Ours first within a problem and a place, because the sort keeps their order.
    let key = |row: &Vec<String>| (row[1].clone(), row[0].chars().take(8).collect::<String>());
    all.sort_by_key(key);
    Body::Plain {
        header: header.map(str::to_owned).to_vec(),
        rows: all,
    }
}

fn ratios(rows: &[Row]) -> Vec<Comparison> {
    let mut all = Vec::new();
    for peer in &PEERS {
        let Some(theirs) = peer.instructions else {
            continue;
        };
        for row in rows
            .iter()
            .filter(|row| same(row, peer) && adaptive(row) == peer.whole_run)
        {
            // A run that is adaptive elsewhere and not here cannot be compared step by step.
            let what = format!(
                "{}, {}, {}, {}: over {}",
                row.problem, row.target, row.scalar, row.method, peer.solver
            );
            all.push(Comparison::limit(
                what,
                row.instructions_per_step / f64::from(theirs),
                1.0,
            ));
        }
    }
    all
}

fn chart(rows: &[Row], target: &str, scalar: &str, title: &str) -> Option<Panel> {
    let here = |row: &&Row| row.target == target && row.scalar == scalar && !adaptive(row);
    let mut names: Vec<String> = Vec::new();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut problems: Vec<&str> = Vec::new();
    for peer in PEERS
        .iter()
        .filter(|peer| !peer.whole_run && peer.target == target && peer.scalar == scalar)
    {
        if peer.instructions.is_some() && !problems.contains(&peer.problem) {
            problems.push(peer.problem);
        }
    }
    for problem in problems {
        let mine = rows
            .iter()
            .filter(here)
            .filter(|row| row.problem.starts_with(problem));
        let exact = |row: &&Row| row.error.unwrap_or(f64::INFINITY);
        let best = mine.min_by(|a, b| exact(a).total_cmp(&exact(b)))?;
        ours.push((best.instructions_per_step, names.len() as f64));
        names.push(format!("{problem}, stiffstep"));
        let peers = PEERS
            .iter()
            .filter(|peer| same(best, peer) && !peer.whole_run);
        for peer in peers {
            if let Some(instructions) = peer.instructions {
                theirs.push((f64::from(instructions), names.len() as f64));
                names.push(peer.solver.to_owned());
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
