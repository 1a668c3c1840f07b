//! `cargo stiffstep`: the kit's commands for a plant in a folder of its own.
//!
//! `cargo install --path host-tests --bin cargo-stiffstep` installs it; it builds against the checkout that it was built from.

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use stiffstep_host_tests::certificate::own;
use stiffstep_host_tests::outside::{check, template};

/// Works on a plant of your own.
#[derive(Parser)]
#[command(name = "cargo stiffstep", bin_name = "cargo stiffstep")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Writes a folder with a plant, its test, and firmware for an emulated board, a Pico and an STM32F4
    New(template::New),
    /// Boots the plant in this folder on an emulated board and compares every bit with this machine
    Check(check::Check),
    /// Certifies the plant in this folder: instructions, stack, code, panic-freedom and bits on emulated boards
    Certify(own::Certify),
}

fn main() -> ExitCode {
    // Cargo passes its own name of the command first.
    let arguments = std::env::args_os().enumerate();
    let own = arguments.filter(|(place, word)| *place != 1 || word != "stiffstep");
    let done = match Arguments::parse_from(own.map(|(_, word)| word)).command {
        Task::New(new) => template::new(&new),
        Task::Check(check) => check::check(&check),
        Task::Certify(certify) => own::certify(&certify),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
