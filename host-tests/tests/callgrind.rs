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

/// Instructions within the out-of-line step of a workload, all steps together.
fn collected(program: &PathBuf, arguments: [&str; 3]) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=*workload::step*")
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

#[test]
fn mechanisms_keep_their_budget_on_the_host() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: valgrind, which counts the instructions, is not installed");
        return;
    }
    let program = program();
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
        let total = collected(&program, [plant, "f64", method]);
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
