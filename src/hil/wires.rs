//! Which signal of the plant is at which pin: a table, by the signals' names. Boards say what there is to connect to.

use super::protocol::Kind;
use super::{MOST_SIGNALS, Rig, Turning, Wiring};

/// Something that a signal can be connected to.
pub trait Terminal: Copy {
    /// As a host is told.
    fn name(self) -> &'static str;
    /// What the value is to an encoder, and its counts a turn, if this is one.
    fn encoder(self) -> Option<(Turning, u32)> {
        None
    }
}

/// The table: signals that controllers give, and signals that sensors show. One of the latter may be at two places.
#[derive(Clone, Copy, Debug)]
pub struct Wires<S: 'static, K: 'static> {
    /// Inputs of the plant.
    pub inputs: &'static [(&'static str, S)],
    /// Outputs of the plant.
    pub outputs: &'static [(&'static str, K)],
}

/// Where every input comes from, and where every output goes, by their index.
#[derive(Clone, Copy, Debug)]
pub struct Connected<S, K> {
    /// Of the inputs.
    pub inputs: [Option<S>; MOST_SIGNALS],
    /// Of the outputs.
    pub outputs: [[Option<K>; 2]; MOST_SIGNALS],
}

impl<S: Terminal, K: Terminal> Connected<S, K> {
    /// Nothing is connected.
    pub const NOTHING: Self = Connected {
        inputs: [None; MOST_SIGNALS],
        outputs: [[None; 2]; MOST_SIGNALS],
    };

    /// In order: the first input to the first source and so on, as far as there are some.
    pub fn in_order(sources: &[S], sinks: &[K]) -> Self {
        let mut all = Self::NOTHING;
        for (slot, source) in all.inputs.iter_mut().zip(sources) {
            *slot = Some(*source);
        }
        for (slot, sink) in all.outputs.iter_mut().zip(sinks) {
            slot[0] = Some(*sink);
        }
        all
    }

    /// By a table. A name that the plant does not have is no connection, which a host sees.
    pub fn by_name(rig: &mut impl Rig, wires: &Wires<S, K>) -> Self {
        let mut all = Self::NOTHING;
        for index in 0..MOST_SIGNALS {
            if let Some(input) = rig.describe(Kind::Input, index as u8) {
                let row = wires.inputs.iter().find(|(name, _)| *name == input.name);
                all.inputs[index] = row.map(|(_, source)| *source);
            }
            if let Some(output) = rig.describe(Kind::Output, index as u8) {
                let rows = wires.outputs.iter();
                let rows = rows.filter(|(name, _)| *name == output.name);
                for (slot, (_, sink)) in all.outputs[index].iter_mut().zip(rows) {
                    *slot = Some(*sink);
                }
            }
        }
        all
    }

    /// The encoder, if an output has one; the first of them.
    pub fn encoder(&self) -> Option<(Turning, u32)> {
        let mut sinks = self.outputs.iter().flatten().flatten();
        sinks.find_map(|sink| sink.encoder())
    }

    /// What hosts are told.
    pub fn wiring(&self) -> Wiring {
        let mut wiring = Wiring::NONE;
        for index in 0..MOST_SIGNALS {
            wiring.inputs[index][0] = self.inputs[index].map_or("", Terminal::name);
            for (name, sink) in wiring.outputs[index].iter_mut().zip(self.outputs[index]) {
                *name = sink.map_or("", Terminal::name);
            }
        }
        wiring
    }
}
