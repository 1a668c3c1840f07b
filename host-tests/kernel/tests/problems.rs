//! Mechanisms and published problems with answers.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/figures.rs"]
pub mod figures;
#[path = "../../src/pendulum.rs"]
pub mod pendulum;
#[path = "../../src/reference/mod.rs"]
pub mod reference;
#[path = "../../tests/computes/mechanical_newton.rs"]
mod test_mechanical_newton;
#[path = "../../tests/computes/mechanical_problems.rs"]
mod test_mechanical_problems;
#[path = "../../tests/computes/published.rs"]
mod test_published;
