//! Second-order systems.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/figures.rs"]
pub mod figures;
#[path = "../../src/second_order.rs"]
pub mod second_order;
#[path = "../../tests/computes/second_order_errors.rs"]
mod test_errors;
#[path = "../../tests/computes/general_linear.rs"]
mod test_general_linear;
#[path = "../../tests/computes/variable.rs"]
mod test_variable;
