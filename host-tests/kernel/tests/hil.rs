//! Hardware in the loop, as far as no board is needed.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "desk_side/mod.rs"]
pub mod hil;
#[path = "../../tests/computes/hil_live.rs"]
mod test_hil_live;
#[path = "../../tests/computes/hil_memory.rs"]
mod test_hil_memory;
#[path = "../../tests/computes/hil_outputs.rs"]
mod test_hil_outputs;
#[path = "../../tests/computes/hil_pins.rs"]
mod test_hil_pins;
#[path = "../../tests/computes/hil_protocol.rs"]
mod test_hil_protocol;
#[path = "../../tests/computes/hil_session.rs"]
mod test_hil_session;
