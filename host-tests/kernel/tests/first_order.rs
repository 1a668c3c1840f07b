//! First-order systems, budgets, events.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/reference/mod.rs"]
pub mod reference;
#[path = "../../tests/computes/bad_input.rs"]
mod test_bad_input;
#[path = "../../tests/computes/budgets.rs"]
mod test_budgets;
#[path = "../../tests/computes/events.rs"]
mod test_events;
#[path = "../../tests/computes/first_order.rs"]
mod test_first_order;
