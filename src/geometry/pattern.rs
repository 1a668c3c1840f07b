//! Which coordinates the constraints of a mechanism touch, and what follows: with how few directions dual numbers give all of G, and how
//! narrow G M^-1 G^T is.

use crate::Error;
use crate::model::{MassMatrix, Mechanical, Vector};
use crate::number::{Dual, Real, Scalar};
use core::marker::PhantomData;

/// The structure of G.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern<const L: usize> {
    /// The first coordinate that a constraint touches, and the one after the last.
    pub touched: [[usize; 2]; L],
    /// The coordinate that a row of G is kept from on.
    pub starts: [usize; L],
    /// How many of a row are kept: as many as the widest has from the first to the last, rounded up to a power of two.
    pub kept: usize,
    /// Constraints further apart than this have no coordinate in common.
    pub band: usize,
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
        let (kept, mut starts, mut i) = (rounded(width), [0; L], 0);
        while i < L {
            let last = coordinates.saturating_sub(kept);
            starts[i] = if touched[i][0] < last {
                touched[i][0]
            } else {
                last
            };
            i += 1;
        }
        Pattern {
            touched,
            starts,
            kept,
            band,
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

impl<R, M, const Q: usize, const L: usize, const U: usize> PatternOf<R, M, Q, L, U>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
{
    /// What the model says.
    pub const PATTERN: Pattern<L> = Pattern::of(M::TOUCHED, Q);
    /// The structure of G, if it has one.
    pub const OF_CONSTRAINTS: Known<L> = if Self::PATTERN.kept < Q && Self::PATTERN.kept <= 8 {
        Some(&Self::PATTERN)
    } else {
        None
    };
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
    R: Real,
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
    Ok(())
}
