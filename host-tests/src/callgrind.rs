//! Instructions on the host, counted by valgrind's callgrind: exact, and the same on every run.

use crate::emulator::firmware::cargo;
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::process::Command;

/// Whether valgrind is installed.
pub fn available() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok()
}

/// The program that runs one workload, optimised as firmware is.
pub fn program() -> Result<PathBuf> {
    let output = cargo()
        .args(["build", "--release", "--quiet"])
        .args(["--package", "stiffstep-plants", "--example", "one"])
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

/// Instructions within the out-of-line step of a workload, all steps together.
pub fn collected(program: &PathBuf, plant: &str, scalar: &str, method: &str) -> Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        // Fixed steps, and adaptive ones.
        .arg("--toggle-collect=*workload::step*")
        .arg("--toggle-collect=*step_adaptively*")
        .arg(program)
        .args([plant, scalar, method])
        .output()
        .context("valgrind could not be started")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{said}");
    let total = said
        .lines()
        .find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
        .with_context(|| format!("callgrind did not say what it collected:\n{said}"))?;
    // Nothing collected means that the step was not found by its name.
    ensure!(total > 0, "{plant}: callgrind saw no step");
    Ok(total)
}
