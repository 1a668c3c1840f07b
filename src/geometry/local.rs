//! Constraints evaluated for numbers of any kind: all at once, or one by one from their own coordinates where a model can.

use super::PatternOf;
use crate::model::{Mechanical, Vector};
use crate::number::Scalar;

/// Shows each constraint of numbers that `of` makes of the elements of two arrays: which, and its value.
#[inline(always)]
pub(crate) fn each_constraint<R, M, T, A, B, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: T,
    (x, y): (&[A; Q], &[B; Q]),
    of: impl Fn(A, B) -> T,
    mut see: impl FnMut(usize, T),
) where
    M: Mechanical<R, Q, L, U>,
    T: Scalar<R>,
    A: Copy,
    B: Copy,
{
    let Some(pattern) = PatternOf::<R, M, Q, L, U>::LOCAL else {
        let mut all = [T::constant(R::ZERO); Q];
        for n in 0..Q {
            all[n] = of(x[n], y[n]);
        }
        let found = model.constraint(t, &Vector::from(all)).data.0[0];
        for j in 0..L {
            see(j, found[j]);
        }
        return;
    };
    let (place, see) = (|_, x, y| of(x, y), |j, g| see(j, g));
    match pattern.kept {
        2 => each_local::<R, M, T, A, B, Q, L, U, 2>(model, t, (x, y), place, see),
        4 => each_local::<R, M, T, A, B, Q, L, U, 4>(model, t, (x, y), place, see),
        _ => each_local::<R, M, T, A, B, Q, L, U, 8>(model, t, (x, y), place, see),
    }
}

/// The same one by one. `of` is told, too, the place of an element among the `D` that are kept.
#[inline(always)]
pub(super) fn each_local<
    R,
    M,
    T,
    A,
    B,
    const Q: usize,
    const L: usize,
    const U: usize,
    const D: usize,
>(
    model: &M,
    t: T,
    (x, y): (&[A; Q], &[B; Q]),
    of: impl Fn(usize, A, B) -> T,
    mut see: impl FnMut(usize, T),
) where
    M: Mechanical<R, Q, L, U>,
    T: Scalar<R>,
    A: Copy,
    B: Copy,
{
    let (pattern, zero) = (&PatternOf::<R, M, Q, L, U>::PATTERN, T::constant(R::ZERO));
    for j in 0..L {
        let (x, y) = (pattern.window(j, x), pattern.window(j, y));
        let mut near = [zero; D];
        for n in 0..D.min(x.len()) {
            near[n] = of(n, x[n], y[n]);
        }
        let before = pattern.before(j);
        let touched = |n: usize| *near.get(before + n).unwrap_or(&zero);
        see(j, model.local_constraint(t, j, touched));
    }
}
