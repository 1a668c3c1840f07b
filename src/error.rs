//! What can go wrong in a step. In every case the state is bit for bit what it was before.

use crate::linear::Singular;

/// Why there is no new state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "hil", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Error {
    /// The step size is zero, negative, infinite or NaN.
    StepSize,
    /// A number of the start is infinite or NaN.
    Start {
        /// Which one, counted over the whole state: positions first, then velocities.
        index: usize,
    },
    /// A nominal magnitude is zero, negative, infinite or NaN.
    Nominal {
        /// Which one, counted over positions, velocities and multipliers, as far as a model gives them.
        index: usize,
    },
    /// The input is infinite or NaN.
    Input,
    /// The model returned an infinite value or NaN, or the iteration left the range of the number type.
    NonFinite,
    /// The iteration matrix is singular: this column depends on the ones before it. In a circuit, a floating node or a
    /// loop of sources; in a mechanism, a massless link or a redundant constraint.
    Singular {
        /// The first dependent column.
        column: usize,
    },
    /// The mass of this coordinate is zero or negative, or depends on that of others.
    Mass {
        /// Which coordinate.
        coordinate: usize,
    },
    /// This constraint depends on those before it: it is redundant, or the mechanism is in a singular position.
    Constraint {
        /// Which constraint.
        index: usize,
    },
    /// The stiffness of this joint is not positive, or its damping is negative.
    Joint {
        /// Which joint.
        index: usize,
    },
    /// This constraint, or this row of a right-hand side, depends on a coordinate or a state that the model says it does not.
    Touched {
        /// Which constraint, or which row.
        index: usize,
    },
    /// The model's turn is not finite, or it changes the constraints.
    Turn,
    /// The start does not satisfy the constraints, and no position near it does.
    Inconsistent,
    /// The iteration does not contract. Newton's: the step is too large for the model, or its Jacobian is wrong. A slow
    /// projection's: the start is too far from where the joints fit together.
    Diverged,
    /// The tolerance asks for steps smaller than the resolution of time: the solution has a singularity, or the tolerance is
    /// beyond the number type.
    StepTooSmall,
    /// The end was not reached within the number of steps that are allowed.
    TooManySteps,
    /// A tolerance is zero, negative, infinite or NaN.
    Tolerance,
    /// Events follow each other faster than time can be told apart, as the bounces of a ball that comes to rest.
    Zeno {
        /// Which event.
        index: usize,
    },
    /// The window of a slow projection does not fit the joints: it is too short for the slowest of them, or its steps are too
    /// long for the fastest.
    Window {
        /// The fewest steps each way with which a window fits them all.
        steps: usize,
    },
    /// The budget does not allow a single iteration, or the deadline passed before the first one.
    Budget,
    /// The plant keeps more words between steps than a snapshot has room for.
    Memory {
        /// How many.
        words: usize,
    },
    /// Rounding keeps the iteration from what the tolerance asks, and smaller steps do not help: the model amplifies the rounding
    /// of its state by more than the number type has digits to spare. Ask for less, or compute in double precision.
    Rounding,
    /// The model's period is zero, negative, infinite or NaN.
    Period,
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Error::StepSize => f.write_str("the step size must be finite and greater than zero"),
            Error::Start { index } => write!(f, "state {index} of the start is not finite"),
            Error::Nominal { index } => write!(
                f,
                "nominal magnitude {index} must be finite and greater than zero"
            ),
            Error::Input => f.write_str("an input is not finite"),
            Error::NonFinite => f.write_str("the model returned a value that is not finite"),
            Error::Singular { column } => {
                write!(f, "the iteration matrix is singular in column {column}")
            }
            Error::Mass { coordinate } => {
                write!(f, "the mass of coordinate {coordinate} is not positive")
            }
            Error::Constraint { index } => {
                write!(f, "constraint {index} depends on those before it")
            }
            Error::Joint { index } => write!(
                f,
                "joint {index} needs a positive stiffness and no negative damping"
            ),
            Error::Touched { index } => write!(
                f,
                "constraint or row {index} depends on what the model says it does not"
            ),
            Error::Turn => f.write_str("the model's turn must leave its constraints as they are"),
            Error::Period => {
                f.write_str("the model's period must be finite and greater than zero")
            }
            Error::Inconsistent => {
                f.write_str("no position near the start satisfies the constraints")
            }
            Error::Diverged => f.write_str("the iteration diverged: try a smaller step"),
            Error::StepTooSmall => {
                f.write_str("the tolerance asks for steps too small for the resolution of time")
            }
            Error::TooManySteps => f.write_str("too many steps: allow more, or ask for less"),
            Error::Tolerance => f.write_str("tolerances must be finite and greater than zero"),
            Error::Zeno { index } => {
                write!(f, "event {index} happens again and again at the same time")
            }
            Error::Window { steps } => write!(
                f,
                "the window does not fit the joints: {steps} steps each way would"
            ),
            Error::Memory { words } => write!(
                f,
                "the plant keeps {words} words between steps, more than a snapshot holds"
            ),
            Error::Rounding => f.write_str(
                "rounding is larger than the tolerance: ask for less, or use a number type of more digits",
            ),
            Error::Budget => f.write_str("the budget allows no Newton iteration"),
        }
    }
}

impl core::error::Error for Error {}

impl From<Singular> for Error {
    #[inline]
    fn from(singular: Singular) -> Self {
        if singular.finite {
            Error::Singular {
                column: singular.column,
            }
        } else {
            Error::NonFinite
        }
    }
}
