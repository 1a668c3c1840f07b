//! The converters on emulated boards.

use crate::cases::Case;
use crate::flash;
use crate::library::stepped;
use crate::servo::{self, Plant};
use anyhow::{Context, Error, Result, bail};
use std::path::{Path, PathBuf};
use stiffstep::electric::{Drive, Voltage};
use stiffstep::memory::{Digest, Memory};
use stiffstep::mild::RungeKutta4;
use stiffstep_emulator::Board;
use stiffstep_emulator::boot::{Boot, boot_plain};
use stiffstep_emulator::firmware::{add_flags, cargo, images};

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
    add_flags(&mut cargo, board, &[]);
    let built = images(&mut cargo, board.target, &[name], board.name)?;
    built.into_iter().next().context("cargo built nothing")
}

/// Runs all converters and drives.
pub fn run(board: Board, build: Build) -> Result<Vec<Record>> {
    let image = image(board, "converters", build, None)?;
    let how = Boot {
        counted: build == Build::Release,
        ..Boot::default()
    };
    let lines = boot_plain(board, &image, how)?;
    if let Some(error) = lines.iter().find(|line| line.starts_with("error|")) {
        bail!("{error}");
    }
    Ok(lines.iter().filter_map(|line| record(line)).collect())
}

/// Links the image that has no panic handler.
pub fn prove(board: Board) -> Result<()> {
    let mut cargo = cargo();
    cargo.args(["build", "--release", "--package", "stiffstep-switched"]);
    cargo.args(["--bin", "converters-proof"]);
    cargo.args(["--no-default-features", "--features", "proof"]);
    add_flags(&mut cargo, board, &[]);
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

/// The same of a drive: partitioned, and as one model by Runge-Kutta.
pub fn desk_drive(plant: &Plant) -> Result<[u32; 2]> {
    let mut drive = servo::drive::<f32>(plant)?;
    let model = servo::monolithic::<f32>(plant)?;
    let mut one = RungeKutta4::new(model, servo::H as f32, model.at_rest())?;
    one = one.turning(Drive::<f32>::ANGLE);
    let mut digests = [Digest::EMPTY; 2];
    for (pulses, load) in servo::course(plant, flash::DRIVE_STEPS, flash::SHIFT).0 {
        let pulses = pulses.map(|phase| phase.map(|pulse| pulse.map(|edge| edge as f32)));
        let voltage = Voltage::of_pulses(plant.supply as f32, &pulses);
        drive.step(&voltage, load as f32)?;
        one.step(&voltage.course(load as f32))?;
        drive.visit(&mut digests[0]);
        one.visit(&mut digests[1]);
    }
    Ok(digests.map(|digest| digest.hash))
}
