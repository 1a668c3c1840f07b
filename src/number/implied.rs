//! Bounds that follow from another bound.
//!
//! Rust takes what a trait's supertraits say for granted, and nothing else: `M: FirstOrder<R, N, U>` would not say that `R` is a
//! [`Real`](super::Real), and each of a hundred headers would have to. A supertrait may bound its associated type, however. So the
//! other type becomes one: `trait FirstOrder<R, ..>: Implies<R, Is: Real>`.

/// A type that is itself, seen from any other.
#[doc(hidden)]
pub trait Itself<T: ?Sized> {
    type Is: ?Sized;
}

impl<A: ?Sized, T: ?Sized> Itself<T> for A {
    type Is = T;
}

/// A supertrait that bounds another type `T`: `Implies<T, Is: Bound>` says `T: Bound` wherever the trait is asked for.
#[doc(hidden)]
pub trait Implies<T: ?Sized>: Itself<T, Is = T> {}

impl<A: ?Sized, T: ?Sized> Implies<T> for A {}
