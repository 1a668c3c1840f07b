//! A plant on its test rig: with sensors that may fail and parameters that may jump, but without clocks, pins and wires.
//! What it does follows from its inputs and changes to the bit, on a board as on the desk.

use super::fault::{Fault, Faults, MOST_PARAMETERS};
use super::manner::{Eventful, Manner, Plain};
use super::protocol::{Change, Description, Kind, Refusal};
use super::rig::About;
use super::states::States;
use super::{Allowance, MOST_SIGNALS, Range, Rig, Snapshot};
use crate::drive::Simulation;
use crate::memory::{Digest, Load, Memory, Words};
use crate::model::{Plant, Quantity, Vector};
use crate::step::{Dense, Error, Remember, Report, Stepper};

/// A stepper that a rig can hold: of the plant `M` with `U` inputs and `Y` outputs. A function that makes a simulation can say
/// `Simulation<impl Steps<M, U, Y>>`, whatever the method.
pub trait Steps<M: Plant<f32, U, Y>, const U: usize, const Y: usize>:
    Dense<Real = f32, Model = M, Input = Vector<f32, U>, State = M::State> + Remember
{
}

impl<P, M, const U: usize, const Y: usize> Steps<M, U, Y> for P
where
    P: Dense<Real = f32, Model = M, Input = Vector<f32, U>, State = M::State> + Remember,
    M: Plant<f32, U, Y>,
{
}

/// A simulated plant as a rig.
pub struct PlantRig<P: Stepper, const U: usize, const Y: usize, S = Plain> {
    plant: Simulation<P>,
    manner: S,
    faults: Faults<Y>,
    shown: [f32; Y],
    steps: u32,
    start: Snapshot,
    inputs: [Range; U],
    outputs: [Range; Y],
}

impl<P, const U: usize, const Y: usize> PlantRig<P, U, Y>
where
    P: Dense<Real = f32, Input = Vector<f32, U>> + Remember,
    P::Model: Plant<f32, U, Y, State = P::State> + Clone,
    P::State: States,
{
    /// A rig for a plant at its start. The ranges are what the full swing of each pin means. A plant must not keep more
    /// than a snapshot holds.
    pub fn new(
        plant: Simulation<P>,
        inputs: [Range; U],
        outputs: [Range; Y],
    ) -> Result<Self, Error> {
        Self::stepped(plant, Plain, inputs, outputs)
    }
}

impl<P, V, const U: usize, const Y: usize, const E: usize> PlantRig<P, U, Y, Eventful<V, E>>
where
    P: Dense<Real = f32, Input = Vector<f32, U>> + Remember,
    P::Model: Plant<f32, U, Y, State = P::State> + Clone,
    P::State: States,
    Eventful<V, E>: Manner<P>,
{
    /// The same for a plant with events, which may depend on its inputs. What they change of the model must be among the words that
    /// [`Plant::remember`](crate::model::Plant::remember) visits, or a snapshot does not bring it back.
    pub fn with_events(
        plant: Simulation<P>,
        watch: crate::drive::Watch<f32, V, E>,
        inputs: [Range; U],
        outputs: [Range; Y],
    ) -> Result<Self, Error> {
        Self::stepped(plant, Eventful::new(watch), inputs, outputs)
    }
}

impl<P, S, const U: usize, const Y: usize> PlantRig<P, U, Y, S>
where
    P: Dense<Real = f32, Input = Vector<f32, U>> + Remember,
    P::Model: Plant<f32, U, Y, State = P::State> + Clone,
    P::State: States,
    S: Manner<P>,
{
    fn stepped(
        plant: Simulation<P>,
        manner: S,
        inputs: [Range; U],
        outputs: [Range; Y],
    ) -> Result<Self, Error> {
        const {
            assert!(U <= MOST_SIGNALS, "too many inputs for the link");
            assert!(
                P::Model::PARAMETERS.len() <= MOST_PARAMETERS,
                "too many parameters for the link"
            );
        };
        let mut rig = PlantRig {
            plant,
            manner,
            faults: Faults::default(),
            shown: [0.0; Y],
            steps: 0,
            start: Snapshot::default(),
            inputs,
            outputs,
        };
        rig.look();
        rig.start = Snapshot::of_start(&mut rig)?;
        Ok(rig)
    }

    /// Reads the sensors.
    fn look(&mut self) {
        let (t, u) = (self.plant.model_time(), self.plant.input);
        let outputs = self.plant.model().outputs(t, self.plant.state(), &u);
        self.shown = self.faults.show(&outputs.data.0[0]);
    }

    /// The parameter's current value.
    fn parameter(&self, index: usize) -> Option<f32> {
        self.plant.model().clone().parameter_mut(index).copied()
    }

    /// Sets a parameter and gives what it was. The range is checked first, because any change of the model, even one to
    /// the same value, has the plant fitted anew.
    fn set(&mut self, index: u8, value: f32) -> Result<f32, Refusal> {
        let index = usize::from(index);
        let parameter = P::Model::PARAMETERS.get(index).ok_or(Refusal::Unknown)?;
        let exact = f64::from(value);
        // False for NaN, too.
        if !(exact >= parameter.least && exact <= parameter.most) {
            return Err(Refusal::OutOfRange);
        }
        let before = self.parameter(index).ok_or(Refusal::Unknown)?;
        let _in_range = self
            .plant
            .change(|model| model.set_parameter(index, value))?;
        Ok(before)
    }

    /// Ends all faults. Parameters jump back together: the plant fits with all of them, not with some.
    fn heal(&mut self) -> Result<(), Refusal> {
        let faults = self.faults;
        if (0..MOST_PARAMETERS).any(|index| faults.before(index).is_some()) {
            self.plant.change(|model| {
                for index in 0..MOST_PARAMETERS {
                    if let Some((value, slot)) =
                        faults.before(index).zip(model.parameter_mut(index))
                    {
                        *slot = value;
                    }
                }
            })?;
        }
        self.faults.heal();
        Ok(())
    }
}

impl<P, S: Memory, const U: usize, const Y: usize> Memory for PlantRig<P, U, Y, S>
where
    P: Remember<Real = f32, Input = Vector<f32, U>>,
    P::Model: Plant<f32, U, Y>,
{
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.plant
            .remember(words, |model, words| model.remember(words));
        self.manner.visit(words);
        self.faults.visit(words);
        self.shown.visit(words);
    }
}

impl<P, S, const U: usize, const Y: usize> Rig for PlantRig<P, U, Y, S>
where
    P: Dense<Real = f32, Input = Vector<f32, U>> + Remember,
    P::Model: Plant<f32, U, Y, State = P::State> + Clone,
    P::State: States,
    S: Manner<P>,
{
    fn about(&self) -> About {
        let parameters = P::Model::PARAMETERS.len();
        About {
            plant: P::Model::NAME,
            h: self.plant.h(),
            counts: [U, Y, P::State::COUNT, parameters].map(|count| count as u8),
            words: self.start.words.len() as u16,
        }
    }

    fn describe(&mut self, kind: Kind, index: u8) -> Option<Description<&'static str>> {
        let i = usize::from(index);
        let none = Range::new(f32::MIN, f32::MAX);
        let unnamed = Quantity { name: "", unit: "" };
        let (quantity, range, value) = match kind {
            Kind::Input => (*P::Model::INPUTS.get(i)?, *self.inputs.get(i)?, 0.0),
            Kind::Output => (*P::Model::OUTPUTS.get(i)?, *self.outputs.get(i)?, 0.0),
            Kind::State if i < P::State::COUNT => {
                let quantity = P::Model::STATES.get(i);
                (*quantity.unwrap_or(&unnamed), none, 0.0)
            }
            Kind::State => return None,
            Kind::Parameter => {
                let parameter = P::Model::PARAMETERS.get(i)?;
                let range = Range::new(parameter.least as f32, parameter.most as f32);
                (parameter.quantity, range, self.parameter(i)?)
            }
        };
        Some(Description {
            kind,
            index,
            name: quantity.name,
            unit: quantity.unit,
            range: [range.least, range.most],
            value,
        })
    }

    fn apply(&mut self, change: &Change) -> Result<(), Refusal> {
        match *change {
            Change::Parameter { index, value } => self.set(index, value).map(drop),
            Change::Fault(Fault::Jump { index, value }) => {
                let before = self.set(index, value)?;
                self.faults.jumped(usize::from(index), before);
                Ok(())
            }
            Change::Fault(fault) => self.faults.inject(fault),
            Change::Heal => self.heal(),
            Change::Reset => {
                let start = core::mem::take(&mut self.start);
                self.visit(&mut Load::new(&start.words));
                self.start = start;
                Ok(())
            }
            Change::Inputs(_)
            | Change::Keep
            | Change::Restore
            | Change::Policy(_)
            | Change::Silence(_) => Ok(()),
        }
    }

    fn step(
        &mut self,
        inputs: &[f32],
        allowance: &mut Allowance<'_>,
    ) -> Result<Report<f32>, Error> {
        self.steps = self.steps.wrapping_add(1);
        for i in 0..U {
            self.plant.input.data.0[0][i] = inputs.get(i).copied().unwrap_or(0.0);
        }
        let report = self.manner.step(&mut self.plant, allowance)?;
        self.look();
        Ok(report)
    }

    fn steps(&self) -> u32 {
        self.steps
    }

    fn inputs(&self) -> &[f32] {
        self.plant.input.as_slice()
    }

    fn outputs(&self) -> &[f32] {
        &self.shown
    }

    fn between(&self, part: f32, see: &mut dyn FnMut(usize, f32)) {
        // Before the last event there is no dense output: what is shown is what it left.
        let by = ((1.0 - part) * self.plant.h()).min(self.manner.reach());
        let (t, u) = (self.plant.model_time() - by, self.plant.input);
        let outputs = self.plant.model().outputs(t, &self.plant.before(by), &u);
        // A copy: only the end of a step counts as a sample.
        let shown = { self.faults }.show(&outputs.data.0[0]);
        for i in 0..Y {
            see(i, shown[i]);
        }
    }

    fn states(&self, see: &mut dyn FnMut(f32)) {
        self.plant.state().each(see);
    }

    fn digest(&mut self) -> u32 {
        Digest::of(self).hash
    }

    fn save(&mut self, into: &mut Snapshot) {
        into.take(self, self.steps);
    }

    fn load(&mut self, from: &Snapshot) -> bool {
        from.bring_back(self)
    }

    fn join(&mut self, step: u32) {
        self.steps = step;
    }
}

#[cfg(test)]
mod tests {
    use super::{Allowance, PlantRig, Range, Rig};
    use crate::drive::Simulation;
    use crate::hil::Fault;
    use crate::hil::protocol::{Change, Kind, Refusal};
    use crate::method::RadauIIA;
    use crate::model::{FirstOrder, Parameter, Plant, Quantity, Unit, Vector};
    use crate::number::Scalar;
    use crate::step::Error;

    /// A number that grows at a rate, by what is fed in; it shows itself and the time.
    #[derive(Clone, Copy)]
    struct Ramp {
        rate: f32,
    }
    impl FirstOrder<f32, 1, 1> for Ramp {
        type Mass = Unit;
        fn rhs<T: Scalar<f32>>(
            &self,
            _t: T,
            _x: &Vector<T, 1>,
            u: &Vector<f32, 1>,
        ) -> Vector<T, 1> {
            [T::constant(self.rate * u[0])].into()
        }
    }
    impl Plant<f32, 1, 2> for Ramp {
        type State = Vector<f32, 1>;
        const NAME: &'static str = "ramp";
        const INPUTS: [Quantity; 1] = [Quantity::new("slope", "1/s")];
        const OUTPUTS: [Quantity; 2] = [Quantity::new("place", "m"), Quantity::new("time", "s")];
        const PARAMETERS: &'static [Parameter<Self, f32>] =
            &[Parameter::new("rate", "1/s", 0.5, 8.0, |ramp| {
                &mut ramp.rate
            })];
        fn outputs(&self, t: f32, x: &Vector<f32, 1>, _u: &Vector<f32, 1>) -> Vector<f32, 2> {
            [x[0], t].into()
        }
    }

    /// Steps of half a second.
    fn rig() -> Result<impl Rig, Error> {
        let start = Vector::from([1.0]);
        let plant = Simulation::new(Ramp { rate: 2.0 }, RadauIIA::<2>, 0.5, start)?;
        let outputs = [Range::new(-4.0, 4.0), Range::new(0.0, 8.0)];
        PlantRig::new(plant, [Range::new(-1.0, 3.0)], outputs)
    }

    fn step(rig: &mut impl Rig, input: f32) -> Result<(), Error> {
        let mut never = || false;
        rig.step(&[input], &mut Allowance::new(5, &mut never))
            .map(drop)
    }

    /// Outputs within the last step: the state then, and the time then.
    #[test]
    fn outputs_between_steps_are_those_of_their_time() -> Result<(), Error> {
        let mut rig = rig()?;
        step(&mut rig, 1.0)?;
        step(&mut rig, 3.0)?;
        assert_eq!((rig.outputs(), rig.inputs()), (&[5.0, 1.0][..], &[3.0][..]));
        for (part, expected) in [(0.0, [2.0, 0.5]), (0.25, [2.75, 0.625]), (1.0, [5.0, 1.0])] {
            let mut seen = [0.0_f32; 2];
            rig.between(part, &mut |i, value| seen[i] = value);
            for i in 0..2 {
                assert!((seen[i] - expected[i]).abs() < 1e-6, "{part}: {seen:?}");
            }
        }
        let mut states = [0.0; 1];
        rig.states(&mut |x| states[0] = x);
        assert_eq!((states, rig.steps()), ([5.0], 2));
        rig.join(17);
        assert_eq!(rig.steps(), 17);
        Ok(())
    }

    /// Within its range a parameter is set; a jump is healed, and a reset is the start.
    #[test]
    fn parameters_change_within_their_range() -> Result<(), Error> {
        let mut rig = rig()?;
        let start = rig.digest();
        let set = |rig: &mut dyn Rig, index, value| rig.apply(&Change::Parameter { index, value });
        let rate = |rig: &mut dyn Rig| rig.describe(Kind::Parameter, 0).map(|d| d.value);
        assert_eq!([set(&mut rig, 0, 0.5), set(&mut rig, 0, 8.0)], [Ok(()); 2]);
        assert_eq!(rate(&mut rig), Some(8.0));
        for wrong in [0.49, 8.1, f32::NAN] {
            assert_eq!(set(&mut rig, 0, wrong), Err(Refusal::OutOfRange));
        }
        assert_eq!(set(&mut rig, 1, 1.0), Err(Refusal::Unknown));
        for value in [4.0, 2.0] {
            let jump = Fault::Jump { index: 0, value };
            assert_eq!(rig.apply(&Change::Fault(jump)), Ok(()));
        }
        assert_eq!(rate(&mut rig), Some(2.0));
        assert_eq!(rig.apply(&Change::Heal), Ok(()));
        assert_eq!(rate(&mut rig), Some(8.0));
        assert_ne!(rig.digest(), start);
        assert_eq!(rig.apply(&Change::Reset), Ok(()));
        assert_eq!((rig.digest(), rate(&mut rig)), (start, Some(2.0)));
        Ok(())
    }

    /// What there is, by kind, with its range, and nothing beyond.
    #[test]
    fn a_rig_describes_what_it_has() -> Result<(), Error> {
        let mut rig = rig()?;
        let about = rig.about();
        assert_eq!(
            (about.plant, about.h, about.counts),
            ("ramp", 0.5, [1, 2, 1, 1])
        );
        let mut of = |kind, index| rig.describe(kind, index).map(|d| (d.name, d.range));
        assert_eq!(of(Kind::Input, 0), Some(("slope", [-1.0, 3.0])));
        assert_eq!(of(Kind::Output, 1), Some(("time", [0.0, 8.0])));
        assert_eq!(of(Kind::Parameter, 0), Some(("rate", [0.5, 8.0])));
        assert_eq!(of(Kind::State, 0), Some(("", [f32::MIN, f32::MAX])));
        let kinds = [Kind::Input, Kind::State, Kind::Parameter];
        assert_eq!(kinds.map(|kind| of(kind, 1)), [None; 3]);
        Ok(())
    }
}
