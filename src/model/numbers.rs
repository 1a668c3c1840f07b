//! The numbers of a state, whatever the kind of model.

use super::{Constrained, Course, Motion, Vector};

/// A state whose numbers can be looked at.
pub trait Numbers<R>: Copy {
    /// How many there are.
    const COUNT: usize;
    /// Shows all of them, by slices: chains of iterators are not inlined.
    fn numbers(&self, see: impl FnMut(&[R]));
}

/// A state of vectors, and how many numbers there are in them.
macro_rules! numbers {
    ($([$($n:ident),*] $state:ty: $($part:ident),+ = $count:expr;)*) => {$(
        impl<R: Copy, $(const $n: usize),*> Numbers<R> for $state {
            const COUNT: usize = $count;
            #[inline(always)]
            fn numbers(&self, mut see: impl FnMut(&[R])) {
                $(see(&self.$part.data.0[0]);)+
            }
        }
    )*};
}
numbers! {
    [Q, L] Motion<R, Q, L>: q, v, a, lambda = 3 * Q + L;
    [N, V, L] Constrained<R, N, V, L>: u, v, lambda = N + V + L;
    [N] Course<R, N>: x, v, a = 3 * N;
}

impl<R: nalgebra::Scalar + Copy, const N: usize> Numbers<R> for Vector<R, N> {
    const COUNT: usize = N;
    #[inline(always)]
    fn numbers(&self, mut see: impl FnMut(&[R])) {
        see(&self.data.0[0]);
    }
}
