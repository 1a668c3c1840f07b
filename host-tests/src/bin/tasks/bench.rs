//! `cargo xtask bench`: the benchmark on boards and on this machine, beside what peers need for the same.

use crate::install;
use crate::stage::Stages;
use crate::table::table_of;
use anyhow::{Result, bail};
use comfy_table::{CellAlignment, Table};
use serde_json::json;
use std::path::PathBuf;
use stiffstep_host_tests::benchmark::budgets::{Budget, Budgets};
use stiffstep_host_tests::benchmark::peers::{self, Peer};
use stiffstep_host_tests::benchmark::rivals::{self, Rival};
use stiffstep_host_tests::benchmark::rows::{
    Row, double_on_m7, long_on_board, on_board, on_host, on_pico, tuned,
};
use stiffstep_host_tests::certificate::cycles::Flash;
use stiffstep_host_tests::certificate::report::{thousands, write_figures};
use stiffstep_host_tests::emulator::board;
use stiffstep_host_tests::unique;

/// Where the benchmark runs besides this machine.
const TARGETS: [&str; 3] = ["m0", "m4f", "m7"];

/// What becomes of the figures.
#[derive(clap::Args)]
pub struct Output {
    /// Writes them to a file, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Installs solvers from PyPI and crates.io and runs them on the same problems on this machine instead, beside ours and what
    /// was recorded of others
    #[arg(long)]
    peers: bool,
    /// Wait states of the flash, for the cycles: with an accelerator like the STM32F4's
    #[arg(long, value_name = "CYCLES", default_value_t = 0)]
    wait_states: u32,
}

/// Measures, shows, and fails if a limit is exceeded.
pub fn bench(output: &Output) -> Result<()> {
    if output.peers {
        return beside_peers(output);
    }
    let budgets = Budgets::read()?;
    let boards = TARGETS.map(board).into_iter().collect::<Result<Vec<_>>>()?;
    let flash = Flash {
        wait_states: output.wait_states,
    };
    let mut stages = Stages::new(boards.len() + 6);
    stages.make("tools", |bar| {
        install::targets(&boards, bar)?;
        install::emulator(bar)?;
        install::rp2040js(bar)
    })?;
    let mut rows = Vec::new();
    for &board in &boards {
        let title = format!("the benchmark on {}", board.core);
        rows.extend(stages.make(&title, |_| on_board(board, flash))?);
    }
    rows.extend(stages.make("Cortex-M4F by -C target-cpu=cortex-m4", |_| {
        on_board(tuned()?, flash)
    })?);
    rows.extend(stages.make("double precision on Cortex-M7", |_| double_on_m7())?);
    rows.extend(stages.make("cycles on the Raspberry Pi Pico", |_| on_pico())?);
    let long = stages.make("ten thousand steps of each plant", |_| {
        long_on_board(board("m4f")?)
    })?;
    stages.run("this machine", |_| {
        let host = on_host(true)?;
        let left_out = "left out: valgrind is not installed";
        let said = if host.is_empty() { left_out } else { "" };
        rows.extend(host);
        Ok(said.to_owned())
    })?;
    let recorded = peers::peers()?;
    println!("\n{}", table(&rows, &budgets, &recorded));
    println!(
        "instructions are counted; cycles are an estimate by the core's published table with {} wait states (Cortex-M0, M3, M4F), and counted by rp2040js on rp2040",
        output.wait_states
    );
    println!("{}", jitter(&long));
    if let Some(path) = &output.json {
        let all: Vec<&Row> = rows.iter().chain(&long).collect();
        write_figures(path, &json!({ "rows": all, "peers": recorded }))?;
    }
    let mut excess = budgets.excess(&rows)?;
    excess.extend(long.iter().filter_map(|row| row.uneven(budgets.jitter)));
    if !excess.is_empty() {
        bail!("limits are exceeded:\n{}", excess.join("\n"));
    }
    Ok(())
}

/// Runs what can be installed, shows it beside ours on this machine and beside what was recorded.
fn beside_peers(output: &Output) -> Result<()> {
    println!("{}", rivals::announcement());
    let mut stages = Stages::new(3);
    let (mut others, mut rows) = (Vec::new(), Vec::new());
    others.extend(stages.make("solvers from PyPI", |bar| {
        rivals::from_pypi(&|command| bar.command(command))
    })?);
    others.extend(stages.make("numeris from crates.io", |bar| {
        rivals::from_crates(&|command| bar.command(command))
    })?);
    stages.run("stiffstep", |_| {
        rows = on_host(true)?;
        let left_out = "left out: valgrind, which counts the instructions, is not installed";
        Ok(if rows.is_empty() { left_out } else { "" }.to_owned())
    })?;
    let recorded = peers::peers()?;
    println!("\n{}", beside(&others, &rows, &recorded));
    println!(
        "this machine, double precision; adaptive solvers with a tolerance of 1e-6; instructions a step where they can be counted; \
         recorded figures are those of `cargo xtask report`"
    );
    if let Some(path) = &output.json {
        let all = json!({ "installed": others, "rows": rows, "peers": recorded });
        write_figures(path, &all)?;
    }
    Ok(())
}

/// Problem by problem: ours, what ran, what was recorded on this kind of machine.
fn beside(others: &[Rival], rows: &[Row], peers: &[Peer]) -> Table {
    let mut lines = Vec::new();
    for problem in unique(others.iter().map(|other| other.problem.as_str())) {
        lines.extend(own_line(problem, rows));
        let same = others.iter().filter(|other| other.problem == problem);
        lines.extend(same.map(installed_line));
        let recorded = peers
            .iter()
            .filter(|peer| peer.problem == problem && peer.target == "host" && !peer.whole_run);
        lines.extend(recorded.map(|peer| {
            let solver = format!("{}, recorded", peer.solver);
            let figures = [None, None, peer.instructions.map(f64::from)];
            line([problem, &solver], figures, peer.error)
        }));
    }
    let header = "problem | solver | steps | evaluations | instructions a step | error";
    table_of(header, 2, lines)
}

/// A line of figures: steps, evaluations, instructions a step; and the error.
fn line(words: [&str; 2], figures: [Option<f64>; 3], error: Option<f64>) -> Vec<String> {
    let count = |value: Option<f64>| value.map_or(String::new(), |value| thousands(value as u64));
    let mut line: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    line.extend(figures.map(count));
    line.push(error.map_or(String::new(), |error| format!("{error:.1e}")));
    line
}

fn own_line(problem: &str, rows: &[Row]) -> Option<Vec<String>> {
    let own = rivals::ours(problem)?;
    let row = rows
        .iter()
        .find(|row| (&*row.problem, &*row.method) == own && row.scalar == "f64")?;
    // An adaptive run is counted as a whole.
    let adaptive = problem.starts_with("adaptive");
    let runs = if adaptive { f64::from(row.steps) } else { 1.0 };
    let solver = format!("stiffstep, {}", row.method);
    let a_step = row.instructions_per_step / runs;
    let figures = [Some(row.steps.into()), None, Some(a_step)];
    Some(line([problem, &solver], figures, row.error))
}

fn installed_line(other: &Rival) -> Vec<String> {
    let solver = format!("{} ({})", other.solver, other.version);
    let [steps, evaluations] = [other.steps, other.evaluations].map(|n| n.map(|n| n as f64));
    let figures = [steps, evaluations, other.instructions];
    let mut line = line([&other.problem, &solver], figures, other.error);
    if let (Some(reason), Some(last)) = (&other.fails, line.last_mut()) {
        *last = format!("fails: {reason}");
    }
    line
}

/// Peers that solve the same problem on the same target in the same precision.
fn peers_of(row: &Row, peers: &[Peer]) -> String {
    let same = |peer: &&Peer| {
        row.problem.starts_with(&peer.problem)
            && peer.target == row.target
            && peer.scalar == row.scalar
    };
    let text = |peer: &Peer| match peer.instructions {
        Some(instructions) => {
            let run = if peer.whole_run { " the run" } else { "" };
            let error = peer.error.map(|error| format!(", {error:.0e}"));
            let (count, error) = (thousands(instructions.into()), error.unwrap_or_default());
            format!("{} {count}{run}{error}", peer.solver)
        }
        None => format!("{} fails", peer.solver),
    };
    let all: Vec<String> = peers.iter().filter(same).map(text).collect();
    all.join("\n")
}

fn table(rows: &[Row], budgets: &Budgets, recorded: &[Peer]) -> Table {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| thousands(value as u64));
    let small = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.1e}"));
    let line = |row: &Row| {
        let promise: Option<&Budget> = budgets.of(row);
        vec![
            row.problem.clone(),
            row.target.clone(),
            row.scalar.clone(),
            row.method.clone(),
            thousands(row.instructions_per_step as u64),
            number(row.instructions_min.map(f64::from)),
            number(row.instructions_max.map(f64::from)),
            number(promise.and_then(|budget| budget.promised)),
            number(row.cycles_per_step),
            small(row.error),
            small(promise.and_then(|budget| budget.error)),
            peers_of(row, recorded),
        ]
    };
    let header = "problem | target | | method | instructions | least | most | at most | cycles | error | at most | peers";
    let mut table = table_of(header, 4, rows.iter().map(line).collect());
    for column in table.column_iter_mut().skip(11) {
        column.set_cell_alignment(CellAlignment::Left);
    }
    table
}

fn jitter(rows: &[Row]) -> Table {
    let line = |row: &Row| {
        vec![
            row.problem.clone(),
            row.method.clone(),
            row.instructions_min.unwrap_or(0).to_string(),
            row.instructions_max.unwrap_or(0).to_string(),
            format!("{:.3}", row.jitter()),
        ]
    };
    let header = "10,000 steps, M4F, f32 | method | least | most | ratio";
    table_of(header, 5, rows.iter().map(line).collect())
}
