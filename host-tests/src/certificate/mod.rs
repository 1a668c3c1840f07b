//! The certificate: what a step of a plant costs on a board, and how that is known.
//!
//! [`own`] is the command for a plant in a folder of its own.

pub mod own;
