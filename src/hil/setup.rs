//! How a board runs its plant.

use super::{Hold, Policy};

/// How a board runs its plant.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The board's name.
    pub board: &'static str,
    /// Whether it is emulated.
    pub emulated: bool,
    /// A hash of the sources.
    pub build: u32,
    /// How inputs go on between samples.
    pub hold: Hold,
    /// What to do about overruns.
    pub policy: Policy,
    /// Newton iterations a step.
    pub iterations: u8,
    /// How often a period the outputs are driven: once, at the end of the step, or in between by dense output, too.
    pub drives: u8,
}

impl Setup {
    /// Newton iterations a step, unless somebody wants others.
    pub const ITERATIONS: u8 = 2;

    /// How boards run plants, unless they have their own ideas. `build` tells hosts what the board was built from, zero if
    /// they need not know.
    pub const fn new(board: &'static str, emulated: bool, build: u32) -> Self {
        Setup {
            board,
            emulated,
            build,
            hold: Hold::Zero,
            policy: Policy::KeepBest,
            iterations: Self::ITERATIONS,
            drives: 1,
        }
    }
}
