//! Explicit Runge-Kutta methods, for models whose fast motion is projected away.

/// The coefficients of an explicit method each of whose stages follows from the one before it alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explicit<const S: usize> {
    /// Stage i is the step's start and this much of a step with the slope of stage i - 1; zero for the first.
    pub c: [f64; S],
    /// The weights of the slopes.
    pub b: [f64; S],
}

impl Explicit<4> {
    /// The classical method of Kutta, of order 4.
    pub const CLASSICAL: Self = Explicit {
        c: [0.0, 0.5, 0.5, 1.0],
        b: [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    };
}
