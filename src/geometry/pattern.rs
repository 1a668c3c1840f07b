//! Which coordinates the constraints of a mechanism touch, and what follows: with how few directions dual numbers give all of G, and how
//! narrow G M^-1 G^T is.

use super::each_constraint;
use crate::Error;
use crate::model::{MassMatrix, Mechanical, Vector};
use crate::number::{Dual, Scalar};
use core::marker::PhantomData;
use core::ops::Range;

/// The structure of G.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern<const L: usize> {
    /// The first coordinate that a constraint touches, and the one after the last.
    pub touched: [[usize; 2]; L],
    /// The coordinate that a row of G is kept from on.
    pub starts: [usize; L],
    /// Whether that is before what it touches somewhere, where it would end beyond the last coordinate.
    pub shifted: bool,
    /// How many of a row are kept: as many as the widest has from the first to the last, rounded up to a power of two.
    pub kept: usize,
    /// Constraints further apart than this have no coordinate in common.
    pub band: usize,
    /// Whether rows begin so many coordinates apart somewhere in the band.
    pub apart: [bool; 8],
}

impl<const L: usize> Pattern<L> {
    const fn of(touched: [[usize; 2]; L], coordinates: usize) -> Self {
        let (mut width, mut band, mut i) = (0, 0, 0);
        while i < L {
            let [first, end] = touched[i];
            assert!(
                first < end && end <= coordinates,
                "a constraint touches coordinates from a first to before an end"
            );
            if end - first > width {
                width = end - first;
            }
            let mut j = i + 1;
            while j < L {
                let common = touched[j][0] < end && first < touched[j][1];
                if common && j - i > band {
                    band = j - i;
                }
                j += 1;
            }
            i += 1;
        }
        let (kept, mut starts, mut shifted, mut i) = (rounded(width), [0; L], false, 0);
        while i < L {
            let last = coordinates.saturating_sub(kept);
            starts[i] = if touched[i][0] < last {
                touched[i][0]
            } else {
                last
            };
            shifted |= starts[i] < touched[i][0];
            i += 1;
        }
        let (mut apart, mut i) = ([false; 8], 0);
        while i < L {
            let mut j = i;
            while j < L && j - i <= band {
                let by = starts[i].abs_diff(starts[j]);
                if by < apart.len() {
                    apart[by] = true;
                }
                j += 1;
            }
            i += 1;
        }
        Pattern {
            touched,
            starts,
            shifted,
            apart,
            kept,
            band,
        }
    }
}

impl<const L: usize> Pattern<L> {
    /// The coordinates of `Q` that row j keeps. It never ends beyond the last, which the compiler sees here.
    #[inline(always)]
    fn range<const Q: usize>(&self, j: usize) -> Range<usize> {
        let first = self.starts[j].min(Q.saturating_sub(self.kept));
        first..first + self.kept
    }

    /// Their part of a vector. Its elements have one address and offsets from there; those of the vector would have an address each.
    #[inline(always)]
    pub fn window<'a, T, const Q: usize>(&self, j: usize, x: &'a [T; Q]) -> &'a [T] {
        x.get(self.range::<Q>(j)).unwrap_or(&[])
    }

    /// The same, to write to.
    #[inline(always)]
    pub fn window_mut<'a, T, const Q: usize>(&self, j: usize, x: &'a mut [T; Q]) -> &'a mut [T] {
        x.get_mut(self.range::<Q>(j)).unwrap_or(&mut [])
    }

    /// How many of them come before those that constraint j touches.
    #[inline(always)]
    pub fn before(&self, j: usize) -> usize {
        if self.shifted {
            self.touched[j][0] - self.starts[j]
        } else {
            0
        }
    }
}

/// How many directions dual numbers have for rows of that width.
const fn rounded(width: usize) -> usize {
    let mut rounded = 2;
    while rounded < width {
        rounded *= 2;
    }
    rounded
}

/// A structure that is known, or nothing. A constant wherever it is used, so that what it decides is decided by the compiler.
pub(crate) type Known<const L: usize> = Option<&'static Pattern<L>>;

/// The pattern of a model.
pub(crate) struct PatternOf<R, M, const Q: usize, const L: usize, const U: usize>(
    PhantomData<(R, M)>,
);

impl<R, M: Mechanical<R, Q, L, U>, const Q: usize, const L: usize, const U: usize>
    PatternOf<R, M, Q, L, U>
{
    /// What the model says.
    pub const PATTERN: Pattern<L> = Pattern::of(M::TOUCHED, Q);
    /// The structure of G, if it has one.
    pub const OF_CONSTRAINTS: Known<L> = if Self::PATTERN.kept < Q && Self::PATTERN.kept <= 8 {
        Some(&Self::PATTERN)
    } else {
        None
    };
    /// The same, if constraints are computed one by one.
    pub const LOCAL: Known<L> = if M::LOCAL { Self::OF_CONSTRAINTS } else { None };
    /// How many elements [`Narrow`](super::Narrow) keeps of a row of G and of `G M^-1 G^T`, if the mass does not fill them: 4 or 8, or 0.
    pub const NARROW: usize = match Self::OF_CONSTRAINTS {
        Some(Pattern { kept, band, .. }) if <M::Mass<R>>::DIAGONAL => match 2 * *band {
            0..4 if *kept <= 4 => 4,
            0..8 => 8,
            _ => 0,
        },
        _ => 0,
    };
}

/// Whether the constraints touch what the model says, as far as their derivatives at one point tell.
pub(crate) fn checked_pattern<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &Vector<R, Q>,
) -> Result<(), Error>
where
    M: Mechanical<R, Q, L, U>,
{
    let Some(pattern) = PatternOf::<R, M, Q, L, U>::OF_CONSTRAINTS else {
        return Ok(());
    };
    for n in 0..Q {
        let mut places = [Dual::<R, 1>::constant(R::ZERO); Q];
        for m in 0..Q {
            let speed = if m == n { R::ONE } else { R::ZERO };
            places[m] = Dual::new(q.data.0[0][m], [speed]);
        }
        let time = Dual::constant(t);
        let g = model.constraint(time, &Vector::from(places)).data.0[0];
        for index in 0..L {
            let [first, end] = pattern.touched[index];
            if !(first..end).contains(&n) && g[index].slope()[0] != R::ZERO {
                return Err(Error::Touched { index });
            }
        }
    }
    checked_local(model, t, q)
}

/// Whether a model computes the same constraints one by one as all at once, at one point.
fn checked_local<R, M: Mechanical<R, Q, L, U>, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &Vector<R, Q>,
) -> Result<(), Error> {
    let (all, mut other) = (model.constraint(t, q).data.0[0], None);
    let q = &q.data.0[0];
    each_constraint(
        model,
        t,
        (q, q),
        |x, _| x,
        |index, g| {
            if g.finite() && g != all[index] {
                other.get_or_insert(index);
            }
        },
    );
    other.map_or(Ok(()), |index| Err(Error::Touched { index }))
}

#[cfg(test)]
mod tests {
    use super::{Pattern, rounded};

    /// Powers of two from two on.
    #[test]
    fn widths_are_rounded_up() {
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 8, 9].map(rounded),
            [2, 2, 2, 4, 4, 8, 8, 16]
        );
    }

    /// A chain: each constraint has a coordinate in common with its neighbours.
    #[test]
    fn a_chain_is_narrow() {
        let chain = Pattern::of([[0, 2], [1, 3], [2, 4], [3, 5]], 6);
        assert_eq!((chain.kept, chain.band, chain.shifted), (2, 1, false));
        assert_eq!(chain.starts, [0, 1, 2, 3]);
        let apart = [true, true, false, false, false, false, false, false];
        assert_eq!(chain.apart, apart);
        let x = [10, 11, 12, 13, 14, 15];
        assert_eq!(chain.window(2, &x), [12, 13]);
        assert_eq!([chain.before(0), chain.before(3)], [0, 0]);
    }

    /// Windows end where the coordinates do: the last begin before what they touch.
    #[test]
    fn windows_stay_inside() {
        let wide = Pattern::of([[0, 3], [3, 5], [4, 5]], 5);
        assert_eq!((wide.kept, wide.shifted), (4, true));
        assert_eq!(wide.starts, [0, 1, 1]);
        assert_eq!([wide.before(0), wide.before(1), wide.before(2)], [0, 2, 3]);
        // The first has nothing in common with the others.
        assert_eq!(wide.band, 1);
        let mut x = [0, 1, 2, 3, 4];
        assert_eq!(wide.window(1, &x), [1, 2, 3, 4]);
        wide.window_mut(2, &mut x).fill(9);
        assert_eq!(x, [0, 9, 9, 9, 9]);
    }

    /// Constraints with a common coordinate are so far apart; those that only touch are not.
    #[test]
    fn the_band_is_the_farthest_in_common() {
        let band = |touched: [[usize; 2]; 4]| Pattern::of(touched, 8).band;
        assert_eq!(band([[0, 2], [2, 4], [4, 6], [6, 8]]), 0);
        assert_eq!(band([[0, 2], [2, 4], [1, 3], [6, 8]]), 2);
        assert_eq!(band([[6, 8], [2, 4], [4, 6], [7, 8]]), 3);
        assert_eq!(band([[6, 7], [2, 4], [4, 6], [7, 8]]), 0);
        // Windows of constraints within the band begin so far from each other: at 0, 3, 1 and 7.
        let apart = Pattern::of([[0, 2], [3, 5], [1, 4], [7, 8]], 12).apart;
        assert_eq!(apart, [true, true, true, true, true, false, true, false]);
        let far = Pattern::of([[0, 2], [9, 11], [1, 10]], 40);
        assert_eq!((far.kept, far.band), (16, 2));
        assert_eq!(
            far.apart,
            [true, true, false, false, false, false, false, false]
        );
    }
}
