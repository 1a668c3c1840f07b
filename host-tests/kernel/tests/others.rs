//! Hessenberg systems, potentials.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/figures.rs"]
pub mod figures;
#[path = "../../src/reference/mod.rs"]
pub mod reference;
#[path = "../../tests/hessenberg.rs"]
mod test_hessenberg;
#[path = "../../tests/potential.rs"]
mod test_potential;
