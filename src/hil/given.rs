//! A plant on its test rig that has no parameters and no method of its own to choose: converters and drives.

use super::fault::{Fault, Faults};
use super::protocol::{Change, Description, Kind, Refusal};
use super::{About, Allowance, Range, Rig};
use super::{MOST_SIGNALS, Snapshot};
use crate::memory::{Digest, Load, Memory, visits};
use crate::model::Quantity;
use crate::step::{Error, Outcome, Report};

/// A plant whose step follows from its I inputs, and whose states are its Y outputs. An error leaves it as it was.
pub trait Given<const I: usize, const Y: usize>: Memory {
    /// What a step begins with.
    type Moment: Copy;
    /// Now.
    fn moment(&self) -> Self::Moment;
    /// One step.
    fn step(&mut self, inputs: &[f32; I]) -> Result<(), Error>;
    /// What its sensors see.
    fn outputs(&self) -> [f32; Y];
    /// The same after a part of a step that began at a moment, if that is known.
    fn within(&self, began: &Self::Moment, part: f32, inputs: &[f32; I]) -> Option<[f32; Y]>;
}

/// Names of a plant's signals, and what the full swing of each pin means.
#[derive(Clone, Copy, Debug)]
pub struct SignalNames<const I: usize, const Y: usize> {
    /// Of the plant.
    pub plant: &'static str,
    /// The step, in s.
    pub h: f32,
    /// Of its inputs.
    pub inputs: [(Quantity, Range); I],
    /// Of its outputs.
    pub outputs: [(Quantity, Range); Y],
}

/// Such a plant as a rig.
pub struct GivenRig<P: Given<I, Y>, const I: usize, const Y: usize> {
    names: SignalNames<I, Y>,
    plant: P,
    /// Where the last step began, if there was one since the start or a restored memory.
    before: Option<P::Moment>,
    faults: Faults<Y>,
    shown: [f32; Y],
    inputs: [f32; I],
    steps: u32,
    start: Snapshot,
}

impl<P: Given<I, Y>, const I: usize, const Y: usize> GivenRig<P, I, Y> {
    /// A rig for a plant at its start.
    pub fn new(plant: P, names: SignalNames<I, Y>) -> Result<Self, Error> {
        const { assert!(I <= MOST_SIGNALS, "too many inputs for the link") };
        let mut rig = GivenRig {
            names,
            plant,
            before: None,
            faults: Faults::default(),
            shown: [0.0; Y],
            inputs: [0.0; I],
            steps: 0,
            start: Snapshot::default(),
        };
        rig.shown = rig.faults.show(&rig.plant.outputs());
        rig.start = Snapshot::of_start(&mut rig)?;
        Ok(rig)
    }
}

visits!(
    [P: Given<I, Y>, const I: usize, const Y: usize] GivenRig<P, I, Y>:
    plant, faults, shown, inputs
);

impl<P: Given<I, Y>, const I: usize, const Y: usize> Rig for GivenRig<P, I, Y> {
    fn about(&self) -> About {
        About {
            plant: self.names.plant,
            h: self.names.h,
            counts: [I, Y, Y, 0].map(|count| count as u8),
            words: self.start.words.len() as u16,
        }
    }

    fn describe(&mut self, kind: Kind, index: u8) -> Option<Description<&'static str>> {
        let i = usize::from(index);
        let (quantity, range) = match kind {
            Kind::Input => *self.names.inputs.get(i)?,
            Kind::Output | Kind::State => *self.names.outputs.get(i)?,
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

    fn step(&mut self, inputs: &[f32], _watch: &mut Allowance<'_>) -> Result<Report<f32>, Error> {
        self.steps = self.steps.wrapping_add(1);
        let last = self.inputs;
        for i in 0..I {
            self.inputs[i] = inputs.get(i).copied().unwrap_or(0.0);
        }
        let before = self.plant.moment();
        match self.plant.step(&self.inputs) {
            Ok(()) => {
                self.before = Some(before);
                self.shown = self.faults.show(&self.plant.outputs());
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
        let then = self
            .before
            .and_then(|before| self.plant.within(&before, part, &self.inputs));
        let shown = { self.faults }.show(&then.unwrap_or_else(|| self.plant.outputs()));
        for i in 0..Y {
            see(i, shown[i]);
        }
    }

    fn states(&self, see: &mut dyn FnMut(f32)) {
        self.plant.outputs().into_iter().for_each(see);
    }

    fn digest(&mut self) -> u32 {
        Digest::of(self).hash
    }

    fn save(&mut self, into: &mut Snapshot) {
        into.take(self, self.steps);
    }

    fn load(&mut self, from: &Snapshot) -> bool {
        let loaded = from.bring_back(self);
        if loaded {
            self.before = None;
        }
        loaded
    }

    fn join(&mut self, step: u32) {
        self.steps = step;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Allowance, Given, GivenRig, Memory, Quantity, Range, Rig, SignalNames};
    use crate::hil::protocol::{Change, Kind, Refusal};
    use crate::hil::{Fault, Snapshot};
    use crate::memory::Words;
    use crate::step::Error;

    /// Adds up its input; a negative one is an error.
    pub struct Sum(f32);
    impl Memory for Sum {
        fn visit<W: Words>(&mut self, words: &mut W) {
            self.0.visit(words);
        }
    }
    impl Given<2, 1> for Sum {
        type Moment = f32;
        fn moment(&self) -> f32 {
            self.0
        }
        fn step(&mut self, inputs: &[f32; 2]) -> Result<(), Error> {
            if inputs[0] < 0.0 {
                return Err(Error::NonFinite);
            }
            self.0 += inputs[0];
            Ok(())
        }
        fn outputs(&self) -> [f32; 1] {
            [self.0]
        }
        fn within(&self, began: &f32, part: f32, inputs: &[f32; 2]) -> Option<[f32; 1]> {
            Some([began + part * inputs[0]])
        }
    }

    /// From one on, in steps of a quarter of a second.
    pub fn sum() -> Result<GivenRig<Sum, 2, 1>, Error> {
        let named = |name, least, most| (Quantity::new(name, "V"), Range::new(least, most));
        GivenRig::new(
            Sum(1.0),
            SignalNames {
                plant: "sum",
                h: 0.25,
                inputs: [named("more", 0.0, 4.0), named("idle", -1.0, 1.0)],
                outputs: [named("sum", 0.0, 16.0)],
            },
        )
    }

    fn step(rig: &mut impl Rig, inputs: &[f32]) -> Result<(), Error> {
        let mut never = || false;
        rig.step(inputs, &mut Allowance::new(2, &mut never))
            .map(drop)
    }

    fn between(rig: &impl Rig, part: f32) -> f32 {
        let mut seen = -1.0;
        rig.between(part, &mut |_, value| seen = value);
        seen
    }

    /// Steps, what is between, and an error that leaves the inputs of the last.
    #[test]
    fn a_given_plant_steps_and_shows_what_is_between() -> Result<(), Error> {
        let mut rig = sum()?;
        assert_eq!(between(&rig, 0.5), 1.0);
        step(&mut rig, &[2.0, 0.5])?;
        assert_eq!((rig.outputs(), rig.inputs()), (&[3.0][..], &[2.0, 0.5][..]));
        assert_eq!([between(&rig, 0.25), between(&rig, 1.0)], [1.5, 3.0]);
        assert_eq!(step(&mut rig, &[-1.0]), Err(Error::NonFinite));
        assert_eq!((rig.outputs(), rig.inputs()), (&[3.0][..], &[2.0, 0.5][..]));
        step(&mut rig, &[4.0])?;
        assert_eq!((rig.outputs(), rig.inputs()), (&[7.0][..], &[4.0, 0.0][..]));
        assert_eq!(rig.steps(), 3);
        let mut states = 0.0;
        rig.states(&mut |x| states = x);
        assert_eq!(states, 7.0);
        Ok(())
    }

    /// Kept and brought back; reset; between is then what is shown.
    #[test]
    fn a_given_plant_goes_back() -> Result<(), Error> {
        let mut rig = sum()?;
        let (start, mut kept) = (rig.digest(), Snapshot::default());
        step(&mut rig, &[2.0])?;
        rig.save(&mut kept);
        assert_eq!(
            (kept.step, kept.words.len()),
            (1, usize::from(rig.about().words))
        );
        let then = rig.digest();
        step(&mut rig, &[3.0])?;
        assert_ne!(rig.digest(), then);
        assert!(rig.load(&kept));
        assert_eq!((rig.digest(), rig.outputs()), (then, &[3.0][..]));
        assert_eq!(between(&rig, 0.0), 3.0);
        assert!(!rig.load(&Snapshot::default()));
        step(&mut rig, &[3.0])?;
        assert_eq!(rig.apply(&Change::Reset), Ok(()));
        assert_eq!((rig.digest(), between(&rig, 0.0)), (start, 1.0));
        rig.join(40);
        assert_eq!(rig.steps(), 40);
        Ok(())
    }

    /// It has sensors that fail, but no parameters.
    #[test]
    fn a_given_plant_has_faults_and_no_parameters() -> Result<(), Error> {
        let mut rig = sum()?;
        let value = 1.0;
        let change = Change::Parameter { index: 0, value };
        assert_eq!(rig.apply(&change), Err(Refusal::Unknown));
        let jump = Change::Fault(Fault::Jump { index: 0, value });
        assert_eq!(rig.apply(&jump), Err(Refusal::Unknown));
        let off = Change::Fault(Fault::Offset { output: 0, by: 0.5 });
        assert_eq!(rig.apply(&off), Ok(()));
        step(&mut rig, &[1.0])?;
        assert_eq!((rig.outputs(), between(&rig, 0.5)), (&[2.5][..], 2.0));
        assert_eq!(rig.apply(&Change::Heal), Ok(()));
        step(&mut rig, &[1.0])?;
        assert_eq!(rig.outputs(), [3.0]);
        assert_eq!(rig.about().counts, [2, 1, 1, 0]);
        let mut of = |kind, index| rig.describe(kind, index).map(|d| (d.name, d.range));
        assert_eq!(of(Kind::Input, 1), Some(("idle", [-1.0, 1.0])));
        assert_eq!(of(Kind::State, 0), Some(("sum", [0.0, 16.0])));
        assert_eq!([of(Kind::Output, 1), of(Kind::Parameter, 0)], [None; 2]);
        Ok(())
    }
}
