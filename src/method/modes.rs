//! How many modes a number of stages has: storage for one item a mode.

use crate::memory::{Memory, Words};

/// Storage for one item a mode. Conjugate pairs come as `S / 2`, which stable const generics cannot say, so each number
/// of stages says it for itself.
pub trait Modes {
    /// One item for each real eigenvalue.
    type PerReal<T: Copy>: Slots<T>;
    /// One item for each conjugate pair.
    type PerPair<T: Copy>: Slots<T>;
}

/// A number of implicit stages.
#[derive(Clone, Copy, Debug)]
pub struct Stages<const S: usize>;

impl Modes for Stages<1> {
    type PerReal<T: Copy> = [T; 1];
    type PerPair<T: Copy> = [T; 0];
}
impl Modes for Stages<2> {
    type PerReal<T: Copy> = [T; 0];
    type PerPair<T: Copy> = [T; 1];
}
impl Modes for Stages<3> {
    type PerReal<T: Copy> = [T; 1];
    type PerPair<T: Copy> = [T; 1];
}
impl Modes for Stages<4> {
    type PerReal<T: Copy> = [T; 0];
    type PerPair<T: Copy> = [T; 2];
}
impl Modes for Stages<6> {
    type PerReal<T: Copy> = [T; 0];
    type PerPair<T: Copy> = [T; 3];
}
impl Modes for Stages<5> {
    type PerReal<T: Copy> = [T; 1];
    type PerPair<T: Copy> = [T; 2];
}

/// An array whose length only its type knows.
pub trait Slots<T: Copy>: Copy + AsRef<[T]> + AsMut<[T]> {
    /// Every slot set to `value`.
    fn filled(value: T) -> Self;
    /// Slot k set to `make(k)`, unless one of them fails.
    fn try_filled<E>(make: impl FnMut(usize) -> Result<T, E>) -> Result<Self, E>;
}

impl<T: Copy> Slots<T> for [T; 0] {
    #[inline(always)]
    fn filled(_value: T) -> Self {
        []
    }
    #[inline(always)]
    fn try_filled<E>(_make: impl FnMut(usize) -> Result<T, E>) -> Result<Self, E> {
        Ok([])
    }
}

impl<T: Copy> Slots<T> for [T; 1] {
    #[inline(always)]
    fn filled(value: T) -> Self {
        [value]
    }
    #[inline(always)]
    fn try_filled<E>(mut make: impl FnMut(usize) -> Result<T, E>) -> Result<Self, E> {
        Ok([make(0)?])
    }
}

impl<T: Copy> Slots<T> for [T; 3] {
    #[inline(always)]
    fn filled(value: T) -> Self {
        [value; 3]
    }
    #[inline(always)]
    fn try_filled<E>(mut make: impl FnMut(usize) -> Result<T, E>) -> Result<Self, E> {
        Ok([make(0)?, make(1)?, make(2)?])
    }
}

impl<T: Copy> Slots<T> for [T; 2] {
    #[inline(always)]
    fn filled(value: T) -> Self {
        [value; 2]
    }
    #[inline(always)]
    fn try_filled<E>(mut make: impl FnMut(usize) -> Result<T, E>) -> Result<Self, E> {
        Ok([make(0)?, make(1)?])
    }
}

/// One item a mode.
pub(crate) fn visit_slots<T: Memory + Copy, W: Words>(slots: &mut impl Slots<T>, words: &mut W) {
    for item in slots.as_mut() {
        item.visit(words);
    }
}
