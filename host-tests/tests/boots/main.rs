//! What builds firmware, boots it or counts its instructions, in one binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod boards_arithmetic;
mod boards_cost;
mod boards_second_order;
mod boards_slow;
mod callgrind;
mod hil_apps;
mod hil_board;
mod hil_boot;
mod hil_closed_loop;
mod hil_firmware;
mod hil_link;
mod hil_pair;
mod hil_rp2040;
mod hil_safe;
