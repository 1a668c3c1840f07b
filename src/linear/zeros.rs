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

#[cfg(test)]
mod tests {
    use super::{Lu, MOST, Zeros};

    /// An arrow: everything depends on the first, and the first on everything.
    const ARROW: [u32; 4] = [0b1111, 0b0001, 0b0001, 0b0001];

    /// Elimination from the tip fills nothing; in the order given it would fill all.
    #[test]
    fn an_arrow_is_eliminated_from_its_ends() {
        let zeros = Zeros::of(ARROW);
        assert_eq!(zeros.rows, [0b1111, 0b0011, 0b0101, 0b1001]);
        assert_eq!(zeros.filled, zeros.rows);
        assert_eq!(zeros.order, [1, 2, 0, 3]);
        assert!(zeros.some);
        assert!(zeros.given(1, 0) && !zeros.given(1, 2) && zeros.kept(2, 2) && !zeros.kept(2, 1));
    }

    /// A ring of four: wherever it is cut there is one more on each side.
    #[test]
    fn a_ring_is_filled_where_it_is_cut() {
        let ring = Zeros::of([0b1010, 0b0101, 0b1010, 0b0101]);
        assert_eq!(ring.order[0], 0);
        assert_eq!(ring.filled, [0b1011, 0b1111, 0b1110, 0b1111]);
        assert!(!Zeros::of([0b111; 3]).some);
        // Too many are not looked at.
        assert!(!Zeros::<{ MOST + 1 }>::of([0; MOST + 1]).some);
        assert!(Zeros::<MOST>::of([0; MOST]).some);
    }

    /// What is solved around zeros is solved.
    #[test]
    fn systems_with_zeros_are_solved() {
        static ZEROS: Zeros<4> = Zeros::of(ARROW);
        let rows = [
            [9.0, 2.0, -3.0, 4.0],
            [1.0, 5.0, 0.0, 0.0],
            [2.0, 0.0, -4.0, 0.0],
            [3.0, 0.0, 0.0, 8.0],
        ];
        let x = [1.0, -2.0, 3.0, 0.5];
        let mut b = rows.map(|row: [f64; 4]| row.iter().zip(x).map(|(a, x)| a * x).sum());
        let mut lu = Lu::<f64, 4>::unit();
        assert!(lu.refactor_around(&ZEROS, |to| *to = rows).is_ok());
        lu.solve_around(Some(&ZEROS), &mut b);
        for i in 0..4 {
            assert!((b[i] - x[i]).abs() < 1e-14, "{b:?}");
        }
        let mut plain = rows.map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum());
        let lu = Lu::<f64, 4>::factor(rows);
        if let Ok(lu) = lu {
            lu.solve_around(None, &mut plain);
        }
        assert!((plain[3] - 0.5).abs() < 1e-14);
    }

    /// A pivot that is what cancellation left, one that is no number, and the column of it.
    #[test]
    fn singular_systems_are_named() {
        static FULL: Zeros<2> = Zeros::of([0b11; 2]);
        let factored = |rows: [[f64; 2]; 2]| {
            let found = Lu::<f64, 2>::unit().refactor_around(&FULL, |to| *to = rows);
            found.map_err(|singular| (singular.column, singular.finite))
        };
        assert_eq!(factored([[1.0, 2.0], [2.0, 5.0]]), Ok(()));
        assert_eq!(factored([[0.0, 1.0], [1.0, 0.0]]), Err((0, true)));
        assert_eq!(factored([[1.0, 2.0], [2.0, 4.0]]), Err((1, true)));
        assert_eq!(factored([[3.0, 1.0], [1.0, 1.0 / 3.0]]), Err((1, true)));
        assert_eq!(factored([[f64::NAN, 1.0], [1.0, 1.0]]), Err((0, false)));
        assert_eq!(
            factored([[f64::INFINITY, 1.0], [1.0, 1.0]]),
            Err((0, false))
        );
    }
}
