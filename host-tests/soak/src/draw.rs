//! Numbers by chance, the same for the same seed.

use stiffstep::prelude::Real;

/// A source of numbers, and how wild they are at the moment.
#[derive(Clone, Debug)]
pub struct Draw {
    random: fastrand::Rng,
    /// Of 256 numbers, so many are arbitrary; the others are what they were, more or less.
    wild: u8,
}

/// What numbers are special.
const SPECIAL: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    // The largest and smallest normal numbers of single precision, and one below.
    f32::MAX as f64,
    f32::MIN_POSITIVE as f64,
    1e-45,
    5e-324,
];

impl Draw {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Draw {
            random: fastrand::Rng::with_seed(seed),
            wild: 0,
        }
    }

    /// Another source, which goes its own way.
    pub fn split(&mut self) -> Self {
        Draw {
            random: self.random.fork(),
            wild: self.wild,
        }
    }

    /// Another temper for what comes next: tame, a wild number now and then, often, or nothing but.
    pub fn temper(&mut self) {
        self.wild = [0, 6, 40, 255][self.below(4)];
    }

    /// A number below `end`, which is not zero.
    pub fn below(&mut self, end: usize) -> usize {
        self.random.usize(..end.max(1))
    }

    /// One of `end` chances.
    pub fn one_in(&mut self, end: usize) -> bool {
        self.below(end) == 0
    }

    /// 32 bits.
    pub fn bits(&mut self) -> u32 {
        self.random.u32(..)
    }

    /// Between 0 and 1.
    pub fn part(&mut self) -> f64 {
        self.random.f64()
    }

    /// Between -1 and 1.
    pub fn signed(&mut self) -> f64 {
        2.0 * self.part() - 1.0
    }

    /// A power of ten between these.
    pub fn log(&mut self, from: f64, to: f64) -> f64 {
        10_f64.powf(from + (to - from) * self.part())
    }

    /// Makes a number another one: near it, or arbitrary.
    pub fn spoil<R: Real>(&mut self, x: &mut R) {
        if self.random.u8(..) < self.wild {
            *x = self.arbitrary();
        } else {
            let size = x.to_f64().abs().max(0.01);
            *x += R::from_f64((self.part() - 0.5) * 0.2 * size);
        }
    }

    /// Any number at all: any bits, a special one, or one of any magnitude.
    pub fn arbitrary<R: Real>(&mut self) -> R {
        match self.below(4) {
            0 if size_of::<R>() == 4 => R::from_f64(f32::from_bits(self.bits()).into()),
            0 => R::from_f64(f64::from_bits(self.random.u64(..))),
            1 => R::from_f64(SPECIAL[self.below(SPECIAL.len())]),
            2 => self.magnitude(60.0),
            _ => self.magnitude(if size_of::<R>() == 4 { 127.0 } else { 1023.0 }),
        }
    }

    fn magnitude<R: Real>(&mut self, most: f64) -> R {
        let size = ((self.part() * 2.0 - 1.0) * most).exp2();
        R::from_f64(if self.random.bool() { size } else { -size })
    }
}
