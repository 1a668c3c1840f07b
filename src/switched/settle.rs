//! Which devices conduct: the mode whose conditions agree with state and inputs.
//!
//! At the instant of a change this is a linear complementarity problem: currents of diodes that conduct and missing voltages of
//! those that do not are all non-negative. Where coils force a current through devices that are off, its sign decides before any
//! voltage does. The matrix of the problem is that of a resistive network, a P-matrix, so that there is one solution, and
//! changing the least violated index alone finds it (Murty 1974); changing all at first is quicker nearly always.
//!
//! What is left of forced currents then decays at once. A diode whose current becomes zero on the way blocks there, and the search
//! goes on.

use super::step::{State, SwitchedError};
use super::tables::{Mode, NO_SLOT, View};
use crate::number::Real;

/// A condition is violated below minus this, in its nominal unit: far above rounding, far below what matters.
const TOLERANCE: f64 = 2e-5;

/// The most modes that are tried beyond the first.
const MOST: u8 = 24;

/// As long as there were fewer of these, all violated conditions are changed at once.
const TOGETHER: u8 = 2;

/// The sum of products.
#[inline(always)]
pub(super) fn dot<R: Real, const N: usize>(a: &[R; N], x: &[R; N]) -> R {
    let mut sum = match (a.first(), x.first()) {
        (Some(a), Some(x)) => *a * *x,
        _ => R::ZERO,
    };
    for i in 1..N {
        sum += a[i] * x[i];
    }
    sum
}

/// A condition: how states and inputs count, and a constant.
pub(super) type Row<'t, R, const N: usize, const U: usize> = (&'t [R; N], &'t [R; U], R);

/// What the condition of a row is at a state and inputs.
#[inline(always)]
pub(super) fn condition<R: Real, const N: usize, const U: usize>(
    (c, d, o): Row<'_, R, N, U>,
    x: &[R; N],
    u: &[R; U],
) -> R {
    let mut sum = o;
    for i in 0..U {
        sum += d[i] * u[i];
    }
    for i in 0..N {
        sum += c[i] * x[i];
    }
    sum
}

impl<R: Real, const N: usize, const U: usize, const Y: usize> Mode<R, N, U, Y> {
    /// The watched conditions: their number, and rows of states, inputs and constants.
    #[inline(always)]
    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_, R, N, U>> {
        let rows = self.c.iter().zip(&self.d).zip(&self.o);
        rows.take(usize::from(self.watched))
            .map(|((c, d), o)| (c, d, *o))
    }

    /// The bit of the device of a row.
    #[inline(always)]
    pub(super) fn bit(&self, row: usize) -> u32 {
        match self.device.get(row) {
            Some(device) => 1 << (device & 31),
            None => 0,
        }
    }
}

impl<R: Real, const N: usize, const U: usize, const Y: usize, const K: usize>
    View<'_, R, N, U, Y, K>
{
    /// The mode of a state.
    #[inline(always)]
    pub(super) fn mode(&self, state: &State<R, N>) -> Option<&Mode<R, N, U, Y>> {
        self.modes.get(usize::from(state.mode))
    }

    /// Numbers the mode of these gates and diodes. Of a leg one device conducts at most.
    #[inline(always)]
    fn number(&self, state: &mut State<R, N>) {
        let mut number = 0_u16;
        for device in 0..Y {
            let [diode, channel] = self.keys.weight[device];
            if state.gates & self.keys.gate[device] != 0 {
                number = number.wrapping_add(channel);
            } else if state.diodes & 1 << device != 0 {
                number = number.wrapping_add(diode);
                state.diodes &= !self.keys.partner[device];
            }
        }
        state.mode = if self.slots.is_empty() {
            number
        } else {
            let slot = self.slots.get(usize::from(number));
            slot.copied().unwrap_or(NO_SLOT)
        };
    }

    /// Whether the mode still agrees with inputs that may have jumped.
    #[inline(always)]
    pub(super) fn agrees(&self, state: &State<R, N>, u: &[R; U]) -> bool {
        let Some(mode) = self.mode(state) else {
            return false;
        };
        let least = -R::from_f64(TOLERANCE);
        let mut agrees = true;
        for row in mode.rows() {
            agrees &= condition(row, &state.x, u) >= least;
        }
        agrees
    }

    /// Finds the mode that agrees with state and inputs, and enters it. `trusted` are devices that have just changed.
    #[inline(never)]
    pub(super) fn settle(
        &self,
        state: &mut State<R, N>,
        u: &[R; U],
        mut trusted: u32,
    ) -> Result<(), SwitchedError> {
        let mut count = 0;
        loop {
            let on = trusted & state.diodes;
            self.number(state);
            if on & !state.diodes != 0 {
                // Both devices of a leg would conduct: its rails have changed their order.
                return Err(SwitchedError::NoMode);
            }
            let Some(mode) = self.mode(state) else {
                state.diodes ^= self.turned_back(state.mode, &state.x, u)?;
                count += 1;
                if count > MOST {
                    return Err(SwitchedError::NoMode);
                }
                continue;
            };
            let (violated, forced) = self.violated(mode, state, u);
            let violated = violated & !trusted;
            trusted = 0;
            if violated == 0 && !forced {
                mode.enter(state);
                state.settled.iterations = state.settled.iterations.max(count);
                return Ok(());
            }
            count += 1;
            if count > MOST {
                return Err(SwitchedError::NoMode);
            }
            if violated == 0 {
                state.settled.interrupted = true;
                trusted = mode.decay(state, u);
                state.diodes ^= trusted;
            } else if count <= TOGETHER {
                state.diodes ^= violated;
            } else {
                state.diodes ^= violated & violated.wrapping_neg();
            }
        }
    }

    /// The devices whose conditions are violated, and whether currents are forced through devices that are off.
    #[inline(always)]
    fn violated(&self, mode: &Mode<R, N, U, Y>, state: &State<R, N>, u: &[R; U]) -> (u32, bool) {
        let tolerance = R::from_f64(TOLERANCE);
        let (mut violated, mut any) = (0, false);
        for (row, (conditions, w)) in mode.rows().zip(&mode.w).enumerate() {
            let bit = mode.bit(row);
            let at_once = if mode.cut { dot(w, &state.x) } else { R::ZERO };
            let slowly = condition(conditions, &state.x, u);
            let forced = at_once > tolerance || at_once < -tolerance;
            any |= forced;
            let condition = if state.diodes & bit != 0 {
                at_once + slowly
            } else if forced {
                at_once
            } else {
                slowly
            };
            if condition < -tolerance {
                violated |= bit;
            }
        }
        (violated, any)
    }
}

impl<R: Real, const N: usize, const U: usize, const Y: usize> Mode<R, N, U, Y> {
    /// Where the state is as soon as forced currents are gone.
    #[inline(always)]
    fn projected(&self, x: &[R; N]) -> [R; N] {
        let mut z = [R::ZERO; N];
        for i in 0..N {
            z[i] = dot(&self.p[i], x);
        }
        z
    }

    /// The state becomes the projected one; what rounding left out of a state that jumps is no longer known.
    #[inline(always)]
    fn enter(&self, state: &mut State<R, N>) {
        if !self.cut {
            return;
        }
        let z = self.projected(&state.x);
        for i in 0..N {
            if z[i] != state.x[i] {
                state.low[i] = R::ZERO;
            }
        }
        state.x = z;
    }

    /// Forced currents decay, until a conducting diode's current is zero. That diode, if there is one.
    fn decay(&self, state: &mut State<R, N>, u: &[R; U]) -> u32 {
        let tolerance = R::from_f64(TOLERANCE);
        let z = self.projected(&state.x);
        let (mut part, mut which) = (R::ONE, 0);
        for (row, (conditions, w)) in self.rows().zip(&self.w).enumerate() {
            let bit = self.bit(row);
            let at_once = dot(w, &state.x);
            let slowly = condition(conditions, &state.x, u);
            if state.diodes & bit != 0 && slowly < -tolerance && at_once > R::ZERO {
                let zero = (at_once + slowly) / at_once;
                if zero < part {
                    part = if zero > R::ZERO { zero } else { R::ZERO };
                    which = bit;
                }
            }
        }
        if which == 0 {
            self.enter(state);
        } else {
            for i in 0..N {
                state.x[i] += part * (z[i] - state.x[i]);
                state.low[i] = R::ZERO;
            }
        }
        which
    }
}
