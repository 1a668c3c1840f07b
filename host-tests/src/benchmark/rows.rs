//! Our own figures, measured.

use super::budgets::Budgets;
use super::{error, workload};
use crate::callgrind;
use crate::certificate::code::Code;
use crate::certificate::cycles::{Flash, table};
use crate::certificate::pico;
use crate::certificate::steps::{Step, cycles_an_instruction, followed};
use crate::emulator::alone::Alone;
use crate::emulator::bench::counted;
use crate::emulator::boot::{Boot, boot};
use crate::emulator::record::{Run, runs};
use crate::emulator::{Board, board};
use crate::unique;
use anyhow::{Context, Result, ensure};
use serde::Serialize;
use std::path::Path;
use stiffstep_plants::workload::{COSTS, workloads};

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
    /// Cycles a step: the instructions at the mean of traced steps by the core's published table, an estimate. Unknown where there
    /// is none.
    pub cycles_per_step: Option<f64>,
    /// Where they come from.
    pub cycles_by: Option<String>,
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

/// A workload's row on a target, with what is known everywhere.
fn row_of([problem, target, scalar, method]: [&str; 4], a_step: f64, steps: u32) -> Row {
    Row {
        problem: problem.into(),
        target: target.into(),
        scalar: scalar.into(),
        method: method.into(),
        instructions_per_step: a_step,
        instructions_min: None,
        instructions_max: None,
        cycles_per_step: None,
        cycles_by: None,
        error: None,
        steps,
        stack: None,
    }
}

fn row(board: Board, run: &Run) -> Row {
    let (name, instructions) = (&run.name, run.instructions);
    let error = error(&name.plant, &name.scalar, &run.record);
    let names = [&name.plant, board.name, &name.scalar, &name.method];
    Row {
        instructions_min: Some(instructions.least),
        instructions_max: Some(instructions.most),
        error: error.is_finite().then_some(error),
        stack: Some(run.stack),
        ..row_of(names, instructions.typical(), run.record.steps)
    }
}

/// The step of a workload, in every image.
pub const ENTRY: &str = "stiffstep_plants::workload::step";

/// Instructions that are traced for the cycles of an image: a line of the emulator's log each.
const TRACED: f64 = 6e4;

/// Steps with more than that are not traced, which would take minutes.
const TOO_LONG: f64 = 2.5e5;

/// The benchmark's problems on a board, each in an image of its own, with cycles if the core has a published table. On the Cortex-M4F chains of
/// links as well.
pub fn on_board(board: Board, flash: Flash) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for image in Alone::all() {
        rows.extend(of_image(board, image, Some(flash))?.0);
    }
    if board.name.starts_with("m4f") {
        rows.extend(chains(board, flash)?);
    }
    Ok(rows)
}

/// The chains of links on a board, each in an image of its own, from the shortest to the longest.
pub fn chains(board: Board, flash: Flash) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for image in Alone::chains() {
        let (measured, different) = of_image(board, image, Some(flash))?;
        ensure!(different == 0, "a bit differs");
        rows.extend(measured);
    }
    Ok(rows)
}

/// One row of each problem without cycles, and how many of the runs differ from this machine's in some bit.
pub fn costs_on_board(board: Board) -> Result<(Vec<Row>, usize)> {
    let (mut rows, mut different) = (Vec::new(), 0);
    for of in COSTS {
        let (measured, differ) = of_image(board, Alone::of(of), None)?;
        rows.extend(measured.into_iter().filter(|row| row.problem == of.plant));
        different += differ;
    }
    Ok((rows, different))
}

/// The rows of an image, and how many of its runs differ from this machine's in some bit.
pub fn of_image(board: Board, alone: Alone, cycles: Option<Flash>) -> Result<(Vec<Row>, usize)> {
    let image = alone.image(board)?;
    let runs = runs(&boot(board, &image, Boot::counted())?)?;
    ensure!(runs.len() == alone.rows().count(), "a row is missing");
    let differs = |run: &&Run| {
        let name = &run.name;
        workload(&name.plant, &name.scalar, &name.method)
            .is_none_or(|workload| workload.run(&mut ()) != run.record)
    };
    let different = runs.iter().filter(differs).count();
    let mut rows: Vec<Row> = runs.iter().map(|run| row(board, run)).collect();
    let a_step = rows.first().map_or(0.0, |row| row.instructions_per_step);
    if let (Some(flash), Some(weights), true) = (cycles, table(board.core), a_step < TOO_LONG) {
        // The rows of an image differ in stiffness only: the steps of the first one are enough.
        let argument = format!(";;{};1", (TRACED / a_step).clamp(1.0, 8.0) as u32);
        let steps = followed(board, &image, &argument, ENTRY, (weights, flash))?;
        let mean = cycles_an_instruction(&steps);
        for row in &mut rows {
            row.cycles_per_step = mean.map(|mean| mean * row.instructions_per_step);
            row.cycles_by = Some(weights.manual.clone());
        }
    }
    Ok((rows, different))
}

/// The Cortex-M4F with code that the compiler arranges for its pipeline.
pub fn tuned() -> Result<Board> {
    Ok(Board {
        name: "m4f, cortex-m4",
        processor: Some("cortex-m4"),
        ..board("m4f")?
    })
}

/// A step of an image by the kinds of its instructions, the second of its first row: the first one may factorise. From memories that answer at once.
pub fn profile(board: Board, alone: Alone) -> Result<Step> {
    let weights = table(board.core).context("this core has no published table")?;
    let at_once = Flash { wait_states: 0 };
    let image = alone.image(board)?;
    let steps = followed(board, &image, ";;2;1", ENTRY, (weights, at_once))?;
    steps.last().copied().context("no step was followed")
}

/// P1 in double precision on the Cortex-M7, which has it in hardware: the rows of that board that have a budget.
pub fn double_on_m7() -> Result<Vec<Row>> {
    let p1 = workload("P1 eps 1e-3", "f64", "Radau IIA 3").context("no such workload")?;
    let (rows, different) = of_image(board("m7")?, Alone::of(p1), None)?;
    ensure!(different == 0, "a bit differs");
    Ok(rows)
}

/// One row of each problem in single precision on the Raspberry Pi Pico, whose cycles an emulator of the chip counts.
pub fn on_pico() -> Result<Vec<Row>> {
    let board = board("m0")?;
    let mut rows = Vec::new();
    for row in COSTS.iter().filter(|row| row.scalar == "f32") {
        let image = Alone::of(row).with("pico").image(board)?;
        // The steps of an image's rows come one row after the other; the first eight are enough.
        let steps = pico::steps(&image, Code::read(&image)?.find(ENTRY)?, 8)?;
        let first = Alone::of(row).rows().next().unwrap_or(row);
        let mean = cycles_an_instruction(&steps);
        let instructions = steps.iter().map(|step| step.instructions);
        let (least, most) = (instructions.clone().min(), instructions.clone().max());
        let rest = instructions.sum::<u64>() - most.unwrap_or(0);
        let a_step = rest as f64 / (steps.len() - 1).max(1) as f64;
        let names = [first.plant, "rp2040", first.scalar, first.method];
        rows.push(Row {
            instructions_min: least.map(|count| count as u32),
            instructions_max: most.map(|count| count as u32),
            cycles_per_step: mean.map(|mean| mean * a_step),
            cycles_by: Some("rp2040js, without waiting for the flash".into()),
            ..row_of(names, a_step, steps.len() as u32)
        });
    }
    Ok(rows)
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
    on_host_by(&callgrind::program("benchmark")?, all)
}

/// The same by a program of one's own.
pub fn on_host_by(program: &Path, all: bool) -> Result<Vec<Row>> {
    let promised = Budgets::read()?.steps.into_iter();
    let promised = promised.filter(|budget| budget.target == "host");
    let promised = promised.map(|budget| [budget.problem, budget.scalar, budget.method]);
    let others = workloads().filter(|workload| all && workload.plant.starts_with('P'));
    let others = others.map(|of| [of.plant, of.scalar, of.method].map(str::to_owned));
    unique(promised.chain(others))
        .iter()
        .map(|[problem, scalar, method]| {
            let workload = workload(problem, scalar, method).context("no such workload")?;
            let record = workload.run(&mut ());
            let error = error(problem, scalar, &record);
            let total = callgrind::collected(program, problem, scalar, method)? as f64;
            // An adaptive run is counted as a whole.
            let parts = if workload.steps == 0 { 1 } else { record.steps };
            let names = [problem, "host", scalar, method];
            Ok(Row {
                error: error.is_finite().then_some(error),
                ..row_of(names, total / f64::from(parts), record.steps)
            })
        })
        .collect()
}
