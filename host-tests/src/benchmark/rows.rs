//! Our own figures, measured.

use super::budgets::Budgets;
use super::{error, workload};
use crate::callgrind;
use crate::emulator::Board;
use crate::emulator::bench::{counted, image};
use crate::emulator::boot::{Boot, boot};
use crate::emulator::record::{Run, runs};
use anyhow::{Context, Result};
use serde::Serialize;
use stiffstep_plants::workload::workloads;

/// A measured figure.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The problem.
    pub problem: String,
    /// The board, or `host`.
    pub target: String,
    /// The number type.
    pub scalar: String,
    /// The method.
    pub method: String,
    /// Instructions a step in the mean; of the whole run if it is adaptive.
    pub instructions_per_step: f64,
    /// Those of the cheapest step; unknown on the host, where only whole runs are counted.
    pub instructions_min: Option<u32>,
    /// Those of the dearest.
    pub instructions_max: Option<u32>,
    /// The largest error at the end.
    pub error: Option<f64>,
    /// Steps counted.
    pub steps: u32,
    /// Bytes of stack, on boards.
    pub stack: Option<u32>,
}

impl Row {
    /// The most instructions of a step over the fewest.
    pub fn jitter(&self) -> f64 {
        let (least, most) = (self.instructions_min, self.instructions_max);
        f64::from(most.unwrap_or(0)) / f64::from(least.unwrap_or(0))
    }

    /// In words, if the dearest step costs so many times the cheapest, or if the run broke off.
    pub fn uneven(&self, most: f64) -> Option<String> {
        let jitter = self.jitter();
        let good = jitter <= most && self.steps == LONG;
        (!good).then(|| {
            format!(
                "{}, {}, {} on {}: the dearest of {} steps costs {jitter:.3} times the cheapest, at most {most} over {LONG} is promised",
                self.problem, self.method, self.scalar, self.target, self.steps
            )
        })
    }
}

fn row(board: Board, run: &Run) -> Row {
    let name = &run.name;
    let error = error(&name.plant, &name.scalar, &run.record);
    Row {
        problem: name.plant.clone(),
        target: board.name.into(),
        scalar: name.scalar.clone(),
        method: name.method.clone(),
        instructions_per_step: run.instructions.typical(),
        instructions_min: Some(run.instructions.least),
        instructions_max: Some(run.instructions.most),
        error: error.is_finite().then_some(error),
        steps: run.record.steps,
        stack: Some(run.stack),
    }
}

/// The benchmark's problems on a board.
pub fn on_board(board: Board) -> Result<Vec<Row>> {
    Ok(counted(board, "P")?
        .iter()
        .map(|run| row(board, run))
        .collect())
}

/// The same from an image of its own, `benchmark` with all of it or `costs` with one row a problem, which are built in a fraction
/// of the time; and how many of the runs differ from this machine's in some bit.
pub fn alone_on_board(board: Board, binary: &'static str) -> Result<(Vec<Row>, usize)> {
    let how = Boot {
        counted: true,
        ..Boot::default()
    };
    let runs = runs(&boot(board, &image(board, binary)?, how)?)?;
    let differs = |run: &&Run| {
        let name = &run.name;
        workload(&name.plant, &name.scalar, &name.method)
            .is_none_or(|workload| workload.run(&mut ()) != run.record)
    };
    let different = runs.iter().filter(differs).count();
    Ok((runs.iter().map(|run| row(board, run)).collect(), different))
}

/// Ten thousand steps of everything that has a fixed budget, in single precision: of interest are the dearest and the cheapest.
pub fn long_on_board(board: Board) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    // P4 is driven with steady torques, which make it turn ever faster; the arms are the same plant, driven to and fro.
    // Names end at their first blank, where the emulator would cut them.
    for group in [
        "P1", "P2", "P3", "linear", "spring", "rigid", "lean", "full",
    ] {
        let runs = counted(board, &format!("{group};f32;{LONG}"))?;
        rows.extend(runs.iter().map(|run| row(board, run)));
    }
    Ok(rows)
}

/// What jitter is judged by.
pub const LONG: u32 = 10_000;

/// Problems on the host: all, or those with a promise. None if there is nothing to count instructions with.
pub fn on_host(all: bool) -> Result<Vec<Row>> {
    if !callgrind::available() {
        return Ok(Vec::new());
    }
    let program = callgrind::program()?;
    let promised = Budgets::read()?.steps;
    let promised = promised
        .into_iter()
        .filter(|budget| budget.target == "host");
    let mut names: Vec<[String; 3]> = promised
        .map(|budget| [budget.problem, budget.scalar, budget.method])
        .collect();
    for workload in workloads().filter(|workload| all && workload.plant.starts_with('P')) {
        let name = [workload.plant, workload.scalar, workload.method].map(str::to_owned);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
        .iter()
        .map(|[problem, scalar, method]| {
            let workload = workload(problem, scalar, method).context("no such workload")?;
            let record = workload.run(&mut ());
            let error = error(problem, scalar, &record);
            let total = callgrind::collected(&program, problem, scalar, method)? as f64;
            let whole = workload.steps == 0;
            let a_step = total / f64::from(record.steps);
            Ok(Row {
                problem: problem.clone(),
                target: "host".into(),
                scalar: scalar.clone(),
                method: method.clone(),
                instructions_per_step: if whole { total } else { a_step },
                instructions_min: None,
                instructions_max: None,
                error: error.is_finite().then_some(error),
                steps: record.steps,
                stack: None,
            })
        })
        .collect()
}
