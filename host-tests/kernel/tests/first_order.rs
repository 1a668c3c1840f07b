//! First-order systems, circuits by their map, budgets, events, time.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/reference/mod.rs"]
pub mod reference;
#[path = "../../tests/computes/affine.rs"]
mod test_affine;
#[path = "../../tests/computes/bad_input.rs"]
mod test_bad_input;
#[path = "../../tests/computes/budgets.rs"]
mod test_budgets;
#[path = "../../tests/computes/events.rs"]
mod test_events;
#[path = "../../tests/computes/first_order.rs"]
mod test_first_order;
#[path = "../../tests/computes/map.rs"]
mod test_map;
#[path = "../../tests/computes/time.rs"]
mod test_time;
