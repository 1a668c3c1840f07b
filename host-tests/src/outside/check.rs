//! `cargo stiffstep check`: the plant in a folder on an emulated board, or on a real one, compared with this machine to the last bit.
//!
//! The firmware is the folder's own, the very image that real boards get but for their pins. What runs beside it on this machine is a
//! small program that is written for the plant and linked with this library.

use super::{Package, cargo, write};
use crate::command::install;
use crate::command::stage::{Bar, Stages};
use crate::emulator::firmware::{images, target_folder, workspace};
use crate::hil::emulated::Kit;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to check, and where.
#[derive(clap::Args, Debug)]
pub struct Check {
    /// The emulated board: qemu, stm32f4 or rp2040
    #[arg(long, default_value = "qemu")]
    pub board: String,
    /// The serial port of a real board instead, which has been flashed with the folder's firmware
    #[arg(long, conflicts_with = "board")]
    pub port: Option<String>,
    /// The rate of the port, if the firmware was built with another one
    #[arg(long, default_value_t = crate::hil::port::BAUD)]
    pub baud: u32,
    /// Simulated seconds
    #[arg(long, default_value_t = 5.0)]
    pub seconds: f64,
    /// The plant's Cargo.toml [default: the one of this folder]
    #[arg(long, value_name = "FILE")]
    pub manifest_path: Option<PathBuf>,
}

/// Checks.
pub fn check(wish: &Check) -> Result<()> {
    let kit = Kit::by_name(&wish.board)?;
    let package = Package::find(wish.manifest_path.as_deref())?;
    if let Some(port) = &wish.port {
        return check_at(port, wish.baud, wish.seconds, &package);
    }
    let mut stages = Stages::new(4);
    stages.run("tools", |bar| {
        install::target(kit.target(), bar)?;
        match kit {
            Kit::Rp2040 => install::rp2040js(bar)?,
            Kit::Qemu | Kit::Stm32f4 => install::emulator(bar)?,
        }
        Ok(String::new())
    })?;
    let (mut image, mut desk, mut said) = (PathBuf::new(), PathBuf::new(), String::new());
    stages.run("firmware", |_| {
        image = firmware(&package, kit)?;
        Ok(String::new())
    })?;
    stages.run("the plant on this machine", |bar| {
        desk = program(&package, bar)?;
        Ok(String::new())
    })?;
    stages.run(&format!("{} simulated seconds", wish.seconds), |bar| {
        let mut command = Command::new(&desk);
        command.args([kit.name(), &wish.seconds.to_string()]);
        said = bar.command(command.arg(&image))?;
        Ok(String::new())
    })?;
    println!("{}", said.trim_end());
    Ok(())
}

/// Checks the board at a port.
fn check_at(port: &str, baud: u32, seconds: f64, package: &Package) -> Result<()> {
    let mut stages = Stages::new(2);
    let (mut desk, mut said) = (PathBuf::new(), String::new());
    stages.run("the plant on this machine", |bar| {
        desk = program(package, bar)?;
        Ok(String::new())
    })?;
    stages.run(&format!("{seconds} seconds at {port}"), |bar| {
        let mut command = Command::new(&desk);
        let [seconds, baud] = [seconds.to_string(), baud.to_string()];
        said = bar.command(command.args(["port", &seconds, port, &baud]))?;
        Ok(String::new())
    })?;
    println!("{}", said.trim_end());
    Ok(())
}

/// Builds the folder's image for an emulator.
fn firmware(package: &Package, kit: Kit) -> Result<PathBuf> {
    let binary = format!("{}-{}", package.name, kit.name());
    let mut command = cargo(&package.manifest);
    command.args(["build", "--release", "--package", &binary]);
    command.arg("--manifest-path").arg(&package.manifest);
    if kit != Kit::Qemu {
        command.args(["--no-default-features", "--features", "emulated"]);
    }
    let folder = format!("{binary}-emulated");
    let images = images(&mut command, kit.target(), &[&binary], &folder)?;
    images.into_iter().next().context("no image was built")
}

/// Writes and builds the program that runs beside the board.
fn program(package: &Package, bar: &Bar) -> Result<PathBuf> {
    let folder = package.target.join("stiffstep").join("desk");
    // A string of JSON is one of TOML.
    let quoted = |path: &Path| serde_json::Value::from(path.to_string_lossy()).to_string();
    let plant = package.manifest.parent().unwrap_or(Path::new("."));
    let manifest = MANIFEST
        .replace("NAME", &package.name)
        .replace("\"HOST\"", &quoted(&workspace().join("host-tests")))
        .replace("\"PLANT\"", &quoted(plant));
    let manifest = manifest + &profile()?;
    fs::create_dir_all(folder.join("src"))?;
    write(&folder.join("Cargo.toml"), &manifest)?;
    write(&folder.join("src/main.rs"), MAIN)?;
    // The versions of this checkout, and what it has built already.
    if !folder.join("Cargo.lock").exists() {
        fs::copy(workspace().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    }
    let target = target_folder();
    let mut command = cargo(&folder.join("Cargo.toml"));
    command.args(["build", "--target-dir"]).arg(&target);
    bar.command(&mut command).with_context(|| {
        format!(
            "`{}` needs a library with `rig` and `STEP`, see src/lib.rs of a new plant",
            package.name
        )
    })?;
    Ok(target.join("debug").join(format!("{}-desk", package.name)))
}

/// This checkout's profile, so that what it has built is not built again; but for what is built anew for every plant, and does here
/// nothing that takes time.
fn profile() -> Result<String> {
    let root = fs::read_to_string(workspace().join("Cargo.toml"))?;
    let root: toml::Table = root.parse().context("this checkout's Cargo.toml")?;
    let profile = root.get("profile").and_then(|all| all.get("dev"));
    let mut profile = profile
        .and_then(toml::Value::as_table)
        .cloned()
        .unwrap_or_default();
    let quick = toml::toml! {
        opt-level = 0
        debug = 0
    };
    let packages = profile
        .entry("package")
        .or_insert_with(|| toml::Table::new().into());
    if let Some(packages) = packages.as_table_mut() {
        packages.retain(|name, _| ["*", "libm"].contains(&name));
        for name in ["stiffstep-host-tests", "stiffstep-plants"] {
            packages.insert(name.into(), quick.clone().into());
        }
    }
    let profile = toml::Table::from_iter([("dev".to_owned(), profile.into())]);
    let all = toml::Table::from_iter([("profile".to_owned(), toml::Value::Table(profile))]);
    Ok(toml::to_string(&all)?)
}

const MANIFEST: &str = r#"# Written by `cargo stiffstep check`; changes are lost.
[workspace]

[package]
name = "NAME-desk"
version = "0.0.0"
edition = "2024"
publish = false

[dependencies]
stiffstep-host-tests = { path = "HOST" }
plant = { package = "NAME", path = "PLANT" }

"#;

const MAIN: &str = r#"//! The plant beside a board.

fn main() -> std::process::ExitCode {
    stiffstep_host_tests::outside::desk::main(plant::rig)
}
"#;
