//! `cargo stiffstep`: plants in folders of their own, with or without a checkout of the kit.
//!
//! [`template`] writes such a folder, [`mod@check`] boots its firmware and compares every bit with the plant on this machine, [`certificate`]
//! says what a step costs, [`mod@unit`] runs the folder's tests on an emulated core, [`hil`] has the commands for boards that are plants, and
//! [`runner`] is what cargo calls to run an image. All that a plant's library has to have is `STEP` and `rig`.

pub mod certificate;
pub mod check;
pub mod hil;
pub mod package;
pub mod runner;
pub mod table;
pub mod template;
pub mod unit;

pub use stiffstep_emulator as emulator;
