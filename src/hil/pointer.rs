//! Whatever points to a rig is one: a desk has plants of any kind behind a box.

use super::protocol::{Change, Description, Kind, Refusal};
use super::{About, Allowance, Rig, Snapshot};
use crate::step::{Error, Report};
use core::ops::DerefMut;

impl<P> Rig for P
where
    P: DerefMut,
    P::Target: Rig,
{
    fn about(&self) -> About {
        self.deref().about()
    }
    fn describe(&mut self, kind: Kind, index: u8) -> Option<Description<&'static str>> {
        self.deref_mut().describe(kind, index)
    }
    fn apply(&mut self, change: &Change) -> Result<(), Refusal> {
        self.deref_mut().apply(change)
    }
    fn step(
        &mut self,
        inputs: &[f32],
        allowance: &mut Allowance<'_>,
    ) -> Result<Report<f32>, Error> {
        self.deref_mut().step(inputs, allowance)
    }
    fn steps(&self) -> u32 {
        self.deref().steps()
    }
    fn inputs(&self) -> &[f32] {
        self.deref().inputs()
    }
    fn outputs(&self) -> &[f32] {
        self.deref().outputs()
    }
    fn between(&self, part: f32, see: &mut dyn FnMut(usize, f32)) {
        self.deref().between(part, see);
    }
    fn states(&self, see: &mut dyn FnMut(f32)) {
        self.deref().states(see);
    }
    fn digest(&mut self) -> u32 {
        self.deref_mut().digest()
    }
    fn save(&mut self, into: &mut Snapshot) {
        self.deref_mut().save(into);
    }
    fn load(&mut self, from: &Snapshot) -> bool {
        self.deref_mut().load(from)
    }
    fn join(&mut self, step: u32) {
        self.deref_mut().join(step);
    }
}
