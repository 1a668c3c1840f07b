//! What the boards log, taken apart, and compared with the host to the last bit.

use anyhow::{Context, Result, bail};
use std::fmt;
use stiffstep_plants::workload::{MOST_STATES, Record, Workload};

/// A workload's run on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Which workload.
    pub name: Name,
    /// The bits that it left behind.
    pub record: Record,
    /// The fewest and the most instructions of a step, and those of all steps; of no meaning unless the run was counted.
    pub instructions: Instructions,
    /// Bytes of stack that the run needed.
    pub stack: u32,
}

/// What tells workloads apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The plant.
    pub plant: String,
    /// The number type.
    pub scalar: String,
    /// The method.
    pub method: String,
}

/// Instructions a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// The fewest.
    pub least: u32,
    /// The most; the first step of a linear plant factorises and is the dearest.
    pub most: u32,
    /// Of all steps together.
    pub total: u64,
    /// Steps counted.
    pub steps: u32,
}

impl Instructions {
    /// The mean of all steps but the dearest, which is the one that factorises: what a step costs with the
    /// factorisation kept.
    pub fn typical(&self) -> f64 {
        let rest = self.total.saturating_sub(u64::from(self.most));
        rest as f64 / f64::from(self.steps.saturating_sub(1).max(1))
    }
}

impl From<&Workload> for Name {
    fn from(workload: &Workload) -> Self {
        Name {
            plant: workload.plant.into(),
            scalar: workload.scalar.into(),
            method: workload.method.into(),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, {}", self.plant, self.method, self.scalar)
    }
}

/// The runs in a log.
pub fn runs(log: &[String]) -> Result<Vec<Run>> {
    log.iter()
        .filter_map(|line| line.strip_prefix("record|"))
        .map(|line| run(line).with_context(|| format!("a line of the log makes no sense: {line}")))
        .collect()
}

fn run(line: &str) -> Result<Run> {
    let fields: Vec<&str> = line.split('|').collect();
    let &[
        plant,
        scalar,
        method,
        steps,
        hash,
        time,
        state,
        least,
        most,
        total,
        stack,
    ] = fields.as_slice()
    else {
        bail!("it has {} fields instead of 11", fields.len());
    };
    let steps = steps.parse()?;
    let mut record = Record {
        hash: u64::from_str_radix(hash, 16)?,
        steps,
        time: u64::from_str_radix(time, 16)?,
        states: 0,
        state: [0; MOST_STATES],
    };
    let words = state.trim_matches(['[', ']']).split(", ");
    for word in words.filter(|word| !word.is_empty()) {
        let slot = record.state.get_mut(record.states);
        *slot.context("the state is too long")? = u64::from_str_radix(word, 16)?;
        record.states += 1;
    }
    Ok(Run {
        name: Name {
            plant: plant.into(),
            scalar: scalar.into(),
            method: method.into(),
        },
        record,
        instructions: Instructions {
            least: least.parse()?,
            most: most.parse()?,
            total: total.parse()?,
            steps,
        },
        stack: stack.parse()?,
    })
}

/// A function's cost as the image `sine` logs it: its name with the fewest and the most instructions of a call.
pub fn costs(log: &[String]) -> Result<Vec<(String, u32, u32)>> {
    log.iter()
        .filter_map(|line| line.strip_prefix("cost|"))
        .map(|line| {
            let mut fields = line.split('|');
            let mut next = || fields.next().context("a line of the log is too short");
            Ok((next()?.to_owned(), next()?.parse()?, next()?.parse()?))
        })
        .collect()
}

/// Where two runs of a workload differ, in words; `None` if every bit is the same.
pub fn difference(host: &Record, board: &Record) -> Option<String> {
    let both = |what: &str, host: u64, board: u64| {
        Some(format!(
            "{what}: {host:x} on the host, {board:x} on the board"
        ))
    };
    if host.steps != board.steps {
        let steps = format!("{} steps on the host", host.steps);
        return Some(format!("{steps}, {} on the board", board.steps));
    }
    if host.time != board.time {
        return both("the time reached", host.time, board.time);
    }
    for (index, (&h, &b)) in (host.final_state().iter().zip(board.final_state())).enumerate() {
        if h != b {
            return both(&format!("final state {index}"), h, b);
        }
    }
    (host != board).then(|| {
        format!(
            "the final states agree but the way there does not: hash {:016x} on the host, {:016x} on the board",
            host.hash, board.hash
        )
    })
}

/// A state's bits as a number.
pub fn number(bits: u64, scalar: &str) -> f64 {
    match u32::try_from(bits) {
        Ok(bits) if scalar == "f32" => f32::from_bits(bits).into(),
        _ => f64::from_bits(bits),
    }
}
