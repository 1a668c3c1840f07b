//! A rig's memory, set aside.

use super::fault::MOST_PARAMETERS;
use crate::memory::{Digest, Load, Memory, Save};
use crate::step::Error;
use heapless::Vec;

/// The most words that the memory of a plant on a board may have.
pub const MOST_WORDS: usize = 256;

/// A rig's memory between two steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The number of the next step when it was taken.
    pub step: u32,
    /// The words.
    pub words: Vec<u32, MOST_WORDS>,
}

impl Snapshot {
    /// That of a rig at its start. It must fit with the jumps of parameters that may come on top.
    pub(super) fn of_start(rig: &mut impl Memory) -> Result<Self, Error> {
        let words = Digest::of(rig).count + 2 * MOST_PARAMETERS;
        if words > MOST_WORDS {
            return Err(Error::Memory { words });
        }
        let mut start = Snapshot::default();
        start.take(rig, 0);
        Ok(start)
    }

    /// Becomes that of a rig before this step.
    pub(super) fn take(&mut self, rig: &mut impl Memory, step: u32) {
        self.step = step;
        self.words.clear();
        let words = Digest::of(rig).count;
        let _fits = self.words.resize(words.min(MOST_WORDS), 0);
        rig.visit(&mut Save::new(&mut self.words));
    }

    /// Brings a rig back to it. False, and nothing changed, if it is not that rig's.
    pub(super) fn bring_back(&self, rig: &mut impl Memory) -> bool {
        let mut before = Snapshot::default();
        before.take(rig, 0);
        let mut load = Load::new(&self.words);
        rig.visit(&mut load);
        let complete = load.complete();
        if !complete {
            rig.visit(&mut Load::new(&before.words));
        }
        complete
    }
}
