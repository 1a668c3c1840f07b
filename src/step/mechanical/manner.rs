//! How a step of a collocation method iterates and ends: with a full or with a lean Newton matrix, projected or not.

use super::OnMechanical;
use crate::method::{
    Accuracy, Coefficients, Collocation, Holds, Lean, Loose, Modes, Projected, Stages,
};
use crate::model::{Damped, Elastic, MassFactor};
use crate::number::{Implies, Real};
use crate::step::full::FullFactors;
use crate::step::lean::LeanFactors;
use crate::step::linearization::Factors;
use crate::step::machine::Machine;

// Springs forgive a method that leaves their constraints.
impl<R, const L: usize> Holds<Elastic<R, L>> for Loose {}
impl<R, const L: usize> Holds<Damped<R, L>> for Loose {}

/// A mechanical model with its state, stepped by the method `K` of `S` stages.
pub type MechanicalStepper<
    R,
    M,
    K,
    const Q: usize,
    const L: usize,
    const U: usize,
    const S: usize,
> = Machine<OnMechanical<R, M, K, Q, L, U, S>>;

/// A collocation method, with how its steps iterate and end: the method itself, [`Lean`] of it, or [`Projected`] of either.
pub trait Manner<const S: usize>: Implies<Stages<S>, Is: Modes> {
    /// The collocation method.
    type Of: Collocation<S>;
    /// Whether the end of a step is projected onto what the joints allow.
    const PROJECTED: bool = false;
    /// Whether the Newton matrix knows how forces vary.
    const FORCES: bool = true;
    /// The factorised Newton matrix.
    #[doc(hidden)]
    #[allow(private_bounds)]
    type Factors<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize>: Factors<Q, L, S, R = R, Mass = F>;

    /// Whether the last stage is the result.
    const STIFF: bool = <Self::Of as Collocation<S>>::Accuracy::STIFF;
    /// Whether the method has an explicit stage at the start of the step.
    const EXPLICIT_FIRST: bool = <Self::Of as Collocation<S>>::EXPLICIT_FIRST;
    /// The method's coefficients.
    #[inline(always)]
    fn coefficients<R: Real>() -> &'static Coefficients<R, S> {
        <Self::Of as Collocation<S>>::coefficients()
    }
}

/// What a step in a manner must know of the inputs of the step before.
pub(in crate::step) type MetBy<K, I, const S: usize> =
    <<<K as Manner<S>>::Of as Collocation<S>>::Accuracy as Accuracy>::Met<I>;

/// A manner without projection.
pub trait Iterated<const S: usize>: Manner<S> {}

impl<K: Collocation<S>, const S: usize> Iterated<S> for K {}
impl<K: Collocation<S>, const S: usize> Iterated<S> for Lean<K> {}

impl<K: Collocation<S>, const S: usize> Manner<S> for K {
    type Of = K;
    type Factors<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize> =
        FullFactors<R, F, Q, L, S>;
}

impl<K: Collocation<S>, const S: usize> Manner<S> for Lean<K> {
    type Of = K;
    const FORCES: bool = false;
    type Factors<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize> =
        LeanFactors<R, F, Q, L, S>;
}

impl<K: Iterated<S>, const S: usize> Manner<S> for Projected<K> {
    type Of = K::Of;
    const PROJECTED: bool = true;
    const FORCES: bool = K::FORCES;
    type Factors<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize> =
        K::Factors<R, F, Q, L>;
}
