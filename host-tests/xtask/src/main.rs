//! `cargo xtask`: finds the crate that a command needs, has cargo build it, and hands over.
//!
//! It has no dependencies, so that the first command shows something within seconds. [`COMMANDS`] has every command.

use std::env;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, SystemTime};

/// Who runs a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Crate {
    /// Every check, by a program that is small.
    Check,
    /// The demonstration, which is small.
    Demo,
    /// Wrong changes of the core.
    Mutants,
    /// Converters and drives beside an independent solution.
    Switched,
    /// Everything else.
    Tasks,
}

impl Crate {
    /// The package with other arguments of `cargo build`, and the program that it makes.
    fn arguments(self) -> (&'static str, &'static str) {
        match self {
            Crate::Check => ("stiffstep-check --profile demo", "demo/stiffstep-check"),
            Crate::Demo => ("stiffstep-demo --profile demo", "demo/stiffstep-demo"),
            Crate::Mutants => ("stiffstep-mutants", "debug/stiffstep-mutants"),
            Crate::Switched => ("stiffstep-switched-tests --bin switched", "debug/switched"),
            Crate::Tasks => ("stiffstep-host-tests --bin tasks", "debug/tasks"),
        }
    }
}

/// The commands that matter, in groups.
const HELP: &str = "\
cargo xtask COMMAND; `cargo xtask COMMAND --help` says more

See it work:
  demo     A circuit on an emulated board, every bit compared; --hil: the board as a plant
  report   The tables and figures of five papers, boards and other solvers, as one page; --only NAME for one

Check it:
  test     Every check, here and on emulated boards; --full: the long ones, too
  budgets  What steps cost, against host-tests/budgets.toml; --update
  bits     The bits of every workload, against host-tests/bits.txt; --update
  soak     Faults by the million: bits, frames, clocks

Measure it:
  bench    The benchmark on boards and on this machine, beside other solvers
  certify  Cost, stack, code and panic-freedom of the kit's plants on emulated boards
  plan     The largest step and the smallest budget that keep a wanted accuracy
  mutants  Which wrong changes of the core the tests notice
";

/// Who runs which commands. Those that [`HELP`] leaves out are rare, and in nobody's way.
const COMMANDS: [(Crate, &[&str]); 5] = [
    (Crate::Check, &["test"]),
    (Crate::Demo, &["demo"]),
    (Crate::Mutants, &["mutants"]),
    (Crate::Switched, &["switched"]),
    (
        Crate::Tasks,
        &[
            "report",
            "budgets",
            "bits",
            "soak",
            "bench",
            "certify",
            "plan",
            "arithmetic",
            "coverage",
            "picture",
            "profile",
        ],
    ),
];

/// By this name a command learns how many packages were compiled before it could start.
const COMPILED: &str = "STIFFSTEP_COMPILED";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> io::Result<ExitCode> {
    let name = arguments.first().map_or("--help", String::as_str);
    if ["help", "--help", "-h"].contains(&name) {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let Some(mut by) = owner(name) else {
        eprint!("error: there is no command `{name}`\n\n{HELP}");
        return Ok(ExitCode::from(2));
    };
    // A board as a plant needs the link and all that belongs to it.
    if arguments.iter().any(|argument| argument == "--hil") {
        by = Crate::Tasks;
    }
    let (build, program) = by.arguments();
    let Some(compiled) = compile(build)? else {
        return Ok(ExitCode::FAILURE);
    };
    let mut command = Command::new(target().join(program));
    command.args(arguments);
    command.env(COMPILED, (compiled + u32::from(is_new())).to_string());
    hand_over(command)
}

fn owner(name: &str) -> Option<Crate> {
    let found = COMMANDS.iter().find(|(_, names)| names.contains(&name));
    found.map(|(by, _)| *by)
}

/// The folder that cargo builds in.
fn target() -> PathBuf {
    let own = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = package.ancestors().nth(2).unwrap_or(package);
    own.unwrap_or_else(|| workspace.join("target"))
}

/// Has cargo build it, shows what cargo says, and gives the number of compiled packages; `None` if it does not build.
fn compile(package: &str) -> io::Result<Option<u32>> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo.args(["build", "--package"]).args(package.split(' '));
    cargo.stderr(Stdio::piped());
    let mut child = cargo.spawn()?;
    let mut compiled = 0;
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).lines() {
            let line = line?;
            compiled += u32::from(line.trim_start().starts_with("Compiling "));
            if !line.trim_start().starts_with("Finished ") {
                eprintln!("{line}");
            }
        }
    }
    Ok(child.wait()?.success().then_some(compiled))
}

/// Whether this very program was compiled for this run: it is younger than the process, which was cargo before.
fn is_new() -> bool {
    let built = env::current_exe().and_then(|program| program.metadata()?.modified());
    let began = || {
        let word = |file: &str, after: char, index: usize| -> Option<f64> {
            let text = std::fs::read_to_string(file).ok()?;
            let rest = text
                .rsplit_once(after)
                .map_or(text.as_str(), |(_, rest)| rest);
            rest.split_whitespace().nth(index)?.parse().ok()
        };
        // In ticks of 10 ms since the machine was started: field 22, the twentieth after the name.
        let age = word("/proc/uptime", '(', 0)? - word("/proc/self/stat", ')', 19)? / 100.0;
        SystemTime::now().checked_sub(Duration::from_secs_f64(age.max(0.0)))
    };
    matches!((built, began()), (Ok(built), Some(began)) if built > began)
}

/// Becomes the command, so that what was spent so far is part of what it says it took.
#[cfg(unix)]
fn hand_over(mut command: Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

/// Runs the command.
#[cfg(not(unix))]
fn hand_over(mut command: Command) -> io::Result<ExitCode> {
    let code = command.status()?.code().unwrap_or(1);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use super::{COMMANDS, HELP, owner};

    /// Nobody finds the four that matter among eighteen.
    #[test]
    fn the_help_lists_at_most_ten_commands() {
        let lines = HELP.lines().filter_map(|line| line.strip_prefix("  "));
        let listed: Vec<&str> = lines.filter_map(|line| line.split(' ').next()).collect();
        assert!(listed.len() <= 10, "{} commands:\n{HELP}", listed.len());
        assert!(listed.iter().all(|name| owner(name).is_some()), "{HELP}");
    }

    #[test]
    fn a_command_has_one_owner() {
        for name in COMMANDS.iter().flat_map(|(_, names)| *names) {
            let owners = COMMANDS.iter().filter(|(_, names)| names.contains(name));
            assert_eq!(owners.count(), 1, "{name}");
        }
        assert!(
            owner("demo").is_some() && owner("profile").is_some() && owner("nonsense").is_none()
        );
    }
}
