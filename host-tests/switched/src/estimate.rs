//! What the certificate says of the steps that are counted: the longest way through their code, with loops as long as they were seen.
//!
//! One boot traces a few steps of every converter. The trace is taken apart where they begin, so that two converters that share their code
//! each have loops of their own lengths. A drive's step is no function of its own in the image that is counted: to make it one would cost
//! the dearest of them two instructions in a hundred, so there is no estimate of it.
//!
//! Where the certificate of a plant refuses, because a loop did not run in the traced steps, the loop counts one pass here, and the number
//! of such loops is told: code for maps is part of every converter's step, and many converters have none.

use crate::board::Record;
use anyhow::{Context, Result, ensure};
use cargo_stiffstep::certificate::code::Code;
use cargo_stiffstep::certificate::estimate::Reach;
use cargo_stiffstep::certificate::trace::{address, follow};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;
use stiffstep_emulator::Board;
use stiffstep_emulator::boot::{Boot, boot_plain};

/// Steps of each converter that are looked at one instruction at a time.
const TRACED: &str = "64";

/// What the certificate says of a step. It is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Instructions of the longest way.
    pub instructions: u64,
    /// Loops on all ways.
    pub loops: usize,
    /// Those among them that did not run in the traced steps: many cannot with the tables of this converter, which nobody proves.
    pub unseen: usize,
}

/// An estimate, or why there is none.
pub type Estimated = Result<Estimate, String>;

/// Where a case begins.
const BEGINS: &str = "converters::case_begins";

/// Whether a function is a converter's step.
fn is_step(name: &str) -> bool {
    name.starts_with("stiffstep::switched::step::") && name.ends_with("::step")
}

/// The estimates of all converters, in the order of an image's records. `parse` reads a record.
pub fn estimates(
    board: Board,
    image: &Path,
    parse: impl Fn(&str) -> Option<Record>,
) -> Result<Vec<Estimated>> {
    let code = Code::read(image)?;
    let begins = code.find(BEGINS)?;
    let steps = code.functions().iter();
    let steps = steps.filter(|(_, function)| is_step(&function.name));
    let reached: BTreeMap<u32, Result<Reach>> = steps
        .map(|(&entry, _)| (entry, Reach::new(&code, entry)))
        .collect();
    let mut ranges = vec![format!("{begins:#x}+0x2")];
    let followed = reached.values().flatten();
    ranges.extend(followed.map(|reach| reach.ranges(&code)));
    // A step that cannot be followed is still seen to begin.
    ranges.extend(reached.keys().map(|entry| format!("{entry:#x}+0x2")));
    let (lines, trace) = traced(board, image, &ranges.join(","))?;
    let counted: Vec<Record> = lines.iter().filter_map(|line| parse(line)).collect();
    let mut estimates = Vec::new();
    for (index, log) in cases(&trace, begins).into_iter().enumerate() {
        let entry = log.lines().filter_map(address);
        let entry = { entry }.find(|at| reached.contains_key(at));
        let entry = entry.with_context(|| format!("case {index} took no step"))?;
        let estimated = match &reached[&entry] {
            Ok(reach) => {
                let counted = counted.get(index).map(|record| record.instructions[3]);
                estimate(&code, reach, (log, entry), counted.unwrap_or(0))
            }
            Err(error) => Err(anyhow::format_err!("{error:#}")),
        };
        estimates.push(estimated.map_err(|error| format!("{error:#}")));
    }
    Ok(estimates)
}

/// The estimate of one converter, given its traced steps and the most instructions that were counted of them.
fn estimate(
    code: &Code,
    reach: &Reach,
    (log, entry): (&str, u32),
    counted: u32,
) -> Result<Estimate> {
    let mut seen = follow(log, code, entry, &reach.loops)?;
    // The call and what is done with its report take as much as in the traced steps.
    let call = u64::from(counted).saturating_sub(seen.most);
    let loops = reach.loops.len();
    let ran = seen.trips.len();
    // All converters share code for maps, clamps and so on that many of them have none of.
    for &header in reach.loops.keys() {
        seen.trips.entry(header).or_insert((1, 1));
    }
    let longest = reach.estimate(code, &seen, None)?;
    Ok(Estimate {
        instructions: longest.instructions + call,
        loops,
        unseen: loops - ran,
    })
}

/// What a boot of a few steps prints, and its trace.
fn traced(board: Board, image: &Path, ranges: &str) -> Result<(Vec<String>, String)> {
    let file = image.with_extension(format!("{}.trace", std::process::id()));
    let how = Boot {
        argument: TRACED,
        counted: true,
        trace: Some((&file, ranges)),
        limit: Duration::from_secs(300),
    };
    let booted = boot_plain(board, image, how);
    let trace = fs::read_to_string(&file);
    let _leave_no_megabytes = fs::remove_file(&file);
    let (lines, trace) = (booted?, trace.context("the emulator's log cannot be read")?);
    ensure!(!trace.is_empty(), "the emulator logged nothing");
    Ok((lines, trace))
}

/// The parts of a trace that begin with that address.
fn cases(trace: &str, begins: u32) -> Vec<&str> {
    let mut starts = Vec::new();
    let (mut place, mut inside) = (0, false);
    for line in trace.split_inclusive('\n') {
        // What the emulator put off is logged twice.
        let begun = address(line) == Some(begins);
        if begun && !inside {
            starts.push(place);
        }
        inside = begun;
        place += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([trace.len()]);
    let parts = starts.iter().zip(ends);
    parts.map(|(&from, to)| &trace[from..to]).collect()
}
