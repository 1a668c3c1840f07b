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

/// Stages, with their real eigenvalues and their conjugate pairs.
macro_rules! modes {
    ($($stages:literal: $real:literal $pairs:literal),*) => {$(
        impl Modes for Stages<$stages> {
            type PerReal<T: Copy> = [T; $real];
            type PerPair<T: Copy> = [T; $pairs];
        }
    )*};
}
modes!(1: 1 0, 2: 0 1, 3: 1 1, 4: 0 2, 5: 1 2, 6: 0 3);

/// An array whose length only its type knows.
pub trait Slots<T: Copy>: Copy + AsRef<[T]> + AsMut<[T]> {
    /// Every slot set to `value`.
    fn filled(value: T) -> Self;
    /// Slot k set to `make(k)`, unless one of them fails.
    fn try_filled<E>(make: impl FnMut(usize) -> Result<T, E>) -> Result<Self, E>;
}

/// So many slots.
macro_rules! slots {
    ($($n:literal: $($k:literal)*;)*) => {$(
        impl<T: Copy> Slots<T> for [T; $n] {
            #[inline(always)]
            fn filled(value: T) -> Self {
                [value; $n]
            }
            #[inline(always)]
            fn try_filled<E>(mut make: impl FnMut(usize) -> Result<T, E>) -> Result<Self, E> {
                let _ = &mut make;
                Ok([$(make($k)?),*])
            }
        }
    )*};
}
slots!(0:; 1: 0; 2: 0 1; 3: 0 1 2;);

/// One item a mode.
pub(crate) fn visit_slots<T: Memory + Copy, W: Words>(slots: &mut impl Slots<T>, words: &mut W) {
    for item in slots.as_mut() {
        item.visit(words);
    }
}
