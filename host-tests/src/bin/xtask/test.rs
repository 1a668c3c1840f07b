//! `cargo xtask test`: every check, in the order in which failures are cheapest.

use crate::install;
use crate::stage::Stages;
use anyhow::Result;
use stiffstep_host_tests::emulator::BOARDS;
use stiffstep_host_tests::emulator::firmware::cargo;

/// Lints of firmware are checked for the target that the demonstration uses.
const LINTED: &str = "thumbv7em-none-eabihf";

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
        arguments: &[
            "clippy",
            "--workspace",
            "--exclude",
            "stiffstep-qemu",
            "--exclude",
            "stiffstep-rp2040",
            "--exclude",
            "stiffstep-stm32f4",
            "--exclude",
            "stiffstep-systick",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
    },
    Check {
        title: "lints of the firmware",
        arguments: &[
            "clippy",
            "--package",
            "stiffstep-qemu",
            "--features",
            "stiffstep-qemu/hil",
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
        arguments: &[
            "doc",
            "--no-deps",
            "--workspace",
            "--exclude",
            "stiffstep-qemu",
            "--exclude",
            "stiffstep-rp2040",
            "--exclude",
            "stiffstep-stm32f4",
            "--exclude",
            "stiffstep-systick",
        ],
    },
    Check {
        title: "tests",
        arguments: &["test"],
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
    Check {
        title: "long tests",
        arguments: &["test", "--", "--ignored"],
    },
];

/// Runs them all, up to the first failure.
pub fn test(full: bool) -> Result<()> {
    let checks = || CHECKS.iter().chain(if full { FULL } else { &[] });
    let mut stages = Stages::new(1 + checks().count());
    stages.run("tools", |bar| {
        install::targets(&BOARDS, bar)?;
        install::components(bar)?;
        install::emulator(bar)?;
        install::rp2040js(bar)?;
        Ok(String::new())
    })?;
    let mut tests = 0;
    for check in checks() {
        stages.run(check.title, |bar| {
            let output = bar.command(
                cargo()
                    .args(check.arguments)
                    .env("RUSTDOCFLAGS", "-D warnings"),
            )?;
            let passed = passed(&output);
            tests += passed;
            Ok(if passed == 0 {
                String::new()
            } else {
                format!("{passed} tests")
            })
        })?;
    }
    println!("everything passed:\n{}", stages.summary());
    println!("{tests} passed, 0 failed");
    Ok(())
}

/// How many tests passed, from the lines `test result: ok. 12 passed; ...`.
fn passed(output: &str) -> u32 {
    output
        .lines()
        .filter_map(|line| line.strip_prefix("test result: ok. "))
        .filter_map(|rest| rest.split(' ').next()?.parse::<u32>().ok())
        .sum()
}
