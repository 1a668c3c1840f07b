//! The clocks of simulations. What a user reads is the time since the start. What a model with a period reads is where in its
//! period it is, and that is exact however long the run is: one number of single precision resolves less than a step of 1 ms
//! after 4.7 hours, and sees a 1 Hz motion at 1e-3 of a turn after one.

use crate::memory::visits;
use crate::number::{Compensated, Real};

/// A time within a period, in two parts: `high` is the whole, rounded, and `low` what the rounding left out.
///
/// Steps are added and periods subtracted without rounding (Knuth's TwoSum; a difference of numbers within a factor of two is
/// exact by Sterbenz's lemma). Step, period and phase are multiples of the last digit of the step, and two parts hold them all as
/// long as a period has at most 2^22 steps in single precision, 2^51 in double.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Phase<R> {
    high: R,
    low: R,
}

/// `a + b` and its rounding error, whichever is the larger.
#[inline(always)]
fn two_sum<R: Real>(a: R, b: R) -> (R, R) {
    let sum = a + b;
    let from_b = sum - a;
    (sum, (a - (sum - from_b)) + (b - from_b))
}

impl<R: Real> Phase<R> {
    /// The start of a period.
    pub const START: Self = Phase {
        high: R::ZERO,
        low: R::ZERO,
    };

    /// The phase, rounded once.
    #[inline(always)]
    pub fn time(self) -> R {
        self.high
    }

    /// The phase at time `t`.
    pub fn at(t: R, period: R) -> Self {
        let (high, low) = (t, R::ZERO);
        Phase { high, low }.folded(period)
    }

    /// The same phase of another period, from wherever it is: before time zero, too, where whole periods lead up to it.
    pub fn folded(self, period: R) -> Self {
        let rest = self.within(period);
        if rest.high >= R::ZERO {
            return rest;
        }
        let (high, low) = (rest.high.modulo(period), rest.low.modulo(period));
        let before_end = Phase { high, low };
        let (high, low) = (period, R::ZERO);
        before_end.plus(Phase { high, low }).within(period)
    }

    /// The phase `h` later, within `period`.
    #[inline(always)]
    pub fn after(self, h: R, period: R) -> Self {
        self.plus(Phase {
            high: h,
            low: R::ZERO,
        })
        .within(period)
    }

    /// The phase after `count` steps from the start, by doubling and adding: as exact as one step after the other.
    pub fn of(count: u64, h: R, period: R) -> Self {
        let mut phase = Self::START;
        for bit in (0..u64::BITS).rev() {
            phase = phase.plus(phase).within(period);
            if count >> bit & 1 == 1 {
                phase = phase.after(h, period);
            }
        }
        phase
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let (sum, lost) = two_sum(self.high, other.high);
        let (high, low) = two_sum(sum, lost + (self.low + other.low));
        Phase { high, low }
    }

    /// A phase that is not negative, from 0 on and below the period, or rounded to it.
    #[inline(always)]
    fn within(self, period: R) -> Self {
        let below = self.high < period || (self.high == period && self.low < R::ZERO);
        if below {
            return self;
        }
        let rest = self.high - period;
        let (high, low) = if rest < period {
            two_sum(rest, self.low)
        } else {
            // A step longer than a period, or a period that has become shorter.
            two_sum(self.high.modulo(period), self.low.modulo(period))
        };
        if high < R::ZERO {
            let (high, lost) = two_sum(high, period);
            let low = lost + low;
            return Phase { high, low };
        }
        Phase { high, low }
    }
}

visits!([R: Real] Phase<R>: high, low);

/// The clock of a run with steps of any size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock<R> {
    /// Time since the start.
    total: Compensated<R>,
    phase: Phase<R>,
}

impl<R: Real> Clock<R> {
    /// Time zero.
    pub fn start() -> Self {
        Self::at(R::ZERO, None)
    }

    /// Time `t`.
    pub fn at(t: R, period: Option<R>) -> Self {
        Clock {
            total: Compensated::new(t),
            phase: period.map_or(Phase::START, |period| Phase::at(t, period)),
        }
    }

    /// The same time of a model whose period may have changed.
    pub fn folded(self, period: Option<R>) -> Self {
        Clock {
            phase: period.map_or(self.phase, |period| self.phase.folded(period)),
            ..self
        }
    }

    /// The time since the start.
    #[inline(always)]
    pub fn time(self) -> R {
        self.total.high
    }

    /// How long after another it shows its time, to all of their digits.
    #[inline(always)]
    pub fn since(self, earlier: Compensated<R>) -> R {
        (self.total.high - earlier.high) + (self.total.low - earlier.low)
    }

    /// The time since the start, and what rounding left out.
    #[inline(always)]
    pub fn total(self) -> Compensated<R> {
        self.total
    }

    /// What the model takes for the time.
    #[inline(always)]
    pub fn model_time(self, period: Option<R>) -> R {
        match period {
            Some(_) => self.phase.time(),
            None => self.time(),
        }
    }

    /// How long it is until `end`.
    #[inline(always)]
    pub fn until(self, end: R) -> R {
        (end - self.total.high) - self.total.low
    }

    /// The clock `h` later.
    #[inline(always)]
    pub fn after(self, h: R, period: Option<R>) -> Self {
        Clock {
            total: self.total.plus(h),
            phase: match period {
                Some(period) => self.phase.after(h, period),
                None => self.phase,
            },
        }
    }

    /// The same clock, which shows `end`: it is there but for rounding.
    #[inline(always)]
    pub fn reached(self, end: R) -> Self {
        Clock {
            total: Compensated::new(end),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A multiple of 2^-40, as all numbers of these tests are.
    fn units(x: f32) -> i128 {
        let units = f64::from(x) * (1_u64 << 40) as f64;
        assert_eq!(units, units.trunc());
        units as i128
    }

    /// The phase is exactly where `count` steps lead.
    fn assert_exact(phase: Phase<f32>, count: u64, h: f32, period: f32) {
        let (step, whole) = (units(h), units(period));
        let expected = i128::from(count) % whole * step % whole;
        let actual = units(phase.high) + units(phase.low);
        assert_eq!(actual, expected, "{count} steps of {h} within {period}");
        assert!(phase.high >= 0.0 && phase.high <= period);
    }

    /// A step of 1 ms and others that divide nothing, within periods of a second, a turn, and the mains.
    const CASES: [(f32, f32); 6] = [
        (1e-3, 1.0),
        (1e-3, core::f32::consts::TAU),
        (1.0 / 1024.0, 1.0),
        (5e-5, 1.0 / 50.0),
        (3.3e-4, 1200.0),
        (0.7, 0.3),
    ];

    #[test]
    fn phases_are_exact_step_by_step() {
        for (h, period) in CASES {
            let mut phase = Phase::START;
            for count in 1..=200_000 {
                phase = phase.after(h, period);
                assert_exact(phase, count, h, period);
            }
        }
    }

    /// Beyond 2^24 steps, beyond 1e9 periods, and to the end of the count.
    #[test]
    fn phases_are_exact_at_late_counts() {
        for (h, period) in CASES {
            for count in [1, 3_600_000, 1 << 24, 1_000_000_000_000, u64::MAX - 2000] {
                let mut phase = Phase::of(count, h, period);
                assert_exact(phase, count, h, period);
                for ahead in 1..=2000 {
                    phase = phase.after(h, period);
                    assert_exact(phase, count + ahead, h, period);
                }
            }
        }
    }

    #[test]
    fn a_period_that_becomes_shorter_keeps_the_rest() {
        let phase = Phase::START.after(0.75_f64, 1.0);
        assert_eq!(phase.after(0.0, 0.5).time(), 0.25);
        assert_eq!(phase.after(0.0, 0.125).time(), 0.0);
        assert_eq!(phase.folded(0.5).time(), 0.25);
    }

    /// Nothing is rounded: whole periods lead to the time, in both directions.
    #[test]
    fn phases_before_time_zero_are_within_the_period() {
        for (h, period) in CASES {
            for t in [-h, -0.5 * period, -period, -100.0 * h, -1000.0, h, 1000.0] {
                let phase = Phase::at(t, period);
                let expected = units(t).rem_euclid(units(period));
                let actual = units(phase.high) + units(phase.low);
                assert_eq!(actual, expected, "{t} within {period}");
                assert!(phase.high >= 0.0 && phase.high <= period);
            }
        }
    }
}
