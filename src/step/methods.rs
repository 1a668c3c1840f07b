//! Which methods step which models: the table of all pairs, and names for the types of simulations.
//!
//! A method and a model find their stepper by inference: the kind of a model, [`OfFirstOrder`] and its like, says which row of the
//! table they are. A struct or a `static` that keeps a simulation has no inference. There the model says itself of which kind it is,
//! with the numbers of its own `impl`, and the method how many stages it has.

use super::machine::Machine;
use super::mechanical::Iterated;
use super::{Error, Method, OnFirstOrder, OnGeneralLinear, OnHessenberg};
use super::{OnMechanical, OnMultistep, OnPair, OnPotential};
use crate::method::{
    AllImplicit, Backward, Bdf, Collocation, Direct, Gauss, GeneralLinear, Holds, Lean,
    LobattoIIIA, LobattoPair, Mapped, OneStep, Projected, RadauIIA, Stages, Started,
    StifflyAccurate,
};
use crate::model::{FirstOrder, Hessenberg, Mechanical, Potential, SecondOrder, Vector};
use crate::number::Real;
use core::marker::PhantomData;

/// Kinds of models.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident<$($n:ident),*; $($s:ident)?>;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<R, $(const $n: usize,)* $(const $s: usize = 0)?>(PhantomData<R>);
    )*};
}
kinds! {
    /// The kind of a first-order model, for inference.
    OfFirstOrder<N, U; S>;
    /// The kind of a mechanical model, for inference.
    OfMechanical<Q, L, U; S>;
    /// The kind of a Hessenberg system, for inference.
    OfHessenberg<N, V, L, U; S>;
    /// The kind of a model with a strong potential, for inference.
    OfPotential<Q, L, U; S>;
    /// The kind of a mechanical model stepped by a pair of methods, for inference.
    OfPair<Q, L, U;>;
    /// The kind of a second-order model stepped by a multistep method, for inference.
    OfMultistep<N, U;>;
    /// The kind of a second-order model, for inference.
    OfSecondOrder<N, U; S>;
    /// The kind of a second-order model stepped by a general linear method, for inference.
    OfGeneralLinear<N, U, S, K;>;
}

/// A row: a method, the model that it steps, its kind, what a simulation starts from, and the scheme.
macro_rules! steps {
    ($([$($types:ident),*; $($n:ident),*] $method:ty: $model:path, $kind:ty, $start:ty => $scheme:ty, [$($bounds:tt)*];)*) => {$(
        impl<R, M, $($types,)* $(const $n: usize),*> Method<M, $kind> for $method
        where
            R: Real,
            M: $model,
            $($bounds)*
        {
            type Real = R;
            type Start = $start;
            type Stepper = Machine<$scheme>;

            fn stepper(self, model: M, h: R, start: $start) -> Result<Self::Stepper, Error> {
                Machine::new(model, h, start)
            }
        }
    )*};
}

/// Two vectors: positions and velocities.
type Two<R, const N: usize, const V: usize> = (Vector<R, N>, Vector<R, V>);

steps! {
    [K; N, U, S] K: FirstOrder<R, N, U>, OfFirstOrder<R, N, U, S>, Vector<R, N>
        => OnFirstOrder<R, M, K, N, U, S>, [K: Collocation<S>];
    [K; Q, L, U, S] K: Mechanical<R, Q, L, U>, OfMechanical<R, Q, L, U, S>, Two<R, Q, Q>
        => OnMechanical<R, M, K, Q, L, U, S>,
        [K: Iterated<S>, <K::Of as Collocation<S>>::Accuracy: Holds<M::Joints>];
    [K; Q, L, U, S] Direct<K>: Mechanical<R, Q, L, U>, OfMechanical<R, Q, L, U, S>, Two<R, Q, Q>
        => OnMechanical<R, M, K, Q, L, U, S>, [K: Iterated<S>];
    [K; Q, L, U, S] Projected<K>: Mechanical<R, Q, L, U>, OfMechanical<R, Q, L, U, S>, Two<R, Q, Q>
        => OnMechanical<R, M, Self, Q, L, U, S>, [K: Iterated<S>];
    [; Q, L, U, S] LobattoPair<S>: Mechanical<R, Q, L, U>, OfPair<R, Q, L, U>, Two<R, Q, Q>
        => OnPair<R, M, Q, L, U, S>, [];
    [K; N, V, L, U, S] K: Hessenberg<R, N, V, L, U>, OfHessenberg<R, N, V, L, U, S>, Two<R, N, V>
        => OnHessenberg<R, M, K, N, V, L, U, S>,
        [K: Collocation<S, Accuracy = StifflyAccurate>];
    [K; N, V, L, U, S] Projected<K>: Hessenberg<R, N, V, L, U>, OfHessenberg<R, N, V, L, U, S>, Two<R, N, V>
        => OnHessenberg<R, M, Self, N, V, L, U, S>, [K: Collocation<S, Accuracy: AllImplicit>];
    [K; Q, L, U, S] K: Potential<R, Q, L, U>, OfPotential<R, Q, L, U, S>, Two<R, Q, Q>
        => OnPotential<R, M, K, Q, L, U, S>, [K: Collocation<S, Accuracy = StifflyAccurate>];
    [K; N, U, S] K: SecondOrder<R, N, U>, OfSecondOrder<R, N, U, S>, Two<R, N, N>
        => OnGeneralLinear<R, M, OneStep<K>, N, U, S, 3>, [K: Collocation<S>];
    [G; N, U, S, K] G: SecondOrder<R, N, U>, OfGeneralLinear<R, N, U, S, K>, Two<R, N, N>
        => OnGeneralLinear<R, M, G, N, U, S, K>, [G: GeneralLinear<S, K>];
    [B; N, U] B: SecondOrder<R, N, U>, OfMultistep<R, N, U>, Two<R, N, N>
        => OnMultistep<R, M, B, N, U>, [B: Backward];
}

/// A model that says of which kind it is: `OfFirstOrder<f32, 2, 1>` if it implements `FirstOrder<f32, 2, 1>`, and likewise
/// [`OfMechanical`], [`OfHessenberg`], [`OfPotential`] and [`OfSecondOrder`]. Only [`Simulated`](crate::drive::Simulated) needs it.
pub trait Named {
    /// Its kind.
    type Kind;
}

/// A method that says in which of the ways to step a model it does so: by collocation of so many stages, or as a family of its own.
#[doc(hidden)]
pub trait Way {
    type Way;
}

/// The kind of a model that is stepped in a way.
#[doc(hidden)]
pub trait Stepped<W> {
    type Kind;
}

/// The kind by which the method `K` steps the model `M`.
#[doc(hidden)]
pub type KindOf<M, K> = <<M as Named>::Kind as Stepped<<K as Way>::Way>>::Kind;

/// The stepper of the model `M` by the method `K`.
pub type StepperOf<M, K> = <K as Method<M, KindOf<M, K>>>::Stepper;

/// Ways of methods.
macro_rules! ways {
    ($([$($g:tt)*] $method:ty => $way:ty;)*) => {$(
        impl<$($g)*> Way for $method {
            type Way = $way;
        }
    )*};
}
ways! {
    [const S: usize] RadauIIA<S> => Stages<S>;
    [const S: usize] Gauss<S> => Stages<S>;
    [] LobattoIIIA<2> => Stages<1>;
    [] LobattoIIIA<3> => Stages<2>;
    [] LobattoIIIA<4> => Stages<3>;
    [] LobattoIIIA<5> => Stages<4>;
    [K: Way] Lean<K> => K::Way;
    [K: Way] Projected<K> => K::Way;
    [K: Way] Direct<K> => K::Way;
    [K: Way] Mapped<K> => K::Way;
    [const S: usize] LobattoPair<S> => LobattoPair<0>;
    [const K: usize] Bdf<K> => Bdf<0>;
    [const K: usize] Started<Bdf<K>> => Bdf<0>;
}

/// Kinds by the way in which a model of a kind is stepped.
macro_rules! stepped {
    ($([$($n:ident),*] $model:ty, $way:ty => $kind:ty;)*) => {$(
        impl<R, $(const $n: usize),*> Stepped<$way> for $model {
            type Kind = $kind;
        }
    )*};
}
stepped! {
    [N, U, S] OfFirstOrder<R, N, U>, Stages<S> => OfFirstOrder<R, N, U, S>;
    [Q, L, U, S] OfMechanical<R, Q, L, U>, Stages<S> => OfMechanical<R, Q, L, U, S>;
    [N, V, L, U, S] OfHessenberg<R, N, V, L, U>, Stages<S> => OfHessenberg<R, N, V, L, U, S>;
    [Q, L, U, S] OfPotential<R, Q, L, U>, Stages<S> => OfPotential<R, Q, L, U, S>;
    [N, U, S] OfSecondOrder<R, N, U>, Stages<S> => OfSecondOrder<R, N, U, S>;
    [Q, L, U] OfMechanical<R, Q, L, U>, LobattoPair<0> => OfPair<R, Q, L, U>;
    [N, U] OfSecondOrder<R, N, U>, Bdf<0> => OfMultistep<R, N, U>;
}
