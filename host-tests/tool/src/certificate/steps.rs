//! Steps looked at one instruction at a time: how many instructions each has, and how many cycles by a core's table.

use super::class::Class;
use super::code::Code;
use super::cycles::{Flash, Meter, Weights};
use super::thumb::{Flow, Instruction};
use super::trace::address;
use crate::emulator::Board;
use crate::emulator::boot::{Boot, boot};
use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

/// What instructions do, for a profile.
pub const KINDS: [&str; 7] = [
    "divisions and roots",
    "products with a sum",
    "other floating point",
    "loads",
    "stores",
    "branches",
    "other",
];

/// Which of [`KINDS`] an instruction is.
fn kind(instruction: &Instruction) -> usize {
    match (instruction.class, instruction.flow) {
        (_, flow) if flow != Flow::Next => 5,
        (Class::FloatDivide | Class::FloatRoot, _) => 0,
        (Class::FloatMultiplyAdd, _) => 1,
        (Class::Float, _) => 2,
        (Class::Load | Class::LoadMany(_), _) => 3,
        (Class::Store | Class::StoreIndexed | Class::FloatStore | Class::StoreMany(_), _) => 4,
        _ => 6,
    }
}

/// A step that was followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its instructions.
    pub instructions: u64,
    /// Their cycles by the table.
    pub cycles: u64,
    /// Both for each of [`KINDS`], if they were looked at.
    pub kinds: [[u64; 2]; KINDS.len()],
}

/// The mean cycles of an instruction over steps, without the dearest step, which may be one that factorises.
pub fn cycles_an_instruction(steps: &[Step]) -> Option<f64> {
    let dearest = steps.iter().map(|step| step.cycles).max()?;
    let mut rest = steps.to_vec();
    if rest.len() > 1 {
        let place = rest.iter().position(|step| step.cycles == dearest)?;
        rest.remove(place);
    }
    let sum = |of: fn(&Step) -> u64| rest.iter().map(of).sum::<u64>() as f64;
    Some(sum(|step| step.cycles) / sum(|step| step.instructions))
}

/// Boots an image, which takes as few steps as its argument says, and follows the function `entry` each time that it is called.
pub fn followed(
    board: Board,
    image: &Path,
    argument: &str,
    entry: &str,
    (weights, flash): (&Weights, Flash),
) -> Result<Vec<Step>> {
    let code = Code::read(image)?;
    let entry = code.find(entry)?;
    let file = image.with_extension(format!("{}.trace", std::process::id()));
    let ranges = code.ranges();
    let how = Boot {
        argument,
        counted: true,
        trace: Some((&file, &ranges)),
        limit: Duration::from_secs(300),
    };
    let booted = boot(board, image, how);
    let steps = booted.and_then(|_| {
        let trace = File::open(&file).context("the emulator's log cannot be read")?;
        let lines = BufReader::new(trace).lines().map_while(Result::ok);
        steps(lines, &code, entry, Meter::new(weights, flash))
    });
    let _leave_no_megabytes = fs::remove_file(&file);
    steps
}

/// The steps in an emulator's log of executed instructions, which has those of the caller, too.
pub fn steps(
    log: impl Iterator<Item = String>,
    code: &Code,
    entry: u32,
    mut meter: Meter<'_>,
) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    // Where the step under way returns to, and what it took so far.
    let mut inside: Option<(u32, Step)> = None;
    let mut behind = None;
    let mut addresses = log.filter_map(|line| address(&line)).peekable();
    while let Some(now) = addresses.next() {
        let instruction = code.at(now);
        let instruction = instruction.with_context(|| format!("no code at {now:#x}"))?;
        let next = addresses.peek().copied();
        if instruction.put_off(now, next) {
            continue;
        }
        if let (None, true, Some(back)) = (&inside, now == entry, behind) {
            inside = Some((back, Step::default()));
        }
        if let Some((back, step)) = &mut inside {
            if now == *back {
                steps.push(*step);
                inside = None;
            } else {
                step.instructions += 1;
                let taken = next != Some(now + instruction.size);
                let cycles = meter.pass(now, &instruction, taken);
                step.cycles += cycles;
                let [instructions, of_kind] = &mut step.kinds[kind(&instruction)];
                (*instructions, *of_kind) = (*instructions + 1, *of_kind + cycles);
            }
        }
        behind = Some(now + instruction.size);
    }
    ensure!(!steps.is_empty(), "the emulator's log shows no step");
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::super::cycles::table;
    use super::*;

    /// bl 6; nop; then the step: nop; bx lr.
    #[test]
    fn a_step_begins_and_ends_with_its_call() -> Result<()> {
        let code = Code::of(&[0xf000, 0xf801, 0xbf00, 0xbf00, 0x4770]);
        // The emulator puts off the return.
        let log = [0, 6, 8, 8, 4].map(|at| format!("Trace 0: 0x7f [0/{at:08x}/0/0] name"));
        let weights = table("Cortex-M4F").context("no table")?;
        let meter = Meter::new(weights, Flash { wait_states: 0 });
        let found = steps(log.into_iter(), &code, 6, meter)?;
        let mut step = Step {
            instructions: 2,
            cycles: 1 + 3,
            ..Step::default()
        };
        (step.kinds[6], step.kinds[5]) = ([1, 1], [1, 3]);
        assert_eq!(found, [step]);
        Ok(())
    }

    #[test]
    fn the_step_that_factorises_does_not_count() {
        let step = |cycles| Step {
            instructions: 100,
            cycles,
            ..Step::default()
        };
        let steps = [step(900), step(150), step(170)];
        assert_eq!(cycles_an_instruction(&steps), Some(1.6));
        assert_eq!(cycles_an_instruction(&steps[1..2]), Some(1.5));
        assert_eq!(cycles_an_instruction(&[]), None);
    }
}
