//! `cargo xtask certify`: the certificates of the plants that come with the kit.

use super::measure::{Certificate, boards, certify as certify_one};
use super::package::Subject;
use super::report::{Pace, show, write_json};
use crate::emulator::Board;
use crate::emulator::firmware::{target_folder, workspace};
use crate::emulator::stage::Stages;
use crate::package::Sources;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use stiffstep_plants::rigs::NAMES;

/// What to certify, and where.
#[derive(clap::Args, Debug)]
pub struct Certify {
    /// The plant: rlc, half-bridge, dc-motor, arm, slider-crank, pendulum, or all
    #[arg(long, default_value = "all")]
    pub plant: String,
    /// The board: m0, m3, m4f, m7, m33, stm32f4, rp2040, or all
    #[arg(long, default_value = "m4f")]
    pub board: String,
    /// The rates of steps
    #[command(flatten)]
    pub pace: Pace,
    /// Writes the figures to a file, too
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// The period of all of them.
const PERIOD: &str = "1e-3";

/// A plant of ours.
pub fn subject(name: &str) -> Result<Subject> {
    if !NAMES.contains(&name) {
        bail!(
            "there is no plant `{name}`; the known ones are {}, or `all` for all of them",
            NAMES.join(", ")
        );
    }
    let function = name.replace('-', "_");
    Ok(Subject {
        name: name.to_owned(),
        dependency: String::new(),
        rig: format!("stiffstep_plants::rigs::{function}({PERIOD})"),
        folder: target_folder().join("stiffstep"),
        kit: Sources::Folder(workspace()),
    })
}

/// Certifies and shows.
pub fn certify(wish: &Certify) -> Result<()> {
    let boards = boards(&wish.board)?;
    let names: Vec<&str> = match wish.plant.as_str() {
        "all" => NAMES.to_vec(),
        name => vec![name],
    };
    let subjects = names.iter().map(|name| subject(name));
    let subjects: Vec<Subject> = subjects.collect::<Result<_>>()?;
    let mut stages = Stages::new(1 + subjects.len() * (1 + boards.len()));
    let json = wish.json.as_deref();
    certificates(&mut stages, &subjects, &boards, wish.pace, json)?;
    Ok(())
}

/// The certificates of plants on boards, shown and written. Fails after that if one of them is no good.
pub fn certificates(
    stages: &mut Stages,
    subjects: &[Subject],
    boards: &[(String, Board)],
    pace: Pace,
    json: Option<&Path>,
) -> Result<Vec<Certificate>> {
    let measured: Vec<Board> = boards.iter().map(|(_, board)| *board).collect();
    stages.tools(&measured)?;
    let mut all: Vec<Certificate> = Vec::new();
    for subject in subjects {
        let desk = stages.make(&format!("{} on this machine", subject.name), |bar| {
            bar.say("building");
            subject.on_the_desk()
        })?;
        for (label, board) in boards {
            all.push(stages.make(&format!("{} on {label}", subject.name), |bar| {
                let say = |words: &str| bar.say(words);
                certify_one(subject, (label, *board), pace.wait_states, &desk, &say)
            })?);
        }
    }
    show(&all, pace);
    if let Some(path) = json {
        write_json(path, &all, pace)?;
    }
    for one in &all {
        if !(one.panic_free && one.same_bits && one.long_run.refused == 0) {
            let (plant, board) = (&one.plant, &one.board);
            bail!("{plant} on {board} is not fit to be signed for: see above");
        }
    }
    Ok(all)
}
