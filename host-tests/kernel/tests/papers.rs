//! The papers' experiments, and tests that share something with them.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/experiments/mod.rs"]
pub mod experiments;
#[path = "../../src/figures.rs"]
pub mod figures;
#[path = "../../src/newton_matrices.rs"]
pub mod newton_matrices;
#[path = "../../src/pendulum.rs"]
pub mod pendulum;
#[path = "../../src/reference/mod.rs"]
pub mod reference;
#[path = "../../src/second_order.rs"]
pub mod second_order;
#[path = "../../src/slow_start.rs"]
pub mod slow_start;
#[path = "../../tests/ipa.rs"]
mod test_ipa;
#[path = "../../tests/multistep.rs"]
mod test_multistep;
#[path = "../../tests/papers.rs"]
mod test_papers;
#[path = "../../tests/slow_start.rs"]
mod test_slow_start;
