//! Constraints of a pattern at a point: G by as few directions of dual numbers as its rows are wide, and what is made of it, in storage that grows
//! with the number of constraints and not with its square.

use super::local::each_local;
use super::{Degenerate, Pattern, PatternOf};
use crate::linear::Band;
use crate::model::{MassFactor, Mechanical, Vector};
use crate::number::{Dual, Field, Plain, Real, Scalar};

/// Shows each constraint: which, its value, the first of the coordinates that count, and its derivatives by those from there on.
#[inline(always)]
pub(super) fn each_row<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    at: (R, &[R; Q]),
    pattern: &Pattern<L>,
    see: impl FnMut(usize, R, usize, &[R]),
) where
    M: Mechanical<R, Q, L, U>,
{
    match (pattern.kept, M::LOCAL) {
        (2, false) => coloured::<R, M, Q, L, U, 2>(model, at, pattern, see),
        (4, false) => coloured::<R, M, Q, L, U, 4>(model, at, pattern, see),
        (_, false) => coloured::<R, M, Q, L, U, 8>(model, at, pattern, see),
        (2, true) => one_by_one::<R, M, Q, L, U, 2>(model, at, pattern, see),
        (4, true) => one_by_one::<R, M, Q, L, U, 4>(model, at, pattern, see),
        (_, true) => one_by_one::<R, M, Q, L, U, 8>(model, at, pattern, see),
    }
}

/// The same from each constraint's own coordinates.
#[inline(always)]
fn one_by_one<R, M, const Q: usize, const L: usize, const U: usize, const D: usize>(
    model: &M,
    (t, q): (R, &[R; Q]),
    pattern: &Pattern<L>,
    mut see: impl FnMut(usize, R, usize, &[R]),
) where
    M: Mechanical<R, Q, L, U>,
{
    let variable = |place: usize, x: R, _| Dual::<R, D>::variable(x, place);
    each_local::<R, M, _, _, _, Q, L, U, D>(model, Dual::constant(t), (q, q), variable, |j, g| {
        see(j, g.value, pattern.starts[j], &g.slope());
    });
}

/// The same. Coordinates that no constraint touches together share a direction.
#[inline(always)]
fn coloured<R, M, const Q: usize, const L: usize, const U: usize, const D: usize>(
    model: &M,
    (t, q): (R, &[R; Q]),
    pattern: &Pattern<L>,
    mut see: impl FnMut(usize, R, usize, &[R]),
) where
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

/// The scalar product of what two rows have in common.
#[inline(always)]
fn overlap<R: Real>(a: &[R], b: &[R]) -> R {
    let mut sum = R::ZERO;
    for n in 0..a.len().min(b.len()) {
        let part = a[n] * b[n];
        sum = if n == 0 { part } else { sum + part };
    }
    sum
}

/// Adds a multiple of a row of G.
#[inline(always)]
pub(super) fn add_row<R: Real>(sum: &mut [R], by: R, row: &[R]) {
    for n in 0..sum.len().min(row.len()) {
        sum[n] += by * row[n];
    }
}

/// Mass and constraints at a point, as [`Geometry`](super::Geometry), where the mass is diagonal: rows of G and columns of `M^-1 G^T` from the
/// first coordinate on that they touch, and `G M^-1 G^T` in its band.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Narrow<R, F, const Q: usize, const L: usize, const K: usize> {
    pub mass: F,
    jacobian: [[R; K]; L],
    directions: [[R; K]; L],
    schur: [[R; K]; L],
}

impl<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const K: usize>
    Narrow<R, F, Q, L, K>
{
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
    pub fn set<M: Mechanical<R, Q, L, U>, const U: usize>(&mut self, model: &M, t: R, q: &[R; Q]) {
        let pattern = &PatternOf::<R, M, Q, L, U>::PATTERN;
        let mut inverse = [R::ONE; Q];
        self.mass.solve(&mut inverse);
        each_row(model, (t, q), pattern, |j, _, first, row| {
            for n in 0..row.len().min(K) {
                self.jacobian[j][n] = row[n];
                if let (false, Some(inverse)) = (F::UNIT, inverse.get(first + n)) {
                    self.directions[j][n] = row[n] * *inverse;
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

    /// Column j of `M^-1 G^T`.
    #[inline(always)]
    fn column(&self, j: usize) -> &[R; K] {
        if F::UNIT {
            &self.jacobian[j]
        } else {
            &self.directions[j]
        }
    }

    /// The product of row i of G with column j of `M^-1 G^T`.
    #[inline(always)]
    fn product(&self, pattern: &Pattern<L>, i: usize, j: usize) -> R {
        let (row, column) = (&self.jacobian[i], self.column(j));
        let (from, to) = (pattern.starts[i], pattern.starts[j]);
        let (kept, mut sum) = (pattern.kept.min(K), R::ZERO);
        // One copy of the loop for each distance that there is, so that no index has to be computed.
        for by in 0..kept {
            if pattern.apart[by] && from == to + by {
                sum = overlap(&row[..kept - by], &column[by..kept]);
            } else if pattern.apart[by] && to == from + by {
                sum = overlap(&row[by..kept], &column[..kept - by]);
            }
        }
        sum
    }

    /// Element j of `G x`.
    #[inline(always)]
    pub fn across(&self, pattern: &Pattern<L>, j: usize, x: &[R; Q]) -> R {
        overlap(&self.jacobian[j], pattern.window(j, x))
    }

    /// Adds what force lambda in constraint j adds to `M^-1 G^T lambda`.
    #[inline(always)]
    pub fn respond(&self, pattern: &Pattern<L>, (j, lambda): (usize, R), sum: &mut [R; Q]) {
        add_row(pattern.window_mut(j, sum), lambda, self.column(j));
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
    pub fn way(
        &self,
        pattern: &Pattern<L>,
        mut lack: [R; L],
        give: Option<[R; L]>,
        way: &mut [R; Q],
    ) -> Result<(), Degenerate> {
        let mut block = Band::<R, L, K>::ZERO;
        let give = give.as_ref();
        self.fill(pattern, &mut block, |j| give.map(|give| give[j]));
        block
            .decompose(pattern.band)
            .map_err(Degenerate::constraint)?;
        block.solve(&mut lack, pattern.band);
        for j in 0..L {
            self.respond(pattern, (j, lack[j]), way);
        }
        Ok(())
    }
}
