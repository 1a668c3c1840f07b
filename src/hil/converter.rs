//! A converter on its test rig: sources and gates in, currents and voltages out.
//!
//! Two inputs stand for each gate: when it turns on and when it turns off, as shares of the step. It does not matter where they come from:
//! a host's frame carries them as it carries every input, and [`Window`] makes them of edges that a pin captured. Or one input stands for
//! each leg of bridges, its duty.

use super::MOST_SIGNALS;
use super::edges::Edge as Captured;
use super::given::{Given, GivenRig};
use crate::memory::visits;
use crate::step::Error;
use crate::switched::{Edge, Input, State, Switched, SwitchedError, Tables, View};

/// The most edges of a step: four a leg, or two a gate, and the beginning.
const MOST_EDGES: usize = 2 * MOST_SIGNALS + 1;

/// What the inputs after the sources mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gating {
    /// On and off of gates 0, 1 and so on, as shares of the step.
    Gates,
    /// The duty of each of so many legs, whose pulses are in the middle of the step. Gate k is the upper device of leg k, the lower ones
    /// follow; between them both are off for `dead` of the step.
    Legs {
        /// How many.
        legs: u8,
        /// As a share of the step.
        dead: f32,
    },
}

/// Where a converter's tables are: elsewhere, or with it.
pub trait Tabled<const N: usize, const U: usize, const Y: usize, const K: usize> {
    /// What a step reads.
    fn tables(&self) -> View<'_, f32, N, U, Y, K>;
}

impl<const N: usize, const U: usize, const Y: usize, const K: usize> Tabled<N, U, Y, K>
    for View<'_, f32, N, U, Y, K>
{
    fn tables(&self) -> View<'_, f32, N, U, Y, K> {
        *self
    }
}

impl<
    const N: usize,
    const U: usize,
    const Y: usize,
    const M: usize,
    const L: usize,
    const K: usize,
    const S: usize,
> Tabled<N, U, Y, K> for Tables<f32, N, U, Y, M, L, K, S>
{
    fn tables(&self) -> View<'_, f32, N, U, Y, K> {
        self.view()
    }
}

/// A converter with U sources and N states, which are its outputs.
#[derive(Clone, Copy, Debug)]
pub struct Converter<T, const N: usize, const U: usize, const Y: usize, const K: usize> {
    tables: T,
    state: State<f32, N>,
    gating: Gating,
}

/// A converter whose tables are elsewhere as a rig, with I inputs: sources, then what its gates are told.
pub type ConverterRig<
    't,
    const N: usize,
    const U: usize,
    const Y: usize,
    const K: usize,
    const I: usize,
> = GivenRig<Converter<View<'t, f32, N, U, Y, K>, N, U, Y, K>, I, N>;

impl<T: Tabled<N, U, Y, K>, const N: usize, const U: usize, const Y: usize, const K: usize>
    Converter<T, N, U, Y, K>
{
    /// At this state with all gates off.
    pub fn new(tables: T, x: [f32; N], sources: [f32; U], gating: Gating) -> Result<Self, Error> {
        let state = *Switched::new(tables.tables(), x, sources)?.state();
        Ok(Converter {
            tables,
            state,
            gating,
        })
    }

    /// What the inputs say: sources, edges and how many there are. None if a share of the step is none.
    fn given(&self, inputs: &[f32]) -> Option<(Input<f32, U>, [Edge<f32>; MOST_EDGES], usize)> {
        let mut sources = [0.0; U];
        for (source, input) in sources.iter_mut().zip(inputs) {
            *source = *input;
        }
        let mut edges = Edges::NONE;
        let told = inputs.get(U..)?;
        match self.gating {
            Gating::Gates => {
                let (gates, _) = told.as_chunks::<2>();
                for (gate, pulse) in gates.iter().enumerate() {
                    edges.gate(1 << gate, *pulse)?;
                }
            }
            Gating::Legs { legs, dead } => {
                for (leg, duty) in told.iter().enumerate().take(usize::from(legs)) {
                    edges.leg([1 << leg, 1 << (leg + usize::from(legs))], *duty, dead)?;
                }
            }
        }
        let (edges, count) = edges.in_order()?;
        Some((Input::held(sources), edges, count))
    }
}

/// Which gates change when, and which are on first.
struct Edges {
    now: u32,
    /// The first is the beginning.
    changes: [Edge<f32>; MOST_EDGES],
    count: usize,
}

impl Edges {
    const NONE: Self = Edges {
        now: 0,
        changes: [Edge { at: 0.0, gates: 0 }; MOST_EDGES],
        count: 1,
    };

    fn change(&mut self, at: f32, gates: u32) -> Option<()> {
        *self.changes.get_mut(self.count)? = Edge { at, gates };
        self.count += 1;
        Some(())
    }

    /// A gate that turns on and off. One that turns off before it turns on was on when the step began.
    fn gate(&mut self, gate: u32, [on, off]: [f32; 2]) -> Option<()> {
        let share = |x: f32| (0.0..=1.0).contains(&x);
        if !(share(on) && share(off)) {
            return None;
        }
        if off < on {
            self.now |= gate;
        }
        self.change(on, gate)?;
        self.change(off, gate)
    }

    /// A leg whose upper device is on in the middle of the step, the lower one else, and both off in between.
    fn leg(&mut self, [upper, lower]: [u32; 2], duty: f32, dead: f32) -> Option<()> {
        if !(0.0..=1.0).contains(&duty) {
            return None;
        }
        let (begin, end, half) = (0.5 - 0.5 * duty, 0.5 + 0.5 * duty, 0.5 * dead);
        if begin + half >= end - half {
            // No pulse is left.
            self.now |= lower;
            return Some(());
        }
        if begin > half {
            self.now |= lower;
            self.change(begin - half, lower)?;
        }
        self.change(begin + half, upper)?;
        self.change(end - half, upper)?;
        if end + half < 1.0 {
            self.change(end + half, lower)?;
        }
        Some(())
    }

    /// All gates from each edge on, in the order of time.
    fn in_order(self) -> Option<([Edge<f32>; MOST_EDGES], usize)> {
        let (mut edges, count, mut now) = (self.changes, self.count, self.now);
        let changes = edges.get_mut(1..count)?;
        for i in 1..changes.len() {
            for j in (1..=i).rev() {
                if changes[j].at < changes[j - 1].at {
                    changes.swap(j, j - 1);
                }
            }
        }
        if let Some(first) = edges.first_mut() {
            first.gates = now;
        }
        for edge in edges.iter_mut().take(count).skip(1) {
            now ^= edge.gates;
            edge.gates = now;
        }
        // Of several edges at the same time the last one counts.
        let mut kept = 0;
        for i in 0..count {
            let next = edges.get(i + 1).filter(|_| i + 1 < count);
            if next.is_none_or(|next| next.at > edges[i].at) {
                edges[kept] = edges[i];
                kept += 1;
            }
        }
        Some((edges, kept))
    }
}

impl From<SwitchedError> for Error {
    fn from(error: SwitchedError) -> Self {
        match error {
            SwitchedError::NonFinite => Error::NonFinite,
            SwitchedError::NoMode => Error::Inconsistent,
            SwitchedError::TooManyEvents => Error::Zeno { index: 0 },
            SwitchedError::Input
            | SwitchedError::Edge { .. }
            | SwitchedError::OutOfReach
            | SwitchedError::ShootThrough { .. } => Error::Input,
        }
    }
}

visits!(
    [T, const N: usize, const U: usize, const Y: usize, const K: usize] Converter<T, N, U, Y, K>:
    state
);

impl<T, const N: usize, const U: usize, const Y: usize, const K: usize, const I: usize> Given<I, N>
    for Converter<T, N, U, Y, K>
where
    T: Tabled<N, U, Y, K>,
{
    type Moment = State<f32, N>;

    fn moment(&self) -> State<f32, N> {
        self.state
    }

    fn step(&mut self, inputs: &[f32; I]) -> Result<(), Error> {
        let (input, edges, count) = self.given(inputs).ok_or(Error::Input)?;
        let edges = edges.get(..count).unwrap_or(&[]);
        let mut switched = Switched::going_on(self.tables.tables(), self.state);
        switched.step(&input, edges)?;
        self.state = *switched.state();
        Ok(())
    }

    fn outputs(&self) -> [f32; N] {
        self.state.x
    }

    fn within(&self, began: &State<f32, N>, part: f32, inputs: &[f32; I]) -> Option<[f32; N]> {
        let (input, edges, count) = self.given(inputs)?;
        let edges = edges.get(..count).unwrap_or(&[]);
        let switched = Switched::going_on(self.tables.tables(), *began);
        switched.within(part, &input, edges).ok()
    }
}

/// When a gate's signal is high within a period, from the edges that a timer captured: on and off, as shares of the period.
///
/// ```
/// # use stiffstep::hil::{Edge, Window};
/// let mut gate = Window::new(false, 0);
/// gate.take(Edge { at: 10, high: true });
/// gate.take(Edge { at: 40, high: false });
/// assert_eq!(gate.end(100), Some([0.1, 0.4]));
/// assert_eq!(gate.end(200), Some([0.0, 0.0]));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Window {
    high: bool,
    began: u32,
    /// When it rose and fell, in ticks after the period began.
    changes: [Option<u32>; 2],
    /// Two numbers cannot say what happened.
    lost: bool,
    began_high: bool,
}

impl Window {
    /// A signal at this level, whose period begins at this tick.
    pub const fn new(high: bool, began: u32) -> Self {
        Window {
            high,
            began,
            changes: [None; 2],
            lost: false,
            began_high: high,
        }
    }

    /// Takes an edge in. They come in the order of time.
    pub fn take(&mut self, edge: Captured) {
        if edge.high != self.high {
            let place = &mut self.changes[usize::from(!edge.high)];
            self.lost |= place.is_some();
            *place = Some(edge.at.wrapping_sub(self.began));
            self.high = edge.high;
        }
    }

    /// Ends the period at this tick, where the next one begins: on and off, off before on if the signal was high at both ends. None
    /// if there was more than one pulse, or no time.
    pub fn end(&mut self, at: u32) -> Option<[f32; 2]> {
        let ticks = at.wrapping_sub(self.began);
        let share = |tick: u32| (tick as f32 / ticks as f32).min(1.0);
        let ([rise, fall], lost, began_high) = (self.changes, self.lost, self.began_high);
        *self = Window::new(self.high, at);
        if lost || ticks == 0 {
            return None;
        }
        Some(match (rise, fall, began_high) {
            (None, None, false) => [0.0, 0.0],
            (None, None, true) => [0.0, 1.0],
            (Some(rise), None, _) => [share(rise), 1.0],
            (None, Some(fall), _) => [0.0, share(fall)],
            (Some(rise), Some(fall), _) => [share(rise), share(fall)],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Edges;

    const UPPER: u32 = 1;
    const LOWER: u32 = 8;

    /// The edges of one leg: shares of the step, and the gates from there on.
    fn leg(duty: f32, dead: f32) -> Option<([(f32, u32); 6], usize)> {
        let mut edges = Edges::NONE;
        edges.leg([UPPER, LOWER], duty, dead)?;
        let (edges, count) = edges.in_order()?;
        let mut shown = [(0.0, 0); 6];
        for (shown, edge) in shown.iter_mut().zip(&edges[..count]) {
            *shown = (edge.at, edge.gates);
        }
        Some((shown, count))
    }

    /// The upper device is on in the middle; the dead time is between the two, on both sides.
    #[test]
    fn a_leg_has_a_dead_time_at_each_edge() {
        let edges = [
            (0.0, LOWER),
            (0.1875, 0),
            (0.3125, UPPER),
            (0.6875, 0),
            (0.8125, LOWER),
            (0.0, 0),
        ];
        assert_eq!(leg(0.5, 0.125), Some((edges, 5)));
    }

    /// A pulse as long as the dead time is none, one as long as the step has no lower device.
    #[test]
    fn a_leg_may_stay_where_it_is() {
        let none = [
            (0.0, LOWER),
            (0.0, 0),
            (0.0, 0),
            (0.0, 0),
            (0.0, 0),
            (0.0, 0),
        ];
        assert_eq!(leg(0.125, 0.125), Some((none, 1)));
        assert_eq!(leg(0.0, 0.0), Some((none, 1)));
        let all = [
            (0.0, UPPER),
            (1.0, 0),
            (0.0, 0),
            (0.0, 0),
            (0.0, 0),
            (0.0, 0),
        ];
        assert_eq!(leg(1.0, 0.0), Some((all, 2)));
        let nearly = [
            (0.0, 0),
            (0.0625, UPPER),
            (0.9375, 0),
            (0.0, 0),
            (0.0, 0),
            (0.0, 0),
        ];
        assert_eq!(leg(1.0, 0.125), Some((nearly, 3)));
        assert_eq!(leg(1.5, 0.0), None);
    }

    /// Two gates that change at once are one edge; one that is off before it is on begins on.
    #[test]
    fn edges_at_the_same_time_are_one() {
        let mut edges = Edges::NONE;
        assert_eq!(edges.gate(1, [0.5, 0.25]), Some(()));
        assert_eq!(edges.gate(2, [0.25, 0.5]), Some(()));
        let Some((edges, count)) = edges.in_order() else {
            unreachable!("four edges fit")
        };
        let shown = [0, 1, 2].map(|i| (edges[i].at, edges[i].gates));
        assert_eq!((count, shown), (3, [(0.0, 1), (0.25, 2), (0.5, 1)]));
    }
}
