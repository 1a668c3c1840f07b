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
    /// The coordinate that a row of G is kept from on, as many as the widest has, rounded up to a power of two.
    starts: [usize; L],
    /// The most coordinates of a constraint, from the first to the last.
    pub width: usize,
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
        let (mut starts, mut i) = ([0; L], 0);
        while i < L {
            let last = coordinates.saturating_sub(rounded(width));
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
            width,
            band,
        }
    }

    /// The first coordinate of what is kept of a row of G.
    #[inline(always)]
    pub fn start(&self, j: usize) -> usize {
        self.starts[j]
    }

    /// The constraints that may have a coordinate in common with constraint j: the first, and the one after the last.
    #[inline(always)]
    pub fn near(&self, j: usize) -> (usize, usize) {
        (j.saturating_sub(self.band), L.min(j + self.band + 1))
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
    const PATTERN: Pattern<L> = Pattern::of(M::TOUCHED, Q);
    /// The structure of G, if it has one.
    pub const OF_CONSTRAINTS: Known<L> =
        if rounded(Self::PATTERN.width) < Q && Self::PATTERN.width <= 8 {
            Some(&Self::PATTERN)
        } else {
            None
        };
    /// The same of `M^-1 G^T` and of `G M^-1 G^T`, which the mass may fill.
    pub const OF_GEOMETRY: Known<L> = if <M::Mass<R>>::DIAGONAL {
        Self::OF_CONSTRAINTS
    } else {
        None
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
