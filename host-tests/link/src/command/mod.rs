//! `cargo stiffstep hil`: looks at a board that is a plant, records it, changes it, checks it.

mod monitor;
mod run;
mod shell;

use crate::beside::plant_of;
use crate::emulated::Kit;
use crate::verify::Verifier;
use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use stiffstep::Error;
use stiffstep::hil::Rig;
use stiffstep::hil::protocol::Hello;
use stiffstep_emulator::stage::ended;

/// By this name the tool says which image a board of one's own plant is to boot.
pub const IMAGE: &str = "STIFFSTEP_IMAGE";

/// By this name the tool says where it is itself.
pub const TOOL: &str = "STIFFSTEP_TOOL";

/// Where boards come from, and what runs beside them.
pub trait Workshop {
    /// The image of a plant for an emulated board.
    fn image(&self, kit: Kit, plant: &str) -> Result<PathBuf>;
    /// The plant of a board on this machine.
    fn reference(&self, hello: &Hello<String>) -> Result<Verifier>;
}

/// The plants that come with the kit.
#[cfg(feature = "kit")]
pub struct Shipped;

#[cfg(feature = "kit")]
impl Workshop for Shipped {
    fn image(&self, kit: Kit, plant: &str) -> Result<PathBuf> {
        let images = kit.build(&[plant])?;
        images.into_iter().next().context("no image was built")
    }

    fn reference(&self, hello: &Hello<String>) -> Result<Verifier> {
        Verifier::new(hello)
    }
}

/// A plant of one's own, whose image the tool has built.
pub struct Own<F>(pub F);

impl<R: Rig + 'static, F: Fn(f32) -> Result<R, Error>> Workshop for Own<F> {
    fn image(&self, _kit: Kit, _plant: &str) -> Result<PathBuf> {
        let image = env::var_os(IMAGE).context("there is no image of this plant")?;
        Ok(image.into())
    }

    fn reference(&self, hello: &Hello<String>) -> Result<Verifier> {
        Ok(Verifier::beside(Box::new(plant_of(hello, &self.0)?)))
    }
}

/// Watches, records, changes and verifies a board that is a plant.
#[derive(Parser)]
#[command(name = "hil", bin_name = "cargo stiffstep hil")]
pub struct Arguments {
    /// Which board.
    #[command(flatten)]
    pub to: To,
    #[command(subcommand)]
    command: Command,
}

impl Arguments {
    /// Whether the command is about a board.
    pub fn needs_board(&self) -> bool {
        !matches!(self.command, Command::Ports | Command::Plot { .. })
    }
}

/// Which board.
#[derive(Args)]
pub struct To {
    /// The serial port of a board; without it, the only one that there is
    #[arg(long, global = true)]
    pub port: Option<String>,
    /// Its rate, if the firmware was built with another one
    #[arg(long, global = true, default_value_t = crate::port::BAUD)]
    pub baud: u32,
    /// An emulated board instead: qemu, stm32f4 or rp2040. It is started for this command; `shell` keeps it for several
    #[arg(long, global = true, conflicts_with = "port")]
    pub board: Option<String>,
    /// A plant of the kit on the emulated board [default: the one of this folder, or dc-motor]
    #[arg(long, global = true)]
    pub plant: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    /// Serial ports on this machine
    Ports,
    /// Several commands on one board: a line each, from the keyboard or from a file; `quit` ends it
    Shell,
    /// What the board is, with the names, units, ranges and pins of everything, its timing, and its seconds beside this machine's
    Info {
        /// Seconds to compare the clocks
        #[arg(long, default_value_t = 2.0)]
        seconds: f64,
    },
    /// Asks a lot while every step is told, and shows what that does to the beginning of periods
    Strain {
        /// Periods at least
        #[arg(long, default_value_t = 100_000)]
        periods: u32,
    },
    /// Shows signals and counters, live
    Monitor {
        /// Seconds to watch; for ever without it
        #[arg(long)]
        seconds: Option<f64>,
    },
    /// Writes samples to a file of comma-separated values
    Record {
        /// The file
        file: PathBuf,
        /// Simulated seconds
        #[arg(long, default_value_t = 10.0)]
        seconds: f64,
        /// Steps from sample to sample
        #[arg(long, default_value_t = 1)]
        divider: u16,
    },
    /// Sets parameters and inputs: `set "shaft stiffness=100" voltage=12`
    Set {
        /// Names with values; the beginning of a name is enough where it is clear
        #[arg(required = true)]
        values: Vec<String>,
    },
    /// Injects a fault: `stuck OUTPUT`, `offset OUTPUT BY`, `lost OUTPUT SAMPLES`, `jump PARAMETER VALUE`, `burden MICROSECONDS`,
    /// or ends all of them: `heal`
    Fault {
        /// Kind and arguments
        #[arg(required = true, allow_negative_numbers = true)]
        words: Vec<String>,
    },
    /// Keeps the plant's state on the board, goes back to it, or to the start: `state keep|restore|reset`
    State {
        /// keep, restore or reset
        what: String,
    },
    /// What to do about overruns: `policy keep-best|hold|safe`
    Policy {
        /// keep-best, hold or safe
        what: String,
    },
    /// What to do when the host is silent: `silence go-on|release|safe`
    Silence {
        /// go-on, release or safe
        what: String,
    },
    /// Draws a recording
    Plot {
        /// The recording
        recording: PathBuf,
        /// The picture, an SVG
        picture: PathBuf,
    },
    /// Sends samples to Teleplot or PlotJuggler
    Teleplot {
        /// Where it listens
        #[arg(long, default_value = crate::teleplot::ADDRESS)]
        to: String,
        /// Seconds to send; for ever without it
        #[arg(long)]
        seconds: Option<f64>,
        /// Steps from sample to sample
        #[arg(long, default_value_t = 10)]
        divider: u16,
    },
    /// Runs the reference build beside the board and compares every sample, to the bit
    Verify {
        /// Simulated seconds
        #[arg(long, default_value_t = 10.0)]
        seconds: f64,
        /// Steps from sample to sample
        #[arg(long, default_value_t = 1)]
        divider: u16,
    },
}

/// Runs a command, whose arguments begin with the program's name.
pub fn main(arguments: impl IntoIterator<Item = OsString>, workshop: &dyn Workshop) -> ExitCode {
    let Arguments { to, command } = Arguments::parse_from(arguments);
    ended(run::run(&to, command, workshop))
}
