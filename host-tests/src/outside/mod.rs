//! Plants in folders of their own, outside this repository.
//!
//! [`template`] writes such a folder, [`mod@check`] boots its firmware on an emulated board, and [`desk`] is the program that compares
//! the board with the plant on this machine. All that a plant's library has to have is `STEP` and `rig`.

pub mod check;
pub mod desk;
pub mod template;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A package outside.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its Cargo.toml.
    pub manifest: PathBuf,
    /// Its name.
    pub name: String,
    /// Where cargo puts what it builds.
    pub target: PathBuf,
}

impl Package {
    /// The one of this Cargo.toml, or of the folder that we are in.
    pub fn find(manifest: Option<&Path>) -> Result<Self> {
        let here = env::current_dir().context("there is no current folder")?;
        let manifest = here.join(manifest.unwrap_or(Path::new("Cargo.toml")));
        if !manifest.is_file() {
            bail!(
                "{} is not there: go to the folder of a plant, or make one with `cargo xtask new-plant`",
                manifest.display()
            );
        }
        let output = cargo(&manifest)
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .arg("--manifest-path")
            .arg(&manifest)
            .output()
            .context("cargo could not be started")?;
        if !output.status.success() {
            bail!(
                "cargo cannot read {}:\n{}",
                manifest.display(),
                String::from_utf8_lossy(&output.stderr).trim_end()
            );
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        Self::of(&metadata, &manifest)
            .with_context(|| format!("{} is not the manifest of a package", manifest.display()))
    }

    fn of(metadata: &Value, manifest: &Path) -> Option<Self> {
        let same = |path: &Value| {
            let path = path.as_str().map(Path::new).map(Path::canonicalize);
            matches!((path, manifest.canonicalize()), (Some(Ok(a)), Ok(b)) if a == b)
        };
        let packages = metadata["packages"].as_array()?;
        let package = packages
            .iter()
            .find(|package| same(&package["manifest_path"]))?;
        Some(Package {
            manifest: manifest.to_path_buf(),
            name: package["name"].as_str()?.to_owned(),
            target: metadata["target_directory"].as_str()?.into(),
        })
    }
}

/// A cargo command in the folder of a package outside, which has nothing to do with the cargo that may have started us.
pub fn cargo(manifest: &Path) -> Command {
    let mut cargo = crate::emulator::firmware::cargo();
    if let Some(folder) = manifest.parent() {
        cargo.current_dir(folder);
    }
    cargo
}

/// Writes a file, unless it is there: a newer file would be built anew.
pub fn write(file: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(file).is_ok_and(|before| before == text) {
        return Ok(());
    }
    fs::write(file, text).with_context(|| format!("{} could not be written", file.display()))
}
