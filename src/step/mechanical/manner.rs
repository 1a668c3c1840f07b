//! How a step of a collocation method iterates and ends: with a full or with a lean Newton matrix, projected or not.

use super::OnMechanical;
use crate::method::{Collocation, Holds, Lean, Loose, Modes, Stages};
use crate::model::{Damped, Elastic, MassFactor};
use crate::number::Real;
use crate::step::full::FullFactors;
use crate::step::lean::LeanFactors;
use crate::step::linearization::Factors;
use crate::step::machine::Machine;

// Springs forgive a method that leaves their constraints.
impl<R, const L: usize> Holds<Elastic<R, L>> for Loose {}
impl<R, const L: usize> Holds<Damped<R, L>> for Loose {}

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

/// How a step iterates and ends: [`Free`], [`OntoManifold`], or [`Lean`] of either.
pub trait Manner: End {
    /// Whether its Newton matrix knows how forces vary.
    const FORCES: bool;
    /// The factorised Newton matrix.
    #[doc(hidden)]
    #[allow(private_bounds)]
    type Factors<
        R: Real,
        F: MassFactor<R, Q>,
        const Q: usize,
        const L: usize,
        const S: usize,
    >: Factors<R, F, Q, L, S>
    where
        Stages<S>: Modes;
}

/// Nothing happens to the end of a step.
#[derive(Clone, Copy, Debug)]
pub struct Free;

/// The end of a step is projected onto what the joints allow.
#[derive(Clone, Copy, Debug)]
pub struct OntoManifold;

impl End for Free {
    const PROJECTED: bool = false;
}

impl Manner for Free {
    const FORCES: bool = true;
    type Factors<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize>
        = FullFactors<R, F, Q, L, S>
    where
        Stages<S>: Modes;
}

impl End for OntoManifold {
    const PROJECTED: bool = true;
}

impl Manner for OntoManifold {
    const FORCES: bool = true;
    type Factors<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize>
        = FullFactors<R, F, Q, L, S>
    where
        Stages<S>: Modes;
}

impl<E: End> End for Lean<E> {
    const PROJECTED: bool = E::PROJECTED;
}

impl<E: Manner> Manner for Lean<E> {
    const FORCES: bool = false;
    type Factors<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize>
        = LeanFactors<R, F, Q, L, S>
    where
        Stages<S>: Modes;
}

/// A collocation method, or such a method made lean.
pub trait Iterated<const S: usize>
where
    Stages<S>: Modes,
{
    /// The method.
    type Of: Collocation<S>;
    /// Steps that end in the manner `E`, with this method's Newton matrix.
    type Ending<E: Manner>: Manner;
}

impl<K: Collocation<S>, const S: usize> Iterated<S> for K
where
    Stages<S>: Modes,
{
    type Of = K;
    type Ending<E: Manner> = E;
}

impl<K: Collocation<S>, const S: usize> Iterated<S> for Lean<K>
where
    Stages<S>: Modes,
{
    type Of = K;
    type Ending<E: Manner> = Lean<E>;
}
