//! A mode's equations as a step reads them.

use super::super::network::{Digit, Equations, Network};
use super::{Mode, Scale};
use crate::number::Real;

/// Coefficients below this share of what stands beside them are what elimination left of zero.
const ROUNDING: f64 = 1e-11;

/// The share of a condition's largest term that counts as its unit if that is more than the nominal magnitude: rounding of
/// large terms must stay far below one unit.
const LARGEST_TERM: f64 = 1.0 / 16.0;

/// `value`, or zero if that is what rounding left of it beside `unit`.
fn rounded<R: Real>(value: f64, unit: f64) -> R {
    if value.abs() > ROUNDING * unit {
        R::from_f64(value)
    } else {
        R::ZERO
    }
}

/// The magnitudes that numbers are held against.
#[derive(Clone, Copy)]
pub(super) struct Nominal<'n, 'a, const S: usize> {
    pub network: &'n Network<'a, S>,
    pub scale: Scale,
}

impl<const S: usize> Nominal<'_, '_, S> {
    fn state(self, state: usize) -> f64 {
        if self.network.keep[state] < self.network.coils {
            self.scale.current
        } else {
            self.scale.voltage
        }
    }

    /// Of an input, or of the constant after the last one.
    fn input(self, input: usize) -> f64 {
        if input == self.network.inputs {
            1.0
        } else {
            self.scale.voltage
        }
    }
}

/// Writes a mode down, by steps instead of seconds and conditions in nominal units.
pub(super) fn fill<R: Real, const N: usize, const U: usize, const Y: usize, const S: usize>(
    mode: &mut Mode<R, N, U, Y>,
    network: &Network<'_, S>,
    equations: &Equations<S>,
    digits: &[Digit; S],
    scale: Scale,
) {
    let nominal = Nominal { network, scale };
    rates(mode, nominal, equations);
    conditions(mode, nominal, equations, digits);
    let one = |i: usize, j: usize| if i == j { R::ONE } else { R::ZERO };
    mode.cut = (0..N).any(|i| (0..N).any(|j| mode.p[i][j] != one(i, j)))
        || mode.w.iter().flatten().any(|w| *w != R::ZERO);
}

/// Rates, and where the mode is entered.
fn rates<R: Real, const N: usize, const U: usize, const Y: usize, const S: usize>(
    mode: &mut Mode<R, N, U, Y>,
    nominal: Nominal<'_, '_, S>,
    equations: &Equations<S>,
) {
    let step = nominal.scale.step;
    for i in 0..N {
        let unit = nominal.state(i);
        for j in 0..N {
            let share = unit / nominal.state(j);
            mode.a[i][j] = rounded(equations.a[i][j] * step, share);
            mode.p[i][j] = rounded(equations.p[i][j], share);
        }
        for j in 0..U {
            mode.b[i][j] = rounded(equations.b[i][j] * step, unit / nominal.input(j));
        }
        mode.e[i] = rounded(equations.b[i][U] * step, unit);
    }
}

/// The unit of a device's condition: its nominal magnitude, or a share of its largest term if that is more.
fn unit<const S: usize>(
    nominal: Nominal<'_, '_, S>,
    equations: &Equations<S>,
    device: usize,
    magnitude: f64,
) -> f64 {
    let (c, d) = (&equations.c[device], &equations.d[device]);
    let by_state = (0..nominal.network.states).map(|j| c[j].abs() * nominal.state(j));
    let by_input = (0..=nominal.network.inputs).map(|j| d[j].abs() * nominal.input(j));
    let largest = by_state.chain(by_input).fold(0.0, f64::max);
    magnitude.max(largest * LARGEST_TERM)
}

/// The most that a conducting diode carries with states and inputs in their ranges, in the unit of its condition: infinite where
/// there is no range.
pub(super) fn conducted<const S: usize>(
    nominal: Nominal<'_, '_, S>,
    equations: &Equations<S>,
    device: usize,
) -> f64 {
    let network = nominal.network;
    let unit = unit(nominal, equations, device, nominal.scale.current);
    let most = |factor: f64, magnitude: f64, range: [f64; 2]| {
        let factor = factor / unit;
        if factor.abs() * magnitude <= ROUNDING {
            return 0.0;
        }
        range
            .into_iter()
            .fold(f64::MIN, |most, x| most.max(factor * x))
    };
    let (c, w) = (&equations.c[device], &equations.w[device]);
    let by_state = |j: usize| most(c[j] + w[j], nominal.state(j), network.state_range(j));
    let by_input = |j: usize| {
        let range = network.input_range(j);
        most(equations.d[device][j], nominal.input(j), range)
    };
    let states: f64 = (0..network.states).map(by_state).sum();
    let inputs: f64 = (0..network.inputs).map(by_input).sum();
    states + inputs + equations.d[device][network.inputs] / unit
}

/// The conditions of devices that can change.
fn conditions<R: Real, const N: usize, const U: usize, const Y: usize, const S: usize>(
    mode: &mut Mode<R, N, U, Y>,
    nominal: Nominal<'_, '_, S>,
    equations: &Equations<S>,
    digits: &[Digit; S],
) {
    let scale = nominal.scale;
    let (mut row, mut rails) = (0, false);
    for (k, device) in nominal.network.devices().enumerate().take(Y) {
        let other = match device.leg {
            1 => digits[k + 1],
            2 => digits[k - 1],
            _ => Digit::Off,
        };
        if !device.diode || digits[k] == Digit::Channel {
            continue;
        }
        // Of the other device of a leg nothing can change while this one conducts, as long as the rails keep their order. What holds those of
        // a rectifier may let go: one of the other devices is watched in their stead.
        if other != Digit::Off {
            if rails || device.gate.is_some() {
                continue;
            }
            rails = true;
        }
        let (c, d, w) = (&equations.c[k], &equations.d[k], &equations.w[k]);
        let off = digits[k] == Digit::Off;
        let magnitude = if off { scale.voltage } else { scale.current };
        let unit = unit(nominal, equations, k, magnitude);
        let forced = if off { scale.current } else { unit };
        for j in 0..N {
            mode.c[row][j] = rounded(c[j] / unit, 1.0 / nominal.state(j));
            mode.w[row][j] = rounded(w[j] / forced, 1.0 / nominal.state(j));
        }
        for j in 0..U {
            mode.d[row][j] = rounded(d[j] / unit, 1.0 / nominal.input(j));
        }
        mode.o[row] = rounded(d[U] / unit, 1.0);
        mode.device[row] = k as u8;
        row += 1;
    }
    mode.watched = row as u8;
    let conducts = |row: usize| digits[usize::from(mode.device[row])] == Digit::Diode;
    let (mut idle, mut opposed) = (0, 0);
    for i in (0..row).filter(|i| conducts(*i)) {
        if mode.sums_to_nothing(i, i) {
            idle |= mode.bit(i);
        } else if (0..row).any(|j| conducts(j) && mode.sums_to_nothing(i, j)) {
            opposed |= mode.bit(i);
        }
    }
    (mode.idle, mode.opposed) = (idle, opposed);
}

impl<R: Real, const N: usize, const U: usize, const Y: usize> Mode<R, N, U, Y> {
    /// Whether two conditions are each other's negative, but for rounding.
    fn sums_to_nothing(&self, i: usize, j: usize) -> bool {
        let nothing = |a: R, b: R| (a + b).abs() <= R::from_f64(1e-5) * a.abs();
        (0..N).all(|k| nothing(self.c[i][k], self.c[j][k]))
            && (0..U).all(|k| nothing(self.d[i][k], self.d[j][k]))
            && nothing(self.o[i], self.o[j])
    }
}
