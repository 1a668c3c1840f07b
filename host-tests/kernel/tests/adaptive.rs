//! The adaptive driver, and events and budgets with it.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/figures.rs"]
pub mod figures;
#[path = "../../src/pendulum.rs"]
pub mod pendulum;
#[path = "../../tests/computes/adaptive.rs"]
mod test_adaptive;
#[path = "../../tests/computes/events.rs"]
mod test_events;
#[path = "../../src/test_set.rs"]
pub mod test_set;
#[path = "../../tests/computes/tolerances.rs"]
mod test_tolerances;
#[path = "../../tests/computes/tolerances_descriptor.rs"]
mod test_tolerances_descriptor;
