//! Names for the types of simulations, for a struct or a `static` that keeps one.
//!
//! A method and a model find their stepper by inference, which a struct has none of. So the model says of which kind it is, with
//! the numbers of its own `impl`, and the method how many stages it has.

use super::{Method, OfPotential, OfSecondOrder};
use super::{OfFirstOrder, OfGeneralLinear, OfHessenberg, OfMechanical, OfMultistep, OfPair};
use crate::method::{
    Bdf, Direct, Gauss, LobattoIIIA, LobattoPair, Mapped, OrdinaryBdf, Projected, RadauIA,
    RadauIIA, Stages, Started, Wright, Wunderlich,
};

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

/// Methods of so many stages.
macro_rules! stages {
    ($($method:ident)*) => {$(
        impl<const S: usize> Way for $method<S> {
            type Way = Stages<S>;
        }
    )*};
}
stages!(RadauIIA RadauIA Gauss);

impl Way for LobattoIIIA<2> {
    type Way = Stages<1>;
}
impl Way for LobattoIIIA<3> {
    type Way = Stages<2>;
}
impl Way for LobattoIIIA<4> {
    type Way = Stages<3>;
}
impl Way for LobattoIIIA<5> {
    type Way = Stages<4>;
}
impl<K: Way> Way for Projected<K> {
    type Way = K::Way;
}
impl<K: Way> Way for Direct<K> {
    type Way = K::Way;
}
impl<K: Way> Way for Mapped<K> {
    type Way = K::Way;
}
impl<const S: usize> Way for LobattoPair<S> {
    type Way = LobattoPair<0>;
}
impl<const K: usize> Way for Bdf<K> {
    type Way = Bdf<0>;
}
impl<const K: usize> Way for OrdinaryBdf<K> {
    type Way = Bdf<0>;
}
impl<const K: usize> Way for Started<Bdf<K>> {
    type Way = Bdf<0>;
}
impl Way for Wunderlich {
    type Way = Wunderlich;
}
impl Way for Wright {
    type Way = Wunderlich;
}

impl<R, const N: usize, const U: usize, const S: usize> Stepped<Stages<S>>
    for OfFirstOrder<R, N, U>
{
    type Kind = OfFirstOrder<R, N, U, S>;
}
impl<R, const Q: usize, const L: usize, const U: usize, const S: usize> Stepped<Stages<S>>
    for OfMechanical<R, Q, L, U>
{
    type Kind = OfMechanical<R, Q, L, U, S>;
}
impl<R, const N: usize, const V: usize, const L: usize, const U: usize, const S: usize>
    Stepped<Stages<S>> for OfHessenberg<R, N, V, L, U>
{
    type Kind = OfHessenberg<R, N, V, L, U, S>;
}
impl<R, const Q: usize, const L: usize, const U: usize, const S: usize> Stepped<Stages<S>>
    for OfPotential<R, Q, L, U>
{
    type Kind = OfPotential<R, Q, L, U, S>;
}
impl<R, const N: usize, const U: usize, const S: usize> Stepped<Stages<S>>
    for OfSecondOrder<R, N, U>
{
    type Kind = OfSecondOrder<R, N, U, S>;
}
impl<R, const Q: usize, const L: usize, const U: usize> Stepped<LobattoPair<0>>
    for OfMechanical<R, Q, L, U>
{
    type Kind = OfPair<R, Q, L, U>;
}
impl<R, const N: usize, const U: usize> Stepped<Bdf<0>> for OfSecondOrder<R, N, U> {
    type Kind = OfMultistep<R, N, U>;
}
impl<R, const N: usize, const U: usize> Stepped<Wunderlich> for OfSecondOrder<R, N, U> {
    type Kind = OfGeneralLinear<R, N, U>;
}
