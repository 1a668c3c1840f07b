//! A rig's memory, set aside.

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
