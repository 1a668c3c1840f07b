//! Emulated Cortex-M boards: building their firmware, booting it under QEMU, and reading what it prints.
//!
//! [`firmware`] calls cargo, [`boot`] calls QEMU and decodes the log, [`record`] takes the log's lines apart, [`image`]
//! looks into the ELF file, `bench` does all of that for a group of workloads, and [`alone`] builds an image for each problem.
//! [`mod@stage`] shows progress, [`install`] gets what is missing, and [`mod@cost`] says what a command took.

pub mod alone;
#[cfg(feature = "log")]
pub mod bench;
pub mod boot;
pub mod cost;
pub mod firmware;
pub mod image;
pub mod install;
pub mod record;
pub mod stage;

use anyhow::{Result, bail};

/// A board that QEMU emulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// The name on the command line.
    pub name: &'static str,
    /// What stands on the chip.
    pub core: &'static str,
    /// QEMU's name of the machine.
    pub machine: &'static str,
    /// Rust's name of the target.
    pub target: &'static str,
    /// The processor to generate code for, where the target alone would not use all of it.
    pub processor: Option<&'static str>,
    /// What QEMU needs to be told besides.
    pub options: &'static [&'static str],
}

impl Board {
    const fn new(
        name: &'static str,
        core: &'static str,
        machine: &'static str,
        target: &'static str,
    ) -> Self {
        Board {
            name,
            core,
            machine,
            target,
            processor: None,
            options: &[],
        }
    }
}

/// A real micro:bit has 16 KB of RAM, too little for all workloads in one image.
const ROOMY: &[&str] = &[
    "-global",
    "nrf51-soc.sram-size=4194304",
    "-global",
    "nrf51-soc.flash-size=4194304",
];

/// The boards, the smallest first.
pub const BOARDS: [Board; 5] = [
    Board {
        options: ROOMY,
        ..Board::new("m0", "Cortex-M0", "microbit", "thumbv6m-none-eabi")
    },
    Board::new("m3", "Cortex-M3", "mps2-an385", "thumbv7m-none-eabi"),
    Board::new("m4f", "Cortex-M4F", "mps2-an386", "thumbv7em-none-eabihf"),
    Board {
        // Double precision in hardware, which the target's common denominator leaves unused.
        processor: Some("cortex-m7"),
        ..Board::new("m7", "Cortex-M7", "mps2-an500", "thumbv7em-none-eabihf")
    },
    Board::new("m33", "Cortex-M33", "mps2-an505", MAINLINE),
];

/// The target of the newest of them.
const MAINLINE: &str = "thumbv8m.main-none-eabihf";

/// The board of that name, or every board for `all`; the error names those that exist.
pub fn boards(name: &str) -> Result<Vec<Board>> {
    if name == "all" {
        return Ok(BOARDS.to_vec());
    }
    match BOARDS.iter().find(|board| board.name == name) {
        Some(board) => Ok(vec![*board]),
        None => {
            let known = BOARDS.map(|board| board.name).join(", ");
            bail!(
                "there is no board `{name}`; the known ones are {known}, or `all` for all of them"
            )
        }
    }
}

/// The board of that name.
pub fn board(name: &str) -> Result<Board> {
    match boards(name)?.as_slice() {
        [board] => Ok(*board),
        _ => bail!("`{name}` is more than one board"),
    }
}
