//! A plant: a model with everything that the world around it needs to know.

use super::Vector;
use crate::number::Real;

/// A signal or state, as people write it on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Quantity {
    /// The name.
    pub name: &'static str,
    /// The unit, empty for a pure number.
    pub unit: &'static str,
}

impl Quantity {
    /// A name and a unit.
    pub const fn new(name: &'static str, unit: &'static str) -> Self {
        Quantity { name, unit }
    }
}

/// A parameter that may be changed while the plant runs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Parameter {
    /// Name and unit.
    pub quantity: Quantity,
    /// The smallest value the physics allows.
    pub least: f64,
    /// The largest value the physics allows.
    pub most: f64,
}

impl Parameter {
    /// A name, a unit and what the physics allows.
    pub const fn new(name: &'static str, unit: &'static str, least: f64, most: f64) -> Self {
        Parameter {
            quantity: Quantity::new(name, unit),
            least,
            most,
        }
    }
}

/// Why a parameter was not set. The plant is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ParameterError {
    /// There is no parameter of that index.
    Unknown,
    /// The value is NaN or outside the parameter's range.
    OutOfRange,
}

impl core::fmt::Display for ParameterError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            ParameterError::Unknown => "the plant has no parameter of that index",
            ParameterError::OutOfRange => "the value is outside the parameter's range",
        })
    }
}

impl core::error::Error for ParameterError {}

/// A model with inputs, outputs and named parameters.
///
/// The model says how the plant moves; this says how it looks from outside. `State` is what the model's simulation hands
/// out: a [`Vector`] for first-order models.
pub trait Plant<R: Real, const U: usize, const Y: usize> {
    /// What outputs are computed from.
    type State;
    /// The plant's name.
    const NAME: &'static str;
    /// What each input means.
    const INPUTS: [Quantity; U];
    /// What each output means.
    const OUTPUTS: [Quantity; Y];
    /// What each state means, in the order in which the state holds them; empty if nobody needs to know.
    const STATES: &'static [Quantity] = &[];
    /// The parameters that may be changed while the plant runs.
    const PARAMETERS: &'static [Parameter];

    /// The outputs, as sensors would see them.
    fn outputs(&self, t: R, state: &Self::State, u: &Vector<R, U>) -> Vector<R, Y>;

    /// Where parameter `index` is kept; `None` if there is none.
    fn parameter_mut(&mut self, index: usize) -> Option<&mut R>;

    /// Sets a parameter if it exists and the value lies within its range.
    fn set_parameter(&mut self, index: usize, value: R) -> Result<(), ParameterError> {
        let range = Self::PARAMETERS.get(index).ok_or(ParameterError::Unknown)?;
        // False for NaN, too.
        let exact = value.to_f64();
        if !(exact >= range.least && exact <= range.most) {
            return Err(ParameterError::OutOfRange);
        }
        *self.parameter_mut(index).ok_or(ParameterError::Unknown)? = value;
        Ok(())
    }
}
