//! The desk side of hardware in the loop.
//!
//! [`port`] is a wire to a board, [`emulated`] starts a board that needs no hardware, [`client`] speaks its protocol, `reference`
//! has every plant as the boards have it, and [`verify`] runs one beside the board. [`recording`], `plot` (by `chart` and `drawing`) and
//! [`teleplot`] show what was heard, [`clock`] compares seconds, [`strain`] asks a lot, `pair` has two boards that are wired to each other, [`control`] has
//! the controllers of the demonstration, and [`closed_loop`] runs one on a board. [`beside`] is the program that the tool writes for a
//! plant of one's own, and `command` has the commands.

pub mod beside;
#[cfg(feature = "plot")]
pub mod chart;
pub mod client;
pub mod clock;
pub mod closed_loop;
#[cfg(feature = "command")]
pub mod command;
pub mod control;
#[cfg(feature = "kit")]
pub mod desk;
#[cfg(feature = "plot")]
pub mod drawing;
pub mod emulated;
pub mod names;
pub mod noise;
#[cfg(feature = "kit")]
pub mod pair;
#[cfg(feature = "plot")]
pub mod plot;
pub mod port;
pub mod recording;
#[cfg(feature = "kit")]
pub mod reference;
pub mod socket;
pub mod statistics;
pub mod strain;
pub mod teleplot;
pub mod verify;
