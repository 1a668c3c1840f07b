//! Mechanisms, what every stepper owes, and verdicts.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/figures.rs"]
pub mod figures;
#[path = "../../src/pendulum.rs"]
pub mod pendulum;
#[path = "../../tests/computes/machine.rs"]
mod test_machine;
#[path = "../../tests/computes/mechanical_change.rs"]
mod test_mechanical_change;
#[path = "../../tests/computes/mechanical_errors.rs"]
mod test_mechanical_errors;
#[path = "../../tests/computes/mechanical_single.rs"]
mod test_mechanical_single;
#[path = "../../tests/computes/partitioned.rs"]
mod test_partitioned;
#[path = "../../tests/computes/stiffness.rs"]
mod test_stiffness;
#[path = "../../tests/computes/verdicts.rs"]
mod test_verdicts;
