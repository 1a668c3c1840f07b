//! Noise that repeats: for wires that damage bytes, and for frames that nobody sent.

/// A xorshift generator.
#[derive(Clone, Debug)]
pub struct Noise(u64);

impl Noise {
    /// From a seed, which may be anything.
    pub fn new(seed: u64) -> Self {
        Noise(seed | 1 << 63)
    }

    /// The next number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end.max(1)
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        self.below(256) as u8
    }

    /// Bytes without a zero, as many as a short frame has, and the zero that ends it.
    pub fn frame(&mut self) -> Vec<u8> {
        let length = 1 + self.below(40);
        let mut frame: Vec<u8> = (0..length).map(|_| 1 + self.below(255) as u8).collect();
        frame.push(0);
        frame
    }

    /// Replaces this part of the bytes, in percent, by others.
    pub fn damage(&mut self, bytes: &mut [u8], percent: u64) {
        for byte in bytes {
            if self.below(100) < percent {
                *byte ^= 1 + self.below(255) as u8;
            }
        }
    }
}
