//! A circuit's modes as numbers that a step reads: in flash, or computed at start-up.

mod build;
mod maps;
mod numbers;
mod reach;
mod written;

pub(super) use reach::NO_SLOT;

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

impl Scale {
    fn is_valid(&self) -> bool {
        let all = [self.step, self.current, self.voltage];
        all.into_iter()
            .all(|value| value > 0.0 && value.is_finite())
    }
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
    /// The diodes that conduct, but have no path for a current: they hold a part of the circuit that floats.
    pub idle: u32,
    /// The diodes whose current is that of another one backwards: both conduct without a current only.
    pub opposed: u32,
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

/// What states and inputs stay between, as far as modes without tables rely on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits<R, const N: usize, const U: usize> {
    /// States: least and most.
    pub states: [[R; 2]; N],
    /// Inputs: least and most.
    pub inputs: [[R; 2]; U],
}

/// The modes of a circuit with N states, U inputs and Y devices, for polynomials of degree K. With SLOTS other than 0 there are that many
/// combinations of what conducts, of which MODES can be reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables<
    R,
    const N: usize,
    const U: usize,
    const Y: usize,
    const MODES: usize,
    const MAPS: usize,
    const K: usize,
    const SLOTS: usize = 0,
> {
    /// By their numbers, or as slots say.
    pub modes: [Mode<R, N, U, Y>; MODES],
    /// Of all modes that need them.
    pub maps: [Map<R, N, U>; MAPS],
    /// How modes are numbered.
    pub keys: Keys<Y>,
    /// By numbers: which mode; or the device that cannot be as it is then, from 2^15 on; or 2^16 - 1, if gates are not permitted.
    pub slots: [u16; SLOTS],
    /// What slots without a mode rely on.
    pub limits: Limits<R, N, U>,
}

/// Tables without their sizes: what a step reads.
#[derive(Clone, Copy, Debug)]
pub struct View<'t, R, const N: usize, const U: usize, const Y: usize, const K: usize> {
    pub(super) modes: &'t [Mode<R, N, U, Y>],
    pub(super) maps: &'t [Map<R, N, U>],
    pub(super) keys: &'t Keys<Y>,
    pub(super) slots: &'t [u16],
    pub(super) limits: &'t Limits<R, N, U>,
}

impl<
    R,
    const N: usize,
    const U: usize,
    const Y: usize,
    const M: usize,
    const L: usize,
    const K: usize,
    const S: usize,
> Tables<R, N, U, Y, M, L, K, S>
{
    /// What a step reads.
    pub fn view(&self) -> View<'_, R, N, U, Y, K> {
        View {
            modes: &self.modes,
            maps: &self.maps,
            keys: &self.keys,
            slots: &self.slots,
            limits: &self.limits,
        }
    }

    /// Bytes of a mode with its share of the maps and of the slots.
    pub fn bytes_per_mode(&self) -> usize {
        let shared = size_of_val(&self.maps) + size_of_val(&self.slots);
        size_of::<Mode<R, N, U, Y>>() + shared.div_ceil(M.max(1))
    }
}
