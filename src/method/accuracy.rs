//! Which methods may step which joints.
//!
//! A stiffly accurate method ends where its last stage is, and its last stage satisfies the constraints. Another one leaves
//! them, which an elastic joint forgives and a rigid one does not.

use crate::memory::{Memory, visits};

/// Whether a method is stiffly accurate.
pub trait Accuracy: Copy {
    /// Whether it is.
    const STIFF: bool;
    /// Whether there is an explicit stage at the start of the step, before those that are solved for.
    const EXPLICIT_FIRST: bool = false;
    /// What a step of a mechanism must know of the inputs of the step before.
    type Met<I: Copy + PartialEq + Memory>: Met<I>;
}

/// What a step must know of the inputs of the step before: nothing, if it goes on from positions and velocities, or [`All`].
pub trait Met<I>: Copy + Memory {
    /// It, of these inputs.
    fn of(inputs: &I) -> Self;
    /// Whether these are others.
    fn differs(&self, inputs: &I) -> bool;
}

impl<I> Met<I> for () {
    #[inline(always)]
    fn of(_inputs: &I) {}
    #[inline(always)]
    fn differs(&self, _inputs: &I) -> bool {
        false
    }
}

/// All inputs, for steps that go on from accelerations or multipliers, which are others where inputs jump.
#[derive(Clone, Copy, Debug)]
pub struct All<I> {
    inputs: I,
}

impl<I: Copy + PartialEq + Memory> Met<I> for All<I> {
    #[inline(always)]
    fn of(inputs: &I) -> Self {
        All { inputs: *inputs }
    }
    #[inline(always)]
    fn differs(&self, inputs: &I) -> bool {
        self.inputs != *inputs
    }
}

visits!([I: Memory] All<I>: inputs);

/// The last stage is the result: `a_sj = b_j`.
#[derive(Clone, Copy, Debug)]
pub struct StifflyAccurate;

/// The same with another stage at the start of the step, which is explicit.
#[derive(Clone, Copy, Debug)]
pub struct ExplicitFirst;

/// The result is none of the stages.
#[derive(Clone, Copy, Debug)]
pub struct Loose;

impl Accuracy for StifflyAccurate {
    const STIFF: bool = true;
    type Met<I: Copy + PartialEq + Memory> = ();
}

impl Accuracy for ExplicitFirst {
    const STIFF: bool = true;
    const EXPLICIT_FIRST: bool = true;
    type Met<I: Copy + PartialEq + Memory> = All<I>;
}

impl Accuracy for Loose {
    const STIFF: bool = false;
    type Met<I: Copy + PartialEq + Memory> = All<I>;
}

/// A method's accuracy that holds joints of type `J` without help.
#[diagnostic::on_unimplemented(
    message = "a method that is not stiffly accurate leaves the constraints of joints that are `{J}`",
    label = "this method's result is none of its stages",
    note = "ask for `Projected(method)`, which returns to the constraints after every step, or for `Direct(method)` to see what happens without"
)]
pub trait Holds<J> {}

impl<J> Holds<J> for StifflyAccurate {}
impl<J> Holds<J> for ExplicitFirst {}

/// The accuracy of a method all of whose stages are solved for.
#[diagnostic::on_unimplemented(
    message = "a method with an explicit first stage does not step such a model",
    label = "this method's first stage is the start of the step",
    note = "`RadauIIA` and `Gauss` solve for all of their stages"
)]
pub trait AllImplicit: Accuracy {}

impl AllImplicit for StifflyAccurate {}
impl AllImplicit for Loose {}
