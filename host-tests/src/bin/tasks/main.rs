//! The project's commands: `cargo xtask demo` shows it, `cargo xtask test` checks it. Both install what is missing.

mod arithmetic;
mod bench;
mod bits;
mod budgets;
mod chains;
mod coverage;
mod hil;
mod picture;
mod plan;
mod precision;
mod profile;
mod report;
mod sine;
mod slow_start;
mod soak;
mod stability;
mod test;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use stiffstep_host_tests::certificate::shipped;
use stiffstep_host_tests::command::{install, plot, stage, table};

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
    /// Runs every check: format, lints, documentation, tests on this machine and on emulated boards
    Test {
        /// The long checks, too
        #[arg(long)]
        full: bool,
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
    /// Shows what larger mechanisms cost: chains of one to sixteen elastic links, as table and as curves
    Chains(chains::Place),
    /// Reproduces the tables and figures of five papers, and shows what boards and other solvers need, as one page
    Report(report::Selection),
    /// Checks our f32 sine and cosine for all 2^32 arguments, which takes minutes
    Sine,
    /// Shows what every method does to oscillations: damping, growth, intervals of periodicity, as table and as curves
    Stability(stability::Oscillation),
    /// Shows how stiff springs ring after different starts: energies as a table, forces as curves
    SlowStart(slow_start::Springs),
    /// Runs published problems to tolerances from 1e-4 to 1e-12: digits and what they cost, as tables and as curves
    Precision,
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
        Task::Test { full } => test::test(full),
        Task::Arithmetic(pairs) => arithmetic::arithmetic(&pairs),
        Task::Bench(output) => bench::bench(&output),
        Task::Budgets(change) => budgets::budgets(&change),
        Task::Bits(change) => bits::bits(&change),
        Task::Certify(wish) => shipped::certify(&wish),
        Task::Chains(place) => chains::chains(&place),
        Task::Report(selection) => report::report(&selection),
        Task::Sine => sine::sine(),
        Task::Stability(oscillation) => stability::stability(&oscillation),
        Task::SlowStart(springs) => slow_start::slow_start(&springs),
        Task::Precision => precision::precision(),
        Task::Profile => profile::steps(),
        Task::Picture => picture::picture(),
        Task::Plan(wish) => plan::plan(&wish),
        Task::Soak(soak) => soak::soak(&soak),
        Task::Coverage => coverage::coverage(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
