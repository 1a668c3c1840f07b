//! `cargo stiffstep hil`: boards that are plants, those of the kit and the one of this folder.

use crate::check::{Beside, firmware, program, tools};
use crate::package::Package;
use crate::runner::passed_on;
use anyhow::Result;
use clap::Parser;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use stiffstep_emulator::stage::Stages;
use stiffstep_link::command::{self, Arguments, IMAGE, Shipped, TOOL};
use stiffstep_link::emulated::Kit;

/// Runs a command with these arguments. In the folder of a plant it is for that plant, unless one of the kit is named.
pub fn hil(arguments: Vec<OsString>) -> Result<ExitCode> {
    let words = || [OsString::from("hil")].into_iter().chain(arguments.clone());
    let wish = Arguments::parse_from(words());
    let here = env::current_dir()?
        .join("boards/qemu/src/main.rs")
        .is_file();
    let own = here && wish.needs_board() && wish.to.plant.is_none();
    let to = wish.to;
    if !own {
        return Ok(command::main(words(), &Shipped));
    }
    let package = Package::find(None)?;
    let kit = to.board.as_deref().map(Kit::by_name).transpose()?;
    let mut stages = Stages::new(if kit.is_some() { 3 } else { 1 });
    let mut image = PathBuf::new();
    if let Some(kit) = kit {
        stages.make("tools", |bar| tools(kit, bar))?;
        image = stages.make("firmware", |_| firmware(&package, kit))?;
    }
    let desk = stages.make("the plant on this machine", |bar| {
        program(&package, Beside::Commands, kit.is_none(), bar)
    })?;
    let status = Command::new(desk)
        .args(words())
        .env(IMAGE, image)
        .env(TOOL, env::current_exe()?)
        .status()?;
    Ok(passed_on(status))
}
