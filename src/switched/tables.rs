//! A circuit's modes as numbers that a step reads: in flash, or computed at start-up.

use super::circuit::{Circuit, CircuitError, Sizes};
use super::dense::{Matrix, cholesky, exponential_less_one, norm, product, solve, zero};
use super::network::{Digit, Equations, Network};
use crate::number::Real;

/// What sizes a circuit's numbers have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The step, in seconds.
    pub step: f64,
    /// The largest current that is usual, in amperes. Currents below a millionth of it are zero.
    pub current: f64,
    /// The largest voltage that is usual, in volts.
    pub voltage: f64,
}

/// One combination of what conducts: `x' = a x + b u + e`, time in steps.
///
/// For each watched device `c x + d u + o` is its current, if it conducts, or what its voltage lacks to conduct: not negative
/// while the mode lasts. The mode is entered at `p x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode<R, const N: usize, const U: usize, const Y: usize> {
    /// States on rates.
    pub a: [[R; N]; N],
    /// Inputs on rates.
    pub b: [[R; U]; N],
    /// Forward voltages on rates.
    pub e: [R; N],
    /// The state at once, by the state before.
    pub p: [[R; N]; N],
    /// Of a device that is off, minus the current that is forced through it; of one that conducts, the part of its current that ends
    /// at once.
    pub w: [[R; N]; Y],
    /// States on conditions.
    pub c: [[R; N]; Y],
    /// Inputs on conditions.
    pub d: [[R; U]; Y],
    /// Forward voltages on conditions.
    pub o: [R; Y],
    /// The devices of the rows of `w`, `c`, `d` and `o`.
    pub device: [u8; Y],
    /// How many rows there are.
    pub watched: u8,
    /// Whether currents may lack a path: otherwise `p` is one and `w` is zero, and a step leaves both out.
    pub cut: bool,
    /// Maps exist over `2^-coarsest` of a step, a quarter of it and so on: this many.
    pub levels: u8,
    /// The longest of them.
    pub coarsest: u8,
    /// Where they begin.
    pub first: u16,
}

/// The exact change of the state over a part of a step: `phi x + g u + r u' + s` where inputs begin at u and change by u' a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Map<R, const N: usize, const U: usize> {
    /// States.
    pub phi: [[R; N]; N],
    /// Inputs.
    pub g: [[R; U]; N],
    /// Ramps.
    pub r: [[R; U]; N],
    /// Forward voltages.
    pub s: [R; N],
}

/// How gates and diodes number the modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys<const Y: usize> {
    /// What a conducting diode and a closed channel add to a mode's number.
    pub weight: [[u16; 2]; Y],
    /// The bit of the gate, 0 without one.
    pub gate: [u32; Y],
    /// The bit of the other device of a leg, 0 without one.
    pub partner: [u32; Y],
    /// The gates of the other device of a leg.
    pub opposite: [u32; Y],
}

/// The modes of a circuit with N states, U inputs and Y devices, for polynomials of degree K.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables<
    R,
    const N: usize,
    const U: usize,
    const Y: usize,
    const MODES: usize,
    const MAPS: usize,
    const K: usize,
> {
    /// By their numbers.
    pub modes: [Mode<R, N, U, Y>; MODES],
    /// Of all modes that need them.
    pub maps: [Map<R, N, U>; MAPS],
    /// How modes are numbered.
    pub keys: Keys<Y>,
}

/// Tables without their sizes: what a step reads.
#[derive(Clone, Copy, Debug)]
pub struct View<'t, R, const N: usize, const U: usize, const Y: usize, const K: usize> {
    pub(super) modes: &'t [Mode<R, N, U, Y>],
    pub(super) maps: &'t [Map<R, N, U>],
    pub(super) keys: &'t Keys<Y>,
}

impl<
    R,
    const N: usize,
    const U: usize,
    const Y: usize,
    const M: usize,
    const L: usize,
    const K: usize,
> Tables<R, N, U, Y, M, L, K>
{
    /// What a step reads.
    pub fn view(&self) -> View<'_, R, N, U, Y, K> {
        View {
            modes: &self.modes,
            maps: &self.maps,
            keys: &self.keys,
        }
    }

    /// Bytes of a mode with its share of the maps.
    pub fn bytes_per_mode(&self) -> usize {
        let maps = size_of_val(&self.maps);
        size_of::<Mode<R, N, U, Y>>() + maps.div_ceil(M.max(1))
    }
}

/// What a truncated Taylor series may leave out of a state, relative to its energy.
const REMAINDER: f64 = 1e-6;

/// How far an oscillation may turn in a map: conditions are looked at after each.
const TURN: f64 = 0.7;

/// Each map is `2^-SPACING` of the one before: with halves tables are twice as large, and steps not shorter.
const SPACING: u8 = 2;

/// The finest map is `2^-FINEST` of a step.
const FINEST: u8 = 24;

/// Coefficients below this share of what stands beside them are what elimination left of zero.
const ROUNDING: f64 = 1e-11;

/// The share of a condition's largest term that counts as its unit if that is more than the nominal magnitude: rounding of
/// large terms must stay far below one unit.
const LARGEST_TERM: f64 = 1.0 / 16.0;

impl<'a, const S: usize> Circuit<'a, S> {
    /// The sizes of this circuit's tables for polynomials of degree `degree`.
    pub fn sizes(&self, scale: Scale, degree: usize) -> Result<Sizes, CircuitError<'a>> {
        let network = self.network()?;
        let modes = mode_count(&network);
        let mut maps = 0;
        for index in 0..modes {
            let equations = network.mode(&digits(&network, index), index)?;
            maps += usize::from(levels(&network, &equations, scale, degree, index)?.1);
        }
        Ok(Sizes {
            states: network.states,
            inputs: network.inputs,
            devices: network.devices,
            modes,
            maps,
        })
    }

    /// The tables: N states, U inputs, Y devices, M modes, L maps, polynomials of degree K. [`CircuitError::Sizes`] says which
    /// numbers are right.
    pub fn build<
        R: Real,
        const N: usize,
        const U: usize,
        const Y: usize,
        const M: usize,
        const L: usize,
        const K: usize,
    >(
        &self,
        scale: Scale,
    ) -> Result<Tables<R, N, U, Y, M, L, K>, CircuitError<'a>> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        if !(positive(scale.step) && positive(scale.current) && positive(scale.voltage)) {
            return Err(CircuitError::Nominal);
        }
        let sizes = self.sizes(scale, K)?;
        let wanted = Sizes {
            states: N,
            inputs: U,
            devices: Y,
            modes: M,
            maps: L,
        };
        if sizes != wanted {
            return Err(CircuitError::Sizes(sizes));
        }
        let network = self.network()?;
        let mut tables = Tables {
            modes: [blank_mode(); M],
            maps: [blank_map(); L],
            keys: keys(&network),
        };
        let mut first = 0;
        for index in 0..M {
            let digits = digits(&network, index);
            let equations = network.mode(&digits, index)?;
            let mode = &mut tables.modes[index];
            fill(mode, &network, &equations, &digits, scale);
            let (coarsest, count) = levels(&network, &equations, scale, K, index)?;
            (mode.coarsest, mode.levels, mode.first) = (coarsest, count, first as u16);
            for level in 0..count {
                let share = libm::exp2(-f64::from(coarsest + SPACING * level));
                tables.maps[first] = map(&equations, scale.step, share);
                first += 1;
            }
        }
        Ok(tables)
    }
}

fn blank_mode<R: Real, const N: usize, const U: usize, const Y: usize>() -> Mode<R, N, U, Y> {
    Mode {
        a: [[R::ZERO; N]; N],
        b: [[R::ZERO; U]; N],
        e: [R::ZERO; N],
        p: [[R::ZERO; N]; N],
        w: [[R::ZERO; N]; Y],
        c: [[R::ZERO; N]; Y],
        d: [[R::ZERO; U]; Y],
        o: [R::ZERO; Y],
        device: [0; Y],
        watched: 0,
        cut: false,
        levels: 0,
        coarsest: 0,
        first: 0,
    }
}

fn blank_map<R: Real, const N: usize, const U: usize>() -> Map<R, N, U> {
    Map {
        phi: [[R::ZERO; N]; N],
        g: [[R::ZERO; U]; N],
        r: [[R::ZERO; U]; N],
        s: [R::ZERO; N],
    }
}

/// In how many ways a device can conduct or not; of a bridge leg the lower device stands for both.
fn radix<const S: usize>(network: &Network<'_, S>) -> impl Iterator<Item = u16> {
    network.devices().map(|device| match device.leg {
        1 => 1,
        2 if device.gate.is_some() => 5,
        2 => 3,
        _ => 1 + u16::from(device.diode) + u16::from(device.gate.is_some()),
    })
}

fn mode_count<const S: usize>(network: &Network<'_, S>) -> usize {
    let product = |sum: usize, radix: u16| sum.saturating_mul(usize::from(radix));
    radix(network).fold(1, product)
}

fn keys<const S: usize, const Y: usize>(network: &Network<'_, S>) -> Keys<Y> {
    let mut keys = Keys {
        weight: [[0; 2]; Y],
        gate: [0; Y],
        partner: [0; Y],
        opposite: [0; Y],
    };
    let mut weight = 1_u16;
    for (k, (device, radix)) in network.devices().zip(radix(network)).enumerate().take(Y) {
        keys.gate[k] = device.gate.map_or(0, |gate| 1 << gate);
        // In a leg 1 and 2 are the diodes, 3 and 4 the channels.
        let diode = u16::from(device.leg.max(1));
        let channel = diode
            + if device.leg > 0 {
                2
            } else {
                u16::from(device.diode)
            };
        keys.weight[k] = [diode.wrapping_mul(weight), channel.wrapping_mul(weight)];
        if device.leg == 2 && k > 0 {
            (keys.partner[k], keys.partner[k - 1]) = (1 << (k - 1), 1 << k);
            (keys.opposite[k], keys.opposite[k - 1]) = (keys.gate[k - 1], keys.gate[k]);
        }
        weight = weight.wrapping_mul(radix);
    }
    keys
}

/// What every device does in a mode.
fn digits<const S: usize>(network: &Network<'_, S>, index: usize) -> [Digit; S] {
    let mut digits = [Digit::Off; S];
    let mut rest = index;
    for (k, (device, radix)) in network.devices().zip(radix(network)).enumerate() {
        let digit = rest % usize::from(radix);
        rest /= usize::from(radix);
        if device.leg == 2 && k > 0 {
            let conducting = if digit > 2 {
                Digit::Channel
            } else {
                Digit::Diode
            };
            match digit {
                1 | 3 => digits[k - 1] = conducting,
                2 | 4 => digits[k] = conducting,
                _ => {}
            }
        } else if device.leg == 0 {
            digits[k] = match digit {
                0 => Digit::Off,
                1 if device.diode => Digit::Diode,
                _ => Digit::Channel,
            };
        }
    }
    digits
}

/// `value`, or zero if that is what rounding left of it beside `unit`.
fn rounded<R: Real>(value: f64, unit: f64) -> R {
    if value.abs() > ROUNDING * unit {
        R::from_f64(value)
    } else {
        R::ZERO
    }
}

/// Writes a mode down, by steps instead of seconds and conditions in nominal units.
fn fill<R: Real, const N: usize, const U: usize, const Y: usize, const S: usize>(
    mode: &mut Mode<R, N, U, Y>,
    network: &Network<'_, S>,
    equations: &Equations<S>,
    digits: &[Digit; S],
    scale: Scale,
) {
    let nominal = |state: usize| {
        if network.keep[state] < network.coils {
            scale.current
        } else {
            scale.voltage
        }
    };
    let input = |input: usize| {
        if input == U { 1.0 } else { scale.voltage }
    };
    for i in 0..N {
        let unit = nominal(i) / scale.step;
        for j in 0..N {
            let share = unit / nominal(j);
            mode.a[i][j] = rounded(equations.a[i][j] * scale.step, share * scale.step);
            mode.p[i][j] = rounded(equations.p[i][j], nominal(i) / nominal(j));
        }
        for j in 0..U {
            let share = unit / input(j);
            mode.b[i][j] = rounded(equations.b[i][j] * scale.step, share * scale.step);
        }
        mode.e[i] = rounded(equations.b[i][U] * scale.step, unit * scale.step);
    }
    let mut row = 0;
    for (k, device) in network.devices().enumerate().take(Y) {
        // Of the other device of a leg nothing can change while this one conducts.
        let other = match device.leg {
            1 => digits[k + 1],
            2 => digits[k - 1],
            _ => Digit::Off,
        };
        if !device.diode || digits[k] == Digit::Channel || other != Digit::Off {
            continue;
        }
        let (c, d, w) = (&equations.c[k], &equations.d[k], &equations.w[k]);
        let mut largest = 0.0_f64;
        for j in 0..N {
            largest = largest.max(c[j].abs() * nominal(j));
        }
        for j in 0..=U {
            largest = largest.max(d[j].abs() * input(j));
        }
        let off = digits[k] == Digit::Off;
        let magnitude = if off { scale.voltage } else { scale.current };
        let unit = magnitude.max(largest * LARGEST_TERM);
        let forced = if off { scale.current } else { unit };
        for j in 0..N {
            mode.c[row][j] = rounded(c[j] / unit, 1.0 / nominal(j));
            mode.w[row][j] = rounded(w[j] / forced, 1.0 / nominal(j));
        }
        for j in 0..U {
            mode.d[row][j] = rounded(d[j] / unit, 1.0 / input(j));
        }
        mode.o[row] = rounded(d[U] / unit, 1.0);
        mode.device[row] = k as u8;
        row += 1;
    }
    mode.watched = row as u8;
    let one = |i: usize, j: usize| if i == j { R::ONE } else { R::ZERO };
    mode.cut = (0..N).any(|i| (0..N).any(|j| mode.p[i][j] != one(i, j)))
        || mode.w.iter().flatten().any(|w| *w != R::ZERO);
}

/// Which maps a mode needs: the coarsest and how many, none if a polynomial serves the whole step.
fn levels<'a, const S: usize>(
    network: &Network<'a, S>,
    equations: &Equations<S>,
    scale: Scale,
    degree: usize,
    index: usize,
) -> Result<(u8, u8), CircuitError<'a>> {
    let n = network.states;
    let singular = CircuitError::Singular(index);
    // In coordinates whose squares add up to the energy, y = l^T x, lossless exchange is skew and losses are symmetric.
    let l = cholesky(&network.energy(), n).ok_or(singular)?;
    let mut upper = zero::<S>();
    for i in 0..n {
        for j in 0..n {
            upper[i][j] = l[j][i];
        }
    }
    let left = product(&upper, &equations.a, (n, n, n));
    // left upper^-1, by its transpose: l z = left^T.
    let mut transposed = zero::<S>();
    for i in 0..n {
        for j in 0..n {
            transposed[i][j] = left[j][i] * scale.step;
        }
    }
    solve(&mut l.clone(), n, &mut transposed, n).ok_or(singular)?;
    let mut power = transposed;
    for k in 0..degree {
        power = product(&power, &transposed, (n, n, n));
        power
            .iter_mut()
            .flatten()
            .for_each(|x| *x /= (k + 2) as f64);
    }
    let (mut remainder, mut finest) = (norm(&power, n), 0);
    while remainder > REMAINDER && finest < FINEST {
        remainder *= libm::exp2(-((degree + 1) as f64));
        finest += 1;
    }
    if finest == 0 {
        return Ok((0, 0));
    }
    let mut skew = zero::<S>();
    for i in 0..n {
        for j in 0..n {
            skew[i][j] = 0.5 * (transposed[i][j] - transposed[j][i]);
        }
    }
    let (mut turn, mut coarsest) = (norm(&skew, n), 0);
    while turn > TURN && coarsest < finest {
        turn *= 0.5;
        coarsest += 1;
    }
    let more = (finest - coarsest) / SPACING;
    Ok((finest - SPACING * more, more + 1))
}

/// The exact map over a share of a step; see [`Map`].
fn map<R: Real, const N: usize, const U: usize, const S: usize>(
    equations: &Equations<S>,
    step: f64,
    share: f64,
) -> Map<R, N, U> {
    let time = step * share;
    let mut big: Matrix<S> = zero();
    let one = N + 2 * U;
    for i in 0..N {
        for j in 0..N {
            big[i][j] = equations.a[i][j] * time;
        }
        for j in 0..U {
            big[i][N + j] = equations.b[i][j] * time;
        }
        big[i][one] = equations.b[i][U] * time;
    }
    for j in 0..U {
        big[N + j][N + U + j] = share;
    }
    let e = exponential_less_one(&big, one + 1);
    let mut map = blank_map();
    for i in 0..N {
        for j in 0..N {
            map.phi[i][j] = R::from_f64(e[i][j]);
        }
        for j in 0..U {
            map.g[i][j] = R::from_f64(e[i][N + j]);
            map.r[i][j] = R::from_f64(e[i][N + U + j]);
        }
        map.s[i] = R::from_f64(e[i][one]);
    }
    map
}
