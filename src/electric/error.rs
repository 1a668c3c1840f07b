//! What can be wrong with a drive.

/// Why there is no drive, or no step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ServoError {
    /// A parameter of the machine is out of range.
    Machine,
    /// A parameter of the shaft is out of range.
    Shaft,
    /// The step is not positive and finite.
    StepSize,
    /// A voltage or the load is not finite.
    Input,
    /// The state became infinite or NaN, or turned by more than half a radian in a step.
    NonFinite,
}

impl core::fmt::Display for ServoError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Machine => "a parameter of the machine is out of range",
            Self::Shaft => "a parameter of the shaft is out of range",
            Self::StepSize => "the step must be positive and finite",
            Self::Input => "an input is not finite",
            Self::NonFinite => "the state is no longer finite, or turns too fast for the step",
        })
    }
}

impl core::error::Error for ServoError {}
