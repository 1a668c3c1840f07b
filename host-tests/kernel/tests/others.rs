//! Hessenberg systems, potentials, slow manifolds.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/figures.rs"]
pub mod figures;
#[path = "../../src/reference/mod.rs"]
pub mod reference;
#[path = "../../tests/hessenberg.rs"]
mod test_hessenberg;
#[path = "../../tests/ipa_limits.rs"]
mod test_ipa_limits;
#[path = "../../tests/ipa_models.rs"]
mod test_ipa_models;
#[path = "../../tests/potential.rs"]
mod test_potential;
