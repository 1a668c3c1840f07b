//! A certificate as a table, as JSON, and as a page for the plant's repository.

use super::measure::{Certificate, Observed};
use crate::table::{columns, table_of};
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
    /// Wait states of the flash, with an accelerator like the STM32F4's [default: the board's, 5 for stm32f4 and 0 for the others]
    #[arg(long, value_name = "CYCLES")]
    pub wait_states: Option<u32>,
    /// Cycles an instruction takes in the mean, for the rate of steps, instead of the core's published table; Arm publishes none for
    /// the Cortex-M7 and the Cortex-M33
    #[arg(long, value_name = "CYCLES")]
    pub cycles: Option<f64>,
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
pub const HEADER: &str = "plant | board | long run | random states | estimate | cycles | stack | code | RAM | panic-free | host's bits | steps/s";

/// A row of it.
pub fn row(certificate: &Certificate, pace: Pace) -> Vec<String> {
    let span = |seen: Observed| {
        let span = [seen.least, seen.most].map(|count| thousands(count.into()));
        let span = span.join(" to ");
        match seen.refused {
            0 => span,
            refused => format!("{span} ({} refused)", thousands(refused.into())),
        }
    };
    let estimate = certificate.estimate.as_ref();
    let cycles = certificate.cycles.as_ref();
    let rate = certificate.rate(pace.clock, pace.cycles);
    let frames = certificate.stack_of_frames;
    let frames = frames.map_or("?".into(), |frames| frames.to_string());
    let yes = |yes: bool| if yes { "yes" } else { "NO" }.to_owned();
    vec![
        certificate.plant.clone(),
        certificate.board.clone(),
        span(certificate.long_run),
        span(certificate.random_states),
        estimate.map_or("counted only".into(), |estimate| {
            thousands(estimate.instructions)
        }),
        cycles.map_or("no table".into(), |cycles| {
            thousands(cycles.dearest_step.ceil() as u64)
        }),
        format!("{} / {frames}", certificate.stack_painted),
        thousands(certificate.code.into()),
        thousands(certificate.plant_ram.into()),
        yes(certificate.panic_free),
        yes(certificate.same_bits),
        rate.map_or("?".into(), |rate| thousands(rate as u64)),
    ]
}

/// Prints the table with what is to be said about it.
pub fn show(all: &[Certificate], pace: Pace) {
    let rows = all.iter().map(|one| row(one, pace)).collect();
    println!("\n{}", table_of(HEADER, 2, rows));
    println!(
        "instructions counted, and estimated from the code with loop counts that were seen, which is not a bound; {}; bytes of stack painted (and up to 96 that the painter leaves out) / by frames, of code, of RAM for the plant itself",
        basis(pace)
    );
    for remark in remarks(all) {
        println!("{remark}");
    }
}

/// What cycles and rates rest on.
pub fn basis(pace: Pace) -> String {
    let cycles = "cycles of the dearest step by the core's published table";
    let clock = pace.clock;
    let steps = match pace.cycles {
        Some(stated) => {
            format!("at {clock} MHz and the {stated} cycles an instruction that were stated")
        }
        None => format!("by these cycles at {clock} MHz"),
    };
    format!("{cycles}; steps a second {steps}")
}

/// What a table does not say.
pub fn remarks(all: &[Certificate]) -> Vec<String> {
    let mut remarks = Vec::new();
    for one in all {
        let Certificate {
            plant, board, core, ..
        } = one;
        let mut say = |words: String| remarks.push(format!("{plant} on {board}: {words}"));
        let measured = &one.measured_on;
        if board != measured {
            say(format!("a {core}, certified by the image for {measured}"));
        }
        if let Some(reason) = &one.no_estimate {
            say(format!("no estimate from the code: {reason}"));
        }
        if one.estimate.as_ref().is_some_and(|of| !of.steady) {
            say(
                "some loops had different lengths; the longest that was seen is in the estimate"
                    .into(),
            );
        }
        say(match &one.cycles {
            Some(cycles) => format!(
                "{:.2} cycles an instruction with {} wait states by the {}",
                cycles.an_instruction, cycles.wait_states, cycles.manual
            ),
            None => format!(
                "no cycles: Arm publishes no table for the {core}; --cycles states your own"
            ),
        });
        if let Some(words) = &one.differs {
            say(format!("not the host's bits: {words}"));
        }
        if one.long_run.refused > 0 {
            let steps = one.long_run.steps;
            say(format!(
                "the long run ended after {steps} steps with an error"
            ));
        }
    }
    remarks
}

/// Writes the figures.
pub fn write_json(path: &Path, all: &[Certificate], pace: Pace) -> Result<()> {
    let rates = all.iter().map(|one| one.rate(pace.clock, pace.cycles));
    let rates: Vec<Option<f64>> = rates.collect();
    let value = serde_json::json!({ "certificates": all, "pace": pace, "steps_per_second": rates });
    write_figures(path, &value)
}

/// Writes any figures, and says where.
pub fn write_figures(path: &Path, figures: &serde_json::Value) -> Result<()> {
    fs::write(path, serde_json::to_string_pretty(figures)?)
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

/// With a capital letter.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// What the page says of its figures.
const NOTES: &str = include_str!("notes.md.in");

/// The text of the page.
pub fn page(all: &[Certificate], pace: Pace) -> String {
    let mut text = String::from("# Certificate\n\n");
    if let Some(first) = all.first() {
        text += &format!(
            "Of {}, in steps of {} s with two Newton iterations, by {}.\n\n",
            first.plant, first.period, first.compiler
        );
    }
    // Without the plant, which is said above.
    let header = HEADER.trim_start_matches("plant | ");
    let rule = vec!["---"; columns(header).len()].join(" | ");
    text += &format!("| {header} |\n| {rule} |\n");
    for one in all {
        text += &format!("| {} |\n", row(one, pace)[1..].join(" | "));
    }
    text += &NOTES.replace("BASIS", &sentence(&basis(pace)));
    for remark in remarks(all) {
        text += &format!("- {remark}.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::estimate::Estimate;
    use super::super::measure::Cycles;
    use super::*;

    fn certificate() -> Certificate {
        let observed = Observed {
            steps: 10_000,
            refused: 0,
            least: 900,
            most: 1_000,
        };
        Certificate {
            plant: "a plant".into(),
            board: "stm32f4".into(),
            core: "Cortex-M4F".into(),
            measured_on: "m4f".into(),
            compiler: "a compiler".into(),
            period: 1e-3,
            long_run: observed,
            random_states: observed,
            estimate: Some(Estimate {
                instructions: 1_200,
                cycles: Some(2_400),
                functions: 3,
                loops: 2,
                steady: true,
            }),
            no_estimate: None,
            cycles: Some(Cycles {
                core: "Cortex-M4F".into(),
                manual: "Cortex-M4 Technical Reference Manual".into(),
                wait_states: 5,
                an_instruction: 1.75,
                dearest_step: 2_400.0,
            }),
            stack_painted: 500,
            stack_of_frames: Some(480),
            code: 3_000,
            plant_ram: 200,
            panic_free: true,
            same_bits: true,
            differs: None,
        }
    }

    const PACE: Pace = Pace {
        clock: 168.0,
        wait_states: None,
        cycles: None,
    };

    /// An estimate is called one, a bound is spoken of only to say that this is none, and rates rest on stated cycles.
    #[test]
    fn the_page_calls_an_estimate_an_estimate() {
        let text = page(&[certificate()], PACE);
        let words = [
            "- Estimate: ",
            "with loop counts that were seen",
            "It is an estimate and not a\n  bound",
            "steps a second by these cycles at 168 MHz",
            "1.75 cycles an instruction with 5 wait states by the Cortex-M4 Technical Reference Manual",
        ];
        for words in words {
            assert!(text.contains(words), "`{words}` is missing in:\n{text}");
        }
        assert_eq!(text.matches("bound").count(), 1, "{text}");
        assert!(!HEADER.contains("bound") && !text.contains("1.5 cycles"));
    }

    #[test]
    fn rates_follow_from_the_cycles_of_the_dearest_step() {
        let mut one = certificate();
        assert_eq!(one.rate(168.0, None), Some(70_000.0));
        // Stated cycles come first: 1,200 instructions of 2 cycles.
        assert_eq!(one.rate(168.0, Some(2.0)), Some(70_000.0));
        one.cycles = None;
        assert_eq!(one.rate(168.0, None), None);
        assert!(row(&one, PACE).contains(&"?".to_owned()));
        let remarks = remarks(&[one]).join("\n");
        assert!(remarks.contains("Arm publishes no table"), "{remarks}");
    }
}
