//! A plant: a model with everything that the world around it needs to know.

use super::Vector;
use crate::memory::{Memory, Words};
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

/// A parameter of the model `M` that may be changed while the plant runs.
pub struct Parameter<M, R = f32> {
    /// Name and unit.
    pub quantity: Quantity,
    /// The smallest value the physics allows.
    pub least: f64,
    /// The largest value the physics allows.
    pub most: f64,
    /// Where the model keeps it.
    place: fn(&mut M) -> &mut R,
}

impl<M, R> Parameter<M, R> {
    /// A name, a unit, what the physics allows, and where the model keeps it: `|model| &mut model.stiffness`.
    pub const fn new(
        name: &'static str,
        unit: &'static str,
        least: f64,
        most: f64,
        place: fn(&mut M) -> &mut R,
    ) -> Self {
        Parameter {
            quantity: Quantity::new(name, unit),
            least,
            most,
            place,
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
///
/// ```
/// use stiffstep::prelude::*;
///
/// struct Tank { outlet: f32 }
///
/// impl Plant<f32, 1, 1> for Tank {
///     type State = Vector<f32, 1>;
///     const NAME: &'static str = "tank";
///     const INPUTS: [Quantity; 1] = [Quantity::new("inflow", "m/s")];
///     const OUTPUTS: [Quantity; 1] = [Quantity::new("level", "m")];
///     const PARAMETERS: &'static [Parameter<Self>] =
///         &[Parameter::new("outlet", "sqrt(m)/s", 0.0, 1.0, |tank| &mut tank.outlet)];
///     fn outputs(&self, _t: f32, x: &Self::State, _u: &Vector<f32, 1>) -> Vector<f32, 1> {
///         *x
///     }
/// }
///
/// let mut tank = Tank { outlet: 0.1 };
/// assert!(tank.set_parameter(0, 0.5).is_ok() && tank.outlet == 0.5);
/// assert!(tank.set_parameter(0, 2.0).is_err());
/// ```
pub trait Plant<R: Real, const U: usize, const Y: usize>: Sized + 'static {
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
    const PARAMETERS: &'static [Parameter<Self, R>];

    /// The outputs, as sensors would see them. Time is what the model sees, too: within its period if it has one.
    fn outputs(&self, t: R, state: &Self::State, u: &Vector<R, U>) -> Vector<R, Y>;

    /// Where parameter `index` is kept; `None` if there is none.
    fn parameter_mut(&mut self, index: usize) -> Option<&mut R> {
        let place = Self::PARAMETERS.get(index)?.place;
        Some(place(self))
    }

    /// Visits what the model remembers from step to step, for snapshots: its parameters. A model that keeps more, such as the
    /// position of a switch, visits that, too.
    fn remember<W: Words>(&mut self, words: &mut W) {
        visit_parameters(self, words);
    }

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

/// Visits a plant's parameters, which are the memory of most models.
pub fn visit_parameters<R, P, W, const U: usize, const Y: usize>(plant: &mut P, words: &mut W)
where
    R: Real,
    P: Plant<R, U, Y>,
    W: Words,
{
    for index in 0..P::PARAMETERS.len() {
        if let Some(parameter) = plant.parameter_mut(index) {
            parameter.visit(words);
        }
    }
}

impl<T: Memory, const N: usize> Memory for Vector<T, N> {
    #[inline(always)]
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.data.0.visit(words);
    }
}
