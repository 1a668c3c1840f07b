//! Constraints of a pattern at a point: G by as few directions of dual numbers as its rows are wide, and what is made of it, in storage that grows
//! with the number of constraints and not with its square.

use super::{Degenerate, Pattern, PatternOf};
use crate::linear::Band;
use crate::model::{MassFactor, MassMatrix, Mechanical, Vector};
use crate::number::{Field, Plain, Real, Scalar};

/// Shows each constraint: which, its value, the first of the coordinates that count, and its derivatives by those from there on.
#[inline(always)]
pub(super) fn each_row<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    at: (R, &[R; Q]),
    pattern: &Pattern<L>,
    see: impl FnMut(usize, R, usize, &[R]),
) where
    R: Real,
    M: Mechanical<R, Q, L, U>,
{
    match pattern.kept {
        2 => coloured::<R, M, Q, L, U, 2>(model, at, pattern, see),
        4 => coloured::<R, M, Q, L, U, 4>(model, at, pattern, see),
        _ => coloured::<R, M, Q, L, U, 8>(model, at, pattern, see),
    }
}

/// The same. Coordinates that no constraint touches together share a direction.
#[inline(always)]
fn coloured<R, M, const Q: usize, const L: usize, const U: usize, const D: usize>(
    model: &M,
    (t, q): (R, &[R; Q]),
    pattern: &Pattern<L>,
    mut see: impl FnMut(usize, R, usize, &[R]),
) where
    R: Real,
    M: Mechanical<R, Q, L, U>,
{
    let mut places = Vector::from([Plain::<R, D>::constant(R::ZERO); Q]);
    for n in 0..Q {
        places.data.0[0][n] = Plain::variable(q[n], n % D);
    }
    let found = model.constraint(Plain::constant(t), &places);
    for j in 0..L {
        let (dual, first) = (&found.data.0[0][j], pattern.starts[j]);
        let (slope, mut row) = (dual.slope(), [R::ZERO; D]);
        // One copy of the loop for each place to begin, so that no index has to be computed.
        for begin in 0..D {
            if first % D == begin {
                for n in 0..D {
                    row[n] = slope[(begin + n) % D];
                }
            }
        }
        see(j, dual.value, first, &row);
    }
}

/// Adds a multiple of a row of G that is kept from coordinate `first` on.
#[inline(always)]
pub(super) fn add_row<R: Real, const Q: usize>(sum: &mut [R; Q], first: usize, by: R, row: &[R]) {
    if let Some(sum) = sum.get_mut(first..first + row.len()) {
        for n in 0..row.len() {
            sum[n] += by * row[n];
        }
    }
}

/// Mass and constraints at a point, as [`Geometry`](super::Geometry), where the mass is diagonal: rows of G and columns of `M^-1 G^T` from the
/// first coordinate on that they touch, and `G M^-1 G^T` in its band.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Narrow<R, F, const L: usize, const K: usize> {
    pub mass: F,
    jacobian: [[R; K]; L],
    directions: [[R; K]; L],
    schur: [[R; K]; L],
}

impl<R: Real, F, const L: usize, const K: usize> Narrow<R, F, L, K> {
    /// A place for what a mass and constraints make.
    #[inline(always)]
    pub fn place(mass: F) -> Self {
        let none = [[R::ZERO; K]; L];
        Narrow {
            mass,
            jacobian: none,
            directions: none,
            schur: none,
        }
    }

    /// What they are at (t, q).
    #[inline(always)]
    pub fn set<M, const Q: usize, const U: usize>(&mut self, model: &M, t: R, q: &[R; Q])
    where
        M: Mechanical<R, Q, L, U>,
        F: MassFactor<R, Q>,
    {
        let pattern = &PatternOf::<R, M, Q, L, U>::PATTERN;
        let mut inverse = [R::ONE; Q];
        self.mass.solve(&mut inverse);
        each_row(model, (t, q), pattern, |j, _, first, row| {
            for n in 0..row.len().min(K) {
                self.jacobian[j][n] = row[n];
                self.directions[j][n] = row[n];
                if let (false, Some(inverse)) = (<M::Mass<R>>::UNIT, inverse.get(first + n)) {
                    self.directions[j][n] *= *inverse;
                }
            }
        });
        for i in 0..L {
            for d in 0..=2 * pattern.band {
                let j = (i + d).wrapping_sub(pattern.band);
                if j < L {
                    self.schur[i][d] = self.product(pattern, i, j);
                }
            }
        }
    }

    /// The product of row i of G with column j of `M^-1 G^T`.
    #[inline(always)]
    fn product(&self, pattern: &Pattern<L>, i: usize, j: usize) -> R {
        let ahead = pattern.starts[i].wrapping_sub(pattern.starts[j]);
        let (mut sum, mut first) = (R::ZERO, true);
        for n in 0..pattern.kept {
            let m = n.wrapping_add(ahead);
            if m < pattern.kept {
                let part = self.jacobian[i][n] * self.directions[j][m];
                sum = if first { part } else { sum + part };
                first = false;
            }
        }
        sum
    }

    /// `G x`.
    #[inline(always)]
    pub fn across<const Q: usize>(&self, pattern: &Pattern<L>, x: &[R; Q]) -> [R; L] {
        let mut across = [R::ZERO; L];
        for j in 0..L {
            let first = pattern.starts[j];
            if let Some(x) = x.get(first..first + pattern.kept) {
                for n in 0..pattern.kept {
                    let part = self.jacobian[j][n] * x[n];
                    across[j] = if n == 0 { part } else { across[j] + part };
                }
            }
        }
        across
    }

    /// `M^-1 G^T lambda`.
    #[inline(always)]
    pub fn respond<const Q: usize>(&self, pattern: &Pattern<L>, lambda: &[R; L]) -> [R; Q] {
        let mut sum = [R::ZERO; Q];
        for j in 0..L {
            add_row(
                &mut sum,
                pattern.starts[j],
                lambda[j],
                &self.directions[j][..pattern.kept],
            );
        }
        sum
    }

    /// `G M^-1 G^T`, with what `more` adds to its diagonal.
    #[inline(always)]
    pub fn fill<E: Field<Real = R>>(
        &self,
        pattern: &Pattern<L>,
        block: &mut Band<E, L, K>,
        more: impl Fn(usize) -> Option<E>,
    ) {
        let rows = block.rows();
        for i in 0..L {
            for d in 0..=2 * pattern.band {
                rows[i][d] = E::ONE.scale(self.schur[i][d]);
            }
            if let Some(more) = more(i) {
                rows[i][pattern.band] = rows[i][pattern.band] + more;
            }
        }
    }

    /// As [`Geometry::way`](super::Geometry::way).
    #[inline(always)]
    pub fn way<const Q: usize>(
        &self,
        pattern: &Pattern<L>,
        mut lack: [R; L],
        give: Option<[R; L]>,
    ) -> Result<[R; Q], Degenerate> {
        let mut block = Band::<R, L, K>::ZERO;
        self.fill(pattern, &mut block, |j| give.map(|give| give[j]));
        block
            .decompose(pattern.band)
            .map_err(Degenerate::constraint)?;
        block.solve(&mut lack, pattern.band);
        Ok(self.respond(pattern, &lack))
    }
}
