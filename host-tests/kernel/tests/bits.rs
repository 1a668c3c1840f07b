//! The bits of every workload.
#![allow(dead_code)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/bits.rs"]
pub mod bits;
#[path = "../../tests/bits.rs"]
mod test_bits;
