//! The desk side of hardware in the loop, as far as no board is needed.

#[path = "../../../src/hil/client.rs"]
pub mod client;
#[path = "../../../src/hil/desk.rs"]
pub mod desk;
#[path = "../../../src/hil/names.rs"]
pub mod names;
#[path = "../../../src/hil/noise.rs"]
pub mod noise;
#[path = "../../../src/hil/port.rs"]
pub mod port;
#[path = "../../../src/hil/reference.rs"]
pub mod reference;
#[path = "../../../src/hil/verify.rs"]
pub mod verify;
