//! `cargo stiffstep new`: a folder with a plant of one's own.
//!
//! The template is part of this program: its names, and where it says that a crate is of the kit, are replaced.

use crate::package::{Sources, quoted};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use stiffstep_emulator::firmware::{target_folder, workspace};

/// A new plant.
#[derive(clap::Args, Debug)]
pub struct New {
    /// The folder to write; its last part is the plant's name
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Where the library and the boards are: a checkout, or the library's folder with the other packages beside it [default: the
    /// checkout that this tool was built from, or a registry where there is none]
    #[arg(long, value_name = "FOLDER")]
    pub kit: Option<PathBuf>,
    /// Depends on the published packages
    #[arg(long, conflicts_with = "kit")]
    pub registry: bool,
}

macro_rules! files {
    ($($path:literal)*) => {
        [$(($path, include_str!(concat!("../template/", $path)))),*]
    };
}

/// The template's files. A manifest has another name there, or packaging would leave its folder out.
const FILES: [(&str, &str); 13] = files![
    "Cargo.toml.in"
    "clippy.toml"
    "src/lib.rs"
    "tests/motion.rs"
    ".cargo/config.toml"
    "gitignore"
    "boards/build.rs"
    "boards/qemu/Cargo.toml.in"
    "boards/qemu/src/main.rs"
    "boards/rp2040/Cargo.toml.in"
    "boards/rp2040/src/main.rs"
    "boards/stm32f4/Cargo.toml.in"
    "boards/stm32f4/src/main.rs"
];

/// The template's name.
const NAME: &str = "elastic-drive";

/// Writes the folder and says how to go on.
pub fn new(wish: &New) -> Result<()> {
    let name = name(&wish.folder)?;
    let folder = wish.folder.display();
    if wish.folder.exists() {
        bail!("{folder} is there already; choose another name, or remove it");
    }
    let kit = match (&wish.kit, wish.registry) {
        (Some(folder), _) => {
            let is_there = folder.canonicalize();
            let missing = || format!("{} is not there", folder.display());
            Sources::Folder(is_there.with_context(missing)?)
        }
        (None, true) => Sources::registry(),
        (None, false) => Sources::own(),
    };
    write(&wish.folder, &name, &kit)?;
    println!(
        "{name} is in {folder}; the physics is in src/lib.rs. To go on:

  cd {folder}
  cargo test               the plant on this machine
  cargo stiffstep check    the plant on an emulated board, every bit compared
  cargo stiffstep certify  what a step costs there
  cargo stiffstep test     the plant's tests on an emulated core"
    );
    Ok(())
}

/// The name of the plant in a folder: what cargo takes as the name of a package.
fn name(folder: &Path) -> Result<String> {
    let name = folder.file_name().and_then(|name| name.to_str());
    let name = name.context("the folder has no name")?;
    let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(letter) {
        bail!(
            "`{name}` cannot be a plant's name: lower-case letters, digits and hyphens can, a letter first"
        );
    }
    if ["stiffstep", "test", "core", "std", "alloc"].contains(&name) {
        bail!("`{name}` is the name of something else");
    }
    Ok(name.to_owned())
}

/// How the folder gets the command if it is not installed: from the checkout that this program is of.
fn alias() -> String {
    let target = target_folder();
    if !std::env::current_exe().is_ok_and(|program| program.starts_with(&target)) {
        return String::new();
    }
    let [manifest, folder] =
        [workspace().join("Cargo.toml"), target].map(|path| quoted(&path.to_string_lossy()));
    format!(
        "# `cargo stiffstep`, from the checkout that wrote this folder; `cargo install --path host-tests/tool` there installs it.\n[alias]\nstiffstep = [\"run\", \"--quiet\", \"--manifest-path\", {manifest}, \"--target-dir\", {folder}, \"--package\", \"cargo-stiffstep\", \"--\"]\n\n"
    )
}

fn write(folder: &Path, name: &str, kit: &Sources) -> Result<()> {
    for (path, text) in FILES {
        // The template's own would hide its files from this repository.
        let path = path.replace("gitignore", ".gitignore");
        let text = text
            .replace(NAME, name)
            .replace(&NAME.replace('-', "_"), &name.replace('-', "_"));
        let file = folder.join(path.trim_end_matches(".in"));
        let parent = file.parent().unwrap_or(folder);
        let text = kit.fit(&text)?.replace("#ALIAS\n", &alias());
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&file, text))
            .with_context(|| format!("{} could not be written", file.display()))?;
    }
    Ok(())
}
