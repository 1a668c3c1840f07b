//! `cargo xtask bench`: the benchmark on boards and on this machine, beside what peers need for the same.

use crate::install;
use crate::stage::Stages;
use anyhow::{Context, Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use std::fs;
use std::path::PathBuf;
use stiffstep_host_tests::benchmark::budgets::{Budget, Budgets};
use stiffstep_host_tests::benchmark::peers::{PEERS, Peer};
use stiffstep_host_tests::benchmark::rows::{Row, long_on_board, on_board, on_host};
use stiffstep_host_tests::certificate::report::thousands;
use stiffstep_host_tests::emulator::board;

/// Where the benchmark runs besides this machine.
const TARGETS: [&str; 3] = ["m0", "m4f", "m7"];

/// What becomes of the figures.
#[derive(clap::Args)]
pub struct Output {
    /// Writes them to a file, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Measures, shows, and fails if a limit is exceeded.
pub fn bench(output: &Output) -> Result<()> {
    let budgets = Budgets::read()?;
    let boards = TARGETS.map(board).into_iter().collect::<Result<Vec<_>>>()?;
    let mut stages = Stages::new(boards.len() + 3);
    stages.run("tools", |bar| {
        install::targets(&boards, bar)?;
        install::emulator(bar)?;
        Ok(String::new())
    })?;
    let mut rows = Vec::new();
    for &board in &boards {
        stages.run(&format!("the benchmark on {}", board.core), |_| {
            rows.extend(on_board(board)?);
            Ok(String::new())
        })?;
    }
    let mut long = Vec::new();
    stages.run("ten thousand steps of each plant", |_| {
        long = long_on_board(board("m4f")?)?;
        Ok(String::new())
    })?;
    stages.run("this machine", |_| {
        let host = on_host(true)?;
        let said = if host.is_empty() {
            "left out: valgrind is not installed"
        } else {
            ""
        };
        rows.extend(host);
        Ok(said.to_owned())
    })?;
    println!("\n{}", table(&rows, &budgets));
    println!("{}", jitter(&long));
    if let Some(path) = &output.json {
        let all: Vec<&Row> = rows.iter().chain(&long).collect();
        let text =
            serde_json::to_string_pretty(&serde_json::json!({ "rows": all, "peers": PEERS }))?;
        fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))?;
        println!("figures: {}", path.display());
    }
    let mut excess = budgets.excess(&rows)?;
    excess.extend(long.iter().filter_map(|row| row.uneven(budgets.jitter)));
    if !excess.is_empty() {
        bail!("limits are exceeded:\n{}", excess.join("\n"));
    }
    Ok(())
}

/// Peers that solve the same problem on the same target in the same precision.
fn peers(row: &Row) -> String {
    let same = |peer: &&Peer| {
        row.problem.starts_with(peer.problem)
            && peer.target == row.target
            && peer.scalar == row.scalar
    };
    let text = |peer: &Peer| match peer.instructions {
        Some(instructions) => {
            let run = if peer.whole_run { " the run" } else { "" };
            let error = peer
                .error
                .map_or(String::new(), |error| format!(", {error:.0e}"));
            format!(
                "{} {}{run}{error}",
                peer.solver,
                thousands(instructions.into())
            )
        }
        None => format!("{} fails", peer.solver),
    };
    let all: Vec<String> = PEERS.iter().filter(same).map(text).collect();
    all.join("\n")
}

fn table(rows: &[Row], budgets: &Budgets) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header([
        "problem",
        "target",
        "",
        "method",
        "instructions",
        "least",
        "most",
        "at most",
        "error",
        "at most",
        "peers",
    ]);
    let number = |value: Option<f64>| value.map_or(String::new(), |value| thousands(value as u64));
    let small = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.1e}"));
    for row in rows {
        let promise: Option<&Budget> = budgets.of(row);
        table.add_row([
            row.problem.clone(),
            row.target.clone(),
            row.scalar.clone(),
            row.method.clone(),
            thousands(row.instructions_per_step as u64),
            number(row.instructions_min.map(f64::from)),
            number(row.instructions_max.map(f64::from)),
            number(promise.and_then(|budget| budget.promised)),
            small(row.error),
            small(promise.and_then(|budget| budget.error)),
            peers(row),
        ]);
    }
    for column in table.column_iter_mut().skip(4).take(6) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn jitter(rows: &[Row]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(["10,000 steps, M4F, f32", "method", "least", "most", "ratio"]);
    for row in rows {
        table.add_row([
            row.problem.clone(),
            row.method.clone(),
            row.instructions_min.unwrap_or(0).to_string(),
            row.instructions_max.unwrap_or(0).to_string(),
            format!("{:.3}", row.jitter()),
        ]);
    }
    table
}
