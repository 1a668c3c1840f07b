//! Instructions on the host, counted by valgrind's callgrind: exact, and the same on every run.

use crate::emulator::firmware::cargo;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to say where it is not installed.
pub const MISSING: &str = "valgrind, which counts instructions, is missing: install it with `sudo apt-get install valgrind` (Debian, Ubuntu) or `sudo dnf install valgrind` (Fedora), then run this again";

/// Whether valgrind is installed.
pub fn available() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok()
}

/// The program that runs one workload, optimised as firmware is, with these features of the plants.
pub fn program(features: &str) -> Result<PathBuf> {
    let output = cargo()
        .args(["build", "--release", "--quiet"])
        .args(["--package", "stiffstep-plants", "--example", "one"])
        .args(["--no-default-features", "--features", features])
        .args(["--message-format", "json-render-diagnostics"])
        .output()
        .context("cargo could not be started")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{said}");
    String::from_utf8(output.stdout)?
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .context("cargo built no program")
}

/// This machine's processor: the C library chooses how it copies memory by it, so counts depend on it.
pub fn processor() -> String {
    let known = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = known
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let name = name.and_then(|name| name.split_once(':'));
    name.map_or("unknown", |(_, name)| name.trim()).to_owned()
}

/// Instructions within the out-of-line step of a workload, all steps together.
pub fn collected(program: &Path, plant: &str, scalar: &str, method: &str) -> Result<u64> {
    // Fixed steps, and adaptive ones.
    let steps = ["*workload::step*", "*step_adaptively*"];
    within(program, &[plant, scalar, method], &steps)
}

/// Instructions of a program within functions of these names.
pub fn within(program: &Path, arguments: &[&str], functions: &[&str]) -> Result<u64> {
    let toggles = functions.iter();
    let toggles = toggles.map(|name| format!("--toggle-collect={name}"));
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(toggles)
        .arg(program)
        .args(arguments)
        .output()
        .context("valgrind could not be started")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{said}");
    let total = said
        .lines()
        .find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
        .with_context(|| format!("callgrind did not say what it collected:\n{said}"))?;
    // Nothing collected means that the step was not found by its name.
    ensure!(total > 0, "{arguments:?}: callgrind saw no step");
    Ok(total)
}
