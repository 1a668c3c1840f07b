//! How much of a mechanism the Newton matrix of its steps knows.

use core::fmt::Debug;
use core::marker::PhantomData;

/// How much of the model the Newton matrix knows: [`Full`] or [`Lean`].
pub trait Jacobian: Copy + Debug {
    /// Whether it knows how forces vary.
    #[doc(hidden)]
    const FORCES: bool;
    /// Of two types the one for this kind.
    #[doc(hidden)]
    type Choice<L, F>: Either<L, F>;
}

/// All of it: how forces, inertia and the directions of the joints vary. Right for every model.
#[derive(Clone, Copy, Debug)]
pub struct Full;

/// Mass and constraints only. The stiffness of joints is in the constraints, so for a mechanism that turns slowly and whose
/// applied forces are not stiff this converges as fast, at half the price: one real factorisation serves all stages.
///
/// Its limits: from rest, with a damper of `c` on a mass of `m`, two iterations leave about `(h c/m)^3 / 6` of the velocity. What
/// turns fast contracts slowly, too: at 31 steps a turn two iterations are not enough. The report's defect says so. Beyond
/// `h c/m = 2` the iteration does not contract, and the step says [`Diverged`](crate::Error::Diverged).
#[derive(Clone, Copy, Debug)]
pub struct Lean;

impl Jacobian for Lean {
    const FORCES: bool = false;
    type Choice<L, F> = OnlyLean<L, F>;
}

impl Jacobian for Full {
    const FORCES: bool = true;
    type Choice<L, F> = OnlyFull<L, F>;
}

/// One of two things; which one is in the type.
#[doc(hidden)]
pub trait Either<L, F>: Sized {
    fn make<E>(
        lean: impl FnOnce() -> Result<L, E>,
        full: impl FnOnce() -> Result<F, E>,
    ) -> Result<Self, E>;

    fn with<X, T>(&self, x: X, lean: impl FnOnce(&L, X) -> T, full: impl FnOnce(&F, X) -> T) -> T;

    fn either<'a, T: 'a>(
        &'a self,
        lean: impl FnOnce(&'a L) -> T,
        full: impl FnOnce(&'a F) -> T,
    ) -> T
    where
        L: 'a,
        F: 'a;
}

#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct OnlyLean<L, F>(L, PhantomData<F>);

#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct OnlyFull<L, F>(F, PhantomData<L>);

impl<L, F> Either<L, F> for OnlyLean<L, F> {
    #[inline(always)]
    fn make<E>(
        lean: impl FnOnce() -> Result<L, E>,
        _full: impl FnOnce() -> Result<F, E>,
    ) -> Result<Self, E> {
        Ok(OnlyLean(lean()?, PhantomData))
    }

    #[inline(always)]
    fn with<X, T>(&self, x: X, lean: impl FnOnce(&L, X) -> T, _: impl FnOnce(&F, X) -> T) -> T {
        lean(&self.0, x)
    }

    #[inline(always)]
    fn either<'a, T: 'a>(&'a self, lean: impl FnOnce(&'a L) -> T, _: impl FnOnce(&'a F) -> T) -> T
    where
        L: 'a,
        F: 'a,
    {
        lean(&self.0)
    }
}

impl<L, F> Either<L, F> for OnlyFull<L, F> {
    #[inline(always)]
    fn make<E>(
        _lean: impl FnOnce() -> Result<L, E>,
        full: impl FnOnce() -> Result<F, E>,
    ) -> Result<Self, E> {
        Ok(OnlyFull(full()?, PhantomData))
    }

    #[inline(always)]
    fn with<X, T>(&self, x: X, _: impl FnOnce(&L, X) -> T, full: impl FnOnce(&F, X) -> T) -> T {
        full(&self.0, x)
    }

    #[inline(always)]
    fn either<'a, T: 'a>(&'a self, _: impl FnOnce(&'a L) -> T, full: impl FnOnce(&'a F) -> T) -> T
    where
        L: 'a,
        F: 'a,
    {
        full(&self.0)
    }
}
