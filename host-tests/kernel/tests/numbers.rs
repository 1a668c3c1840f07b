//! Numbers and linear algebra.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/sine.rs"]
pub mod sine;
#[path = "../../tests/computes/linear.rs"]
mod test_linear;
#[path = "../../tests/computes/numbers.rs"]
mod test_numbers;
#[path = "../../tests/computes/sine.rs"]
mod test_sine;
