//! The PC side of hardware in the loop: looks at a board that is a plant, records it, changes it, checks it.

mod commands;
mod monitor;

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Watches, records, changes and verifies a board that is a plant.
#[derive(Parser)]
#[command(name = "stiffstep-hil")]
struct Arguments {
    #[command(flatten)]
    to: To,
    #[command(subcommand)]
    command: Command,
}

/// Which board.
#[derive(Args)]
struct To {
    /// The serial port of a board; without it, the only one that there is
    #[arg(long, global = true)]
    port: Option<String>,
    /// Its rate, if the firmware was built with another one
    #[arg(long, global = true, default_value_t = stiffstep_host_tests::hil::port::BAUD)]
    baud: u32,
    /// An emulated board instead: qemu, stm32f4 or rp2040
    #[arg(long, global = true, conflicts_with = "port")]
    board: Option<String>,
    /// The plant on the emulated board
    #[arg(long, global = true, default_value = "dc-motor")]
    plant: String,
}

#[derive(Subcommand)]
enum Command {
    /// Serial ports on this machine
    Ports,
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
        #[arg(long, default_value = stiffstep_host_tests::hil::teleplot::ADDRESS)]
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

fn main() -> ExitCode {
    let Arguments { to, command } = Arguments::parse();
    match commands::run(&to, command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
