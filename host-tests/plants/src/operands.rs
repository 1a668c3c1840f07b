//! Operands for arithmetic that is done in software, the same on the boards that do it and on the host that checks it.
//!
//! There are two sources: a [`Draw`] of pairs in blocks, each with a seed of its own, and a grid of numbers whose pairs are
//! all tried ([`grid_single`], [`grid_double`]): every special number, and significands that make ties and carries at every distance of exponents.

/// Pairs in a block.
pub const BLOCK: u32 = 1 << 16;

/// A pseudo-random source of operands (xorshift).
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    state: u32,
    kind: u32,
}

impl Draw {
    /// The operands of a block.
    pub fn of_block(block: u32) -> Self {
        // Never zero, where the generator would stay: an odd factor keeps different blocks different.
        let state = (block ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b1) | 1;
        Draw { state, kind: 0 }
    }

    /// With the next pair of this kind, of 0 to 7.
    pub fn of_kind(&mut self, kind: u32) -> &mut Self {
        self.kind = kind.wrapping_sub(1) & 7;
        self
    }

    fn bits(&mut self) -> u32 {
        let mut x = self.state;
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        self.state = x;
        x
    }

    /// The next two `f32`, as bits: eight kinds in turn.
    pub fn single(&mut self) -> (u32, u32) {
        let (a, b, c) = (self.bits(), self.bits(), self.bits());
        self.kind = (self.kind + 1) & 7;
        let near = |width: u32| {
            let exponent = ((a >> 23) & 255)
                .wrapping_add(c % width)
                .wrapping_sub(width / 2);
            (b & 0x807f_ffff) | ((exponent & 255) << 23)
        };
        match self.kind {
            0 => (a, b),
            1 => (a, near(64)),
            // Few significant bits: ties and exact results.
            2 => {
                let mask = u32::MAX << (8 + (c >> 28));
                (a & mask, near(64) & mask)
            }
            // Around one.
            3 => (
                (a & 0x83ff_ffff) | 0x3c00_0000,
                (b & 0x83ff_ffff) | 0x3c00_0000,
            ),
            4 => (
                SPECIAL_SINGLE[(a % 16) as usize],
                if c & 1 == 0 {
                    b
                } else {
                    SPECIAL_SINGLE[(b % 16) as usize]
                },
            ),
            // Nearly cancelling.
            5 => (a, a ^ (b & 0x8000_0fff)),
            // Small: subnormal operands and differences.
            6 => (a & 0x81ff_ffff, b & 0x81ff_ffff),
            // Products and quotients near the ends of the range.
            _ => {
                let sum = if c & 1 == 0 {
                    127 - (c >> 8) % 28
                } else {
                    379 + (c >> 8) % 6
                };
                let exponent = sum.wrapping_sub((a >> 23) & 255) & 255;
                let mask = u32::MAX << ((c >> 16) & 15);
                (a & mask, (b & mask & 0x807f_ffff) | (exponent << 23))
            }
        }
    }

    /// The next two `f64`, as bits: the same eight kinds.
    pub fn double(&mut self) -> (u64, u64) {
        let mut wide = || u64::from(self.bits()) << 32 | u64::from(self.bits());
        let (a, b) = (wide(), wide());
        let c = self.bits();
        self.kind = (self.kind + 1) & 7;
        let near = |width: u32| {
            let exponent = ((a >> 52) & 2047)
                .wrapping_add(u64::from(c % width))
                .wrapping_sub(u64::from(width / 2));
            (b & 0x800f_ffff_ffff_ffff) | ((exponent & 2047) << 52)
        };
        let one = |x: u64| (x & 0x803f_ffff_ffff_ffff) | 0x3fc0_0000_0000_0000;
        match self.kind {
            0 => (a, b),
            1 => (a, near(128)),
            2 => {
                let mask = u64::MAX << (20 + (c >> 27));
                (a & mask, near(128) & mask)
            }
            3 => (one(a), one(b)),
            4 => (
                SPECIAL_DOUBLE[(a % 16) as usize],
                if c & 1 == 0 {
                    b
                } else {
                    SPECIAL_DOUBLE[(b % 16) as usize]
                },
            ),
            5 => (a, a ^ (b & 0x8000_0000_0fff_ffff)),
            6 => (a & 0x807f_ffff_ffff_ffff, b & 0x807f_ffff_ffff_ffff),
            _ => {
                let sum = if c & 1 == 0 {
                    1023 - (c >> 8) % 56
                } else {
                    3067 + (c >> 8) % 6
                };
                let exponent = u64::from(sum).wrapping_sub((a >> 52) & 2047) & 2047;
                let mask = u64::MAX << ((c >> 16) & 31);
                (
                    a & mask,
                    (b & mask & 0x800f_ffff_ffff_ffff) | (exponent << 52),
                )
            }
        }
    }
}

const SPECIAL_SINGLE: [u32; 16] = [
    0x0000_0000,
    0x8000_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffff_ffff,
    0x7f80_0001,
    0x0000_0001,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x3f80_0000,
    0xbf80_0000,
];

const SPECIAL_DOUBLE: [u64; 16] = [
    0x0000_0000_0000_0000,
    0x8000_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xffff_ffff_ffff_ffff,
    0x7ff0_0000_0000_0001,
    0x0000_0000_0000_0001,
    0x8000_0000_0000_0001,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x8010_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
];

/// Fractions that make ties, carries and long borrows: the last bit, the middle, all of them.
const FRACTIONS_SINGLE: [u32; 12] = [
    0, 1, 2, 3, 0x400, 0x0f_ffff, 0x3f_ffff, 0x40_0000, 0x40_0001, 0x55_5555, 0x7f_fffe, 0x7f_ffff,
];

const FRACTIONS_DOUBLE: [u64; 12] = [
    0,
    1,
    2,
    3,
    0x8000_0000,
    0xffff_ffff,
    0x7_ffff_ffff_ffff,
    0x8_0000_0000_0000,
    0x8_0000_0000_0001,
    0x5_5555_5555_5555,
    0xf_ffff_ffff_fffe,
    0xf_ffff_ffff_ffff,
];

/// How many numbers the grids have.
pub const GRID: u32 = 2 * 12 * 44;

/// Exponents of the grids, `bias` being that of one: the ends of the range, what special paths look at, every distance up to one
/// more than the significand has bits.
fn exponent(index: u32, bias: u32, bits: u32) -> u32 {
    match index {
        0..4 => index,
        4..8 => 2 * bias + 1 + 4 - index,
        8..11 => bias / 2 + index - 8,
        11..14 => bias + bias / 2 + index - 12,
        14..17 => bias - 2 * bits + index,
        // Distances of up to 26 places in single precision, of even and odd ones up to 53 in double.
        _ => bias - 1 + (index - 17) * (bits / 22) + (index & 1) * (bits / 52),
    }
}

/// A number of the grid for `f32`, as bits.
pub fn grid_single(index: u32) -> u32 {
    let (sign, rest) = (index & 1, index >> 1);
    let fraction = FRACTIONS_SINGLE[(rest % 12) as usize];
    sign << 31 | exponent(rest / 12 % 44, 127, 23) << 23 | fraction
}

/// A number of the grid for `f64`, as bits.
pub fn grid_double(index: u32) -> u64 {
    let (sign, rest) = (u64::from(index & 1), index >> 1);
    let fraction = FRACTIONS_DOUBLE[(rest % 12) as usize];
    sign << 63 | u64::from(exponent(rest / 12 % 44, 1023, 52)) << 52 | fraction
}

/// A hash of results, one by one (FNV's, a word at a time).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash(pub u32);

impl Hash {
    /// Of nothing yet.
    pub const EMPTY: Hash = Hash(0x811c_9dc5);

    /// Takes a result in.
    #[inline(always)]
    pub fn absorb(&mut self, word: u32) {
        // Rotated: the product alone would leave the upper bits of a word in the upper bits of the hash.
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x0100_0193);
    }
}
