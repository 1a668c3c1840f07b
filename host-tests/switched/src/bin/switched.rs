//! `cargo xtask switched`: every converter and drive beside its independent solution, and on an emulated board.
//!
//! `--json FILE` writes the rows down, `--steps N` and `--trials N` set the lengths of courses and of searches for modes, `--desk`
//! leaves the board out.

use std::fmt::{Display, Write};
use std::{env, fs, process};
use stiffstep_emulator::firmware::workspace;
use stiffstep_emulator::stage::Stages;
use stiffstep_emulator::{board, install};
use stiffstep_switched_tests::board::{Record, run_on_pico, run_with_estimates};
use stiffstep_switched_tests::cases::cases;
use stiffstep_switched_tests::compare::{averaged_error, compare};
use stiffstep_switched_tests::servo::{self, Told};
use stiffstep_switched_tests::settling;
use stiffstep_switched_tests::{flash, monolithic, picture};

const HELP: &str = "cargo xtask switched [--json FILE] [--steps N] [--trials N] [--desk]

Every converter and drive beside its independent solution: the largest error of a state in units of its largest magnitude, the same
of gates that are sampled or averaged, and instructions of a step on an emulated Cortex-M4F: the fewest, the most without edges
and commutations, the mean, the most; and what the certificate says: the longest way through the step's code with loops as long as
they were seen in a few traced steps, which is an estimate and no bound, or why there is none. A loop that was
not seen to run counts one pass.
  --json FILE  writes the rows down
  --steps N    steps of each converter, 4000 unless told
  --trials N   searches for modes from as many random states, none unless told
  --board NAME counts on another emulated board than m4f
  --pico       counts a drive's cycles on a Raspberry Pi Pico, too, which node and rp2040js emulate
  --desk       leaves the boards out
  --pictures   writes the guide's pictures anew, and nothing else";

/// What the command is asked.
struct Asked {
    json: Option<String>,
    steps: usize,
    trials: u64,
    board: Option<String>,
    pico: bool,
    pictures: bool,
}

fn asked() -> Result<Asked, String> {
    let mut asked = Asked {
        json: None,
        steps: 4000,
        trials: 0,
        board: Some("m4f".to_owned()),
        pico: false,
        pictures: false,
    };
    let mut arguments = env::args().skip(1);
    if env::args().nth(1).is_some_and(|first| first == "switched") {
        arguments.next();
    }
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        let count = |text: String| {
            text.parse::<u64>()
                .map_err(|_| format!("{text} is no number"))
        };
        match argument.as_str() {
            "--json" => asked.json = Some(value()?),
            "--steps" => asked.steps = count(value()?)? as usize,
            "--trials" => asked.trials = count(value()?)?,
            "--board" => asked.board = Some(value()?),
            "--pico" => asked.pico = true,
            "--pictures" => asked.pictures = true,
            "--desk" => asked.board = None,
            "--help" | "-h" => return Err(HELP.to_owned()),
            _ => return Err(format!("unknown: {argument}")),
        }
    }
    Ok(asked)
}

/// A row of the table and of the file.
struct Row {
    plant: String,
    error: f64,
    limit: f64,
    sampled: f64,
    averaged: Option<f64>,
    record: Option<Record>,
    bytes_per_mode: usize,
}

impl Row {
    fn json(&self) -> String {
        let mut text = format!(
            "{{\"plant\": {:?}, \"error\": {:e}, \"limit\": {:e}",
            self.plant, self.error, self.limit
        );
        if self.sampled.is_finite() {
            let _ = write!(text, ", \"sampled\": {:e}", self.sampled);
        }
        if let Some(averaged) = self.averaged {
            let _ = write!(text, ", \"averaged\": {averaged:e}");
        }
        if let Some(record) = &self.record {
            let [_, plain, mean, most] = record.instructions;
            let _ = write!(
                text,
                ", \"instructions_plain\": {plain}, \"instructions_mean\": {mean}, \"instructions_max\": {most}"
            );
            match &record.estimate {
                Some(Ok(estimate)) => {
                    let (most, unseen) = (estimate.instructions, estimate.unseen);
                    let _ = write!(
                        text,
                        ", \"instructions_estimate\": {most}, \"loops_unseen\": {unseen}"
                    );
                }
                Some(Err(why)) => {
                    let _ = write!(text, ", \"no_estimate\": {why:?}");
                }
                None => {}
            }
        }
        let _ = write!(text, ", \"bytes_per_mode\": {}}}", self.bytes_per_mode);
        text
    }

    fn line(&self) -> String {
        let averaged = self
            .averaged
            .map_or(String::new(), |error| format!("{error:.1e}"));
        let sampled = if self.sampled.is_nan() {
            String::new()
        } else {
            format!("{:.1e}", self.sampled)
        };
        let counts = self.record.as_ref().map_or(String::new(), |record| {
            let [least, plain, mean, most] = record.instructions;
            let estimate = match &record.estimate {
                Some(Ok(estimate)) => format!(
                    "{:8}, {} of {} loops unseen",
                    estimate.instructions, estimate.unseen, estimate.loops
                ),
                Some(Err(why)) => format!("none: {why}"),
                None => String::new(),
            };
            format!("{least:6} {plain:6} {mean:6} {most:6} {estimate}")
        });
        format!(
            "{:37} {:8.1e} {:8.0e} {sampled:>8} {averaged:>8} {:6} {counts}",
            self.plant, self.error, self.limit, self.bytes_per_mode
        )
    }
}

/// The larger error of runs with and without a shift.
fn worst<E: Display>(
    plant: &servo::Plant,
    run: impl Fn(f64) -> Result<(f64, f64), E>,
) -> Result<f64, String> {
    let error = |shift| match run(shift) {
        Ok((error, _)) => Ok(error),
        Err(error) => Err(format!("{}: {error}", plant.name)),
    };
    Ok(error(0.0)?.max(error(0.3)?))
}

fn rows(asked: &Asked, records: &[Record]) -> Result<Vec<Row>, String> {
    let found = |name: &str| records.iter().find(|record| record.name == name).cloned();
    let mut rows = Vec::new();
    for case in cases() {
        let row = compare::<f32>(&case, asked.steps)?;
        rows.push(Row {
            plant: row.name.to_owned(),
            error: row.error,
            limit: row.limit,
            sampled: row.sampled,
            averaged: averaged_error(&case, asked.steps),
            record: found(row.name),
            bytes_per_mode: row.bytes.0,
        });
    }
    for plant in servo::plants() {
        let steps = asked.steps.max(6000);
        let worst = |told| {
            worst(&plant, |shift| {
                servo::error::<f32>(&plant, steps, shift, told)
            })
        };
        rows.push(Row {
            plant: plant.name.to_owned(),
            error: worst(Told::Edges)?,
            limit: plant.limit,
            sampled: worst(Told::Samples).unwrap_or(f64::INFINITY),
            averaged: Some(worst(Told::Duties)?),
            record: found(plant.name),
            bytes_per_mode: 0,
        });
        for how in monolithic::ALL {
            let run = |shift| monolithic::error::<f32>(&plant, how, steps, shift);
            let error = self::worst(&plant, run)?;
            let name = format!("{}{}", plant.name, how.suffix());
            rows.push(Row {
                record: found(&name),
                plant: name,
                error,
                limit: how.limit(&plant),
                sampled: f64::NAN,
                averaged: None,
                bytes_per_mode: 0,
            });
        }
    }
    Ok(rows)
}

/// The first drive at the rate that a Raspberry Pi Pico has time for.
fn tell_pico() -> Result<(), String> {
    let mut stages = Stages::new(1);
    let installed = stages.run("the Pico's emulator", |bar| {
        install::rp2040js(bar).map(|()| String::new())
    });
    installed.map_err(|error| error.to_string())?;
    let counts = run_on_pico(flash::DRIVE_STEPS).map_err(|error| error.to_string())?;
    let plant = servo::plants()[0].stepped(1.0 / servo::PICO);
    let run = |shift| servo::error::<f32>(&plant, 1500, shift, Told::Edges);
    let worst = worst(&plant, run)?;
    println!(
        "{} on a Pico: {} instructions and {} of the {:.0} cycles at {:.0} Hz, error {worst:.1e} there",
        plant.name,
        counts[0],
        counts[1],
        125e6 / servo::PICO,
        servo::PICO
    );
    Ok(())
}

fn work() -> Result<bool, String> {
    let asked = asked()?;
    if asked.pictures {
        for (file, text) in picture::FILES.iter().zip(picture::files()?) {
            let file = workspace().join(file);
            fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
        }
        return Ok(true);
    }
    let records = match &asked.board {
        Some(name) => board(name).and_then(run_with_estimates),
        None => Ok(Vec::new()),
    };
    let records = records.map_err(|error| error.to_string())?;
    let rows = rows(&asked, &records)?;
    println!(
        "{:37} {:>8} {:>8} {:>8} {:>8} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8}",
        "",
        "error",
        "limit",
        "sampled",
        "averaged",
        "B/mode",
        "least",
        "plain",
        "mean",
        "most",
        "estimate"
    );
    rows.iter().for_each(|row| println!("{}", row.line()));
    if asked.pico {
        tell_pico()?;
    }
    let mut good = rows.iter().all(|row| row.error <= row.limit);
    if asked.trials > 0 {
        for case in cases() {
            let found = settling::settling(&case, asked.trials, 1)?;
            println!(
                "{:26} {} searches, {} failed, {} wrong, at most {} iterations; from any state {} refused, {} wrong",
                case.name,
                found.consistent,
                found.failed,
                found.wrong,
                found.most(),
                found.refused,
                found.any_wrong
            );
            good &= found.failed + found.wrong + found.any_wrong == 0 && found.most() <= 8;
        }
    }
    if let Some(file) = asked.json {
        let rows: Vec<String> = rows.iter().map(Row::json).collect();
        let text = format!("[\n  {}\n]\n", rows.join(",\n  "));
        fs::write(&file, text).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(good)
}

fn main() {
    match work() {
        Ok(true) => {}
        Ok(false) => process::exit(1),
        Err(error) => {
            eprintln!("{error}");
            process::exit(2);
        }
    }
}
