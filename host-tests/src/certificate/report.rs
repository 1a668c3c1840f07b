//! A certificate as a table, as JSON, and as a page for the plant's repository.

use super::measure::{Certificate, Observed};
use crate::command::table::table_of;
use anyhow::{Context, Result};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// What rates are computed with.
#[derive(clap::Args, Clone, Copy, Debug, Serialize)]
pub struct Pace {
    /// The processor's clock in MHz, for the rate of steps
    #[arg(long, value_name = "MHZ", default_value_t = 100.0)]
    pub clock: f64,
    /// Cycles an instruction takes in the mean, for the rate of steps: instructions are counted, not cycles
    #[arg(long, value_name = "CYCLES", default_value_t = 1.5)]
    pub cycles: f64,
}

/// A figure with its thousands apart.
pub fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The columns of a table of certificates.
pub const HEADER: [&str; 11] = [
    "plant",
    "board",
    "long run",
    "random states",
    "bound",
    "stack",
    "code",
    "RAM",
    "panic-free",
    "host's bits",
    "steps/s",
];

/// A row of it.
pub fn row(certificate: &Certificate, pace: Pace) -> Vec<String> {
    let span = |seen: Observed| {
        let span = format!(
            "{} to {}",
            thousands(seen.least.into()),
            thousands(seen.most.into())
        );
        match seen.refused {
            0 => span,
            refused => format!("{span} ({} refused)", thousands(refused.into())),
        }
    };
    let bound = certificate.bound.as_ref();
    let frames = certificate.stack_of_frames;
    let yes = |yes: bool| if yes { "yes" } else { "NO" }.to_owned();
    vec![
        certificate.plant.clone(),
        certificate.board.clone(),
        span(certificate.long_run),
        span(certificate.random_states),
        bound.map_or("observed only".into(), |bound| {
            thousands(bound.instructions)
        }),
        format!(
            "{} / {}",
            certificate.stack_painted,
            frames.map_or("?".into(), |frames| frames.to_string())
        ),
        thousands(certificate.code.into()),
        thousands(certificate.plant_ram.into()),
        yes(certificate.panic_free),
        yes(certificate.same_bits),
        thousands(certificate.rate(pace.clock, pace.cycles) as u64),
    ]
}

/// Prints the table with what is to be said about it.
pub fn show(all: &[Certificate], pace: Pace) {
    let rows = all.iter().map(|one| row(one, pace)).collect();
    println!("\n{}", table_of(&HEADER, 2, rows));
    println!(
        "instructions; bytes of stack painted (and up to 96 that the painter leaves out) / by frames, of code, of RAM for the plant itself; steps a second at {} MHz and {} cycles an instruction",
        pace.clock, pace.cycles
    );
    for remark in remarks(all) {
        println!("{remark}");
    }
}

/// What a table does not say.
pub fn remarks(all: &[Certificate]) -> Vec<String> {
    let mut remarks = Vec::new();
    for one in all {
        let name = format!("{} on {}", one.plant, one.board);
        if one.board != one.measured_on {
            remarks.push(format!(
                "{name}: a {}, certified by the image for {}",
                one.core, one.measured_on
            ));
        }
        if let Some(reason) = &one.no_bound {
            remarks.push(format!("{name}: no bound: {reason}"));
        }
        if one.bound.as_ref().is_some_and(|bound| !bound.steady) {
            remarks.push(format!(
                "{name}: some loops had different lengths; the longest is in the bound"
            ));
        }
        if let Some(words) = &one.differs {
            remarks.push(format!("{name}: not the host's bits: {words}"));
        }
        if one.long_run.refused > 0 {
            remarks.push(format!(
                "{name}: the long run ended after {} steps with an error",
                one.long_run.steps
            ));
        }
    }
    remarks
}

/// Writes the figures.
pub fn write_json(path: &Path, all: &[Certificate], pace: Pace) -> Result<()> {
    let rates: Vec<f64> = all
        .iter()
        .map(|one| one.rate(pace.clock, pace.cycles))
        .collect();
    let value = serde_json::json!({ "certificates": all, "pace": pace, "steps_per_second": rates });
    fs::write(path, serde_json::to_string_pretty(&value)?)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    println!("figures: {}", path.display());
    Ok(())
}

/// Writes the page `certificate.md` into a folder.
pub fn write_page(folder: &Path, all: &[Certificate], pace: Pace) -> Result<PathBuf> {
    let path = folder.join("certificate.md");
    fs::write(&path, page(all, pace))
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(path)
}

fn page(all: &[Certificate], pace: Pace) -> String {
    let mut text = String::from("# Certificate\n\n");
    if let Some(first) = all.first() {
        text += &format!(
            "Of {}, in steps of {} s with two Newton iterations, by {}.\n\n",
            first.plant, first.period, first.compiler
        );
    }
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    text += &line(
        &HEADER[1..]
            .iter()
            .map(|&cell| cell.to_owned())
            .collect::<Vec<_>>(),
    );
    text += &line(&vec!["---".to_owned(); HEADER.len() - 1]);
    for one in all {
        text += &line(&row(one, pace)[1..]);
    }
    text += &format!(
        "
Instructions of a period's work: inputs in, a step, outputs out.

- Long run: 10,000 steps from the start, inputs jumping within their ranges. Random states: 2,000 steps, every input random within its
  range, parameters drawn between a quarter and four times their usual values, within their ranges; a refused step ends with an error
  and changes nothing.
- Bound: the longest way through the code of the step and of all that it calls, read from the image, both sides of every branch
  included. Loops count as often as the longest that was seen in traced steps: in a step of a fixed budget their lengths are set by
  types and budget, not by data. Where floating point is software, there is no bound.
- Stack: the deepest that was painted over, rounded up / the compiler's frame sizes along the deepest chain of calls. Interrupts come on
  top.
- Code: the step and all that it calls, constants included. RAM: what the plant keeps, the memory of its start included; a step has no
  statics and no heap.
- Panic-free: it links with a panic handler that does not exist. Host's bits: every state and output of both exercises.
- Steps a second: at {} MHz and {} cycles an instruction, by the bound, or by what was observed if there is none. Instructions are
  counted exactly; cycles depend on the chip and its memories.
",
        pace.clock, pace.cycles
    );
    for remark in remarks(all) {
        text += &format!("- {remark}.\n");
    }
    text
}
