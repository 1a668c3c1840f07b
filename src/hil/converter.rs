//! A converter on its test rig: sources and gates in, currents and voltages out.
//!
//! Two inputs stand for each gate: when it turns on and when it turns off, as shares of the step. It does not matter where they come from:
//! a host's frame carries them as it carries every input, and [`Window`] makes them of edges that a pin captured.

use super::edges::Edge as Captured;
use super::fault::{Fault, Faults, MOST_PARAMETERS};
use super::protocol::{Change, Description, Kind, Refusal};
use super::rig::{About, Range, Rig, Watch};
use super::{MOST_SIGNALS, MOST_WORDS, Snapshot};
use crate::memory::{Digest, Load, Memory, Save, Words};
use crate::model::Quantity;
use crate::step::{Error, Outcome, Report};
use crate::switched::{Edge, Input, Switched, SwitchedError};

/// The most edges of a step: two a gate, and the beginning.
const MOST_EDGES: usize = MOST_SIGNALS + 1;

/// Names of a converter's signals, and what the full swing of each pin means.
#[derive(Clone, Copy, Debug)]
pub struct ConverterNames<const I: usize, const N: usize> {
    /// Of the plant.
    pub plant: &'static str,
    /// The step, in s.
    pub h: f32,
    /// Sources, then on and off of every gate.
    pub inputs: [(Quantity, Range); I],
    /// States, which are the outputs.
    pub states: [(Quantity, Range); N],
}

/// A converter as a rig: N states, which are its outputs, U sources, and I inputs, of which those after the sources are on and off of
/// gates 0, 1 and so on.
pub struct ConverterRig<
    't,
    const N: usize,
    const U: usize,
    const Y: usize,
    const K: usize,
    const I: usize,
> {
    names: ConverterNames<I, N>,
    plant: Switched<'t, f32, N, U, Y, K>,
    /// Where the last step began, if there was one since the start or a restored memory.
    before: Option<Switched<'t, f32, N, U, Y, K>>,
    faults: Faults<N>,
    shown: [f32; N],
    inputs: [f32; I],
    steps: u32,
    start: Snapshot,
}

impl<'t, const N: usize, const U: usize, const Y: usize, const K: usize, const I: usize>
    ConverterRig<'t, N, U, Y, K, I>
{
    /// A rig for a converter at its start.
    pub fn new(
        plant: Switched<'t, f32, N, U, Y, K>,
        names: ConverterNames<I, N>,
    ) -> Result<Self, Error> {
        const {
            assert!(I <= MOST_SIGNALS, "too many inputs for the link");
            assert!(I >= U && (I - U).is_multiple_of(2), "two inputs a gate");
        };
        let mut rig = ConverterRig {
            names,
            plant,
            before: None,
            faults: Faults::default(),
            shown: [0.0; N],
            inputs: [0.0; I],
            steps: 0,
            start: Snapshot::default(),
        };
        rig.shown = rig.faults.show(&rig.plant.state().x);
        let words = Digest::of(&mut rig).count + 2 * MOST_PARAMETERS;
        if words > MOST_WORDS {
            return Err(Error::Memory { words });
        }
        let mut start = Snapshot::default();
        rig.save(&mut start);
        rig.start = start;
        Ok(rig)
    }

    /// What the inputs say: sources, edges and how many there are. None if a share of the step is none.
    fn given(&self) -> Option<(Input<f32, U>, [Edge<f32>; MOST_EDGES], usize)> {
        let mut sources = [0.0; U];
        for (source, input) in sources.iter_mut().zip(&self.inputs) {
            *source = *input;
        }
        let (gates, _) = self.inputs.get(U..)?.as_chunks::<2>();
        let mut edges = [Edge { at: 0.0, gates: 0 }; MOST_EDGES];
        let (mut count, mut now) = (1, 0);
        for (gate, [on, off]) in gates.iter().enumerate() {
            let share = |x: f32| (0.0..=1.0).contains(&x);
            if !(share(*on) && share(*off)) {
                return None;
            }
            // A gate that turns off before it turns on was on when the step began.
            now |= u32::from(off < on) << gate;
            for at in [*on, *off] {
                // Which gates change, first; all of them, later.
                *edges.get_mut(count)? = Edge {
                    at,
                    gates: 1 << gate,
                };
                count += 1;
            }
        }
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
        Some((Input::held(sources), edges, kept))
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
            | SwitchedError::ShootThrough { .. } => Error::Input,
        }
    }
}

impl<const N: usize, const U: usize, const Y: usize, const K: usize, const I: usize> Memory
    for ConverterRig<'_, N, U, Y, K, I>
{
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.plant.visit(words);
        self.faults.visit(words);
        self.shown.visit(words);
        self.inputs.visit(words);
    }
}

impl<const N: usize, const U: usize, const Y: usize, const K: usize, const I: usize> Rig
    for ConverterRig<'_, N, U, Y, K, I>
{
    fn about(&self) -> About {
        About {
            plant: self.names.plant,
            h: self.names.h,
            counts: [I, N, N, 0].map(|count| count as u8),
            words: self.start.words.len() as u16,
        }
    }

    fn describe(&mut self, kind: Kind, index: u8) -> Option<Description<&'static str>> {
        let i = usize::from(index);
        let (quantity, range) = match kind {
            Kind::Input => *self.names.inputs.get(i)?,
            Kind::Output | Kind::State => *self.names.states.get(i)?,
            Kind::Parameter => return None,
        };
        Some(Description {
            kind,
            index,
            name: quantity.name,
            unit: quantity.unit,
            range: [range.least, range.most],
            value: 0.0,
        })
    }

    fn apply(&mut self, change: &Change) -> Result<(), Refusal> {
        match *change {
            Change::Parameter { .. } | Change::Fault(Fault::Jump { .. }) => Err(Refusal::Unknown),
            Change::Fault(fault) => self.faults.inject(fault),
            Change::Heal => {
                self.faults.heal();
                Ok(())
            }
            Change::Reset => {
                let start = core::mem::take(&mut self.start);
                self.visit(&mut Load::new(&start.words));
                (self.start, self.before) = (start, None);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn step(&mut self, inputs: &[f32], _watch: &mut Watch<'_>) -> Result<Report<f32>, Error> {
        self.steps = self.steps.wrapping_add(1);
        let last = self.inputs;
        for i in 0..I {
            self.inputs[i] = inputs.get(i).copied().unwrap_or(0.0);
        }
        let before = self.plant;
        let given = self.given().ok_or(Error::Input);
        let stepped = given.and_then(|(input, edges, count)| {
            let edges = edges.get(..count).unwrap_or(&[]);
            Ok(self.plant.step(&input, edges)?)
        });
        match stepped {
            Ok(_) => {
                self.before = Some(before);
                self.shown = self.faults.show(&self.plant.state().x);
                Ok(Report::new((1, Outcome::Converged), (0.0, 0.0), 0.0))
            }
            Err(error) => {
                self.inputs = last;
                Err(error)
            }
        }
    }

    fn steps(&self) -> u32 {
        self.steps
    }

    fn inputs(&self) -> &[f32] {
        &self.inputs
    }

    fn outputs(&self) -> &[f32] {
        &self.shown
    }

    fn between(&self, part: f32, see: &mut dyn FnMut(usize, f32)) {
        let state = self.given().and_then(|(input, edges, count)| {
            let edges = edges.get(..count).unwrap_or(&[]);
            self.before?.within(part, &input, edges).ok()
        });
        let shown = { self.faults }.show(&state.unwrap_or(self.plant.state().x));
        for i in 0..N {
            see(i, shown[i]);
        }
    }

    fn states(&self, see: &mut dyn FnMut(f32)) {
        self.plant.state().x.into_iter().for_each(see);
    }

    fn digest(&mut self) -> u32 {
        Digest::of(self).hash
    }

    fn save(&mut self, into: &mut Snapshot) {
        into.step = self.steps;
        into.words.clear();
        let words = Digest::of(self).count;
        let _fits = into.words.resize(words.min(MOST_WORDS), 0);
        self.visit(&mut Save::new(&mut into.words));
    }

    fn load(&mut self, from: &Snapshot) -> bool {
        let mut before = Snapshot::default();
        self.save(&mut before);
        let mut load = Load::new(&from.words);
        self.visit(&mut load);
        if !load.complete() {
            self.visit(&mut Load::new(&before.words));
            return false;
        }
        self.before = None;
        true
    }

    fn join(&mut self, step: u32) {
        self.steps = step;
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
