//! Converters beside an independent solution.

#[cfg(feature = "board")]
pub mod board;
pub mod cases;
pub mod compare;
#[cfg(feature = "board")]
pub mod estimate;
pub mod flash;
mod ideal;
pub mod library;
pub mod monolithic;
pub mod net;
pub mod netlist;
pub mod picture;
pub mod reference;
pub mod scenario;
pub mod servo;
pub mod settling;
pub mod spice;
