//! Which modes can be reached: the others have no tables.
//!
//! A mode is out of reach if no permitted gates close exactly its channels, or if the current of one of its conducting diodes is negative
//! wherever states and inputs are within their ranges. The first is an error of whoever sets the gates. The second is met in every
//! search that passes through such a mode, and what it would find there is known without a table: that diode does not conduct.

use super::super::circuit::CircuitError;
use super::super::network::{Digit, Equations, Network};
use super::super::step::SwitchedError;
use super::numbers::digits;
use super::written::{Nominal, conducted};
use super::{Limits, Scale, View};
use crate::number::Real;

/// A slot from here on is no mode but says which device is not as the number has it.
const FLIP: u16 = 1 << 15;

/// What a combination has that is none: both diodes of a leg.
pub(in crate::switched) const NO_SLOT: u16 = FLIP - 1;

/// The slot of gates that are not permitted.
const NEVER: u16 = u16::MAX;

/// A current below minus this, in its nominal unit, is negative whatever rounding does: a hundred times what a search tolerates.
const SURELY: f64 = 2e-3;

/// What a number stands for.
pub(super) enum Reach<const S: usize> {
    /// A mode, with its devices and equations.
    Mode([Digit; S], Equations<S>),
    /// None, and this is its slot.
    Slot(u16),
}

impl<'a, const S: usize> Network<'a, S> {
    /// Whether some permitted gates close exactly these channels.
    fn permits(&self, digits: &[Digit; S]) -> bool {
        let (mut closed, mut open) = (0_u32, 0);
        for (device, digit) in self.devices().zip(digits) {
            let bit = device.gate.map_or(0, |gate| 1 << gate);
            let gates = if *digit == Digit::Channel {
                &mut closed
            } else {
                &mut open
            };
            *gates |= bit;
        }
        let all = closed | open;
        let words = |words: &[u32]| closed == 0 || words.iter().any(|word| word & all == closed);
        closed & open == 0 && self.permitted.is_none_or(words)
    }

    /// What a number stands for.
    pub(super) fn reach(&self, scale: Scale, index: usize) -> Result<Reach<S>, CircuitError<'a>> {
        let digits = digits(self, index);
        if !self.permits(&digits) {
            return Ok(Reach::Slot(NEVER));
        }
        let equations = self.mode(&digits, index)?;
        let nominal = Nominal {
            network: self,
            scale,
        };
        let negative = |device: &usize| {
            digits[*device] == Digit::Diode && conducted(nominal, &equations, *device) < -SURELY
        };
        Ok(match (0..self.devices).find(negative) {
            Some(device) => Reach::Slot(FLIP | device as u16),
            None => Reach::Mode(digits, equations),
        })
    }

    /// The ranges of states and inputs.
    pub(super) fn limits<R: Real, const N: usize, const U: usize>(&self) -> Limits<R, N, U> {
        let largest = R::LARGEST.to_f64();
        let within = |range: [f64; 2]| range.map(|x| R::from_f64(x.clamp(-largest, largest)));
        let mut limits = Limits {
            states: [[R::ZERO; 2]; N],
            inputs: [[R::ZERO; 2]; U],
        };
        for (i, state) in limits.states.iter_mut().enumerate() {
            *state = within(self.state_range(i));
        }
        for (i, input) in limits.inputs.iter_mut().enumerate() {
            *input = within(self.input_range(i));
        }
        limits
    }
}

impl<R: Real, const N: usize, const U: usize, const Y: usize, const K: usize>
    View<'_, R, N, U, Y, K>
{
    /// The device that a slot without a mode says is not as the number has it, if state and inputs are what that relies on.
    #[cold]
    #[inline(never)]
    pub(in crate::switched) fn turned_back(
        &self,
        slot: u16,
        x: &[R; N],
        u: &[R; U],
    ) -> Result<u32, SwitchedError> {
        let device = slot.checked_sub(FLIP).ok_or(SwitchedError::NoMode)?;
        let held = |values: &[R], limits: &[[R; 2]]| {
            let mut pairs = values.iter().zip(limits);
            pairs.all(|(value, [least, most])| value >= least && value <= most)
        };
        let held = held(x, &self.limits.states) && held(u, &self.limits.inputs);
        let back = (held && usize::from(device) < Y).then(|| 1 << (device & 31));
        back.ok_or(SwitchedError::OutOfReach)
    }
}
