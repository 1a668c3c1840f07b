//! Second-order systems.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/figures.rs"]
pub mod figures;
#[path = "../../src/second_order.rs"]
pub mod second_order;
#[path = "../../tests/second_order_errors.rs"]
mod test_errors;
#[path = "../../tests/general_linear.rs"]
mod test_general_linear;
#[path = "../../tests/variable.rs"]
mod test_variable;
