//! How inputs go on between two samples.

/// What an input is over a step, from its samples at the start of this step and of the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Hold {
    /// Zero order: the last sample.
    #[default]
    Zero,
    /// First order: the line through the last two samples, continued. A step holds its inputs, so it gets the line's mean.
    First,
}

impl Hold {
    /// The input over the step.
    pub fn over(self, before: f32, now: f32) -> f32 {
        match self {
            Hold::Zero => now,
            Hold::First => now + (now - before) * 0.5,
        }
    }
}
