//! How long a step on a rig may go on.

use crate::step::{Budget, Convergence};

/// How long a step may go on: at least one iteration, at most `most`, and none after the time has come.
pub struct Allowance<'a> {
    /// The most iterations.
    pub most: u8,
    /// Asked before every iteration but the first.
    pub expired: &'a mut dyn FnMut() -> bool,
    /// Whether the time came before all iterations were done.
    pub shortened: bool,
}

impl<'a> Allowance<'a> {
    /// A fresh one.
    pub fn new(most: u8, expired: &'a mut dyn FnMut() -> bool) -> Self {
        Allowance {
            most,
            expired,
            shortened: false,
        }
    }
}

impl Budget<f32> for Allowance<'_> {
    const LOOKS: bool = false;

    fn another(&mut self, so_far: &Convergence<f32>) -> bool {
        if so_far.iterations() == 0 || so_far.iterations() >= self.most {
            return so_far.iterations() < self.most;
        }
        self.shortened = (self.expired)();
        !self.shortened
    }
}
