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

    /// Takes the sensor's value at the end of a step. A value that is not finite does not turn the shaft.
    pub fn advance(&mut self, value: f32) {
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
    }

    /// The same, and by how many counts the tracks have to go on, backwards if negative. More than they can do in a period come later.
    pub fn turn(&mut self, value: f32) -> i32 {
        self.advance(value);
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

/// The counts of a period by a timer whose two channels toggle a track each, whenever it gets to their compare values. It restarts with every
/// period, and takes these values then.
///
/// ```
/// # use stiffstep::hil::Toggles;
/// // Ten counts in 1 ms at 84 MHz: one every 8400 ticks, the first one after half of that.
/// let ten = Toggles::new(0, 10, 84_000);
/// assert_eq!((ten.divider, ten.length, ten.compare), (1, 16_800, [4_200, 12_600]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Toggles {
    /// Ticks of the timer's clock for one of its own.
    pub divider: u32,
    /// What it counts before it starts again: twice the distance of two edges, as each track has every second one.
    pub length: u32,
    /// When the tracks toggle.
    pub compare: [u32; 2],
}

impl Toggles {
    /// A timer of 16 bits that never gets to its compare values.
    pub const NONE: Self = Toggles {
        divider: 1,
        length: 0xffff,
        compare: [0xffff; 2],
    };

    /// What a timer of 16 bits counts.
    const COUNTED: u32 = 1 << 16;

    /// The most counts of a period of so many ticks. The period cuts off what comes after them, so that the distance of two edges has to be longer
    /// than what rounding sums up to, and by so many ticks at least.
    pub fn most(period: u32, ticks: u32) -> u32 {
        let half = u64::from(ticks) / 2;
        let root = (u64::from(period) + half * half).isqrt();
        // A divided clock rounds more.
        root.saturating_sub(half + 1).min(1 << 13) as u32
    }

    /// From a count on, so many upwards, or downwards if negative, at equal distances in a period of so many ticks.
    pub fn new(count: i64, turned: i32, period: u32) -> Self {
        let edges = turned.unsigned_abs();
        if edges == 0 {
            return Self::NONE;
        }
        let divider = (period / edges) / (Self::COUNTED / 2) + 1;
        let all = edges.saturating_mul(divider);
        let distance = (period / all + u32::from(period % all > all / 2)).max(2);
        let (first, second) = (distance / 2, distance / 2 + distance);
        // Upwards the first track toggles at even counts, see [`Encoder::tracks`].
        let second_leads = (count & 1 == 1) == (turned > 0);
        Toggles {
            divider,
            length: 2 * distance,
            compare: if second_leads {
                [second, first]
            } else {
                [first, second]
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Encoder, Spread, Toggles, Turning};
    use core::f32::consts::TAU;

    /// A quarter of a turn is a quarter of the counts, forth and back, and never more at once than may be.
    #[test]
    fn an_angle_is_counted() {
        let mut encoder = Encoder::new(Turning::Angle, 400, 0.01, 150);
        assert_eq!(encoder.turn(0.2501 * TAU), 100);
        assert_eq!(encoder.turn(-0.2499 * TAU), -150);
        assert_eq!((encoder.counts(), encoder.turn(-0.2499 * TAU)), (-50, -50));
        assert_eq!(encoder.turn(f32::NAN), 0);
        assert_eq!(encoder.counts(), -100);
    }

    /// A speed is summed as the mean of both ends of a step.
    #[test]
    fn a_speed_is_summed() {
        let mut encoder = Encoder::new(Turning::Speed, 1000, 0.5, 10_000);
        // From none to a turn a second, and on: an eighth of a turn, and a half of it each step.
        assert_eq!(encoder.turn(0.5001 * TAU), 125);
        assert_eq!(encoder.turn(0.5001 * TAU), 250);
        encoder.advance(0.5001 * TAU);
        assert_eq!(encoder.counts(), 375);
        assert_eq!(encoder.turn(-0.5 * TAU), 250);
    }

    /// One track at a time, as a Gray code.
    #[test]
    fn tracks_are_a_gray_code() {
        assert_eq!([0, 1, 2, 3, 4, -1].map(Encoder::tracks), [0, 1, 3, 2, 0, 2]);
    }

    /// Half a distance to the first edge, and what does not divide is spread.
    #[test]
    fn edges_are_spread() {
        let mut spread = Spread::new(4, 1002);
        let first = [0; 6].map(|_| spread.next());
        assert_eq!(
            first,
            [
                Some(125),
                Some(250),
                Some(251),
                Some(250),
                Some(251),
                Some(250)
            ]
        );
        assert_eq!(Spread::new(0, 10).next(), Some(5));
    }

    /// Two channels a distance apart; which leads is by count and direction.
    #[test]
    fn toggles_lead_by_direction() {
        let of = |count, turned| Toggles::new(count, turned, 1000);
        assert_eq!(of(0, 0), Toggles::NONE);
        let up = of(0, 10);
        assert_eq!((up.divider, up.length, up.compare), (1, 200, [50, 150]));
        assert_eq!(
            [of(1, 10), of(0, -10), of(1, -10)].map(|t| t.compare[0]),
            [150, 150, 50]
        );
        // Rounded to the nearest distance, two at least.
        assert_eq!(
            [of(0, 3).length, of(0, 7).length, of(0, 900).length],
            [666, 286, 4]
        );
        // A period beyond the timer's range is divided.
        let slow = Toggles::new(0, 1, 1_000_000);
        assert_eq!((slow.divider, slow.length), (31, 2 * 32_258));
    }

    /// As many edges as leave the interrupt its time: `n^2 + n ticks` ticks a period.
    #[test]
    fn there_are_no_more_edges_than_fit() {
        let most = Toggles::most(10_000, 40);
        // Eighty-one would fit, and one is kept back.
        assert_eq!(most, 80);
        assert_eq!(Toggles::most(100, 0), 9);
        assert_eq!(Toggles::most(0, 40), 0);
        assert_eq!(Toggles::most(u32::MAX, 0), 1 << 13);
    }
}
