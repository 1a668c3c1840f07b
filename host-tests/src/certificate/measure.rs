//! One plant on one board: built, exercised, compared, proven.

use super::bound::{Bound, Reach};
use super::code::Code;
use super::package::{Purpose, Subject};
use super::trace::{Seen, follow};
use crate::benchmark::budgets::compiler;
use crate::emulator::boot::{Boot, boot};
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
    /// What follows from the code.
    pub bound: Option<Bound>,
    /// Why there is no bound.
    pub no_bound: Option<String>,
    /// The deepest stack of a step, by painting it.
    pub stack_painted: u32,
    /// The same by the compiler's frame sizes along the deepest chain of calls; unknown if that has no bound.
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

/// Steps of each exercise that are looked at one instruction at a time.
const TRACED: &str = "24";

impl Certificate {
    /// The most instructions that a step is known to take: the bound, or what was observed.
    pub fn most(&self) -> u64 {
        let observed = self.long_run.most.max(self.random_states.most);
        let bound = self.bound.as_ref().map(|bound| bound.instructions);
        bound.unwrap_or(0).max(observed.into())
    }

    /// Steps a second at a clock in MHz, with so many cycles an instruction.
    pub fn rate(&self, clock: f64, cycles: f64) -> f64 {
        clock * 1e6 / (self.most() as f64 * cycles)
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

/// Certifies a plant for a board. `desk` is what it left behind on the desk; `say` hears what is going on.
pub fn certify(
    subject: &Subject,
    label: &str,
    board: Board,
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
    let mut code = Code::read(&image)?;
    let entry = code.find("stiffstep_plants::exercise::step")?;
    // A step asks whether its time has come through a pointer, and nothing else.
    code.through_registers = code.closure("stiffstep_plants::exercise::step");
    let (mut bound, mut no_bound, mut stack_of_frames, mut bytes) = (None, None, None, 0);
    match Reach::new(&code, entry) {
        Ok(reach) => {
            bytes = reach.bytes(&code);
            stack_of_frames = reach.stack(&code).ok();
            match bounded(&code, &reach, entry, board, &image) {
                Ok(found) => bound = Some(found),
                Err(error) => no_bound = Some(format!("{error:#}")),
            }
        }
        Err(error) => no_bound = Some(format!("{error:#}")),
    }
    let differs = differs(desk, &runs);
    Ok(Certificate {
        plant,
        board: label.to_owned(),
        core: board.core.to_owned(),
        measured_on: board.name.to_owned(),
        compiler: compiler()?,
        period,
        long_run: observed(long, Exercise::Long),
        random_states: observed(random, Exercise::Random),
        bound,
        no_bound,
        stack_painted: long.stack.max(random.stack),
        stack_of_frames,
        code: bytes,
        plant_ram,
        panic_free,
        same_bits: differs.is_none(),
        differs,
    })
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

/// The bound of a period's work: that of the step, and what its call takes.
fn bounded(code: &Code, reach: &Reach, entry: u32, board: Board, image: &Path) -> Result<Bound> {
    if !board.target.ends_with("hf") {
        bail!("floating point is software here, whose loops depend on the data: observed only");
    }
    let file = image.with_extension("trace");
    let ranges = reach.ranges(code);
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
    let mut bound = reach.bound(code, &seen)?;
    let counted = runs(&log)?.iter().map(|run| run.instructions.most).max();
    let call = u64::from(counted.unwrap_or(0)).saturating_sub(seen.most);
    bound.instructions += call;
    Ok(bound)
}
