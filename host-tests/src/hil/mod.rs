//! The desk side of hardware in the loop.
//!
//! [`port`] is a wire to a board, [`emulated`] starts a board that needs no hardware, [`client`] speaks its protocol, [`mod@reference`]
//! has every plant as the boards have it, and [`verify`] runs one beside the board. [`recording`], [`plot`] and [`teleplot`] show
//! what was heard, [`clock`] compares seconds, [`strain`] asks a lot, [`pair`] has two boards that are wired to each other, [`control`] has the controllers of the demonstration, and [`closed_loop`] runs one on a board.

pub mod client;
pub mod clock;
pub mod closed_loop;
pub mod control;
pub mod desk;
pub mod emulated;
pub mod names;
pub mod noise;
pub mod pair;
pub mod plot;
pub mod port;
pub mod recording;
pub mod reference;
pub mod socket;
pub mod statistics;
pub mod strain;
pub mod teleplot;
pub mod verify;
