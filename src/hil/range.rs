//! What a pin's full swing means.

/// The values at both ends of a pin's swing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// At 0 %.
    pub least: f32,
    /// At 100 %.
    pub most: f32,
}

impl Range {
    /// From `least` to `most`.
    pub const fn new(least: f32, most: f32) -> Self {
        Range { least, most }
    }

    /// The value at a part of the swing.
    pub fn at(self, part: f32) -> f32 {
        self.least + (self.most - self.least) * part
    }

    /// The part of the swing that shows a value, as far as it can.
    pub fn part(self, value: f32) -> f32 {
        let part = (value - self.least) / (self.most - self.least);
        // Also for NaN.
        if part > 0.0 { part.min(1.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::Range;

    /// Values and parts of a range.
    #[test]
    fn ranges_have_parts() {
        let range = Range::new(-2.0, 6.0);
        assert_eq!(
            [range.at(0.0), range.at(0.25), range.at(1.0)],
            [-2.0, 0.0, 6.0]
        );
        assert_eq!(
            [range.part(-2.0), range.part(4.0), range.part(6.0)],
            [0.0, 0.75, 1.0]
        );
        assert_eq!(
            [range.part(-3.0), range.part(7.0), range.part(f32::NAN)],
            [0.0, 1.0, 0.0]
        );
    }
}
