//! LU decomposition of a matrix some of whose elements are known to be zero: the compiler leaves out what is multiplied by them.

use super::lu::{Lu, Singular};
use crate::number::{Field, Real};

/// The largest matrix whose zeros are made use of.
const MOST: usize = 16;

/// Where a matrix with a full diagonal is not zero, before and after elimination, and in which order its diagonal is eliminated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Zeros<const N: usize> {
    /// By rows: bits of the columns that may be other than zero.
    pub rows: [u32; N],
    /// The same with what elimination fills in.
    pub filled: [u32; N],
    order: [usize; N],
    /// Whether there is a zero that stays one.
    pub some: bool,
}

/// Zeros that are known, or nothing. A constant wherever it is used, so that what it decides is decided by the compiler.
pub(crate) type Known<const N: usize> = Option<&'static Zeros<N>>;

/// A type that says which zeros are known: code that is generic in it is compiled for these.
pub(crate) trait Shape<const N: usize> {
    /// The zeros.
    const KNOWN: Known<N>;
}

impl<const N: usize> Zeros<N> {
    /// Of these rows. Each pivot is the one that fills in least then, as Markowitz chose them.
    pub const fn of(depends: [u32; N]) -> Self {
        let mut zeros = Zeros {
            rows: depends,
            filled: depends,
            order: [0; N],
            some: false,
        };
        if N > MOST {
            return zeros;
        }
        let (all, mut k, mut done) = (u32::MAX >> (32 - N as u32), 0, 0);
        while k < N {
            zeros.rows[k] = (zeros.rows[k] | 1 << k) & all;
            k += 1;
        }
        zeros.filled = zeros.rows;
        k = 0;
        while k < N {
            let pivot = zeros.cheapest(done);
            zeros.order[k] = pivot;
            done |= 1 << pivot;
            let mut i = 0;
            while i < N {
                if done >> i & 1 == 0 && zeros.filled[i] >> pivot & 1 == 1 {
                    zeros.filled[i] |= zeros.filled[pivot] & !done;
                }
                i += 1;
            }
            k += 1;
        }
        k = 0;
        while k < N {
            zeros.some |= zeros.filled[k] != all;
            k += 1;
        }
        zeros
    }

    /// What costs the fewest products of what is left.
    const fn cheapest(&self, done: u32) -> usize {
        let (mut best, mut least, mut i) = (0, u32::MAX, 0);
        while i < N {
            if done >> i & 1 == 0 {
                let row = (self.filled[i] & !done).count_ones() - 1;
                let (mut column, mut j) = (0, 0);
                while j < N {
                    column += (self.filled[j] & !done) >> i & !(done >> j) & 1;
                    j += 1;
                }
                if row * (column - 1) < least {
                    (best, least) = (i, row * (column - 1));
                }
            }
            i += 1;
        }
        best
    }

    /// Which element of the diagonal is the k-th to be eliminated. The compiler sees that there is one, also where it does not unroll.
    #[inline(always)]
    fn at(&self, k: usize) -> usize {
        self.order[k].min(N.saturating_sub(1))
    }

    /// Whether an element may be other than zero before elimination.
    #[inline(always)]
    pub const fn given(&self, row: usize, column: usize) -> bool {
        self.rows[row] >> column & 1 == 1
    }

    /// The same after it.
    #[inline(always)]
    pub const fn kept(&self, row: usize, column: usize) -> bool {
        self.filled[row] >> column & 1 == 1
    }
}

/// Writes a statement out for every place of the order, so that each is known and the compiler can leave out what is zero.
macro_rules! in_order {
    ($n:ident, $k:ident, $each:expr) => {
        in_order!(@ $n, $k, $each, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($n:ident, backwards $k:ident, $each:expr) => {
        in_order!(@ $n, $k, $each, 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0)
    };
    (@ $n:ident, $k:ident, $each:expr, $($at:literal)*) => {
        $(if $n > $at {
            let $k: usize = $at;
            $each;
        })*
    };
}

impl<R: Real, F: Field<Real = R>, const N: usize> Lu<F, N> {
    /// Decomposes in place a matrix with zeros that are known. `fill` writes every element that is not zero after elimination. Pivots
    /// are on the diagonal, in an order that depends on nothing but the zeros.
    #[inline(always)]
    pub(crate) fn refactor_around(
        &mut self,
        zeros: &Zeros<N>,
        fill: impl FnOnce(&mut [[F; N]; N]),
    ) -> Result<(), Singular> {
        fill(&mut self.rows);
        in_order!(N, k, self.eliminate_around(zeros, k)?);
        Ok(())
    }

    #[inline(always)]
    fn eliminate_around(&mut self, zeros: &Zeros<N>, k: usize) -> Result<(), Singular> {
        let (rows, c) = (&mut self.rows, zeros.at(k));
        let mut cancelled = R::ZERO;
        for before in 0..k {
            let j = zeros.at(before);
            if zeros.kept(c, j) && zeros.kept(j, c) {
                cancelled += rows[c][j].size() * rows[j][c].size();
            }
        }
        let size = rows[c][c].size();
        // Written so that NaN, too, counts as singular.
        let threshold = R::EPSILON * R::from_f64(4.0);
        if !(size > cancelled * threshold && size <= R::LARGEST) {
            let finite = size.finite();
            return Err(Singular { column: c, finite });
        }
        let inverse = rows[c][c].recip();
        rows[c][c] = inverse;
        for later in k + 1..N {
            let i = zeros.at(later);
            if zeros.kept(i, c) {
                let l = rows[i][c] * inverse;
                rows[i][c] = l;
                for right in k + 1..N {
                    let j = zeros.at(right);
                    if zeros.kept(c, j) {
                        rows[i][j] = rows[i][j] - l * rows[c][j];
                    }
                }
            }
        }
        Ok(())
    }

    /// Overwrites `b` with the solution, by what [`refactor_around`](Self::refactor_around) found if zeros are known.
    #[inline(always)]
    pub(crate) fn solve_around(&self, zeros: Known<N>, b: &mut [F; N]) {
        let Some(zeros) = zeros else {
            return self.solve(b);
        };
        in_order!(N, k, {
            let i = zeros.at(k);
            for before in 0..k {
                let j = zeros.at(before);
                if zeros.kept(i, j) {
                    b[i] = b[i] - self.rows[i][j] * b[j];
                }
            }
        });
        in_order!(N, backwards k, {
            let i = zeros.at(k);
            for later in k + 1..N {
                let j = zeros.at(later);
                if zeros.kept(i, j) {
                    b[i] = b[i] - self.rows[i][j] * b[j];
                }
            }
            b[i] = b[i] * self.rows[i][i];
        });
    }
}
