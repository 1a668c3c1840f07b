//! A memory that survives a reset in the middle of being written: two slots, written in turn, each with its number and a
//! checksum over all of it. Whatever a reset leaves half done does not fit its checksum, and the other slot is the one before.

use super::{Load, Memory, Save, Words};

/// The most words that the memory of a plant may have, plus what a slot says about itself, decide `WORDS`.
///
/// All of it is plain words of which any value is allowed, so that it may lie in memory that a start of the program does not
/// clear, or in a part of the flash: what is found there is a slot or it is not.
///
/// ```
/// use stiffstep::memory::TwoSlots;
///
/// let (mut slots, mut plant) = (TwoSlots::<8>::EMPTY, [1_u32, 2, 3]);
/// assert!(!slots.restore(&mut plant));
/// assert!(slots.keep(&mut plant));
/// plant = [9, 9, 9];
/// assert!(slots.restore(&mut plant));
/// assert_eq!(plant, [1, 2, 3]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoSlots<const WORDS: usize> {
    slots: [Slot<WORDS>; 2],
}

/// A memory as it was once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot<const WORDS: usize> {
    /// One more than that of the other slot when it was written.
    number: u32,
    /// How many words count.
    count: u32,
    words: [u32; WORDS],
    /// Of all of the above.
    checksum: u32,
}

impl<const WORDS: usize> Slot<WORDS> {
    /// No slot: zeros do not fit their checksum.
    const EMPTY: Self = Slot {
        number: 0,
        count: 0,
        words: [0; WORDS],
        checksum: 0,
    };

    /// The words that count, if there are as many.
    fn words(&self) -> Option<&[u32]> {
        self.words.get(..usize::try_from(self.count).ok()?)
    }

    fn expected(&self, words: &[u32]) -> u32 {
        let mut checksum = Checksum::EMPTY;
        checksum.word(self.number);
        checksum.word(self.count);
        for word in words {
            checksum.word(*word);
        }
        checksum.value()
    }

    /// The words, if they are what was written.
    fn intact(&self) -> Option<&[u32]> {
        self.words()
            .filter(|words| self.expected(words) == self.checksum)
    }
}

impl<const WORDS: usize> TwoSlots<WORDS> {
    /// Nothing was kept yet.
    pub const EMPTY: Self = TwoSlots {
        slots: [Slot::EMPTY; 2],
    };

    /// Which slot was written last, of those that are intact.
    fn last(&self) -> Option<usize> {
        match (self.slots[0].intact(), self.slots[1].intact()) {
            // Numbers wrap around: the later one is ahead of the other by less than half of them.
            (Some(_), Some(_)) => {
                let ahead = self.slots[1].number.wrapping_sub(self.slots[0].number);
                Some(usize::from(ahead != 0 && ahead < 1 << 31))
            }
            (Some(_), None) => Some(0),
            (None, Some(_)) => Some(1),
            (None, None) => None,
        }
    }

    /// Writes a memory over the older of the two. False if it is too long; then nothing is written.
    pub fn keep<M: Memory>(&mut self, memory: &mut M) -> bool {
        let count = super::Digest::of(memory).count;
        if count > WORDS {
            return false;
        }
        let last = self.last();
        let number = last.map_or(0, |last| self.slots[last & 1].number.wrapping_add(1));
        let slot = &mut self.slots[last.map_or(0, |last| 1 - (last & 1))];
        (slot.number, slot.count) = (number, count as u32);
        memory.visit(&mut Save::new(&mut slot.words));
        if let Some(words) = slot.words() {
            slot.checksum = slot.expected(words);
        }
        true
    }

    /// Puts back what was kept last and is intact. False if there is nothing of the kind, or if it is another memory's; then
    /// nothing is changed.
    pub fn restore<M: Memory>(&self, memory: &mut M) -> bool {
        let wanted = super::Digest::of(memory).count;
        let kept = self.last().and_then(|last| self.slots[last & 1].intact());
        let Some(words) = kept.filter(|words| words.len() == wanted) else {
            return false;
        };
        let mut load = Load::new(words);
        memory.visit(&mut load);
        load.complete()
    }
}

impl<const WORDS: usize> Memory for TwoSlots<WORDS> {
    fn visit<W: Words>(&mut self, words: &mut W) {
        for slot in &mut self.slots {
            slot.number.visit(words);
            slot.count.visit(words);
            slot.words.visit(words);
            slot.checksum.visit(words);
        }
    }
}

/// The CRC-32 of Ethernet, of words: any one, two or three wrong bits show, and any burst of 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum(u32);

impl Checksum {
    /// Of no words.
    pub const EMPTY: Checksum = Checksum(u32::MAX);

    /// The checksum.
    pub fn value(&self) -> u32 {
        !self.0
    }
}

impl Words for Checksum {
    fn word(&mut self, word: u32) -> u32 {
        self.0 ^= word;
        for _ in 0..32 {
            let carry = self.0 & 1;
            self.0 = (self.0 >> 1) ^ (0xedb8_8320 * carry);
        }
        word
    }
}

#[cfg(test)]
mod tests {
    use super::{Checksum, TwoSlots};
    use crate::memory::Words;

    /// The checksum of Ethernet and zip: of "12345678" it is 9ae0daaf.
    #[test]
    fn the_checksum_is_the_known_one() {
        let mut checksum = Checksum::EMPTY;
        for word in [*b"1234", *b"5678"] {
            checksum.word(u32::from_le_bytes(word));
        }
        assert_eq!(checksum.value(), 0x9ae0_daaf);
        assert_eq!(Checksum::EMPTY.value(), 0);
    }

    /// Slots are written in turn; a damaged one leaves the one before.
    #[test]
    fn a_damaged_slot_leaves_the_one_before() {
        let mut slots = TwoSlots::<2>::EMPTY;
        let mut back = [0_u32; 2];
        assert!(!slots.restore(&mut back));
        for number in 1..6 {
            assert!(slots.keep(&mut [number, 10 * number]));
            assert!(slots.restore(&mut back));
            assert_eq!(back, [number, 10 * number]);
        }
        // Five were kept: the last is in the first slot.
        assert_eq!([slots.slots[0].number, slots.slots[1].number], [4, 3]);
        for damage in [0, 1] {
            let mut damaged = slots;
            damaged.slots[damage].words[1] ^= 1;
            assert!(damaged.restore(&mut back));
            assert_eq!(back, [[4, 40], [5, 50]][damage]);
            assert!(damaged.keep(&mut [9, 9]) && damaged.restore(&mut back));
            assert_eq!(back, [9, 9]);
            damaged.slots[1 - damage].checksum ^= 1;
            damaged.slots[damage].number ^= 1;
            assert!(!damaged.restore(&mut back));
        }
    }

    /// The later number is ahead by less than half of all, also where numbers begin anew.
    #[test]
    fn numbers_begin_anew() {
        let mut slots = TwoSlots::<1>::EMPTY;
        assert!(slots.keep(&mut 1_u32) && slots.keep(&mut 2_u32));
        let renumber = |slots: &mut TwoSlots<1>, numbers: [u32; 2]| {
            for (slot, number) in slots.slots.iter_mut().zip(numbers) {
                slot.number = number;
                slot.checksum = slot.expected(&slot.words);
            }
            slots.last()
        };
        assert_eq!(renumber(&mut slots, [7, 8]), Some(1));
        assert_eq!(renumber(&mut slots, [8, 7]), Some(0));
        assert_eq!(renumber(&mut slots, [7, 7]), Some(0));
        assert_eq!(renumber(&mut slots, [u32::MAX, 0]), Some(1));
        assert_eq!(renumber(&mut slots, [0, u32::MAX]), Some(0));
        assert_eq!(renumber(&mut slots, [0, 1 << 31]), Some(0));
        assert_eq!(renumber(&mut slots, [0, (1 << 31) - 1]), Some(1));
    }

    /// What has other words than were kept is not touched.
    #[test]
    fn other_sizes_are_refused() {
        let mut slots = TwoSlots::<2>::EMPTY;
        assert!(!slots.keep(&mut [1_u32, 2, 3]));
        assert!(slots.keep(&mut 5_u32));
        let mut two = [8_u32, 9];
        assert!(!slots.restore(&mut two));
        assert_eq!(two, [8, 9]);
    }
}
