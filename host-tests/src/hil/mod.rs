//! The desk side of hardware in the loop.
//!
//! [`reference`] has every plant as the boards have it.

pub mod reference;
