//! One plant on one board: built, exercised, compared, proven.

use super::code::Code;
use super::cycles::{Flash, Meter, Weights, table};
use super::estimate::{Estimate, Reach};
use super::package::{Purpose, Subject};
use super::steps::{Step, cycles_an_instruction, followed, steps};
use super::trace::{Seen, follow};
use crate::emulator::boot::{Boot, boot};
use crate::emulator::firmware::compiler;
use crate::emulator::record::{Run, difference, runs};
use crate::emulator::{BOARDS, Board, board};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::fs;
use std::path::Path;
use std::time::Duration;
use stiffstep_plants::exercise::Exercise;

/// What is certified. Instructions are those of a period's work: inputs in, a step of two Newton iterations, outputs out.
#[derive(Clone, Debug, Serialize)]
pub struct Certificate {
    /// The plant, as it calls itself.
    pub plant: String,
    /// The board.
    pub board: String,
    /// Its processor.
    pub core: String,
    /// The board whose image was measured, if it is another one with the same processor.
    pub measured_on: String,
    /// The compiler.
    pub compiler: String,
    /// The period, in s.
    pub period: f32,
    /// Over a long run.
    pub long_run: Observed,
    /// Over random admissible states.
    pub random_states: Observed,
    /// An estimate from the code with loop counts that were seen; not a bound.
    pub estimate: Option<Estimate>,
    /// Why there is none.
    pub no_estimate: Option<String>,
    /// Cycles by the core's published table.
    pub cycles: Option<Cycles>,
    /// The deepest stack of a step, by painting it.
    pub stack_painted: u32,
    /// The same by the compiler's frame sizes along the deepest chain of calls; unknown if its end is.
    pub stack_of_frames: Option<u32>,
    /// Bytes of code of a step and of all that it calls.
    pub code: u32,
    /// Bytes that the plant keeps: its state, what it keeps between steps, the memory of its start.
    pub plant_ram: u32,
    /// Whether the step links without a panic handler.
    pub panic_free: bool,
    /// Whether every state of every step of both exercises is the desk's, to the bit.
    pub same_bits: bool,
    /// Where they differ.
    pub differs: Option<String>,
}

/// What was observed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Observed {
    /// Steps done.
    pub steps: u32,
    /// Steps that the plant refused with an error, leaving its state as it was.
    pub refused: u32,
    /// The fewest instructions of a step.
    pub least: u32,
    /// The most.
    pub most: u32,
}

/// Cycles by a table: an estimate, not a measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Cycles {
    /// The core whose table it is.
    pub core: String,
    /// The manual that it stands in.
    pub manual: String,
    /// Wait states of the flash.
    pub wait_states: u32,
    /// Cycles of an instruction in the mean over traced steps.
    pub an_instruction: f64,
    /// Cycles of the dearest step: the most instructions that were counted at the mean of an instruction, or, if it is more, the
    /// longest way through the code.
    pub dearest_step: f64,
}

/// Steps of each exercise that are looked at one instruction at a time.
const TRACED: &str = "24";

/// The same where floating point is software and a step is a hundred thousand instructions.
const TRACED_IN_SOFTWARE: &str = "3";

/// The step of an exercise.
const ENTRY: &str = "stiffstep_plants::exercise::step";

impl Certificate {
    /// The most instructions that are expected of a step: the estimate, or what was counted.
    pub fn most(&self) -> u64 {
        let counted = self.long_run.most.max(self.random_states.most);
        let estimate = self.estimate.as_ref().map(|of| of.instructions);
        estimate.unwrap_or(0).max(counted.into())
    }

    /// Steps a second at a clock in MHz, by the cycles of the dearest step; where the core has no published table, by so many cycles an
    /// instruction, if that is said.
    pub fn rate(&self, clock: f64, cycles: Option<f64>) -> Option<f64> {
        let stated = cycles.map(|cycles| cycles * self.most() as f64);
        let table = self.cycles.as_ref().map(|cycles| cycles.dearest_step);
        Some(clock * 1e6 / stated.or(table)?)
    }
}

/// The core of a board as it is asked for, and the wait states of its flash at its highest clock. Emulated boards have none.
pub fn core_of(label: &str, board: Board) -> (&'static str, u32) {
    match label {
        "rp2040" => ("Cortex-M0+", 0),
        "stm32f4" => ("Cortex-M4F", 5),
        _ => (board.core, 0),
    }
}

/// A board as it is asked for, and the one whose image is measured.
pub fn boards(name: &str) -> Result<Vec<(String, Board)>> {
    let alike = [("stm32f4", "m4f"), ("rp2040", "m0")];
    if name == "all" {
        let own = BOARDS.iter().map(|board| (board.name.to_owned(), *board));
        let alike = alike
            .iter()
            .map(|&(name, of)| Ok((name.to_owned(), board(of)?)));
        return own.map(Ok).chain(alike).collect();
    }
    let of = alike.iter().find(|(alias, _)| *alias == name);
    let measured = board(of.map_or(name, |(_, of)| of));
    let measured = measured.context("`stm32f4` and `rp2040` are boards here, too")?;
    Ok(vec![(name.to_owned(), measured)])
}

/// Certifies a plant for a board, with the board's own wait states unless others are wanted. `desk` is what it left behind on the desk;
/// `say` hears what is going on.
pub fn certify(
    subject: &Subject,
    (label, board): (&str, Board),
    wait_states: Option<u32>,
    desk: &[Run],
    say: &dyn Fn(&str),
) -> Result<Certificate> {
    say("building the image");
    let image = subject.image(board, Purpose::Exercise)?;
    say("exercising the plant");
    let patient = Boot {
        counted: true,
        limit: Duration::from_secs(900),
        ..Boot::default()
    };
    let log = boot(board, &image, patient)?;
    let runs = runs(&log)?;
    let [long, random] = runs.as_slice() else {
        bail!(
            "the plant does not start on {}: is its step too large, its start inconsistent?",
            board.name
        );
    };
    let (plant, period, plant_ram) = about(&log)?;
    say("proving that it cannot panic");
    let panic_free = proven(subject, board)?;
    say("following its code");
    let (core, own) = core_of(label, board);
    let flash = Flash {
        wait_states: wait_states.unwrap_or(own),
    };
    let code = followed_code(board, &image, table(core), flash)?;
    let differs = differs(desk, &runs);
    let mut certificate = Certificate {
        plant,
        board: label.to_owned(),
        core: core.to_owned(),
        measured_on: board.name.to_owned(),
        compiler: compiler()?,
        period,
        long_run: observed(long, Exercise::Long),
        random_states: observed(random, Exercise::Random),
        estimate: code.estimate,
        no_estimate: code.no_estimate,
        cycles: None,
        stack_painted: long.stack.max(random.stack),
        stack_of_frames: code.stack_of_frames,
        code: code.bytes,
        plant_ram,
        panic_free,
        same_bits: differs.is_none(),
        differs,
    };
    certificate.cycles = certificate.cycles_of(table(core), flash, &code.steps);
    Ok(certificate)
}

impl Certificate {
    fn cycles_of(&self, weights: Option<&Weights>, flash: Flash, steps: &[Step]) -> Option<Cycles> {
        let (weights, an_instruction) = (weights?, cycles_an_instruction(steps)?);
        let counted = f64::from(self.long_run.most.max(self.random_states.most));
        let way = self.estimate.as_ref().and_then(|of| of.cycles);
        Some(Cycles {
            core: weights.core.clone(),
            manual: weights.manual.clone(),
            wait_states: flash.wait_states,
            an_instruction,
            dearest_step: (counted * an_instruction).max(way.unwrap_or(0) as f64),
        })
    }
}

fn observed(run: &Run, exercise: Exercise) -> Observed {
    Observed {
        steps: run.record.steps,
        refused: exercise.steps() - run.record.steps.min(exercise.steps()),
        least: run.instructions.least,
        most: run.instructions.most,
    }
}

/// Plant, period and bytes from a line such as `about|pendulum|3a83126f|1234`.
fn about(log: &[String]) -> Result<(String, f32, u32)> {
    let line = log.iter().find_map(|line| line.strip_prefix("about|"));
    let fields: Vec<&str> = line.unwrap_or("").split('|').collect();
    let &[plant, period, bytes] = fields.as_slice() else {
        bail!("the board did not say what it runs");
    };
    let period = f32::from_bits(u32::from_str_radix(period, 16)?);
    Ok((plant.to_owned(), period, bytes.parse()?))
}

fn differs(desk: &[Run], board: &[Run]) -> Option<String> {
    let mut pairs = desk.iter().zip(board);
    pairs.find_map(|(desk, board)| {
        let words = difference(&desk.record, &board.record)?;
        Some(format!("{}: {words}", desk.name.method))
    })
}

/// Whether the proof links. An image that does not build for another reason is an error.
fn proven(subject: &Subject, board: Board) -> Result<bool> {
    match subject.image(board, Purpose::Proof) {
        Ok(_) => Ok(true),
        Err(error) if format!("{error:#}").contains("panicking branch") => Ok(false),
        Err(error) => Err(error),
    }
}

/// What an image's code and a few traced steps of it show.
#[derive(Default)]
struct Followed {
    estimate: Option<Estimate>,
    no_estimate: Option<String>,
    stack_of_frames: Option<u32>,
    bytes: u32,
    steps: Vec<Step>,
}

fn followed_code(
    board: Board,
    image: &Path,
    weights: Option<&Weights>,
    flash: Flash,
) -> Result<Followed> {
    let mut code = Code::read(image)?;
    let entry = code.find(ENTRY)?;
    // A step asks whether its time has come through a pointer, and nothing else.
    code.through_registers = code.closure(ENTRY);
    let mut found = Followed::default();
    let hardware = board.target.ends_with("hf");
    let estimated = Reach::new(&code, entry).and_then(|reach| {
        found.bytes = reach.bytes(&code);
        found.stack_of_frames = reach.stack(&code).ok();
        if !hardware {
            bail!("floating point is software here, whose loops depend on the data: counted only");
        }
        let (estimate, steps) = estimated((&code, &reach, entry), (board, image), weights, flash)?;
        found.steps = steps;
        Ok(estimate)
    });
    match estimated {
        Ok(estimate) => found.estimate = Some(estimate),
        Err(error) => found.no_estimate = Some(format!("{error:#}")),
    }
    if let (true, Some(weights)) = (found.steps.is_empty(), weights) {
        let few = if hardware { TRACED } else { TRACED_IN_SOFTWARE };
        found.steps = followed(board, image, few, ENTRY, (weights, flash))?;
    }
    Ok(found)
}

/// The estimate of a period's work: that of the step, and what its call takes; and the steps that were traced for it.
fn estimated(
    (code, reach, entry): (&Code, &Reach, u32),
    (board, image): (Board, &Path),
    weights: Option<&Weights>,
    flash: Flash,
) -> Result<(Estimate, Vec<Step>)> {
    let file = image.with_extension("trace");
    let ranges = code.ranges();
    let how = Boot {
        argument: TRACED,
        counted: true,
        trace: Some((&file, &ranges)),
        limit: Duration::from_secs(300),
    };
    let log = boot(board, image, how)?;
    let trace = fs::read_to_string(&file).context("the emulator's log cannot be read")?;
    let _leave_no_megabytes = fs::remove_file(&file);
    let seen: Seen = follow(&trace, code, entry, &reach.loops)?;
    let mut estimate = reach.estimate(code, &seen, weights)?;
    let counted = runs(&log)?.iter().map(|run| run.instructions.most).max();
    let call = u64::from(counted.unwrap_or(0)).saturating_sub(seen.most);
    estimate.instructions += call;
    let traced = |flash| match weights {
        Some(weights) => {
            let lines = trace.lines().map(str::to_owned);
            steps(lines, code, entry, Meter::new(weights, flash))
        }
        None => Ok(Vec::new()),
    };
    let steps = traced(flash)?;
    // The longest way waits for the flash in the same proportion as the traced steps do, and its call takes what others do.
    let at_once = cycles_an_instruction(&traced(Flash { wait_states: 0 })?);
    if let (Some(cycles), Some(at_once), Some(waiting)) =
        (&mut estimate.cycles, at_once, cycles_an_instruction(&steps))
    {
        let all = (*cycles as f64 + call as f64 * at_once) * (waiting / at_once).max(1.0);
        *cycles = all.ceil() as u64;
    }
    Ok((estimate, steps))
}
