//! Everything that survives a step, word by word: to keep a simulation and to go back to it, to move it from a board to the
//! desk, and to compare two of them to the last bit.
//!
//! One visit serves all of that. It hands every word out and takes back what is to stand in its place, so that saving
//! and loading cannot disagree about what belongs to the memory.

/// Something that is kept between steps.
pub trait Memory {
    /// Shows every word to `words` and replaces it by the answer, always in the same order.
    fn visit<W: Words>(&mut self, words: &mut W);
}

/// A memory field by field, in the order of its words.
macro_rules! visits {
    ([$($generics:tt)*] $type:ty $(where [$($bounds:tt)*])?: $($field:ident $(.$part:tt)?),+) => {
        impl<$($generics)*> $crate::memory::Memory for $type
        $(where $($bounds)*)?
        {
            fn visit<W: $crate::memory::Words>(&mut self, words: &mut W) {
                $($crate::memory::Memory::visit(&mut self.$field$(.$part)?, words);)+
            }
        }
    };
}
pub(crate) use visits;

/// What looks at a memory, or rewrites it.
pub trait Words {
    /// The word that is to stand where `word` stands.
    fn word(&mut self, word: u32) -> u32;
}

/// Writes a memory down.
#[derive(Debug)]
pub struct Save<'a> {
    into: &'a mut [u32],
    count: usize,
}

impl<'a> Save<'a> {
    /// To be written from the start of `into`.
    pub fn new(into: &'a mut [u32]) -> Self {
        Save { into, count: 0 }
    }

    /// How many words there were, if there was room for all of them.
    pub fn complete(&self) -> Option<usize> {
        (self.count <= self.into.len()).then_some(self.count)
    }
}

impl Words for Save<'_> {
    #[inline(always)]
    fn word(&mut self, word: u32) -> u32 {
        if let Some(slot) = self.into.get_mut(self.count) {
            *slot = word;
        }
        self.count += 1;
        word
    }
}

/// Puts a memory back. Words that are missing stay what they were: look whether it was [`complete`](Self::complete).
#[derive(Debug)]
pub struct Load<'a> {
    from: core::slice::Iter<'a, u32>,
    missing: bool,
}

impl<'a> Load<'a> {
    /// From these words.
    pub fn new(from: &'a [u32]) -> Self {
        Load {
            from: from.iter(),
            missing: false,
        }
    }

    /// Whether there were as many words as were wanted.
    pub fn complete(&self) -> bool {
        !self.missing && self.from.len() == 0
    }
}

impl Words for Load<'_> {
    #[inline(always)]
    fn word(&mut self, word: u32) -> u32 {
        match self.from.next() {
            Some(&word) => word,
            None => {
                self.missing = true;
                word
            }
        }
    }
}

/// Counts the words and condenses them into one: FNV-1a on words, rotated so that no bit keeps to itself. Each word goes in
/// by a bijection, so a single changed bit always changes the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    /// The condensed words.
    pub hash: u32,
    /// How many there were.
    pub count: usize,
}

impl Digest {
    /// Of no words.
    pub const EMPTY: Digest = Digest {
        hash: 0x811c_9dc5,
        count: 0,
    };

    /// Of a memory.
    pub fn of<M: Memory>(memory: &mut M) -> Self {
        let mut digest = Self::EMPTY;
        memory.visit(&mut digest);
        digest
    }
}

impl Words for Digest {
    #[inline(always)]
    fn word(&mut self, word: u32) -> u32 {
        self.hash = (self.hash ^ word).wrapping_mul(0x0100_0193).rotate_left(13);
        self.count += 1;
        word
    }
}

/// Nothing is kept.
impl Memory for () {
    #[inline(always)]
    fn visit<W: Words>(&mut self, _words: &mut W) {}
}

impl Memory for f32 {
    #[inline(always)]
    fn visit<W: Words>(&mut self, words: &mut W) {
        *self = f32::from_bits(words.word(self.to_bits()));
    }
}

impl Memory for u32 {
    #[inline(always)]
    fn visit<W: Words>(&mut self, words: &mut W) {
        *self = words.word(*self);
    }
}

impl Memory for i32 {
    #[inline(always)]
    fn visit<W: Words>(&mut self, words: &mut W) {
        *self = words.word(self.cast_unsigned()).cast_signed();
    }
}

impl Memory for u8 {
    #[inline(always)]
    fn visit<W: Words>(&mut self, words: &mut W) {
        *self = words.word(u32::from(*self)) as u8;
    }
}

impl Memory for bool {
    #[inline(always)]
    fn visit<W: Words>(&mut self, words: &mut W) {
        *self = words.word(u32::from(*self)) != 0;
    }
}

impl Memory for u64 {
    #[inline(always)]
    fn visit<W: Words>(&mut self, words: &mut W) {
        let (low, high) = (words.word(*self as u32), words.word((*self >> 32) as u32));
        *self = u64::from(high) << 32 | u64::from(low);
    }
}

impl Memory for f64 {
    #[inline(always)]
    fn visit<W: Words>(&mut self, words: &mut W) {
        let mut bits = self.to_bits();
        bits.visit(words);
        *self = f64::from_bits(bits);
    }
}

impl<T: Memory, const N: usize> Memory for [T; N] {
    #[inline(always)]
    fn visit<W: Words>(&mut self, words: &mut W) {
        for item in self {
            item.visit(words);
        }
    }
}

/// A word for whether there is one, and the value or what stands for none.
impl<T: Memory + Default> Memory for Option<T> {
    fn visit<W: Words>(&mut self, words: &mut W) {
        let (mut some, mut value) = (self.is_some(), self.take().unwrap_or_default());
        some.visit(words);
        value.visit(words);
        *self = some.then_some(value);
    }
}

#[cfg(test)]
mod tests {
    use super::{Digest, Load, Memory, Save};

    /// One of everything that has words: what is saved, and that loading brings it back.
    fn kept<M: Memory + PartialEq + core::fmt::Debug>(mut from: M, mut to: M, words: &[u32]) {
        let mut saved = [0; 8];
        let mut save = Save::new(&mut saved);
        from.visit(&mut save);
        assert_eq!(save.complete(), Some(words.len()));
        assert_eq!(saved[..words.len()], *words);
        let mut load = Load::new(words);
        to.visit(&mut load);
        assert!(load.complete());
        assert_eq!(to, from);
        assert_eq!(Digest::of(&mut to).count, words.len());
    }

    /// Low words first, and a word says whether there is something.
    #[test]
    fn everything_has_its_words() {
        kept(1.0_f32, 0.0, &[0x3f80_0000]);
        kept(-2.0_f64, 0.0, &[0, 0xc000_0000]);
        kept(0x1234_5678_9abc_def0_u64, 0, &[0x9abc_def0, 0x1234_5678]);
        kept(-1_i32, 7, &[u32::MAX]);
        kept(200_u8, 0, &[200]);
        kept(true, false, &[1]);
        kept(false, true, &[0]);
        kept(Some(5_u32), None, &[1, 5]);
        kept(None::<u32>, Some(5), &[0, 0]);
        kept([3_u32, 4], [0; 2], &[3, 4]);
        kept((), (), &[]);
    }

    /// Too little room, too few words and too many.
    #[test]
    fn what_does_not_fit_is_not_complete() {
        let mut words = [0; 2];
        let mut save = Save::new(&mut words);
        [1_u32, 2, 3].visit(&mut save);
        assert_eq!(save.complete(), None);
        assert_eq!(words, [1, 2]);
        let mut numbers = [7_u32, 8, 9];
        let mut load = Load::new(&[1, 2]);
        numbers.visit(&mut load);
        assert!(!load.complete());
        assert_eq!(numbers, [1, 2, 9]);
        let mut load = Load::new(&[1, 2, 3, 4]);
        numbers.visit(&mut load);
        assert!(!load.complete());
    }

    /// The hash of three words, step by step by hand.
    #[test]
    fn a_digest_is_a_hash_of_all_words() {
        let by_hand = |words: &[u32]| {
            let mut hash = 2_166_136_261_u64;
            for word in words {
                hash = ((hash ^ u64::from(*word)) * 16_777_619) % (1 << 32);
                hash = (hash * 8192) % (1 << 32) + hash / (1 << 19);
            }
            hash
        };
        let digest = Digest::of(&mut [1_u32, 2, 0xffff_fff0]);
        assert_eq!(u64::from(digest.hash), by_hand(&[1, 2, 0xffff_fff0]));
        assert_eq!(digest.count, 3);
    }
}
