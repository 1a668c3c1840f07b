//! Methods as data.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/figures.rs"]
pub mod figures;
#[path = "../../src/order_conditions.rs"]
pub mod order_conditions;
#[path = "../../src/reference/mod.rs"]
pub mod reference;
#[path = "../../src/stability/mod.rs"]
pub mod stability;
#[path = "../../tests/computes/order_conditions.rs"]
mod test_order_conditions;
#[path = "../../tests/computes/stability.rs"]
mod test_stability;
#[path = "../../tests/computes/tableau.rs"]
mod test_tableau;
