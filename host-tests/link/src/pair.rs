//! Two emulated Picos, wired pin to pin: one is a motor with an encoder, the other a speed controller that knows nothing of stiffstep. The
//! pins are observed from outside, and what the observer saw is compared with what the plant says and with what the desk computes.

use super::emulated::Emulated;
use super::verify::Verifier;
use anyhow::{Context, Result, bail};
use comfy_table::{Table, presets};
use serde::Deserialize;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{env, fs, process};
use stiffstep::hil::protocol::{Event, Sample, Status};
use stiffstep::hil::{Encoder, Turning};

/// Of the encoder on the motor.
const COUNTS: u32 = 13_600;

/// The voltage of pulses that are high all the time; low all the time is its negative.
const SUPPLY: f64 = 24.0;

/// What was seen at the pins in a period of the plant.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Period {
    /// The cycle that ended it.
    cycle: u64,
    /// Cycles for which the controller's pulses were high.
    on: u64,
    /// What the tracks had counted at its end, and the last count that the controller told of by then.
    position: i64,
    count: i64,
}

/// What was seen at the pins.
#[derive(Clone, Debug, Deserialize)]
struct Report {
    periods: Vec<Period>,
    /// Edges of the tracks, and those of both at once.
    edges: u64,
    impossible: u64,
    /// Cycles between the two closest of them.
    closest: u64,
    /// Edges of the pulses.
    changes: u64,
    /// Turns of the controller's loop.
    turns: u64,
    /// Bytes that the plant's UART lost.
    overruns: u64,
    /// When outputs were latched and inputs sampled, in cycles since the period began: least and most.
    latched: [u64; 2],
    sampled: [u64; 2],
}

impl Report {
    /// Counts that the controller had too few or too many at most, beside those of the last periods: it looks now and then.
    fn behind(&self) -> i64 {
        let apart = self.periods.windows(4).map(|window| {
            let positions = window.iter().map(|period| period.position);
            let count = window[3].count;
            let (low, high) = (positions.clone().min(), positions.max());
            (low.unwrap_or(count) - count).max(count - high.unwrap_or(count))
        });
        apart.max().unwrap_or(0).max(0)
    }

    /// The most counts of a period.
    fn fastest(&self) -> i64 {
        let periods = self.periods.windows(2);
        let counts = periods.map(|two| (two[1].position - two[0].position).abs());
        counts.max().unwrap_or(0)
    }
}

/// What a run showed.
pub struct Outcome {
    /// The reference.
    pub verifier: Verifier,
    /// The plant's board at the end.
    pub status: Status,
    /// Simulated seconds that the pins were observed.
    pub seconds: f64,
    /// Samples whose mean was compared with the edges.
    pub means: u64,
    /// By how many cycles a mean was off at most.
    pub mean_off: f64,
    /// The most edges of the tracks in a second, over a period.
    pub fastest: f64,
    /// Counts of the desk's encoder that the tracks do not have.
    pub lost: i64,
    /// Counts of the tracks that the controller does not have.
    pub lost_by_controller: i64,
    /// Turns of the controller's loop in a second.
    pub rate: f64,
    /// The largest speed, in rad/s.
    pub speed: f64,
    seen: Report,
}

impl Outcome {
    /// What is not as it should be.
    pub fn failures(&self) -> Vec<String> {
        let seen = &self.seen;
        let [latched, sampled] = [seen.latched, seen.sampled].map(|[least, most]| most - least);
        let missed = self.status.counters.missed;
        let mut failures = Vec::new();
        let mut check = |good: bool, what: String| failures.extend((!good).then_some(what));
        check(self.verifier.passed(), "samples are not the desk's".into());
        let what = format!("a mean is off by {} cycles", self.mean_off);
        check(self.means > 0 && self.mean_off <= 2.0, what);
        let lost = [self.lost, self.lost_by_controller];
        for (who, lost) in ["tracks", "controller"].into_iter().zip(lost) {
            check(lost == 0, format!("the {who} lost {lost} counts"));
        }
        check(missed == 0, format!("{missed} periods were missed"));
        let what = format!("the loop closes {} times a second", self.rate);
        check(self.rate >= 1_000.0, what);
        check(
            seen.overruns == 0,
            format!("{} bytes were lost", seen.overruns),
        );
        let what =
            format!("outputs change within {latched} cycles, inputs are sampled within {sampled}");
        check(latched == 0 && sampled == 0, what);
        failures
    }

    /// All of it as a table.
    pub fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::UTF8_HORIZONTAL_ONLY);
        table.set_header(["", "two Picos, pin to pin"]);
        let seen = &self.seen;
        let [latched, sampled] = [seen.latched, seen.sampled]
            .map(|[a, b]| format!("{a} to {b} cycles after the period began"));
        let mut row = |name: &str, value: String| _ = table.add_row([name.to_owned(), value]);
        let observed = format!("{:.3} s, up to {:.1} rad/s", self.seconds, self.speed);
        row("observed", observed);
        let turns = format!("{:.0} turns a second", self.rate);
        row("the controller's loop", turns);
        row("edges of its pulses", seen.changes.to_string());
        let means = format!("{}, off by {:.3} cycles at most", self.means, self.mean_off);
        row("captured means", means);
        let edges = format!(
            "{}, up to {:.0} a second, {} cycles apart at least",
            seen.edges, self.fastest, seen.closest
        );
        row("edges of the encoder", edges);
        let lost = format!("{} / {}", self.lost, self.lost_by_controller);
        row("counts lost by the tracks / by the controller", lost);
        row("outputs change", latched);
        row("inputs are sampled", sampled);
        table
    }
}

/// Has the loop closed for so many simulated seconds, every sample of which is compared. `progress` is told the part that is done.
pub fn run(images: &[PathBuf; 2], seconds: f64, mut progress: impl FnMut(f64)) -> Result<Outcome> {
    let file = env::temp_dir().join(format!("stiffstep-pair-{}.json", process::id()));
    let (board, mut client) = Emulated::start_pair(images, &file)?;
    let hello = client.hello()?;
    let mut verifier = Verifier::new(&hello)?;
    client.telemetry(1)?;
    let (mut samples, mut heard_last): (Vec<Sample>, _) = (Vec::new(), Instant::now());
    while f64::from(samples.len() as u32) * f64::from(hello.h) < seconds {
        verifier.keep_up(&mut client)?;
        let Some(heard) = client.next(Duration::from_secs(1))? else {
            if heard_last.elapsed() > Duration::from_secs(60) {
                bail!("the board sends no samples any more");
            }
            continue;
        };
        heard_last = Instant::now();
        verifier.take(&heard);
        if let Event::Sample(sample) = heard.event {
            samples.push(sample);
            progress(samples.len() as f64 * f64::from(hello.h) / seconds);
        }
    }
    let status = client.status()?;
    drop(client);
    board.ended()?;
    let text = fs::read(&file).with_context(|| format!("{} is missing", file.display()))?;
    fs::remove_file(&file)?;
    judge(
        &samples,
        serde_json::from_slice(&text)?,
        verifier,
        status,
        hello.h,
    )
}

fn judge(
    samples: &[Sample],
    report: Report,
    verifier: Verifier,
    status: Status,
    h: f32,
) -> Result<Outcome> {
    let periods = &report.periods;
    let (Some(first), Some(last)) = (periods.first(), periods.last()) else {
        bail!("the plant has had no period");
    };
    let (cycles, frequency) = (
        f64::from(status.timing.period),
        f64::from(status.timing.frequency),
    );
    let (mut means, mut mean_off, mut speed) = (0, 0.0_f64, 0.0_f64);
    let mut encoder = Encoder::new(Turning::Speed, COUNTS, h, u32::MAX);
    let mut apart = Vec::new();
    for sample in samples {
        let step = sample.step as usize;
        // A step has the mean of the period that ended when its own began; the first period has no step.
        if let (Some(seen), Some(input)) = (periods.get(step + 1), sample.inputs.first()) {
            let captured = (f64::from(*input) / SUPPLY + 1.0) * 0.5 * cycles;
            mean_off = mean_off.max((captured - seen.on as f64).abs());
            means += 1;
        }
        let shown = sample.outputs.first().copied().unwrap_or(0.0);
        speed = speed.max(f64::from(shown).abs());
        encoder.turn(shown);
        // The counts of a step come in the period after it, and are there when the next one begins.
        if let Some(seen) = periods.get(step + 3) {
            apart.push(encoder.counts() - seen.position);
        }
    }
    // The desk joins in the middle of a count, and after the first step in the middle of a speed.
    let settled = apart.get(1..).unwrap_or(&[]);
    let spread =
        |values: &[i64]| values.iter().max().unwrap_or(&0) - values.iter().min().unwrap_or(&0);
    let seconds = (last.cycle - first.cycle) as f64 / frequency;
    Ok(Outcome {
        seconds,
        means,
        mean_off,
        fastest: report.fastest() as f64 * frequency / cycles,
        lost: report.impossible as i64 + (spread(settled) - 1).max(0),
        lost_by_controller: report.behind(),
        rate: report.turns as f64 / (last.cycle as f64 / frequency),
        speed,
        verifier,
        status,
        seen: report,
    })
}
