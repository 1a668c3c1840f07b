//! An incremental encoder: what it counts, and when the edges of its two tracks come.

/// What a sensor's value is to an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Turning {
    /// An angle, in rad.
    Angle,
    /// A speed, in rad/s, of which the encoder makes an angle: one that turns for hours is no number of single precision.
    Speed,
}

/// Parts of a count that the position is kept in, as a power of two.
const PART_BITS: u32 = 16;
const PARTS: f32 = (1 << PART_BITS) as f32;

/// An encoder on a shaft. Its position is a whole number of parts of a count, so that it drifts neither in hours nor in months.
///
/// ```
/// # use stiffstep::hil::{Encoder, Turning};
/// // 1000 lines, 4000 counts a turn, at a turn in a second, for a thousand periods of a millisecond.
/// let mut encoder = Encoder::new(Turning::Speed, 4_000, 1e-3, 500);
/// let turned: i32 = (0..1_000).map(|_| encoder.turn(6.283_185)).sum();
/// assert_eq!(turned, 3_998); // The first period comes from a standstill.
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Encoder {
    turning: Turning,
    /// Parts of a count for a radian, or in a period for a radian a second.
    scale: f32,
    /// The most counts in a period.
    most: i32,
    value: f32,
    position: i64,
    shown: i64,
}

impl Encoder {
    /// With so many counts a turn, at a shaft that is looked at every `h` seconds, and at most so many counts in that time.
    pub fn new(turning: Turning, counts: u32, h: f32, most: u32) -> Self {
        let a_radian = counts as f32 * (PARTS / core::f32::consts::TAU);
        Encoder {
            turning,
            scale: match turning {
                Turning::Angle => a_radian,
                Turning::Speed => a_radian * h * 0.5,
            },
            most: most.min(i32::MAX as u32) as i32,
            value: 0.0,
            position: 0,
            shown: 0,
        }
    }

    /// The sensor's value at the end of a step: by how many counts the tracks have to go on, backwards if negative. More than they can do in
    /// a period come later. A value that is not finite does not turn the shaft.
    pub fn turn(&mut self, value: f32) -> i32 {
        if value.is_finite() {
            match self.turning {
                Turning::Angle => self.position = (value * self.scale) as i64,
                // The mean of the speeds at both ends of the step. Neither sum leaves the range in the life of a board.
                Turning::Speed => {
                    let parts = ((value + self.value) * self.scale) as i64;
                    self.position = self.position.saturating_add(parts);
                }
            }
            self.value = value;
        }
        let whole = self.position >> PART_BITS;
        let counts = (whole - self.shown).clamp(-i64::from(self.most), i64::from(self.most));
        self.shown += counts;
        counts as i32
    }

    /// What the tracks have counted.
    pub fn counts(&self) -> i64 {
        self.shown
    }

    /// The levels of the tracks at a count: of the first in bit 0, of the second in bit 1. Upwards the first one leads.
    pub fn tracks(count: i64) -> u8 {
        match count & 3 {
            0 => 0b00,
            1 => 0b01,
            2 => 0b11,
            _ => 0b10,
        }
    }
}

/// Edges at equal distances in a time that need not be a multiple of them: tells how many ticks the next one is away.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    whole: u32,
    rest: u32,
    count: u32,
    sum: u32,
    first: bool,
}

impl Spread {
    /// So many edges in so many ticks, half a distance from either end.
    pub fn new(count: u32, ticks: u32) -> Self {
        let count = count.max(1);
        Spread {
            whole: ticks / count,
            rest: ticks % count,
            count,
            sum: 0,
            first: true,
        }
    }
}

impl Iterator for Spread {
    type Item = u32;

    /// Ticks from one edge to the next one, or from the beginning to the first. There is no end to it.
    fn next(&mut self) -> Option<u32> {
        if core::mem::take(&mut self.first) {
            return Some(self.whole / 2);
        }
        self.sum += self.rest;
        let carry = self.sum >= self.count;
        self.sum -= if carry { self.count } else { 0 };
        Some(self.whole + u32::from(carry))
    }
}
