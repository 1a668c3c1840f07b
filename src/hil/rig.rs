//! What a board's loop and a host's reference see of whatever is on the test rig.

use super::Snapshot;
use super::allowance::Allowance;
use super::protocol::{Change, Description, Kind, Refusal};
use crate::step::{Error, Report};

/// What the loop on a board, and the reference on the desk, see of a plant.
pub trait Rig {
    /// Name, step and sizes.
    fn about(&self) -> About;
    /// What a name stands for; `None` if there is none of that index.
    fn describe(&mut self, kind: Kind, index: u8) -> Option<Description<&'static str>>;
    /// Carries out a change between two steps. After a refusal everything is as it was. Changes that are not the plant's
    /// own, such as inputs, do nothing here.
    fn apply(&mut self, change: &Change) -> Result<(), Refusal>;
    /// One step with these inputs. After an error the plant is what it was before, and its sensors show what they showed.
    fn step(&mut self, inputs: &[f32], allowance: &mut Allowance<'_>)
    -> Result<Report<f32>, Error>;
    /// How many steps were tried so far; neither a reset nor a restored snapshot changes it.
    fn steps(&self) -> u32;
    /// The inputs that the last step got.
    fn inputs(&self) -> &[f32];
    /// What the sensors show.
    fn outputs(&self) -> &[f32];
    /// Shows the outputs after this part of the last step, from 0 to 1, by dense output: number and value of each.
    fn between(&self, part: f32, see: &mut dyn FnMut(usize, f32));
    /// Shows the states in the order of their names.
    fn states(&self, see: &mut dyn FnMut(f32));
    /// A hash of everything that is kept between steps.
    fn digest(&mut self) -> u32;
    /// Sets the memory aside.
    fn save(&mut self, into: &mut Snapshot);
    /// Goes back to a memory, but for the number of steps. False, and nothing changed, if it is not this plant's.
    fn load(&mut self, from: &Snapshot) -> bool;
    /// Goes on counting steps from here: for a reference that joins late.
    fn join(&mut self, step: u32);
}

/// A plant's name, step and sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct About {
    /// The name.
    pub plant: &'static str,
    /// The step, in s.
    pub h: f32,
    /// How many inputs, outputs, states and parameters it has.
    pub counts: [u8; 4],
    /// The words of its memory.
    pub words: u16,
}
