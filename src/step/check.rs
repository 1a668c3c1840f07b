//! What every stepper asks of its step, its start, its nominal magnitudes and its inputs, whatever the model.

use super::Error;
use crate::model::{Joints, Nominal, Vector};
use crate::number::Real;

/// A step must be finite and positive.
pub(crate) fn checked_step<R: Real>(h: R) -> Result<R, Error> {
    // False for NaN, too.
    let sound = h > R::ZERO && h.finite();
    sound.then_some(h).ok_or(Error::StepSize)
}

/// A period must be finite and positive, if there is one.
#[inline(always)]
pub(crate) fn checked_period<R: Real>(period: Option<R>) -> Result<(), Error> {
    // False for NaN, too.
    match period {
        Some(period) if !(period > R::ZERO && period.finite()) => Err(Error::Period),
        _ => Ok(()),
    }
}

/// Joints must have a stiffness and a damping that make sense.
pub(crate) fn checked_joints<R, J: Joints<R, L>, const L: usize>(joints: &J) -> Result<(), Error> {
    let invalid = joints.invalid();
    invalid.map_or(Ok(()), |index| Err(Error::Joint { index }))
}

/// A start must be finite.
pub(crate) fn checked_start<R: Real, const N: usize>(x: &Vector<R, N>) -> Result<(), Error> {
    let bad = x.iter().position(|x| !x.finite());
    bad.map_or(Ok(()), |index| Err(Error::Start { index }))
}

/// What a state consists of must be finite.
pub(crate) fn checked_state<'a, R: Real>(
    numbers: impl IntoIterator<Item = &'a R>,
) -> Result<(), Error> {
    let finite = numbers.into_iter().all(|x| x.finite());
    finite.then_some(()).ok_or(Error::NonFinite)
}

/// One over each nominal magnitude, which must be finite and positive. An error counts from `first`.
pub(crate) fn inverse_magnitudes<R: Real, const N: usize>(
    nominal: &[R; N],
    first: usize,
) -> Result<[R; N], Error> {
    let mut inverses = *nominal;
    for index in 0..N {
        // False for NaN, too.
        if !(nominal[index] > R::ZERO && nominal[index].finite()) {
            return Err(Error::Nominal {
                index: first + index,
            });
        }
        inverses[index] = R::ONE / nominal[index];
    }
    Ok(inverses)
}

/// One over each nominal velocity of a mechanism; its nominal coordinates must be sound, too.
pub(crate) fn velocity_weights<R: Real, const Q: usize>(
    nominal: &Nominal<R, Q>,
) -> Result<[R; Q], Error> {
    inverse_magnitudes(&nominal.q, 0)?;
    inverse_magnitudes(&nominal.v, Q)
}

/// The inputs of a model, held over a step.
pub trait Inputs: Copy + PartialEq {
    /// All of them zero.
    fn none() -> Self;
    /// They must be finite.
    fn checked(&self) -> Result<(), Error>;
}

impl<R: Real, const U: usize> Inputs for Vector<R, U> {
    #[inline(always)]
    fn none() -> Self {
        Vector::from([R::ZERO; U])
    }
    #[inline(always)]
    fn checked(&self) -> Result<(), Error> {
        for i in 0..U {
            if !self.data.0[0][i].finite() {
                return Err(Error::Input);
            }
        }
        Ok(())
    }
}
