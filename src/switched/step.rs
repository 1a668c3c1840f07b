//! One step of a switched circuit: from edge to edge, from commutation to commutation.

use super::tables::View;
use crate::memory::{Memory, Words, visits};
use crate::number::Real;

/// Gates that change within a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge<R> {
    /// When, as a share of the step: from 0 to 1.
    pub at: R,
    /// All gates from then on, a bit each.
    pub gates: u32,
}

/// Inputs over a step: held, or a ramp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Input<R, const U: usize> {
    /// At the beginning.
    pub start: [R; U],
    /// The change over the whole step.
    pub change: [R; U],
}

impl<R: Real, const U: usize> Input<R, U> {
    /// Inputs that do not change within the step.
    pub fn held(start: [R; U]) -> Self {
        let change = [R::ZERO; U];
        Input { start, change }
    }

    /// The inputs at a share of the step.
    #[inline(always)]
    pub(super) fn at(&self, t: R) -> [R; U] {
        let mut u = self.start;
        for i in 0..U {
            u[i] += self.change[i] * t;
        }
        u
    }
}

/// Why there is no new state. The old one is as it was, to the last bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum SwitchedError {
    /// An input is infinite or NaN.
    Input,
    /// The state is infinite or NaN, or becomes so.
    NonFinite,
    /// This edge is before the one before it, or outside of the step.
    Edge {
        /// Which one.
        index: usize,
    },
    /// Both gates of a bridge leg are set.
    ShootThrough {
        /// The upper or the lower device of the leg.
        device: usize,
    },
    /// No mode agrees with the state and the inputs.
    NoMode,
    /// Gates that are not [permitted](super::Circuit::permitting), or a mode without tables and a state or an input outside of the
    /// [range](super::Circuit::within) for which it has none.
    OutOfReach,
    /// More commutations than [`View::MOST_SEGMENTS`] allows.
    TooManyEvents,
}

impl core::fmt::Display for SwitchedError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Input => f.write_str("an input is not finite"),
            Self::NonFinite => f.write_str("the state is not finite"),
            Self::Edge { index } => write!(f, "edge {index} is out of order or outside the step"),
            Self::ShootThrough { device } => {
                write!(f, "both gates of the leg of device {device} are set")
            }
            Self::NoMode => f.write_str("no mode agrees with state and inputs"),
            Self::OutOfReach => f.write_str("gates, state or inputs are out of reach"),
            Self::TooManyEvents => f.write_str("too many commutations within a step"),
        }
    }
}

impl core::error::Error for SwitchedError {}

/// What survives a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State<R, const N: usize> {
    /// Currents of coils, voltages of capacitors.
    pub x: [R; N],
    /// What rounding left out of them.
    pub(super) low: [R; N],
    /// Which diodes conduct, a bit a device.
    pub diodes: u32,
    /// Which gates are set.
    pub gates: u32,
    /// The number of the mode.
    pub(super) mode: u16,
    /// How the last search for a mode ended.
    pub(super) settled: Settled,
}

/// What searches for modes took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Settled {
    /// The most modes that one of them tried beyond the first.
    pub iterations: u8,
    /// A coil's current had no path and was cut off.
    pub interrupted: bool,
}

impl<R: Real, const N: usize> Memory for State<R, N> {
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.x.visit(words);
        self.low.visit(words);
        self.diodes.visit(words);
        self.gates.visit(words);
        let mut mode = u32::from(self.mode);
        mode.visit(words);
        self.mode = mode as u16;
    }
}

impl<R: Real, const N: usize> State<R, N> {
    /// A copy, field by field: each is short enough to be copied without a call.
    #[inline(always)]
    fn kept(&self) -> Self {
        State {
            x: self.x,
            low: self.low,
            diodes: self.diodes,
            gates: self.gates,
            mode: self.mode,
            settled: self.settled,
        }
    }

    /// Adds an increment.
    #[inline(always)]
    pub(super) fn add(&mut self, increment: &[R; N]) {
        crate::number::add_compensated(&mut self.x, &mut self.low, R::ONE, increment);
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Report {
    /// Pieces between edges and commutations.
    pub segments: u8,
    /// The most modes that were tried to find the next one, beyond the first.
    pub iterations: u8,
    /// A coil's current had no path and was cut off: the circuit lacks a diode, or the state was impossible.
    pub interrupted: bool,
}

/// A switched circuit and its state.
///
/// ```
/// use stiffstep::switched::{Circuit, Conduction, Edge, Input, Scale, Switched};
///
/// let device = Conduction { resistance: 0.02, forward: 0.7 };
/// let buck = Circuit::<16>::new()
///     .source("in", "0")
///     .switch("in", "sw", 0, 0.02)
///     .diode("0", "sw", device)
///     .coil("sw", "out", 100e-6)
///     .capacitor("out", "0", 100e-6)
///     .resistor("out", "0", 3.0);
/// let scale = Scale { step: 20e-6, current: 5.0, voltage: 24.0 };
/// let tables = buck.build::<f32, 2, 1, 2, 4, 0, 5, 0>(scale)?;
/// let mut buck = Switched::new(tables.view(), [0.0; 2], [24.0])?;
/// // On from the beginning, off after 40 % of the step.
/// let edges = [Edge { at: 0.0, gates: 1 }, Edge { at: 0.4, gates: 0 }];
/// for _ in 0..1000 {
///     buck.step(&Input::held([24.0]), &edges)?;
/// }
/// let [current, voltage] = buck.state().x;
/// assert!((voltage - 9.1).abs() < 0.1 && (current - voltage / 3.0).abs() < 0.6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Switched<'t, R, const N: usize, const U: usize, const Y: usize, const K: usize> {
    tables: View<'t, R, N, U, Y, K>,
    state: State<R, N>,
}

impl<'t, R: Real, const N: usize, const U: usize, const Y: usize, const K: usize>
    Switched<'t, R, N, U, Y, K>
{
    /// At this state with all gates off. Currents that have no path then are cut off.
    pub fn new(
        tables: View<'t, R, N, U, Y, K>,
        x: [R; N],
        inputs: [R; U],
    ) -> Result<Self, SwitchedError> {
        let mut state = State {
            x,
            low: [R::ZERO; N],
            diodes: 0,
            gates: 0,
            mode: 0,
            settled: Settled::default(),
        };
        finite(&x, SwitchedError::NonFinite)?;
        finite(&inputs, SwitchedError::Input)?;
        tables.settle(&mut state, &inputs, 0)?;
        Ok(Switched { tables, state })
    }

    /// Goes on with a state of the same tables.
    pub fn going_on(tables: View<'t, R, N, U, Y, K>, state: State<R, N>) -> Self {
        Switched { tables, state }
    }

    /// The state.
    pub fn state(&self) -> &State<R, N> {
        &self.state
    }

    /// Whether every diode agrees with its current or voltage at these inputs.
    pub fn agrees(&self, inputs: &[R; U]) -> bool {
        self.tables.agrees(&self.state, inputs)
    }

    /// Sets gates at this instant and finds the mode that follows.
    pub fn set_gates(&mut self, gates: u32, inputs: &[R; U]) -> Result<Report, SwitchedError> {
        let mut state = self.state;
        state.settled = Settled::default();
        finite(inputs, SwitchedError::Input)?;
        self.tables.set_gates(&mut state, gates, inputs)?;
        self.state = state;
        Ok(report(0, &state))
    }

    /// One step, with gates that change at these edges.
    #[inline(always)]
    pub fn step(
        &mut self,
        input: &Input<R, U>,
        edges: &[Edge<R>],
    ) -> Result<Report, SwitchedError> {
        let before = self.state.kept();
        self.state.settled = Settled::default();
        match self.tables.step(&mut self.state, input, edges) {
            Ok(segments) => Ok(report(segments, &self.state)),
            Err(error) => {
                self.state = before;
                Err(error)
            }
        }
    }
}

impl<R: Real, const N: usize, const U: usize, const Y: usize, const K: usize>
    Switched<'_, R, N, U, Y, K>
{
    /// The state at a share of a step that begins here, of which nothing is kept: for looking back.
    pub fn within(
        &self,
        share: R,
        input: &Input<R, U>,
        edges: &[Edge<R>],
    ) -> Result<[R; N], SwitchedError> {
        let mut state = self.state;
        finite(&input.start, SwitchedError::Input)?;
        finite(&input.change, SwitchedError::Input)?;
        self.tables.settle(&mut state, &input.start, 0)?;
        let (mut t, mut segments) = (R::ZERO, 0);
        for edge in edges.iter().filter(|edge| edge.at <= share) {
            let tables = &self.tables;
            tables.advance(&mut state, input, &mut t, edge.at, &mut segments)?;
            tables.set_gates(&mut state, edge.gates, &input.at(t))?;
        }
        self.tables
            .advance(&mut state, input, &mut t, share, &mut segments)?;
        finite(&state.x, SwitchedError::NonFinite)?;
        Ok(state.x)
    }
}

visits!(
    [R: Real, const N: usize, const U: usize, const Y: usize, const K: usize] Switched<'_, R, N, U, Y, K>:
    state
);

fn report<R, const N: usize>(segments: u8, state: &State<R, N>) -> Report {
    Report {
        segments,
        iterations: state.settled.iterations,
        interrupted: state.settled.interrupted,
    }
}

/// An error unless all are numbers.
#[inline(always)]
fn finite<R: Real, const N: usize>(
    values: &[R; N],
    error: SwitchedError,
) -> Result<(), SwitchedError> {
    // A sum of what is no number is none, and zero times infinity, too.
    let mut sum = R::ZERO;
    for value in values {
        sum += *value * R::ZERO;
    }
    if sum == R::ZERO { Ok(()) } else { Err(error) }
}

impl<R: Real, const N: usize, const U: usize, const Y: usize, const K: usize>
    View<'_, R, N, U, Y, K>
{
    /// The most segments of a step: edges, commutations and the pieces between maps.
    pub const MOST_SEGMENTS: u8 = 64;

    #[inline(never)]
    fn step(
        &self,
        state: &mut State<R, N>,
        input: &Input<R, U>,
        edges: &[Edge<R>],
    ) -> Result<u8, SwitchedError> {
        finite(&input.start, SwitchedError::Input)?;
        finite(&input.change, SwitchedError::Input)?;
        if !self.agrees(state, &input.start) {
            self.follow(state, &input.start, 0)?;
        }
        let (mut t, mut segments) = (R::ZERO, 0);
        for (index, edge) in edges.iter().enumerate() {
            if !(edge.at >= t && edge.at <= R::ONE) {
                return Err(SwitchedError::Edge { index });
            }
            self.advance(state, input, &mut t, edge.at, &mut segments)?;
            self.set_gates(state, edge.gates, &input.at(t))?;
        }
        self.advance(state, input, &mut t, R::ONE, &mut segments)?;
        finite(&state.x, SwitchedError::NonFinite)?;
        Ok(segments)
    }

    fn set_gates(
        &self,
        state: &mut State<R, N>,
        gates: u32,
        u: &[R; U],
    ) -> Result<(), SwitchedError> {
        state.gates = gates;
        for device in 0..Y {
            let (own, opposite) = (self.keys.gate[device], self.keys.opposite[device]);
            if gates & own != 0 {
                if gates & opposite != 0 {
                    return Err(SwitchedError::ShootThrough { device });
                }
                state.diodes &= !(1 << device | self.keys.partner[device]);
            }
        }
        self.settle(state, u, 0)
    }

    /// On to the share `until` of the step.
    #[inline(always)]
    fn advance(
        &self,
        state: &mut State<R, N>,
        input: &Input<R, U>,
        t: &mut R,
        until: R,
        segments: &mut u8,
    ) -> Result<(), SwitchedError> {
        while *t < until {
            let end = self.hop(state, input, t, until);
            if end <= *t {
                continue;
            }
            *segments += 1;
            if *segments > Self::MOST_SEGMENTS {
                return Err(SwitchedError::TooManyEvents);
            }
            let changed = self.segment(state, input, t, end);
            if changed != 0 {
                state.diodes ^= changed;
                self.follow(state, &input.at(*t), changed)?;
            }
        }
        Ok(())
    }
}
