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

/// The boards, the smallest first.
pub const BOARDS: [Board; 5] = [
    Board {
        name: "m0",
        core: "Cortex-M0",
        machine: "microbit",
        target: "thumbv6m-none-eabi",
        processor: None,
        // A real one has 16 KB of RAM, too little for all workloads in one image.
        options: &[
            "-global",
            "nrf51-soc.sram-size=4194304",
            "-global",
            "nrf51-soc.flash-size=4194304",
        ],
    },
    Board {
        name: "m3",
        core: "Cortex-M3",
        machine: "mps2-an385",
        target: "thumbv7m-none-eabi",
        processor: None,
        options: &[],
    },
    Board {
        name: "m4f",
        core: "Cortex-M4F",
        machine: "mps2-an386",
        target: "thumbv7em-none-eabihf",
        processor: None,
        options: &[],
    },
    Board {
        name: "m7",
        core: "Cortex-M7",
        machine: "mps2-an500",
        target: "thumbv7em-none-eabihf",
        // Double precision in hardware, which the target's common denominator leaves unused.
        processor: Some("cortex-m7"),
        options: &[],
    },
    Board {
        name: "m33",
        core: "Cortex-M33",
        machine: "mps2-an505",
        target: "thumbv8m.main-none-eabihf",
        processor: None,
        options: &[],
    },
];

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
