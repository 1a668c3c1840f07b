//! `cargo xtask coverage`: how much of the core the quick tests run.

use crate::install;
use crate::stage::Stages;
use crate::table::table_of;
use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;
use stiffstep_host_tests::emulator::firmware::workspace;

/// Lines that could be run, and those that were.
#[derive(Clone, Copy, Default, Deserialize)]
struct Lines {
    count: u64,
    covered: u64,
}

impl Lines {
    fn add(&mut self, other: Lines) {
        self.count += other.count;
        self.covered += other.covered;
    }

    fn row(self, folder: &str) -> Vec<String> {
        let percent = 100.0 * self.covered as f64 / self.count.max(1) as f64;
        vec![
            folder.to_owned(),
            self.count.to_string(),
            (self.count - self.covered).to_string(),
            format!("{percent:.1}"),
        ]
    }
}

/// Runs the tests that compute with counters in the core, and shows what they left out.
pub fn coverage() -> Result<()> {
    let mut stages = Stages::new(2);
    stages.run("tools", |bar| {
        install::subcommand("llvm-cov", bar)?;
        bar.command(Command::new("rustup").args(["component", "add", "llvm-tools"]))
            .context("its tools are missing: run `rustup component add llvm-tools`")?;
        Ok(String::new())
    })?;
    let file = workspace().join("target/coverage.json");
    stages.run("tests", |bar| {
        let mut tests = Command::new("cargo");
        tests
            .args(["llvm-cov", "test", "--no-report", "--test", "computes"])
            .args(["--package", "stiffstep-host-tests"]);
        bar.command(tests.current_dir(workspace()))?;
        // Of the package that the tests test.
        let mut report = Command::new("cargo");
        report
            .args(["llvm-cov", "report", "--package", "stiffstep"])
            .args(["--json", "--summary-only", "--output-path"])
            .arg(&file);
        bar.command(report.current_dir(workspace()))?;
        Ok(String::new())
    })?;
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
    let files = written["data"].as_array().into_iter().flatten();
    let files = files.flat_map(|data| data["files"].as_array().into_iter().flatten());
    let core = workspace().join("src");
    let (mut folders, mut all) = (BTreeMap::<String, Lines>::new(), Lines::default());
    for file in files {
        let name = file["filename"].as_str().context("a file has no name")?;
        let Ok(path) = std::path::Path::new(name).strip_prefix(&core) else {
            continue;
        };
        let lines = Lines::deserialize(&file["summary"]["lines"])?;
        let folder = path.iter().next().unwrap_or_default().to_string_lossy();
        folders.entry(folder.into_owned()).or_default().add(lines);
        all.add(lines);
    }
    let mut rows: Vec<Vec<String>> = folders
        .iter()
        .map(|(name, lines)| lines.row(name))
        .collect();
    rows.push(all.row("all of src"));
    println!("{}", table_of("src | lines | not run | %", 1, rows));
    Ok(())
}
