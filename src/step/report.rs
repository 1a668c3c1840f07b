//! What a step says about itself.

/// How far the Newton iteration got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Outcome {
    /// The estimated distance to the solution of the stage equations is within the acceptance tolerance.
    Converged,
    /// The iteration contracts, but the budget ended it above the acceptance tolerance; the report's defect says how far.
    Unconverged,
}

/// A completed step. All figures are relative to the model's nominal magnitudes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Report<R> {
    /// Newton iterations done.
    pub iterations: u8,
    /// Norm of the last increment.
    pub increment: R,
    /// Ratio of the last two increments; zero where one iteration is exact or only one was done.
    pub contraction: R,
    /// Estimated distance from the solution of the stage equations.
    pub defect: R,
    /// Whether that is good enough.
    pub outcome: Outcome,
}
