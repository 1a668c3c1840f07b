//! `cargo stiffstep check`: the plant in a folder on an emulated board, or on a real one, compared with this machine to the last bit.
//!
//! The firmware is the folder's own, the very image that real boards get but for their pins. What runs beside it on this machine is a
//! small program that is written for the plant and linked with `stiffstep-link`.

use crate::package::{Package, cargo, quoted};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use stiffstep_emulator::firmware::{images_in, workspace};
use stiffstep_emulator::install;
use stiffstep_emulator::stage::{Bar, Stages};
use stiffstep_link::emulated::Kit;

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
    #[arg(long, default_value_t = stiffstep_link::port::BAUD)]
    pub baud: u32,
    /// Simulated seconds
    #[arg(long, default_value_t = 5.0)]
    pub seconds: f64,
    /// The plant's Cargo.toml [default: the one of this folder]
    #[arg(long, value_name = "FILE")]
    pub manifest_path: Option<PathBuf>,
    /// A converter's netlist instead of a folder: its states on an emulated board, beside an independent solution
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "port", "manifest_path"])]
    pub netlist: Option<PathBuf>,
}

/// Checks.
pub fn check(wish: &Check) -> Result<()> {
    if let Some(file) = &wish.netlist {
        return converter(file);
    }
    let kit = Kit::by_name(&wish.board)?;
    let package = Package::find(wish.manifest_path.as_deref())?;
    let mut stages = Stages::new(if wish.port.is_some() { 2 } else { 4 });
    let place = match &wish.port {
        Some(port) => port.into(),
        None => {
            stages.make("tools", |bar| tools(kit, bar))?;
            let image = stages.make("firmware", |_| firmware(&package, kit))?;
            image.into_os_string()
        }
    };
    let desk = stages.make("the plant on this machine", |bar| {
        program(&package, Beside::Check, wish.port.is_some(), bar)
    })?;
    let said = stages.make(&format!("{} simulated seconds", wish.seconds), |bar| {
        let board = wish.port.as_ref().map_or(kit.name(), |_| "port");
        let mut command = Command::new(&desk);
        command.args([board, &wish.seconds.to_string()]).arg(&place);
        command.arg(wish.baud.to_string());
        bar.command(&mut command)
    })?;
    println!("{}", said.trim_end());
    Ok(())
}

/// Has the kit's checkout run a converter.
fn converter(netlist: &Path) -> Result<()> {
    let file = netlist
        .canonicalize()
        .with_context(|| format!("{} cannot be read", netlist.display()))?;
    let package = "stiffstep-switched-tests";
    let checkout = workspace();
    if !checkout.join("host-tests/switched").is_dir() {
        let place = checkout.display();
        bail!("netlists need a checkout of the kit; there is none at {place}");
    }
    let mut stages = Stages::new(1);
    stages.make("tools", |bar| tools(Kit::Qemu, bar))?;
    let mut command = stiffstep_emulator::firmware::cargo();
    command.args(["run", "--quiet", "--package", package, "--bin", "netlist"]);
    let status = command.arg("--").arg(file).status()?;
    if !status.success() {
        bail!("the converter does not do on the board what it should");
    }
    Ok(())
}

/// Installs what an emulated board needs.
pub fn tools(kit: Kit, bar: &Bar) -> Result<()> {
    install::target(kit.target(), bar)?;
    match kit {
        Kit::Rp2040 => install::rp2040js(bar),
        Kit::Qemu | Kit::Stm32f4 => install::emulator(bar),
    }
}

/// Builds the folder's image for an emulator.
pub fn firmware(package: &Package, kit: Kit) -> Result<PathBuf> {
    let binary = format!("{}-{}", package.name, kit.name());
    let mut command = cargo(&package.manifest);
    command.args(["build", "--release", "--package", &binary]);
    command.arg("--manifest-path").arg(&package.manifest);
    if kit != Kit::Qemu {
        command.args(["--no-default-features", "--features", "emulated"]);
    }
    let folder = format!("{binary}-emulated");
    let (place, target) = (&package.target, kit.target());
    let images = images_in(place, &mut command, target, &[&binary], &folder)?;
    images.into_iter().next().context("no image was built")
}

/// What the program beside a board is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Comparing bits.
    Check,
    /// All commands of the link, which takes longer to build.
    Commands,
}

/// Writes and builds the program that runs beside a board, at a serial port or emulated.
pub fn program(package: &Package, purpose: Beside, serial: bool, bar: &Bar) -> Result<PathBuf> {
    let (name, features) = match (purpose, serial) {
        (Beside::Check, false) => ("desk", ""),
        (Beside::Check, true) => ("desk-serial", "\"serial\""),
        (Beside::Commands, false) => ("commands", "\"command\""),
        (Beside::Commands, true) => ("commands-serial", "\"command\", \"serial\""),
    };
    let plant = package.folder().canonicalize()?;
    let manifest = MANIFEST
        .replace("NAME", &package.name)
        .replace("KIND", name)
        .replace("FEATURES", features)
        .replace("\"PLANT\"", &quoted(&plant.to_string_lossy()));
    let files = [
        ("Cargo.toml", package.kit.fit(&manifest)?),
        ("src/main.rs", MAIN.to_owned()),
    ];
    let home = package.write(name, &files)?;
    let mut command = cargo(&home.join("Cargo.toml"));
    // What `cargo test` has built for the plant is not built again.
    command.args(["build", "--target-dir"]).arg(&package.target);
    bar.command(&mut command).with_context(|| {
        let name = &package.name;
        format!("`{name}` needs a library with `rig` and `STEP`, see src/lib.rs of a new plant")
    })?;
    let program = format!("{}-{name}{}", package.name, std::env::consts::EXE_SUFFIX);
    Ok(package.target.join("debug").join(program))
}

const MANIFEST: &str = include_str!("../written/desk.toml.in");

const MAIN: &str = r#"//! The plant beside a board.

fn main() -> std::process::ExitCode {
    stiffstep_link::beside::main(plant::rig)
}
"#;
