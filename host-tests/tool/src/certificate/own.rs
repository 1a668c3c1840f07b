//! `cargo stiffstep certify`: the certificate of the plant in a folder.
//!
//! The plant is a library crate that exports `STEP`, its period in seconds as an `f32`, and `rig(h)`, its rig.

use super::measure::boards;
use super::package::Subject;
use super::report::{Pace, write_page};
use super::shipped::certificates;
use crate::emulator::stage::Stages;
use crate::package::{Package, quoted};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// What to certify, and where.
#[derive(clap::Args, Debug)]
pub struct Certify {
    /// The board: m0, m3, m4f, m7, m33, stm32f4, rp2040, or all
    #[arg(long, default_value = "m4f")]
    pub board: String,
    /// The plant's Cargo.toml [default: the one of this folder]
    #[arg(long, value_name = "FILE")]
    pub manifest_path: Option<PathBuf>,
    /// The rates of steps
    #[command(flatten)]
    pub pace: Pace,
    /// Writes the figures to a file, too
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Certifies, shows, and writes `certificate.md` beside the plant's manifest.
pub fn certify(wish: &Certify) -> Result<()> {
    let boards = boards(&wish.board)?;
    let (subject, home) = subject(wish.manifest_path.as_deref())?;
    let mut stages = Stages::new(2 + boards.len());
    let json = wish.json.as_deref();
    let all = certificates(&mut stages, &[subject], &boards, wish.pace, json)?;
    let page = write_page(&home, &all, wish.pace)?;
    println!("certificate: {}", page.display());
    Ok(())
}

/// The plant, and the folder of its manifest.
fn subject(manifest: Option<&Path>) -> Result<(Subject, PathBuf)> {
    let package = Package::find(manifest)?;
    let home = package.manifest.parent().unwrap_or(Path::new("."));
    let home = home.canonicalize()?;
    let (name, path) = (quoted(&package.name), quoted(&home.display().to_string()));
    let subject = Subject {
        dependency: format!("plant = {{ package = {name}, path = {path} }}"),
        rig: "plant::rig(plant::STEP)".into(),
        folder: package.target.join("stiffstep"),
        kit: package.kit,
        name: package.name,
    };
    Ok((subject, home))
}
