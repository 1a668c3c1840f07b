//! What cargo calls to run an image: an emulator where the image's memory is an emulated board's, a debug probe where it is a chip's.
//!
//! `.cargo/config.toml` of a plant names it as the runner of `cargo run --target thumbv7em-none-eabihf`.

use anyhow::{Context, Result, bail};
use object::{Object, ObjectSegment};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};
use stiffstep_emulator::board;
use stiffstep_emulator::boot::QEMU;

/// An image to run.
#[derive(clap::Args, Debug)]
pub struct Run {
    /// The ELF file
    pub image: PathBuf,
    /// What the image gets as its arguments, where it is emulated
    pub arguments: Vec<String>,
}

/// Who runs an image, by the place that its code has in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Arm's mps2 boards, and a micro:bit, for code without a floating-point unit.
    Emulated,
    /// An STM32's flash.
    Stm32,
    /// A Pico's flash.
    Pico,
}

/// The place of an address in flash.
pub fn place(address: u64) -> Option<Place> {
    match address {
        0..0x0040_0000 => Some(Place::Emulated),
        0x0800_0000..0x0820_0000 => Some(Place::Stm32),
        0x1000_0000..0x1100_0000 => Some(Place::Pico),
        _ => None,
    }
}

/// Runs it, and passes its exit status on.
pub fn run(wish: &Run) -> Result<ExitCode> {
    let shown = wish.image.display();
    let bytes = fs::read(&wish.image).with_context(|| format!("{shown} cannot be read"))?;
    let file =
        object::File::parse(&*bytes).with_context(|| format!("{shown} is not an ELF file"))?;
    let first = file.segments().map(|segment| segment.address()).min();
    let mut command = match first.and_then(place) {
        Some(Place::Emulated) => emulated(&shown.to_string(), wish)?,
        Some(Place::Stm32) => probe(&["run"]),
        Some(Place::Pico) => probe(&["run", "--chip", "RP2040"]),
        None => bail!("{shown} is linked for a memory that no board here has"),
    };
    let status = command
        .arg(&wish.image)
        .status()
        .with_context(|| format!("{:?} could not be started", command.get_program()))?;
    Ok(passed_on(status))
}

/// An exit status as our own.
pub fn passed_on(status: ExitStatus) -> ExitCode {
    let code = status.code().unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

fn probe(arguments: &[&str]) -> Command {
    let mut probe = Command::new("probe-rs");
    probe.args(arguments);
    probe
}

fn emulated(image: &str, wish: &Run) -> Result<Command> {
    // The target's name is part of the path that cargo gives.
    let board = board(if image.contains("thumbv6m") {
        "m0"
    } else {
        "m4f"
    })?;
    let mut qemu = Command::new(QEMU);
    qemu.args(["-M", board.machine]).args(board.options);
    qemu.args(["-nographic", "-monitor", "none", "-serial", "none"]);
    let mut semihosting = String::from("enable=on,target=native,arg=image");
    for argument in &wish.arguments {
        semihosting += &format!(",arg={argument}");
    }
    qemu.args(["-semihosting-config", &semihosting, "-kernel"]);
    Ok(qemu)
}

#[cfg(test)]
mod tests {
    use super::{Place, place};

    #[test]
    fn an_image_goes_where_its_memory_is() {
        assert_eq!(place(0), Some(Place::Emulated));
        assert_eq!(place(0x0800_0000), Some(Place::Stm32));
        assert_eq!(place(0x1000_0100), Some(Place::Pico));
        assert_eq!(place(0x6000_0000), None);
    }
}
