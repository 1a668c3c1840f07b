//! The converters on emulated boards.

use crate::cases::{Case, cases};
use crate::estimate::{Estimated, estimates};
use crate::flash;
use crate::library::stepped;
use crate::monolithic;
use crate::servo::{self, Plant};
use anyhow::{Context, Error, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use stiffstep::electric::Voltage;
use stiffstep::memory::{Digest, Memory};
use stiffstep_emulator::Board;
use stiffstep_emulator::boot::{Boot, boot_plain};
use stiffstep_emulator::firmware::{add_flags, cargo, images, workspace};
use stiffstep_emulator::image::function;

/// What the firmware reports of a converter or a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// How many steps it took.
    pub steps: usize,
    /// A digest of all states.
    pub digest: u32,
    /// The fewest instructions of a step, the most of one without edges and commutations, the mean, the most.
    pub instructions: [u32; 4],
    /// Bytes of a mode, and of the state.
    pub bytes: [u32; 2],
    /// What the certificate says of a step's instructions, if it was asked.
    pub estimate: Option<Estimated>,
}

/// One line of the report.
fn record(line: &str) -> Option<Record> {
    let mut words = line.trim().split('|');
    words.next().filter(|kind| *kind == "record")?;
    let name = words.next()?.to_owned();
    let steps = words.next()?.parse().ok()?;
    let digest = u32::from_str_radix(words.next()?, 16).ok()?;
    let mut number = || words.next()?.parse().ok();
    Some(Record {
        name,
        steps,
        digest,
        instructions: [number()?, number()?, number()?, number()?],
        bytes: [number()?, number()?],
        estimate: None,
    })
}

/// How an image is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// As firmware is: what is counted is what a user gets.
    Release,
    /// Without optimisation across crates, in a fraction of the time: where only bits count.
    Quick,
}

/// An image of the firmware, built with a variable of the environment.
fn image(
    board: Board,
    name: &str,
    build: Build,
    variable: Option<(&str, &Path)>,
) -> Result<PathBuf> {
    let profile = match build {
        Build::Release => "release",
        Build::Quick => "quick",
    };
    let mut cargo = cargo();
    cargo.args(["build", "--profile", profile]);
    cargo.args(["--package", "stiffstep-switched", "--bin", name]);
    cargo.envs(variable);
    add_flags(&mut cargo, board);
    let built = images(&mut cargo, board.target, &[name], board.name)?;
    built.into_iter().next().context("cargo built nothing")
}

/// Runs all converters and drives.
pub fn run(board: Board, build: Build) -> Result<Vec<Record>> {
    let image = image(board, "converters", build, None)?;
    records(board, &image, build == Build::Release)
}

/// The same with what the certificate says of the steps, for images as firmware is.
pub fn run_with_estimates(board: Board) -> Result<Vec<Record>> {
    let image = image(board, "converters", Build::Release, None)?;
    let mut records = records(board, &image, true)?;
    let mut why = "its step is compiled into the loop that counts it";
    let mut found = Vec::new();
    if board.target.ends_with("hf") {
        found = estimates(board, &image, record)?;
        let converters = cases().len();
        ensure!(found.len() == converters, "{} were traced", found.len());
    } else {
        why = "floating point is software here, whose loops depend on the data";
    }
    let mut found = found.into_iter();
    for record in &mut records {
        record.estimate = Some(found.next().unwrap_or_else(|| Err(why.to_owned())));
    }
    Ok(records)
}

/// What an image prints.
fn records(board: Board, image: &Path, counted: bool) -> Result<Vec<Record>> {
    let how = Boot {
        counted,
        ..Boot::default()
    };
    let lines = boot_plain(board, image, how)?;
    if let Some(error) = lines.iter().find(|line| line.starts_with("error|")) {
        bail!("{error}");
    }
    Ok(lines.iter().filter_map(|line| record(line)).collect())
}

/// The most instructions and cycles of a step of the first drive on a Raspberry Pi Pico, whose flash answers at once, over so many
/// steps of its course.
pub fn run_on_pico(steps: usize) -> Result<[u64; 2]> {
    let board = stiffstep_emulator::board("m0")?;
    let mut cargo = cargo();
    cargo.args(["build", "--release", "--package", "stiffstep-switched"]);
    cargo.args(["--bin", "pico", "--no-default-features"]);
    cargo.args(["--features", "pico,softfloat"]);
    add_flags(&mut cargo, board);
    let image = images(&mut cargo, board.target, &["pico"], "pico")?;
    let image = image.first().context("cargo built nothing")?;
    let entry = function(image, "stiffstep_switched4turn")?;
    let mut node = Command::new("node");
    node.arg(workspace().join("boards/rp2040/emulator/cycles.mjs"));
    node.arg(image).args([entry.to_string(), steps.to_string()]);
    let output = node.output().context("node could not be started")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "rp2040js: {said}");
    let text = String::from_utf8(output.stdout)?;
    let (mut most, mut count) = ([0; 2], 0);
    for line in text.lines() {
        let (instructions, cycles) = line.split_once(' ').context("no step")?;
        most = [
            most[0].max(instructions.parse()?),
            most[1].max(cycles.parse()?),
        ];
        count += 1;
    }
    ensure!(count == steps, "{count} steps instead of {steps}");
    Ok(most)
}

/// Links the image that has no panic handler.
pub fn prove(board: Board) -> Result<()> {
    let mut cargo = cargo();
    cargo.args(["build", "--release", "--package", "stiffstep-switched"]);
    cargo.args(["--bin", "converters-proof"]);
    cargo.args(["--no-default-features", "--features", "proof"]);
    add_flags(&mut cargo, board);
    images(&mut cargo, board.target, &["converters-proof"], board.name)?;
    Ok(())
}

/// The states after every step of the converter of a netlist.
pub fn run_netlist(board: Board, netlist: &Path) -> Result<Vec<Vec<f32>>> {
    let variable = Some(("STIFFSTEP_NETLIST", netlist));
    let image = image(board, "netlist", Build::Release, variable)?;
    let lines = boot_plain(board, &image, Boot::default())?;
    if let Some(error) = lines.iter().find_map(|line| line.strip_prefix("error|")) {
        bail!("on the board: {error}");
    }
    let number = |word: &str| u32::from_str_radix(word, 16).map_or(f32::NAN, f32::from_bits);
    let state = |line: &String| {
        let words = line.strip_prefix("state|")?.trim().split('|');
        Some(words.map(number).collect())
    };
    Ok(lines.iter().filter_map(state).collect())
}

/// The digest of a converter's course on this machine.
pub fn desk(case: &Case) -> Result<u32> {
    let mut plant = stepped::<f32>(case).map_err(Error::msg)?;
    let mut digest = Digest::EMPTY;
    for given in case.given(flash::STEPS) {
        plant.step(&given)?;
        plant.digest(&mut digest);
    }
    Ok(digest.hash)
}

/// The same of a drive: its name with the method, for all methods.
pub fn desk_drive(plant: &Plant) -> Result<Vec<(String, u32)>> {
    let failed = |error: Box<dyn std::error::Error>| Error::msg(error.to_string());
    let mut drive = servo::drive::<f32>(plant)?;
    let mut digest = Digest::EMPTY;
    let steps = servo::course(plant, flash::DRIVE_STEPS, flash::SHIFT).0;
    let given = steps.into_iter().map(|(pulses, load)| {
        let pulses = pulses.map(|phase| phase.map(|pulse| pulse.map(|edge| edge as f32)));
        (
            Voltage::of_pulses(plant.supply as f32, &pulses),
            load as f32,
        )
    });
    let given: Vec<_> = given.collect();
    for (voltage, load) in &given {
        drive.step(voltage, *load)?;
        drive.visit(&mut digest);
    }
    let mut digests = vec![(plant.name.to_owned(), digest.hash)];
    for how in monolithic::ALL {
        let mut one = monolithic::Stepped::<f32>::new(plant, how).map_err(failed)?;
        let mut digest = Digest::EMPTY;
        for (voltage, load) in &given {
            one.step(voltage, *load).map_err(failed)?;
            one.digest(&mut digest);
        }
        digests.push((format!("{}{}", plant.name, how.suffix()), digest.hash));
    }
    Ok(digests)
}
