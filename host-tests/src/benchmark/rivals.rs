//! Solvers that can be installed today, run on the benchmark: scipy's Radau, SUNDIALS by scikit-sundae and CasADi from PyPI, numeris from
//! crates.io. What each needs is in `host-tests/peers`.
//!
//! They run on this machine in double precision. Adaptive ones get a tolerance of 1e-6; CasADi's collocation takes our steps with our three
//! Radau points and iterates to the end. Instructions are counted where there is no interpreter in between.

use super::{end, workload};
use crate::callgrind;
use crate::emulator::firmware::{cargo, target_folder, workspace};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a solver did with a problem.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Rival {
    /// The problem, as ours are called; variants of a problem share a prefix.
    pub problem: String,
    /// The solver.
    pub solver: String,
    /// Its version.
    pub version: String,
    /// Steps of the run.
    pub steps: Option<u64>,
    /// Evaluations of the model.
    pub evaluations: Option<u64>,
    /// Instructions a step.
    pub instructions: Option<f64>,
    /// The largest error at the end.
    pub error: Option<f64>,
    /// Why there is none of these.
    pub fails: Option<String>,
}

/// What is installed and where, in words, before it is.
pub fn announcement() -> String {
    format!(
        "installing from PyPI into {}: scipy, scikit-sundae (SUNDIALS), CasADi, NumPy (about 250 MB); building numeris from crates.io",
        folder().display()
    )
}

fn folder() -> PathBuf {
    target_folder().join("peers")
}

fn sources() -> PathBuf {
    workspace().join("host-tests/peers")
}

/// Installs and runs the solvers of PyPI. `run` runs a command to its end and gives what it printed.
pub fn from_pypi(run: &dyn Fn(&mut Command) -> Result<String>) -> Result<Vec<Rival>> {
    let place = folder().join("python");
    let python = place.join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&place))
            .context("python3 with its module venv is needed")?;
    }
    let wanted = sources().join("requirements.txt");
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--requirement"])
        .arg(wanted))?;
    let printed = run(Command::new(&python).arg(sources().join("peers.py")))?;
    printed
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).with_context(|| format!("`{line}` is no result")))
        .collect()
}

/// The problems that numeris has a form for: ordinary differential equations.
const ORDINARY: [&str; 5] = [
    "P1 eps 1e-3",
    "P1 eps 1e-5",
    "P3 stiff ODE",
    "P4 K 1e5",
    "adaptive van der Pol",
];

/// Builds and runs numeris.
pub fn from_crates(run: &dyn Fn(&mut Command) -> Result<String>) -> Result<Vec<Rival>> {
    let mut build = cargo();
    let manifest = sources().join("numeris/Cargo.toml");
    build
        .args(["build", "--release", "--locked", "--manifest-path"])
        .arg(manifest);
    run(build.arg("--target-dir").arg(folder().join("numeris")))?;
    let program = folder().join("numeris/release/stiffstep-peer-numeris");
    let problems = ORDINARY.iter();
    problems
        .map(|problem| by_numeris(&program, problem))
        .collect()
}

fn by_numeris(program: &Path, problem: &str) -> Result<Rival> {
    let output = Command::new(program).arg(problem).output()?;
    let mut rival = Rival {
        problem: problem.into(),
        solver: "numeris RODAS4".into(),
        version: "0.6.0".into(),
        ..Rival::default()
    };
    if !output.status.success() {
        rival.fails = Some(String::from_utf8_lossy(&output.stderr).trim().into());
        return Ok(rival);
    }
    let text = String::from_utf8(output.stdout)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    ensure!(words.len() > 2, "numeris printed `{text}`");
    rival.steps = Some(words[0].parse()?);
    rival.evaluations = Some(words[1].parse()?);
    let states: Vec<f64> = words[2..]
        .iter()
        .map(|w| w.parse())
        .collect::<Result<_, _>>()?;
    rival.error = exact(problem).map(|exact| {
        let differences = states.iter().zip(exact).map(|(x, y)| (x - y).abs());
        differences.fold(0.0, f64::max)
    });
    if callgrind::available() {
        let all = callgrind::within(program, &[problem], &["*peer_numeris::solve*"])? as f64;
        rival.instructions = rival.steps.map(|steps| all / steps as f64);
    }
    Ok(rival)
}

/// Where a problem ends, by the name that its variants share.
fn exact(problem: &str) -> Option<&'static [f64]> {
    let names = [problem.to_owned(), format!("{problem} lean")];
    names.iter().find_map(|name| end(name))
}

/// Our own workload for a problem, fixed steps in double precision by Radau IIA 3, or the adaptive one.
pub fn ours(problem: &str) -> Option<(&'static str, &'static str)> {
    let names = [problem.to_owned(), format!("{problem} lean")];
    let of = |name: &String| workload(name, "f64", "Radau IIA 3");
    names.iter().find_map(of).map(|of| (of.plant, of.method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_has_an_end_and_a_workload_of_ours() {
        for problem in ORDINARY.iter().chain(&["P2", "P3 DAE"]) {
            assert!(exact(problem).is_some(), "{problem}");
            assert!(ours(problem).is_some(), "{problem}");
        }
    }
}
