//! `cargo xtask test`: every check, in the order in which failures are cheapest.

use crate::stage::{Bar, Stages};
use crate::{install, soak};
use anyhow::{Result, anyhow};
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use stiffstep_host_tests::emulator::BOARDS;
use stiffstep_host_tests::emulator::firmware::cargo;

/// Lints of firmware are checked for the target that the demonstration uses.
const LINTED: &str = "thumbv7em-none-eabihf";

/// Stands for [`PACKAGES`] in the arguments of a check.
const HOST: &str = "(the packages of the host)";

/// What is built for the host. The tests of the kernel are files of these.
const PACKAGES: [&str; 10] = [
    "--package",
    "stiffstep",
    "--package",
    "stiffstep-host-tests",
    "--package",
    "stiffstep-plants",
    "--package",
    "stiffstep-soak",
    "--package",
    "stiffstep-linker",
];

/// A stage that is one cargo command.
struct Check {
    title: &'static str,
    arguments: &'static [&'static str],
}

const CHECKS: &[Check] = &[
    Check {
        title: "format",
        arguments: &["fmt", "--all", "--check"],
    },
    Check {
        title: "lints",
        arguments: &["clippy", HOST, "--all-targets", "--", "-D", "warnings"],
    },
    Check {
        title: "lints of the firmware",
        arguments: &[
            "clippy",
            "--package",
            "stiffstep-qemu",
            "--features",
            "stiffstep-qemu/hil,stiffstep-qemu/certify",
            "--target",
            LINTED,
            "--",
            "-D",
            "warnings",
        ],
    },
    Check {
        title: "lints of the proof image",
        arguments: &[
            "clippy",
            "--package",
            "stiffstep-qemu",
            "--target",
            LINTED,
            "--no-default-features",
            "--features",
            "proof",
            "--",
            "-D",
            "warnings",
        ],
    },
    Check {
        title: "documentation",
        arguments: &["doc", "--no-deps", HOST],
    },
    Check {
        title: "examples in the documentation",
        arguments: &["test", "--doc", HOST],
    },
];

/// The long checks.
const FULL: &[Check] = &[
    Check {
        title: "lints of the STM32's firmware",
        arguments: &[
            "clippy",
            "--package",
            "stiffstep-stm32f4",
            "--package",
            "stiffstep-systick",
            "--target",
            LINTED,
            "--",
            "-D",
            "warnings",
        ],
    },
    Check {
        title: "lints of the Pico's firmware",
        arguments: &[
            "clippy",
            "--package",
            "stiffstep-rp2040",
            "--target",
            "thumbv6m-none-eabi",
            "--",
            "-D",
            "warnings",
        ],
    },
];

/// Runs them all, up to the first failure.
pub fn test(full: bool) -> Result<()> {
    let checks = || CHECKS.iter().chain(if full { FULL } else { &[] });
    let mut stages = Stages::new(3 + 2 * usize::from(full) + checks().count());
    stages.run("tools", |bar| {
        install::targets(&BOARDS, bar)?;
        install::components(bar)?;
        install::emulator(bar)?;
        install::rp2040js(bar)?;
        if full {
            install::browser(bar)?;
        }
        Ok(String::new())
    })?;
    let mut passed = 0;
    for check in checks() {
        stages.run(check.title, |bar| {
            let mut command = cargo();
            for argument in check.arguments {
                match *argument {
                    HOST => command.args(PACKAGES),
                    argument => command.arg(argument),
                };
            }
            let output = bar.command(command.env("RUSTDOCFLAGS", "-D warnings"))?;
            Ok(tell(&output, &mut passed))
        })?;
    }
    let mut binaries = Vec::new();
    stages.run("building the tests", |bar| {
        binaries = build(bar)?;
        Ok(format!("{} binaries", binaries.len()))
    })?;
    let mut sizes = Vec::new();
    stages.run("tests", |bar| {
        let output = run(&binaries, &["--show-output"], bar)?;
        sizes.extend(sizes_in(&output));
        Ok(tell(&output, &mut passed))
    })?;
    if full {
        stages.run("long tests", |bar| {
            Ok(tell(&run(&binaries, &["--ignored"], bar)?, &mut passed))
        })?;
        stages.run("Miri", |bar| {
            if !soak::miri_is_there() {
                return Ok(format!("left out. {}", soak::MISSING));
            }
            Ok(tell(&bar.command(&mut soak::miri())?, &mut passed))
        })?;
    }
    println!("{}", sizes.join("\n"));
    println!("everything passed:\n{}", stages.summary());
    println!("{passed} passed, 0 failed");
    Ok(())
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
        if begins(&["stranger"]) {
            Lane::Alone
        } else if begins(&["boards-"]) {
            Lane::Longest
        } else if begins(&["boards", "callgrind", "hil_"]) {
            Lane::Boots
        } else {
            Lane::Computes
        }
    }
}

/// Builds all tests and says where they are.
fn build(bar: &Bar) -> Result<Vec<Binary>> {
    let mut tests = cargo();
    tests.args(["test", "--no-run"]).args(PACKAGES);
    let output = bar.command(tests.args(["--message-format", "json-render-diagnostics"]))?;
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
/// and then those that want to be alone. Gives what they printed.
fn run(binaries: &[Binary], arguments: &[&str], bar: &Bar) -> Result<String> {
    let those = |lane: Lane| -> Result<String> {
        let mut output = String::new();
        for binary in binaries.iter().filter(|binary| binary.lane() == lane) {
            let mut command = Command::new(&binary.path);
            output += &bar.command(command.args(arguments).current_dir(&binary.folder))?;
        }
        Ok(output)
    };
    let (longest, others) = thread::scope(|scope| {
        let longest = scope.spawn(|| those(Lane::Longest));
        let others = those(Lane::Computes).and_then(|output| Ok(output + &those(Lane::Boots)?));
        (longest.join(), others)
    });
    let longest = longest.map_err(|_| anyhow!("the thread of the longest test panicked"))??;
    Ok(longest + &others? + &those(Lane::Alone)?)
}

/// What tests say of the sizes of firmware.
fn sizes_in(output: &str) -> impl Iterator<Item = String> {
    let lines = output.lines().filter(|line| line.starts_with("firmware: "));
    lines.map(str::to_owned)
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
