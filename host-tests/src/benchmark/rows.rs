//! Our own figures, measured.

use super::limits::{LIMITS, Limit};
use super::{error, workload};
use crate::callgrind;
use crate::emulator::Board;
use crate::emulator::bench::counted;
use crate::emulator::record::Run;
use anyhow::{Context, Result};
use serde::Serialize;

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
    /// The most instructions it may take, if there is a limit.
    pub instructions_limit: Option<f64>,
    /// The largest error it may have.
    pub error_limit: Option<f64>,
}

impl Row {
    fn limited(mut self) -> Self {
        let found = LIMITS.iter().find(|limit: &&Limit| {
            (limit.problem, limit.target, limit.scalar, limit.method)
                == (&*self.problem, &*self.target, &*self.scalar, &*self.method)
        });
        self.instructions_limit = found.map(|limit| limit.instructions);
        self.error_limit = found.map(|limit| limit.error);
        self
    }

    /// In words, what exceeds its limit.
    pub fn excess(&self) -> Option<String> {
        let over = |value: f64, limit: Option<f64>| limit.is_some_and(|limit| value > limit);
        let error = self.error.unwrap_or(0.0);
        if over(self.instructions_per_step, self.instructions_limit)
            || over(error, self.error_limit)
        {
            return Some(format!(
                "{}, {}, {} on {}: {:.0} instructions (at most {:.0}), error {error:.1e} (at most {:.1e})",
                self.problem,
                self.method,
                self.scalar,
                self.target,
                self.instructions_per_step,
                self.instructions_limit.unwrap_or(f64::INFINITY),
                self.error_limit.unwrap_or(f64::INFINITY)
            ));
        }
        None
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
        instructions_limit: None,
        error_limit: None,
    }
    .limited()
}

/// The benchmark's problems on a board.
pub fn on_board(board: Board) -> Result<Vec<Row>> {
    Ok(counted(board, "P")?
        .iter()
        .map(|run| row(board, run))
        .collect())
}

/// Ten thousand steps of plants like the benchmark's, of which the dearest and the cheapest are of interest.
pub fn long_on_board(board: Board) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for group in ["linear", "spring pendulum", "rigid pendulum", "lean arm"] {
        let runs = counted(board, group)?;
        let long = |run: &&Run| run.record.steps == 10_000 && run.name.scalar == "f32";
        rows.extend(runs.iter().filter(long).map(|run| row(board, run)));
    }
    Ok(rows)
}

/// The problems that have a limit on the host; none if there is nothing to count instructions with.
pub fn on_host() -> Result<Vec<Row>> {
    if !callgrind::available() {
        return Ok(Vec::new());
    }
    let program = callgrind::program()?;
    let limits = LIMITS.iter().filter(|limit| limit.target == "host");
    limits
        .map(|limit| {
            let (problem, scalar, method) = (limit.problem, limit.scalar, limit.method);
            let workload = workload(problem, scalar, method).context("no such workload")?;
            let record = workload.run(&mut ());
            let error = error(problem, scalar, &record);
            let total = callgrind::collected(&program, problem, scalar, method)? as f64;
            let whole = workload.steps == 0;
            let a_step = total / f64::from(record.steps);
            Ok(Row {
                problem: problem.into(),
                target: "host".into(),
                scalar: scalar.into(),
                method: method.into(),
                instructions_per_step: if whole { total } else { a_step },
                instructions_min: None,
                instructions_max: None,
                error: error.is_finite().then_some(error),
                steps: record.steps,
                stack: None,
                instructions_limit: None,
                error_limit: None,
            }
            .limited())
        })
        .collect()
}
