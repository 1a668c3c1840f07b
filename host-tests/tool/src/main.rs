//! `cargo stiffstep`: the commands for a plant of one's own, and for boards that are plants.
//!
//! `cargo install --path host-tests/tool` installs it.

use cargo_stiffstep::certificate::own;
use cargo_stiffstep::{check, hil, runner, template, unit};
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;
use stiffstep_emulator::stage::ended;

/// Works on a plant of your own, and with boards that are plants.
#[derive(Parser)]
#[command(name = "cargo stiffstep", bin_name = "cargo stiffstep", version)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Writes a folder with a plant, its test, and firmware for an emulated board, a Pico and an STM32F4
    New(template::New),
    /// Runs the tests of the plant in this folder on an emulated core
    Test(unit::Test),
    /// Boots the plant in this folder on an emulated board and compares every bit with this machine
    Check(check::Check),
    /// Certifies the plant in this folder: instructions, stack, code, panic-freedom and bits on emulated boards
    Certify(own::Certify),
    /// A board that is a plant: info, monitor, record, plot, set, fault, verify, shell; `hil --help` lists them
    #[command(disable_help_flag = true)]
    Hil {
        /// The command and its arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Runs an image on the board that it is linked for; what cargo calls for `cargo run`
    Run(runner::Run),
}

fn main() -> ExitCode {
    // Cargo passes its own name of the command first.
    let arguments = std::env::args_os().enumerate();
    let own = arguments.filter(|(place, word)| *place != 1 || word != "stiffstep");
    let done = match Arguments::parse_from(own.map(|(_, word)| word)).command {
        Task::New(new) => template::new(&new).map(|()| ExitCode::SUCCESS),
        Task::Test(test) => unit::test(&test),
        Task::Check(check) => check::check(&check).map(|()| ExitCode::SUCCESS),
        Task::Certify(certify) => own::certify(&certify).map(|()| ExitCode::SUCCESS),
        Task::Hil { arguments } => hil::hil(arguments),
        Task::Run(run) => runner::run(&run),
    };
    done.unwrap_or_else(|error| ended(Err(error)))
}
