//! `cargo xtask`: finds the crate that a command needs, has cargo build it, and hands over.
//!
//! It has no dependencies, so that the first command shows something within seconds. Every command is a row of [`COMMANDS`].

use std::env;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, SystemTime};

/// A command, who runs it, and what it does.
struct Task {
    name: &'static str,
    about: &'static str,
    by: Crate,
}

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
    /// The arguments of `cargo build`, and the program that it makes.
    fn arguments(self) -> (&'static [&'static str], &'static str) {
        match self {
            Crate::Check => (
                &["--package", "stiffstep-check", "--profile", "demo"],
                "demo/stiffstep-check",
            ),
            Crate::Demo => (
                &["--package", "stiffstep-demo", "--profile", "demo"],
                "demo/stiffstep-demo",
            ),
            Crate::Mutants => (
                &["--package", "stiffstep-mutants"],
                "debug/stiffstep-mutants",
            ),
            Crate::Switched => (
                &["--package", "stiffstep-switched-tests", "--bin", "switched"],
                "debug/switched",
            ),
            Crate::Tasks => (
                &["--package", "stiffstep-host-tests", "--bin", "tasks"],
                "debug/tasks",
            ),
        }
    }
}

const fn task(name: &'static str, by: Crate, about: &'static str) -> Task {
    Task { name, about, by }
}

/// The commands, in groups.
const COMMANDS: &[(&str, &[Task])] = &[
    (
        "See it work",
        &[
            task(
                "demo",
                Crate::Demo,
                "A circuit on an emulated board, every bit compared; --hil: the board as a plant",
            ),
            task(
                "report",
                Crate::Tasks,
                "The tables and figures of five papers, boards and other solvers, as one page; --only NAME for one",
            ),
        ],
    ),
    (
        "Check it",
        &[
            task(
                "test",
                Crate::Check,
                "Every check, here and on emulated boards; --full: the long ones, too",
            ),
            task(
                "budgets",
                Crate::Tasks,
                "What steps cost, against host-tests/budgets.toml; --update",
            ),
            task(
                "bits",
                Crate::Tasks,
                "The bits of every workload, against host-tests/bits.txt; --update",
            ),
            task(
                "soak",
                Crate::Tasks,
                "Faults by the million: bits, frames, clocks",
            ),
        ],
    ),
    (
        "Measure it",
        &[
            task(
                "bench",
                Crate::Tasks,
                "The benchmark on boards and on this machine, beside other solvers",
            ),
            task(
                "certify",
                Crate::Tasks,
                "Cost, stack, code and panic-freedom of the kit's plants on emulated boards",
            ),
            task(
                "plan",
                Crate::Tasks,
                "The largest step and the smallest budget that keep a wanted accuracy",
            ),
            task(
                "mutants",
                Crate::Mutants,
                "Which wrong changes of the core the tests notice",
            ),
        ],
    ),
];

/// Commands that are rare, and in nobody's way.
const RARE: &[(&str, Crate)] = &[
    ("arithmetic", Crate::Tasks),
    ("coverage", Crate::Tasks),
    ("picture", Crate::Tasks),
    ("profile", Crate::Tasks),
    ("switched", Crate::Switched),
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
        print!("{}", help());
        return Ok(ExitCode::SUCCESS);
    }
    let Some(mut by) = owner(name) else {
        eprint!("error: there is no command `{name}`\n\n{}", help());
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
    let all = || COMMANDS.iter().flat_map(|(_, tasks)| *tasks);
    let task = all().find(|task| task.name == name).map(|task| task.by);
    let rare = || RARE.iter().find(|(rare, _)| *rare == name);
    task.or_else(|| rare().map(|(_, by)| *by))
}

/// The commands that matter, in groups.
fn help() -> String {
    let mut text = String::from("cargo xtask COMMAND; `cargo xtask COMMAND --help` says more\n");
    for (group, tasks) in COMMANDS {
        text += &format!("\n{group}:\n");
        for task in *tasks {
            text += &format!("  {:8} {}\n", task.name, task.about);
        }
    }
    text
}

/// The folder that cargo builds in.
fn target() -> PathBuf {
    let own = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = package.ancestors().nth(2).unwrap_or(package);
    own.unwrap_or_else(|| workspace.join("target"))
}

/// Has cargo build it, shows what cargo says, and gives the number of compiled packages; `None` if it does not build.
fn compile(arguments: &[&str]) -> io::Result<Option<u32>> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo.arg("build").args(arguments).stderr(Stdio::piped());
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
    use super::{COMMANDS, Crate, RARE, help, owner};

    /// Nobody finds the four that matter among eighteen.
    #[test]
    fn the_help_lists_at_most_ten_commands() {
        let commands = COMMANDS.iter().map(|(_, tasks)| tasks.len()).sum::<usize>();
        assert!(commands <= 10, "{commands} commands:\n{}", help());
        let lines = help().lines().filter(|line| line.starts_with("  ")).count();
        assert_eq!(lines, commands);
    }

    #[test]
    fn a_command_has_one_owner() {
        let listed = |(name, _): &&(&str, Crate)| {
            COMMANDS
                .iter()
                .any(|(_, tasks)| tasks.iter().any(|task| task.name == *name))
        };
        assert_eq!(RARE.iter().filter(listed).count(), 0);
        assert!(
            owner("demo").is_some() && owner("profile").is_some() && owner("nonsense").is_none()
        );
    }
}
