//! What a step costs on the host in double precision: instructions, counted by valgrind's callgrind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;
use std::process::Command;
use stiffstep_host_tests::benchmark::{error, workload};
use stiffstep_host_tests::emulator::firmware::cargo;

/// The program that runs one workload, optimised as firmware is.
fn program() -> PathBuf {
    let output = cargo()
        .args(["build", "--release", "--quiet"])
        .args(["--package", "stiffstep-plants", "--example", "one"])
        .args(["--message-format", "json-render-diagnostics"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .expect("cargo built no program")
}

/// Instructions within the out-of-line step of a workload, `*workload::step*` or another, all steps together.
fn collected(program: &PathBuf, step: &str, arguments: [&str; 3]) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect={step}"))
        .arg(program)
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    said.lines()
        .find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
        .unwrap_or_else(|| panic!("callgrind did not say what it collected:\n{said}"))
}

/// The program, unless there is nothing to count its instructions with.
fn counted() -> Option<PathBuf> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: valgrind, which counts the instructions, is not installed");
        return None;
    }
    Some(program())
}

/// Whole adaptive runs, against RADAU5's at a tolerance of 1e-6: its instructions, and its error.
#[test]
fn adaptive_runs_beat_radau5() {
    let Some(program) = counted() else { return };
    let cases = [
        ("adaptive van der Pol", "Radau IIA 3", 1_490_000, 8.6e-7),
        ("adaptive P2", "Radau IIA 3", 217_000, 4.3e-6),
        ("adaptive P2", "projected Radau IIA 3", 217_000, 4.3e-6),
    ];
    for (plant, method, most, largest) in cases {
        let record = workload(plant, "f64", method).unwrap().run(&mut ());
        let error = error(plant, "f64", &record);
        let total = collected(&program, "*step_adaptively*", [plant, "f64", method]);
        let steps = record.steps;
        println!("{plant}, {method}: {total} instructions, {steps} steps, error {error:.1e}");
        assert!(total > 0 && total < most, "{plant}: {total} instructions");
        assert!(error <= largest, "{plant}: error {error:e}");
    }
}

#[test]
fn mechanisms_keep_their_budget_on_the_host() {
    let Some(program) = counted() else { return };
    let cases = [
        ("P1 eps 1e-3", "Radau IIA 3", 1_000.0, 1.2e-8),
        ("P1 eps 1e-5", "Radau IIA 3", 1_000.0, 1.2e-8),
        ("P2", "Radau IIA 3", 1_000.0, 4.8e-7),
        ("P4 K 1e5 lean", "Radau IIA 2", 3_600.0, 6.5e-7),
    ];
    let mut excess = Vec::new();
    for (plant, method, most, largest) in cases {
        let workload = workload(plant, "f64", method).unwrap();
        let error = error(plant, "f64", &workload.run(&mut ()));
        let total = collected(&program, "*workload::step*", [plant, "f64", method]);
        // Nothing collected means that the step was not found by its name.
        assert!(total > 0, "{plant}: callgrind saw no step");
        let mean = total as f64 / f64::from(workload.steps);
        println!("{plant}, {method}: {mean:.0} instructions a step, error {error:.1e}");
        // False for NaN, too.
        if !(mean <= most && error <= largest) {
            excess.push(format!("{plant}: {mean} instructions, error {error:e}"));
        }
    }
    assert!(excess.is_empty(), "{}", excess.join("\n"));
}
