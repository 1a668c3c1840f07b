//! Mechanisms.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/figures.rs"]
pub mod figures;
#[path = "../../src/pendulum.rs"]
pub mod pendulum;
#[path = "../../tests/mechanical_change.rs"]
mod test_mechanical_change;
#[path = "../../tests/mechanical_errors.rs"]
mod test_mechanical_errors;
#[path = "../../tests/mechanical_single.rs"]
mod test_mechanical_single;
#[path = "../../tests/partitioned.rs"]
mod test_partitioned;
#[path = "../../tests/stiffness.rs"]
mod test_stiffness;
