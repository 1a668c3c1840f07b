//! Which methods step which mechanisms: a collocation method whose accuracy holds the joints, the same used directly
//! whatever they are, and the same with a projection at the end.

use super::OnMechanical;
use crate::method::{Collocation, Direct, Holds, Loose, Modes, Projected, Stages};
use crate::model::{Damped, Elastic, Mechanical, Vector};
use crate::number::Real;
use crate::step::machine::Machine;
use crate::step::{Error, Method};
use core::marker::PhantomData;

// Springs forgive a method that leaves their constraints.
impl<R, const L: usize> Holds<Elastic<R, L>> for Loose {}
impl<R, const L: usize> Holds<Damped<R, L>> for Loose {}

/// The kind of a mechanical model, for inference.
#[derive(Clone, Copy, Debug)]
pub struct OfMechanical<R, const Q: usize, const L: usize, const U: usize, const S: usize = 0>(
    PhantomData<R>,
);

/// A mechanical model with its state, stepped by the collocation method `K` of `S` stages.
pub type MechanicalStepper<
    R,
    M,
    K,
    E,
    const Q: usize,
    const L: usize,
    const U: usize,
    const S: usize,
> = Machine<OnMechanical<R, M, K, E, Q, L, U, S>>;

/// What happens to the end of a step.
pub trait End: Copy {
    /// Whether it is projected.
    const PROJECTED: bool;
}

/// Nothing happens to it.
#[derive(Clone, Copy, Debug)]
pub struct Free;

/// It is projected onto what the joints allow.
#[derive(Clone, Copy, Debug)]
pub struct OntoManifold;

impl End for Free {
    const PROJECTED: bool = false;
}

impl End for OntoManifold {
    const PROJECTED: bool = true;
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>
    Method<M, OfMechanical<R, Q, L, U, S>> for K
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
    K::Accuracy: Holds<M::Joints>,
{
    type Real = R;
    type Start = (Vector<R, Q>, Vector<R, Q>);
    type Stepper = MechanicalStepper<R, M, K, Free, Q, L, U, S>;

    fn stepper(self, model: M, h: R, start: Self::Start) -> Result<Self::Stepper, Error> {
        Machine::new(model, h, start)
    }
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>
    Method<M, OfMechanical<R, Q, L, U, S>> for Direct<K>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
{
    type Real = R;
    type Start = (Vector<R, Q>, Vector<R, Q>);
    type Stepper = MechanicalStepper<R, M, K, Free, Q, L, U, S>;

    fn stepper(self, model: M, h: R, start: Self::Start) -> Result<Self::Stepper, Error> {
        Machine::new(model, h, start)
    }
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>
    Method<M, OfMechanical<R, Q, L, U, S>> for Projected<K>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
{
    type Real = R;
    type Start = (Vector<R, Q>, Vector<R, Q>);
    type Stepper = MechanicalStepper<R, M, K, OntoManifold, Q, L, U, S>;

    fn stepper(self, model: M, h: R, start: Self::Start) -> Result<Self::Stepper, Error> {
        Machine::new(model, h, start)
    }
}
