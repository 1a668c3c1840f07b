//! `cargo stiffstep certify`: the certificate of the plant in a folder.
//!
//! The plant is a library crate that exports `STEP`, its period in seconds as an `f32`, and `rig(h)`, its rig.

use super::measure::boards;
use super::package::{Subject, folder_name};
use super::report::{Pace, write_page};
use super::shipped::certificates;
use crate::command::stage::Stages;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    let all = certificates(
        &mut stages,
        &[subject],
        &boards,
        wish.pace,
        wish.json.as_deref(),
    )?;
    let page = write_page(&home, &all, wish.pace)?;
    println!("certificate: {}", page.display());
    Ok(())
}

/// The plant, and the folder of its manifest.
fn subject(manifest: Option<&Path>) -> Result<(Subject, PathBuf)> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["metadata", "--no-deps", "--format-version", "1"]);
    let manifest = match manifest {
        Some(path) => path.to_path_buf(),
        None => env::current_dir()?.join("Cargo.toml"),
    };
    let manifest = manifest.canonicalize().with_context(|| {
        format!("{} is not there: run this in the plant's folder, or name its manifest with --manifest-path", manifest.display())
    })?;
    let output = cargo.arg("--manifest-path").arg(&manifest).output();
    let output = output.context("cargo could not be started; is it on the path?")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut packages = packages.filter(|package| {
        let path = package["manifest_path"].as_str().map(Path::new);
        path.and_then(|path| path.canonicalize().ok()).as_ref() == Some(&manifest)
    });
    let package = packages.next();
    let name = package.and_then(|package| package["name"].as_str());
    let name = name.with_context(|| format!("{} is no package", manifest.display()))?;
    let target = metadata["target_directory"].as_str();
    let target = target.context("cargo did not say where it builds")?;
    let home = manifest.parent().unwrap_or(Path::new("."));
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let path = quoted(&home.display().to_string());
    let subject = Subject {
        name: folder_name(Path::new(name)),
        dependency: format!("plant = {{ package = {}, path = {path} }}", quoted(name)),
        rig: "plant::rig(plant::STEP)".into(),
        folder: Path::new(target).join("stiffstep"),
    };
    Ok((subject, home.to_path_buf()))
}
