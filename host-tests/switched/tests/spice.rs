//! A buck, a flyback and an inverter by ngspice, if it is installed. Its diodes are exponentials and its edges take time: agreement within a percent.
#![allow(clippy::unwrap_used)]

use std::process::Command;
use stiffstep_switched_tests::cases::cases;
use stiffstep_switched_tests::compare::nominal;
use stiffstep_switched_tests::library::stepped;
use stiffstep_switched_tests::spice;

/// What ngspice's own tolerances leave.
const LIMIT: f64 = 1e-2;

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn another_program_agrees() {
    if Command::new("ngspice").arg("--version").output().is_err() {
        println!("skipped: ngspice is not installed: no converter was compared with it");
        return;
    }
    for (name, steps) in [
        ("buck CCM", 200),
        ("buck DCM", 200),
        ("flyback", 200),
        ("inverter", 200),
    ] {
        let case = cases().into_iter().find(|case| case.name == name).unwrap();
        let given = case.given(steps);
        let folder =
            std::env::temp_dir().join(format!("stiffstep-spice-{}-{steps}", std::process::id()));
        let other = spice::run(&case, &given, &folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let nominal = nominal(&other);
        let mut library = stepped::<f32>(&case).unwrap();
        let mut worst = 0.0_f64;
        for (given, other) in given.iter().zip(&other) {
            library.step(given).unwrap();
            for ((a, b), n) in library.x().iter().zip(other).zip(&nominal) {
                worst = worst.max((a - b).abs() / n);
            }
        }
        println!("{name}: {worst:.1e} over {} steps", other.len());
        assert!(
            other.len() >= steps - 1 && worst < LIMIT,
            "{name}: {worst:e}"
        );
    }
}
