//! The project's commands, but for those that crates of their own run; each installs what is missing.

mod arithmetic;
mod bench;
mod bits;
mod budgets;
mod coverage;
mod hil;
mod picture;
mod plan;
mod profile;
mod report;
mod soak;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use stiffstep_host_tests::certificate::shipped;
use stiffstep_host_tests::command::{install, stage, table};

/// Shows and checks stiffstep; installs what is missing.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// A board as a plant, controlled from this machine over its UART (without --hil: a circuit, by another program)
    Demo {
        /// The board: qemu, stm32f4, rp2040, or two-picos, where a second one controls the first
        #[arg(long, default_value = "qemu")]
        board: String,
        /// The board as a plant
        #[arg(long, required = true)]
        hil: bool,
        /// The plant: dc-motor, arm, drive or buck
        #[arg(long, default_value = "dc-motor")]
        plant: String,
    },
    /// Compares software floating point on boards with this machine's hardware, over as many operands as you have time for
    Arithmetic(arithmetic::Pairs),
    /// Measures the benchmark on boards and on this machine, beside what other solvers need
    Bench(bench::Output),
    /// Checks what steps cost against host-tests/budgets.toml
    Budgets(budgets::Change),
    /// Checks the bits of every workload against host-tests/bits.txt
    Bits(bits::Change),
    /// Certifies the plants that come with the kit: instructions, stack, code, panic-freedom and bits on emulated boards
    Certify(shipped::Certify),
    /// Reproduces the tables and figures of five papers, and shows what boards and other solvers need, as one page
    Report(report::Selection),
    /// Shows what the instructions of a step on the Cortex-M4F are, and their cycles by the core's table
    Profile,
    /// Draws the picture on the front page anew
    Picture,
    /// Finds the largest fixed step and the smallest Newton budget that keep a wanted accuracy, with their cost on a board
    Plan(plan::Wish),
    /// Injects faults by the million: arbitrary bits, damaged frames, flipped bits, wrong clocks
    Soak(soak::Soak),
    /// Counts how much of the core the quick tests run, folder by folder
    Coverage,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Task::Demo { board, plant, .. } => hil::demo(&board, &plant),
        Task::Arithmetic(pairs) => arithmetic::arithmetic(&pairs),
        Task::Bench(output) => bench::bench(&output),
        Task::Budgets(change) => budgets::budgets(&change),
        Task::Bits(change) => bits::bits(&change),
        Task::Certify(wish) => shipped::certify(&wish),
        Task::Report(selection) => report::report(&selection),
        Task::Profile => profile::steps(),
        Task::Picture => picture::picture(),
        Task::Plan(wish) => plan::plan(&wish),
        Task::Soak(soak) => soak::soak(&soak),
        Task::Coverage => coverage::coverage(),
    };
    stage::ended(done)
}
