//! LU decomposition, real or complex, in place: with partial pivoting, or in the order given.

use crate::memory::{Memory, Words};
use crate::number::{Field, Real};

/// The matrix has no inverse that its rounding errors would not drown.
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
    rows: [[F; N]; N],
    /// The row that was exchanged with row k in step k.
    exchange: [u8; N],
}

impl<R: Real, F: Field<Real = R>, const N: usize, const PIVOTED: bool> Lu<F, N, PIVOTED> {
    /// Decomposes a matrix given by rows.
    ///
    /// A pivot counts as zero when it is what rounding leaves of a cancellation: `|u_kk| <= 4 eps sum |l_kj u_jk|`. That
    /// does not depend on the units of rows and columns, as a comparison with the largest element would.
    #[inline(always)]
    pub fn factor(mut rows: [[F; N]; N]) -> Result<Self, Singular> {
        let mut exchange = [0; N];
        // Written out, because with k known the inner loops unroll, and the compiler does not unroll this one.
        if N > 0 {
            Self::eliminate(&mut rows, &mut exchange, 0)?;
        }
        if N > 1 {
            Self::eliminate(&mut rows, &mut exchange, 1)?;
        }
        if N > 2 {
            Self::eliminate(&mut rows, &mut exchange, 2)?;
        }
        if N > 3 {
            Self::eliminate(&mut rows, &mut exchange, 3)?;
        }
        for k in 4..N {
            Self::eliminate(&mut rows, &mut exchange, k)?;
        }
        Ok(Lu { rows, exchange })
    }

    /// One column: find the pivot, exchange rows, eliminate what is below it.
    #[inline(always)]
    fn eliminate(rows: &mut [[F; N]; N], exchange: &mut [u8; N], k: usize) -> Result<(), Singular> {
        let (mut pivot, mut largest) = (k, rows[k][k].size());
        if PIVOTED {
            for i in k + 1..N {
                let size = rows[i][k].size();
                if size > largest {
                    (pivot, largest) = (i, size);
                }
            }
            for i in k + 1..N {
                if i == pivot {
                    (rows[k], rows[i]) = (rows[i], rows[k]);
                }
            }
        }
        exchange[k] = pivot as u8;
        let mut cancelled = R::ZERO;
        for j in 0..k {
            cancelled += rows[k][j].size() * rows[j][k].size();
        }
        // Written so that NaN, too, counts as singular.
        let threshold = R::EPSILON * R::from_f64(4.0);
        if !(largest > cancelled * threshold && largest <= R::LARGEST) {
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
        Ok(())
    }

    /// The decomposition of the unit matrix: a place to put another one.
    #[inline(always)]
    pub fn unit() -> Self {
        let mut rows = [[F::ZERO; N]; N];
        for k in 0..N {
            rows[k][k] = F::ONE;
        }
        let mut exchange = [0; N];
        for k in 0..N {
            exchange[k] = k as u8;
        }
        Lu { rows, exchange }
    }

    /// Overwrites `b` with the solution of `A x = b`.
    #[inline(always)]
    pub fn solve(&self, b: &mut [F; N]) {
        if PIVOTED {
            for k in 0..N {
                let pivot = usize::from(self.exchange[k]);
                // Always true; said so that no bounds check can fail.
                if pivot < N {
                    b.swap(k, pivot);
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

impl<F: Memory, const N: usize, const PIVOTED: bool> Memory for Lu<F, N, PIVOTED> {
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.rows.visit(words);
        self.exchange.visit(words);
    }
}
