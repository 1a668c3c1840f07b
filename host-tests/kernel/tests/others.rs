//! Hessenberg systems, potentials, slow manifolds.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/figures.rs"]
pub mod figures;
#[path = "../../src/reference/mod.rs"]
pub mod reference;
#[path = "../../tests/computes/hessenberg.rs"]
mod test_hessenberg;
#[path = "../../tests/computes/ipa_limits.rs"]
mod test_ipa_limits;
#[path = "../../tests/computes/ipa_models.rs"]
mod test_ipa_models;
#[path = "../../tests/computes/potential.rs"]
mod test_potential;
