//! What a controller sees of a drive.

use crate::number::{Real, Scalar};

/// An incremental encoder: counts within a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Counts a turn, four a line.
    pub per_turn: u32,
}

impl Counts {
    /// The count at an angle in radians, from 0 on; any angle of up to a turn either way.
    pub fn of<R: Real>(self, angle: R) -> u32 {
        let share = angle.to_f64() / core::f64::consts::TAU;
        // The share of a turn, not negative.
        let share = share - libm::floor(share);
        let count = (share * f64::from(self.per_turn)) as u32;
        count.min(self.per_turn.saturating_sub(1))
    }
}

/// Three Hall sensors a third of an electrical turn apart, each on for half a turn from where its phase's axis is a quarter turn
/// ahead of the magnet: bits 0 to 2, of which one or two are set.
pub fn hall<R: Real>(electrical: R) -> u8 {
    let (sin, cos) = Scalar::<R>::sin_cos(electrical);
    let third = R::from_f64(0.866_025_403_784_438_6) * sin;
    let half = R::from_f64(-0.5) * cos;
    let on = |x: R, bit: u8| if x > R::ZERO { bit } else { 0 };
    on(cos, 1) | on(half + third, 2) | on(half - third, 4)
}

/// A resolver without its carrier: sine and cosine, with what is wrong with real ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resolver<R> {
    /// The amplitude of the sine.
    pub sine: R,
    /// The amplitude of the cosine.
    pub cosine: R,
    /// Added to both.
    pub offset: [R; 2],
}

impl<R: Real> Resolver<R> {
    /// Sine and cosine at an angle.
    pub fn of(&self, angle: R) -> [R; 2] {
        let (sin, cos) = Scalar::<R>::sin_cos(angle);
        [
            sin * self.sine + self.offset[0],
            cos * self.cosine + self.offset[1],
        ]
    }
}

/// A current sensor with its converter: an offset, whole steps, an end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurrentSensor<R> {
    /// Added to every current, in amperes.
    pub offset: R,
    /// Amperes a code.
    pub step: R,
    /// The largest code; the smallest is one less than its negative.
    pub largest: i16,
}

impl<R: Real> CurrentSensor<R> {
    /// The code of a current: the nearest, away from zero between two; 0 for what is no number.
    pub fn of(&self, current: R) -> i16 {
        let code = ((current + self.offset) / self.step).to_f64();
        let most = f64::from(self.largest);
        let nearest = libm::round(code);
        if nearest > most {
            self.largest
        } else if nearest < -most - 1.0 {
            (-most - 1.0) as i16
        } else {
            nearest as i16
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, CurrentSensor, Resolver, hall};
    use core::f64::consts::TAU;

    /// The angle of a share of a turn.
    const fn turn(share: f64) -> f64 {
        share * TAU
    }

    /// Counts go from zero to one less than a turn, forward and back.
    #[test]
    fn counts_stay_within_a_turn() {
        let counts = Counts { per_turn: 8 };
        let of = |share| counts.of(turn(share));
        assert_eq!([of(0.0), of(0.2), of(0.5), of(0.99)], [0, 1, 4, 7]);
        assert_eq!([of(1.0), of(-0.01), of(-0.3), of(-1e-17)], [0, 7, 5, 7]);
        assert_eq!(Counts { per_turn: 0 }.of(1.0), 0);
    }

    /// Each sixth of a turn has a code of its own, in the order in which they come.
    #[test]
    fn hall_codes_change_every_sixth() {
        let codes = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0].map(|sixth| hall(turn(sixth / 6.0)));
        assert_eq!(codes, [0b001, 0b011, 0b010, 0b110, 0b100, 0b101]);
    }

    /// At three, four and five: 0.6 and 0.8 of the amplitudes, and the offsets.
    #[test]
    fn a_resolver_has_amplitudes_and_offsets() {
        let resolver = Resolver {
            sine: 2.0,
            cosine: 4.0,
            offset: [0.5, -0.25],
        };
        let [sin, cos] = resolver.of(libm::atan2(0.6, 0.8));
        assert!((sin - 1.7).abs() < 1e-15 && (cos - 2.95).abs() < 1e-15);
    }

    /// The nearest code, and the ends of the converter.
    #[test]
    fn currents_are_rounded_and_end() {
        let sensor = CurrentSensor {
            offset: 0.25,
            step: 0.5,
            largest: 127,
        };
        let of = |current: f64| sensor.of(current);
        assert_eq!([of(-0.25), of(0.0), of(0.2), of(-0.6)], [0, 1, 1, -1]);
        assert_eq!([of(63.25), of(63.75), of(1e9)], [127, 127, 127]);
        assert_eq!(
            [of(-63.75), of(-64.25), of(-64.75), of(-1e9)],
            [-127, -128, -128, -128]
        );
        assert_eq!(of(f64::NAN), 0);
    }
}
