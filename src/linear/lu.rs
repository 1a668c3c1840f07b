//! LU decomposition, real or complex, in place: with partial pivoting, or in the order given.

use crate::memory::{Memory, visits};
use crate::number::{Field, Real};

/// The matrix is singular to working precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular {
    /// The first column that depends on the ones before it.
    pub column: usize,
    /// Whether that column consisted of numbers; if not, it is what the matrix was made of that is at fault.
    pub finite: bool,
}

/// `P A = L U`. The diagonal of U is kept inverted, so that solving needs no division.
///
/// With `PIVOTED = false` rows stay in their order, `P = I`. That is safe, and half the work, for matrices such as
/// `M + mu^2 K` with positive M, positive semidefinite K and a complex mu^2 off the negative axis: all their quadratic
/// forms lie in one sector of the plane, so no pivot can vanish.
#[derive(Clone, Copy, Debug)]
pub struct Lu<F, const N: usize, const PIVOTED: bool = true> {
    pub(super) rows: [[F; N]; N],
    /// Which row of the matrix row k is.
    order: [u8; N],
}

impl<R: Real, F: Field<Real = R>, const N: usize, const PIVOTED: bool> Lu<F, N, PIVOTED> {
    /// Decomposes a matrix given by rows.
    ///
    /// A pivot counts as zero when it is what rounding leaves of a cancellation: `|u_kk| <= 4 eps sum |l_kj u_jk|`. That
    /// does not depend on the units of rows and columns, as a comparison with the largest element would.
    #[inline(always)]
    pub fn factor(rows: [[F; N]; N]) -> Result<Self, Singular> {
        let order = Self::IN_ORDER;
        let mut lu = Lu { rows, order };
        lu.decompose()?;
        Ok(lu)
    }

    /// The same in place: `fill` writes every element of the matrix to where its decomposition will be. Nothing is copied, which for
    /// six rows and three stages is a third of a step.
    #[inline(always)]
    pub fn refactor(&mut self, fill: impl FnOnce(&mut [[F; N]; N])) -> Result<(), Singular> {
        fill(&mut self.rows);
        self.order = Self::IN_ORDER;
        self.decompose()
    }

    #[inline(always)]
    fn decompose(&mut self) -> Result<(), Singular> {
        let (rows, order) = (&mut self.rows, &mut self.order);
        // Written out, because with k known the inner loops unroll, and the compiler does not unroll this one.
        if N > 0 {
            Self::eliminate(rows, order, 0)?;
        }
        if N > 1 {
            Self::eliminate(rows, order, 1)?;
        }
        if N > 2 {
            Self::eliminate(rows, order, 2)?;
        }
        if N > 3 {
            Self::eliminate(rows, order, 3)?;
        }
        if N > 4 {
            Self::eliminate(rows, order, 4)?;
        }
        if N > 5 {
            Self::eliminate(rows, order, 5)?;
        }
        for k in 6..N {
            Self::eliminate(rows, order, k)?;
        }
        Ok(())
    }

    /// Decomposes, in place, a matrix whose `sums` of rows are better known than its elements: a small load beside large
    /// conductances is lost in the rounding of the largest element, but not in that of the sum. Before each column the least exact
    /// element of a row becomes what the sum lacks of the others, if that is the more exact of the two. For circuits of conductances
    /// and capacitors it is free of cancellation, so that a load counts to its last digit (Grassmann, Taksar and Heyman's
    /// elimination). Answers how many times larger than a pivot its terms were at worst: so much of its rounding the
    /// decomposition amplifies.
    #[inline(always)]
    pub fn refactor_by_sums(
        &mut self,
        sums: [F; N],
        fill: impl FnOnce(&mut [[F; N]; N]),
    ) -> Result<R, Singular> {
        fill(&mut self.rows);
        self.order = Self::IN_ORDER;
        self.decompose_by_sums(sums)
    }

    #[inline(never)]
    fn decompose_by_sums(&mut self, mut sums: [F; N]) -> Result<R, Singular> {
        let (rows, order) = (&mut self.rows, &mut self.order);
        let mut cancelled = R::ONE;
        // The sizes of all terms of which elements and sums consist: what their rounding goes by.
        let (mut sizes, mut size) = (rows.map(|row| row.map(F::size)), sums.map(F::size));
        for k in 0..N {
            for i in k..N {
                restore(&mut rows[i], k, sums[i], (&mut sizes[i], size[i]));
            }
            let pivot = Self::eliminate(rows, order, k)?;
            if pivot < N {
                sums.swap(k, pivot);
                size.swap(k, pivot);
                sizes.swap(k, pivot);
            }
            // On the diagonal are inverses of pivots now.
            cancelled = cancelled.max(sizes[k][k] * rows[k][k].size());
            for i in k + 1..N {
                let l = rows[i][k];
                sums[i] = sums[i] - l * sums[k];
                size[i] += l.size() * size[k];
                for j in k + 1..N {
                    sizes[i][j] += l.size() * sizes[k][j];
                }
            }
        }
        Ok(cancelled)
    }

    /// One column: find the pivot, exchange rows, eliminate what is below it. Returns where the pivot was.
    #[inline(always)]
    fn eliminate(rows: &mut [[F; N]; N], order: &mut [u8; N], k: usize) -> Result<usize, Singular> {
        let (mut pivot, mut largest) = (k, rows[k][k].size());
        if PIVOTED {
            for i in k + 1..N {
                let size = rows[i][k].size();
                if size > largest {
                    (pivot, largest) = (i, size);
                }
            }
            if pivot != k {
                exchange(rows, order, k, pivot);
            }
        }
        let mut cancelled = R::ZERO;
        for j in 0..k {
            cancelled += rows[k][j].size() * rows[j][k].size();
        }
        // Written so that NaN, too, counts as singular.
        let threshold = R::EPSILON * R::from_f64(4.0);
        let sound = if k == 0 {
            largest.positive()
        } else {
            largest > cancelled * threshold && largest <= R::LARGEST
        };
        if !sound {
            let mut finite = true;
            for i in 0..N {
                finite &= rows[i][k].size().finite();
            }
            return Err(Singular { column: k, finite });
        }
        let inverse = rows[k][k].recip();
        rows[k][k] = inverse;
        for i in k + 1..N {
            let l = rows[i][k] * inverse;
            rows[i][k] = l;
            for j in k + 1..N {
                rows[i][j] = rows[i][j] - l * rows[k][j];
            }
        }
        Ok(pivot)
    }

    /// The decomposition of the unit matrix: a place to put another one.
    #[inline(always)]
    pub fn unit() -> Self {
        let mut rows = [[F::ZERO; N]; N];
        for k in 0..N {
            rows[k][k] = F::ONE;
        }
        let order = Self::IN_ORDER;
        Lu { rows, order }
    }

    /// The order of a matrix whose rows stayed where they were.
    const IN_ORDER: [u8; N] = {
        let mut order = [0; N];
        let mut k = 0;
        while k < N {
            order[k] = k as u8;
            k += 1;
        }
        order
    };

    /// Overwrites `b` with the solution of `A x = b`.
    #[inline(always)]
    pub fn solve(&self, b: &mut [F; N]) {
        if PIVOTED && self.order != Self::IN_ORDER {
            // A copy in this branch alone, so that elsewhere `b` can stay in registers.
            let given = *b;
            for k in 0..N {
                let from = usize::from(self.order[k]);
                // Always true; said so that no bounds check can fail.
                if from < N {
                    b[k] = given[from];
                }
            }
        }
        for i in 1..N {
            for j in 0..i {
                b[i] = b[i] - self.rows[i][j] * b[j];
            }
        }
        for i in (0..N).rev() {
            for j in i + 1..N {
                b[i] = b[i] - self.rows[i][j] * b[j];
            }
            b[i] = b[i] * self.rows[i][i];
        }
    }
}

/// Exchanges two rows, of which the second comes later. A few rows are compared one by one, so that each place is known and the matrix
/// can stay in registers.
#[inline(always)]
fn exchange<F: Field, const N: usize>(
    rows: &mut [[F; N]; N],
    order: &mut [u8; N],
    k: usize,
    pivot: usize,
) {
    if N > 4 {
        return exchange_in_memory(rows, order, k, pivot);
    }
    for i in k + 1..N {
        if i == pivot {
            for j in 0..N {
                (rows[k][j], rows[i][j]) = (rows[i][j], rows[k][j]);
            }
            (order[k], order[i]) = (order[i], order[k]);
        }
    }
}

#[cold]
#[inline(never)]
fn exchange_in_memory<F: Field, const N: usize>(
    rows: &mut [[F; N]; N],
    order: &mut [u8; N],
    k: usize,
    pivot: usize,
) {
    // Always; said so that no bounds check can fail.
    if let Ok([a, b]) = rows.get_disjoint_mut([k, pivot]) {
        exchange_rows(a, b);
    }
    if k < N && pivot < N {
        order.swap(k, pivot);
    }
}

/// Exchanges rows that the compiler knows to be two, so that it copies them by registers: half the instructions of `swap`. Inlined it
/// would not know.
#[inline(never)]
fn exchange_rows<F: Copy, const N: usize>(a: &mut [F; N], b: &mut [F; N]) {
    core::mem::swap(a, b);
}

/// Makes the least exact element of a row, from column `k` on, what the row's sum lacks of the others, if the terms of these are
/// smaller than its own. That is the element with the largest terms, which is not always the largest one: all of it may have
/// cancelled.
fn restore<R: Real, F: Field<Real = R>, const N: usize>(
    row: &mut [F; N],
    k: usize,
    sum: F,
    (sizes, size): (&mut [R; N], R),
) {
    let (mut worst, mut most) = (k, R::ZERO);
    for j in k..N {
        if sizes[j] > most {
            (worst, most) = (j, sizes[j]);
        }
    }
    let (mut rest, mut terms) = (sum, size);
    for j in k..N {
        if j != worst {
            rest = rest - row[j];
            terms += sizes[j];
        }
    }
    if terms < most {
        (row[worst], sizes[worst]) = (rest, terms);
    }
}

visits!([F: Memory, const N: usize, const PIVOTED: bool] Lu<F, N, PIVOTED>: rows, order);
