//! `cargo xtask new-plant` and `cargo stiffstep new`: a folder with a plant of one's own.
//!
//! The template is a package that builds where it is, `host-tests/templates/plant`: its names and its paths to this checkout are
//! replaced.

use crate::emulator::firmware::workspace;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// A new plant.
#[derive(clap::Args, Debug)]
pub struct New {
    /// The folder to write; its last part is the plant's name
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Depends on the published library instead of this checkout. Without firmware: boards are not published
    #[arg(long)]
    pub registry: bool,
}

macro_rules! files {
    ($($path:literal)*) => {
        [$(($path, include_str!(concat!("../../templates/plant/", $path)))),*]
    };
}

/// The template's files: a library, its test and its commands.
const LIBRARY: [(&str, &str); 5] = files![
    "Cargo.toml"
    "src/lib.rs"
    "tests/motion.rs"
    ".cargo/config.toml"
    "gitignore"
];

/// And its firmware.
const FIRMWARE: [(&str, &str); 7] = files![
    "boards/build.rs"
    "boards/qemu/Cargo.toml"
    "boards/qemu/src/main.rs"
    "boards/rp2040/Cargo.toml"
    "boards/rp2040/src/main.rs"
    "boards/stm32f4/Cargo.toml"
    "boards/stm32f4/src/main.rs"
];

/// The template's name, and where it stands to the checkout.
const NAME: &str = "elastic-drive";
const CHECKOUT: [&str; 2] = ["../../../../../", "../../../"];

/// Writes the folder and says how to go on.
pub fn new(wish: &New) -> Result<()> {
    let name = name(&wish.folder)?;
    if wish.folder.exists() {
        bail!(
            "{} is there already; choose another name, or remove it",
            wish.folder.display()
        );
    }
    write(&wish.folder, &name, wish.registry)?;
    println!(
        "{name} is in {}. To go on:\n\n  cd {}\n  cargo test               the plant on this machine",
        wish.folder.display(),
        wish.folder.display()
    );
    if !wish.registry {
        println!(
            "  cargo stiffstep check    the plant on an emulated board, every bit compared\n  cargo stiffstep certify  what a step costs there\n\nThe physics is in src/lib.rs."
        );
    }
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

fn write(folder: &Path, name: &str, registry: bool) -> Result<()> {
    let firmware: &[_] = if registry { &[] } else { &FIRMWARE };
    for &(path, text) in LIBRARY.iter().chain(firmware) {
        if registry && path == ".cargo/config.toml" {
            continue;
        }
        // The template's own would hide its files from this repository.
        let path = path.replace("gitignore", ".gitignore");
        let text = fitted(text, name, registry)?;
        let file = folder.join(path);
        let parent = file.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&file, text))
            .with_context(|| format!("{} could not be written", file.display()))?;
    }
    Ok(())
}

/// A file of the template, for this plant.
fn fitted(text: &str, name: &str, registry: bool) -> Result<String> {
    let identifier = name.replace('-', "_");
    let mut text = text
        .replace(NAME, name)
        .replace(&NAME.replace('-', "_"), &identifier);
    if registry {
        // Without a checkout there is no firmware, and no such command.
        let about = text
            .find("//! `cargo stiffstep check`")
            .zip(text.find("#![no_std]"));
        if let Some((from, to)) = about {
            text.replace_range(from..to, "");
        }
        text = text.replace(
            "path = \"../../..\"",
            concat!("version = \"", env!("CARGO_PKG_VERSION"), "\""),
        );
        let members = text.find("members = [").zip(text.find("\n# Firmware"));
        if let Some((from, to)) = members {
            text.replace_range(from..=to, "");
        }
        return Ok(text.replace(
            "# Firmware is built for its own targets, never for the desk.\ndefault-members = [\".\"]\n",
            "",
        ));
    }
    let checkout = workspace();
    let checkout = checkout
        .to_str()
        .with_context(|| format!("{} is not text, which Cargo.toml wants", checkout.display()))?;
    // As a path of a string in a manifest.
    let checkout = checkout.replace('\\', "/");
    for from in CHECKOUT {
        text = text.replace(from, &format!("{checkout}/"));
    }
    Ok(text.replace("\"../../..\"", &format!("\"{checkout}\"")))
}
