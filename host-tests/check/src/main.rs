//! `cargo xtask test`: every check, in the order in which failures are cheapest.

use anyhow::{Result, anyhow};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;
use std::{env, thread};
use stiffstep_emulator::firmware::cargo;
use stiffstep_emulator::stage::{Bar, Stages, ended};
use stiffstep_emulator::{BOARDS, install};

const HELP: &str = "\
Runs every check: format, lints, documentation, tests on this machine and on emulated boards

cargo xtask test [--full]
    --full    the long checks, too";

fn main() -> ExitCode {
    // The first is the command's own name.
    let arguments: Vec<String> = env::args().skip(2).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        [] => test(false),
        ["--full"] => test(true),
        ["--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        _ => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
    };
    ended(done)
}

/// Stands for the packages that are built for the host.
const HOST: &str = "HOST";

/// Those packages.
const PACKAGES: &str = "stiffstep stiffstep-host-tests stiffstep-plants stiffstep-soak stiffstep-switched-tests \
    stiffstep-check stiffstep-demo cargo-stiffstep stiffstep-emulator stiffstep-link stiffstep-mutants xtask stiffstep-linker \
    stiffstep-softfloat";

/// Stands for the target that the demonstration uses, for which lints of firmware are checked.
const M4F: &str = "M4F";

/// A stage that is one cargo command: its title, and the command.
type Check = (&'static str, &'static str);

const CHECKS: &[Check] = &[
    ("format", "fmt --all --check"),
    ("lints", "clippy HOST --all-targets -- -D warnings"),
    (
        "lints of the firmware",
        "clippy --package stiffstep-qemu --features stiffstep-qemu/hil,stiffstep-qemu/certify M4F -- -D warnings",
    ),
    (
        "lints of the proof image",
        "clippy --package stiffstep-qemu --no-default-features --features proof M4F -- -D warnings",
    ),
    (
        "lints of the converters' firmware",
        "clippy --package stiffstep-switched M4F -- -D warnings",
    ),
    ("documentation", "doc --no-deps HOST"),
    ("examples in the documentation", "test --doc HOST"),
];

/// The long checks.
const FULL: &[Check] = &[
    (
        "lints of the STM32's firmware",
        "clippy --package stiffstep-stm32f4 --package stiffstep-systick --features stiffstep-stm32f4/f405 M4F -- -D warnings",
    ),
    (
        "lints of the Pico's firmware",
        "clippy --package stiffstep-rp2040 --package stiffstep-controller --target thumbv6m-none-eabi -- -D warnings",
    ),
    (
        "lints of a plant inside embassy",
        "clippy --package stiffstep-embassy --target thumbv6m-none-eabi -- -D warnings",
    ),
    (
        "lints of a plant inside RTIC",
        "clippy --package stiffstep-rtic M4F -- -D warnings",
    ),
];

/// The cargo command of a check.
fn command(check: &str) -> Command {
    let mut command = cargo();
    for argument in check.split_whitespace() {
        match argument {
            HOST => {
                _ = command.args(
                    PACKAGES
                        .split_whitespace()
                        .flat_map(|name| ["--package", name]),
                )
            }
            M4F => _ = command.args(["--target", "thumbv7em-none-eabihf"]),
            argument => _ = command.arg(argument),
        }
    }
    command
}

/// Runs them all, up to the first stage that fails.
fn test(full: bool) -> Result<()> {
    let checks = || CHECKS.iter().chain(if full { FULL } else { &[] });
    let mut stages = Stages::new(3 + 2 * usize::from(full) + checks().count());
    stages.run("tools", |bar| {
        install::targets(&BOARDS, bar)?;
        install::components(bar)?;
        install::emulator(bar)?;
        install::rp2040js(bar)?;
        install::valgrind(bar)?;
        if full {
            install::browser(bar)?;
            install::ngspice(bar)?;
        }
        Ok(String::new())
    })?;
    let mut passed = 0;
    for (title, check) in checks() {
        stages.run(title, |bar| {
            let output = bar.command(command(check).env("RUSTDOCFLAGS", "-D warnings"))?;
            Ok(tell(&output, &mut passed))
        })?;
    }
    let mut binaries = Vec::new();
    stages.run("building the tests", |bar| {
        binaries = build(bar)?;
        Ok(format!("{} binaries", binaries.len()))
    })?;
    let (mut sizes, mut skipped) = (Vec::new(), Vec::new());
    stages.run("tests", |bar| {
        let output = run(&binaries, &["--show-output"], bar)?;
        sizes.extend(beginning(&output, "firmware: "));
        skipped.extend(beginning(&output, SKIPPED));
        Ok(tell(&output, &mut passed))
    })?;
    if full {
        stages.run("long tests", |bar| {
            let output = run(&binaries, &["--ignored", "--show-output"], bar)?;
            skipped.extend(beginning(&output, SKIPPED));
            Ok(tell(&output, &mut passed))
        })?;
        stages.run("Miri", |bar| {
            let output = bar.command(cargo().args(["xtask", "soak", "--miri"]))?;
            Ok(tell(&output, &mut passed))
        })?;
    }
    println!("{}", sizes.join("\n"));
    println!("{}", verdict(passed, &skipped, &stages.summary()));
    Ok(())
}

/// What a test prints before the name of something that it could not do here.
const SKIPPED: &str = "skipped: ";

/// The last words: that everything passed only if nothing was skipped.
fn verdict(passed: u32, skipped: &[String], summary: &str) -> String {
    let all = if skipped.is_empty() {
        "everything passed"
    } else {
        "everything that was run passed"
    };
    let each: String = skipped.iter().map(|line| format!("{line}\n")).collect();
    let count = skipped.len();
    format!("{all}:\n{summary}\n{each}{passed} passed, 0 failed, {count} skipped")
}

/// A test binary, and the folder of its package, in which cargo would start it.
struct Binary {
    path: PathBuf,
    folder: PathBuf,
}

/// When a test runs, and beside what.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lane {
    /// It is by far the longest one: the same bits on every board.
    Longest,
    /// It computes.
    Computes,
    /// It builds firmware, boots it or counts its instructions.
    Boots,
    /// It says how long something takes on this machine.
    Alone,
}

impl Binary {
    fn lane(&self) -> Lane {
        let name = self.path.file_name().and_then(|name| name.to_str());
        let begins = |with: &[&str]| {
            name.is_some_and(|name| with.iter().any(|prefix| name.starts_with(prefix)))
        };
        if begins(&["stranger", "tool"]) {
            Lane::Alone
        } else if begins(&["boards-"]) {
            Lane::Longest
        } else if begins(&["boots-"]) {
            Lane::Boots
        } else {
            Lane::Computes
        }
    }
}

/// Builds all tests and says where they are.
fn build(bar: &Bar) -> Result<Vec<Binary>> {
    let tests = "test --no-run HOST --message-format json-render-diagnostics";
    let output = bar.command(&mut command(tests))?;
    let messages = output
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let binary = |message: serde_json::Value| {
        let tests = message["profile"]["test"].as_bool() == Some(true);
        let path = PathBuf::from(message["executable"].as_str().filter(|_| tests)?);
        let manifest = PathBuf::from(message["manifest_path"].as_str()?);
        let folder = manifest.parent()?.to_owned();
        Some(Binary { path, folder })
    };
    Ok(messages.filter_map(binary).collect())
}

/// Runs tests: beside the longest one all others, those that boot boards last because the longest builds images that they boot;
/// and then those that want to be alone. Gives what they printed. A binary that fails does not keep the others from running: one
/// run names everything that is wrong.
fn run(binaries: &[Binary], arguments: &[&str], bar: &Bar) -> Result<String> {
    let those = |lane: Lane| {
        let (mut output, mut failed) = (String::new(), Vec::new());
        for binary in binaries.iter().filter(|binary| binary.lane() == lane) {
            let (mut command, began) = (Command::new(&binary.path), Instant::now());
            match bar.command(command.args(arguments).current_dir(&binary.folder)) {
                Ok(printed) => output += &printed,
                Err(error) => failed.push(error.to_string()),
            }
            let took = began.elapsed().as_secs_f64();
            if took > 10.0 {
                let name = binary.path.file_stem().unwrap_or_default();
                eprintln!("{}: {took:.0} s", name.display());
            }
        }
        (output, failed)
    };
    let (longest, others) = thread::scope(|scope| {
        let longest = scope.spawn(|| those(Lane::Longest));
        let others = [Lane::Computes, Lane::Boots].map(those);
        (longest.join(), others)
    });
    let longest = longest.map_err(|_| anyhow!("the thread of the longest test panicked"))?;
    let mut output = String::new();
    let mut failed = Vec::new();
    for (printed, wrong) in [longest]
        .into_iter()
        .chain(others)
        .chain([those(Lane::Alone)])
    {
        output += &printed;
        failed.extend(wrong);
    }
    if failed.is_empty() {
        Ok(output)
    } else {
        Err(anyhow!("{}", failed.join("\n")))
    }
}

/// The lines that begin so.
fn beginning(output: &str, with: &str) -> Vec<String> {
    let lines = output.lines().filter(|line| line.starts_with(with));
    lines.map(str::to_owned).collect()
}

/// How many tests passed, added up and told.
fn tell(output: &str, sum: &mut u32) -> String {
    let passed = passed(output);
    *sum += passed;
    if passed == 0 {
        String::new()
    } else {
        format!("{passed} tests")
    }
}

/// How many tests passed, from the lines `test result: ok. 12 passed; ...`.
fn passed(output: &str) -> u32 {
    output
        .lines()
        .filter_map(|line| line.strip_prefix("test result: ok. "))
        .filter_map(|rest| rest.split(' ').next()?.parse::<u32>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::{SKIPPED, beginning, verdict};

    /// What is not run is counted and named, and then not everything passed.
    #[test]
    fn what_is_skipped_is_said() {
        let output = "ok\nskipped: the board: no emulator\nnot skipped: anything";
        let skipped = beginning(output, SKIPPED);
        assert_eq!(skipped, ["skipped: the board: no emulator"]);
        let said = verdict(7, &skipped, "  total");
        assert!(!said.contains("everything passed"), "{said}");
        assert!(said.ends_with("skipped: the board: no emulator\n7 passed, 0 failed, 1 skipped"));
        let said = verdict(7, &[], "  total");
        assert!(
            said.starts_with("everything passed")
                && said.ends_with("7 passed, 0 failed, 0 skipped")
        );
    }
}
