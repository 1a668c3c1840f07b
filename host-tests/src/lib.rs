//! The desk side of stiffstep.

pub mod arithmetic;
pub mod benchmark;
pub mod bits;
pub mod callgrind;
pub mod command;
pub mod experiments;
pub mod figures;
pub mod guide;
pub mod laboratory;
pub mod newton_matrices;
pub mod order_conditions;
pub mod pendulum;
pub mod picture;
pub mod plan;
pub mod reference;
pub mod report;
pub mod second_order;
pub mod sine;
pub mod slow_start;
pub mod stability;
pub mod test_set;

pub use cargo_stiffstep as outside;
pub use cargo_stiffstep::certificate;
pub use stiffstep_emulator as emulator;
pub use stiffstep_link as hil;

use stiffstep::prelude::{Budget, Error, Simulation, Stepper, Until};

/// Each of these once, in the order of their first appearance.
pub fn unique<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut unique = Vec::new();
    for one in all {
        if !unique.contains(&one) {
            unique.push(one);
        }
    }
    unique
}

/// Many steps of a simulation.
pub trait Go {
    /// Takes so many steps, or fails with the first that does.
    fn go(&mut self, steps: u32) -> Result<(), Error>;
}

impl<P: Stepper, B: Budget<P::Real>> Go for Simulation<P, B> {
    fn go(&mut self, steps: u32) -> Result<(), Error> {
        (0..steps).try_for_each(|_| self.step().map(|_| ()))
    }
}

/// Iterations down to a tolerance, and at most so many.
pub const fn until<R>(tolerance: R, max: u8) -> Until<R> {
    Until { tolerance, max }
}
