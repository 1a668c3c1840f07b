//! What commands share: work in stages, tools that are installed on the way, tables.

pub mod table;

pub use stiffstep_emulator::{install, stage};

use anyhow::{Context, Result};
use stage::{Bar, Stages};
use stiffstep_emulator::Board;

/// Stages that make something.
pub trait Make {
    /// Does a stage's work, and gives what it made.
    fn make<T>(&mut self, name: &str, work: impl FnOnce(&Bar) -> Result<T>) -> Result<T>;

    /// Installs what it takes to build for these boards and to boot them.
    fn tools(&mut self, boards: &[Board]) -> Result<()> {
        self.make("tools", |bar| {
            install::targets(boards, bar)?;
            install::emulator(bar)
        })
    }
}

impl Make for Stages {
    fn make<T>(&mut self, name: &str, work: impl FnOnce(&Bar) -> Result<T>) -> Result<T> {
        let mut made = None;
        self.run(name, |bar| {
            made = Some(work(bar)?);
            Ok(String::new())
        })?;
        made.context("nothing was made")
    }
}
