//! A period by a timer that does not count that far.

/// A period in equal parts, each of which a timer can count.
///
/// ```
/// # use stiffstep::hil::Slices;
/// // 0.1 s at 168 MHz by SysTick, which has 24 bits.
/// let slices = Slices::of(0.1, 168_000_000, 1 << 24);
/// assert_eq!(slices, Some(Slices { length: 8_400_000, count: 2 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slices {
    /// Ticks of a part.
    pub length: u32,
    /// How many there are.
    pub count: u32,
}

impl Slices {
    /// For a period of `h` seconds and a timer that runs at `frequency` and counts `most` ticks. `None` if the period is shorter than
    /// two ticks or longer than 2^31. Where the parts cannot be equal, the period is off by less than half a tick a part.
    pub fn of(h: f32, frequency: u32, most: u32) -> Option<Self> {
        let ticks = h * frequency as f32 + 0.5;
        // False for NaN, too.
        if !(ticks >= 2.0 && ticks < (1_u32 << 31) as f32) {
            return None;
        }
        let ticks = ticks as u32;
        let count = ticks.div_ceil(most.max(2));
        let length = (ticks + count / 2) / count;
        Some(Slices { length, count })
    }

    /// Ticks of the period.
    pub fn period(self) -> u32 {
        self.length * self.count
    }
}

/// A period by a timer with a divided clock: so many turns of so many counts of so many ticks.
///
/// ```
/// # use stiffstep::hil::Divided;
/// // 1 ms at 125 MHz by a slice of the RP2040's PWM, which has 16 bits.
/// let divided = Divided::of(1e-3, 125_000_000, 1 << 16, 255);
/// assert_eq!(divided, Some(Divided { divider: 2, length: 62_500, turns: 1 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divided {
    /// Ticks of a count.
    pub divider: u32,
    /// Counts of a turn.
    pub length: u32,
    /// Turns of a period.
    pub turns: u32,
}

impl Divided {
    /// For a period of `h` seconds, ticks of `frequency`, and a timer that counts `most` and divides its clock by up to `dividers`. The period
    /// is exact if any divider makes it so with a number of turns up to 16, and otherwise off by less than half a count a turn. `None` if it
    /// is shorter than 64 ticks or longer than 2^31.
    pub fn of(h: f32, frequency: u32, most: u32, dividers: u32) -> Option<Self> {
        let ticks = h * frequency as f32 + 0.5;
        // False for NaN, too.
        if !(ticks >= 64.0 && ticks < (1_u32 << 31) as f32) {
            return None;
        }
        let ticks = ticks as u32;
        let fewest = ticks.div_ceil(most).div_ceil(dividers);
        for turns in fewest..fewest + 16 {
            for divider in ticks.div_ceil(most).div_ceil(turns)..=dividers {
                if ticks.is_multiple_of(turns * divider) {
                    let length = ticks / (turns * divider);
                    return Some(Divided {
                        divider,
                        length,
                        turns,
                    });
                }
            }
        }
        let divider = ticks.div_ceil(most).div_ceil(fewest);
        let length = ((ticks + divider * fewest / 2) / (divider * fewest)).min(most);
        Some(Divided {
            divider,
            length,
            turns: fewest,
        })
    }

    /// Ticks of the period.
    pub fn period(self) -> u32 {
        self.divider * self.length * self.turns
    }
}

#[cfg(test)]
mod tests {
    use super::Slices;

    /// A period is rounded to ticks, not cut off, and divided into as few parts as there can be.
    #[test]
    fn a_period_is_rounded_to_ticks() {
        let slices = |length, count| Some(Slices { length, count });
        assert_eq!(Slices::of(2.75e-3, 1000, 100), slices(3, 1));
        assert_eq!(Slices::of(2.25e-3, 1000, 100), slices(2, 1));
        assert_eq!(Slices::of(0.2, 1000, 100), slices(100, 2));
        assert_eq!(Slices::of(0.202, 1000, 100), slices(67, 3));
        assert_eq!(Slices::of(1e-3, 1000, 100), None);
        assert_eq!(Slices::of(f32::NAN, 1000, 100), None);
    }
}
