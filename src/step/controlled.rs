//! What drivers need of a stepper beyond fixed steps: dense output, restarts, and what errors are compared with.

use super::{Error, Stepper};
use crate::memory::Words;
use crate::model::Vector;
use crate::number::Real;

/// Dense output: the polynomial of the last step's stages, or a cubic between the ends of a step whose stages are none. Its order is
/// lower than that of the steps' ends; see [`guide::steppers`](crate::guide::steppers). A new start leaves no step behind: then it
/// is the start, continued backwards.
pub trait Dense: Stepper {
    /// The state `by` before the one that was reached; within the last step, or a little beyond it if `by` is negative.
    fn before(&self, by: Self::Real) -> Self::State;
}

/// A stepper that can begin anew from where it is.
pub trait Restart: Stepper {
    /// Changes model and state at time `t` as something happens to them, and begins anew: without predictions, with
    /// multipliers that belong to the new state. After an error all is as it was.
    fn restart<T>(
        &mut self,
        t: Self::Real,
        input: &Self::Input,
        edit: impl FnOnce(&mut Self::Model, &mut Self::State) -> T,
    ) -> Result<T, Error>
    where
        Self::Model: Clone;
}

/// A stepper whose memory can be visited, the model's part by whoever knows it.
pub trait Remember: Stepper {
    /// Visits everything that survives a step; `model` visits the model.
    fn remember<W: Words>(&mut self, words: &mut W, model: impl FnOnce(&mut Self::Model, &mut W));
}

/// How exact a solution is to be: component i up to `absolute_i + relative |x_i|` a step, in the sense of RADAU5.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance<R, A> {
    /// Relative to each component's size.
    pub relative: R,
    /// Of each component.
    pub absolute: A,
}

/// One positive number for each component, such as an absolute tolerance.
pub trait Each: Copy {
    /// Whether all of them are finite and greater than zero.
    fn positive(&self) -> bool;
}

/// Whether numbers are finite and greater than zero.
pub(super) fn all_positive<'a, R: Real>(numbers: impl IntoIterator<Item = &'a R>) -> bool {
    // False for NaN, too.
    numbers.into_iter().all(|x| *x > R::ZERO && x.finite())
}

impl<R: Real, const N: usize> Each for Vector<R, N> {
    fn positive(&self) -> bool {
        all_positive(self.iter())
    }
}

/// What an adaptive step is judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Control {
    /// The tolerance of every component, positions, velocities and multipliers alike. Only where the equations are of index 3,
    /// in the direction of joints that a step does not resolve, and only without projection, velocities and multipliers are
    /// judged by what their errors do to positions within the step.
    #[default]
    Tolerances,
    /// RADAU5's own, with which its published counts were made: velocities times h, multipliers times the square of h in every
    /// mechanism, and an iteration that may end after its first increment. Counts depend on the unit of time, and velocities and
    /// multipliers may be far beyond their tolerances.
    Radau5,
}

/// What is known of a step's error, in units of the tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate<R> {
    /// Of what is controlled.
    pub error: R,
    /// Of all components, with those that are judged by their effect on others.
    pub all: R,
    /// Evaluations of the model that it took.
    pub evaluations: u32,
}

/// One over the tolerance of each component.
pub(super) fn inverse<R: Real, const N: usize>(
    x: &[R; N],
    relative: R,
    absolute: &[R; N],
) -> [R; N] {
    let mut inverse = [R::ZERO; N];
    for n in 0..N {
        inverse[n] = R::ONE / (absolute[n] + relative * x[n].abs());
    }
    inverse
}

/// The sum of squares of `by x_n scale_n`.
pub(super) fn squares<R: Real, const N: usize>(x: &[R; N], by: R, scale: &[R; N]) -> R {
    let mut sum = R::ZERO;
    for n in 0..N {
        sum += (by * x[n] * scale[n]).square();
    }
    sum
}
