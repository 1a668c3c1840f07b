//! The bits of every workload.
#![allow(dead_code)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/bits.rs"]
pub mod bits;
#[path = "../../tests/computes/bits.rs"]
mod test_bits;
