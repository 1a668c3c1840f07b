//! LU decomposition of a matrix that is zero away from its diagonal, real or complex, in place and in the order given.

use super::Singular;
use crate::number::{Field, Real};

/// A matrix without elements further than `band` from the diagonal, or its decomposition as that of [`Lu`](super::Lu) without pivoting. Of row i
/// `K > 2 band` elements are kept, from column `i - band` on; who uses it knows the band at compile time, which unrolls what loops over it.
#[derive(Clone, Copy, Debug)]
pub struct Band<F, const N: usize, const K: usize> {
    rows: [[F; K]; N],
}

impl<R: Real, F: Field<Real = R>, const N: usize, const K: usize> Band<F, N, K> {
    /// Zeros: a place for a matrix.
    pub const ZERO: Self = Band {
        rows: [[F::ZERO; K]; N],
    };

    /// The rows, to write them.
    #[inline(always)]
    pub fn rows(&mut self) -> &mut [[F; K]; N] {
        &mut self.rows
    }

    /// Decomposes in place.
    #[inline(always)]
    pub fn decompose(&mut self, band: usize) -> Result<(), Singular> {
        for k in 0..N {
            self.eliminate(k, band)?;
        }
        Ok(())
    }

    /// Column k. What rounding leaves of a cancellation counts as zero, see [`Lu::factor`](super::Lu::factor).
    #[inline(always)]
    fn eliminate(&mut self, k: usize, band: usize) -> Result<(), Singular> {
        let rows = &mut self.rows;
        let (pivot, mut cancelled) = (rows[k][band].size(), R::ZERO);
        for d in (1..=band).rev() {
            if k >= d {
                cancelled += rows[k][band - d].size() * rows[k - d][band + d].size();
            }
        }
        // Written so that NaN, too, counts as singular.
        let threshold = R::EPSILON * R::from_f64(4.0);
        if !(pivot > cancelled * threshold && pivot <= R::LARGEST) {
            let mut finite = pivot.finite();
            for d in 1..=band {
                finite &= k < d || rows[k - d][band + d].size().finite();
                finite &= k + d >= N || rows[k + d][band - d].size().finite();
            }
            return Err(Singular { column: k, finite });
        }
        let inverse = rows[k][band].recip();
        rows[k][band] = inverse;
        let row = rows[k];
        for d in 1..=band {
            if k + d < N {
                let below = &mut rows[k + d];
                let l = below[band - d] * inverse;
                below[band - d] = l;
                // Beyond the last column there is nothing, and nobody reads it.
                for e in 1..=band {
                    below[band - d + e] = below[band - d + e] - l * row[band + e];
                }
            }
        }
        Ok(())
    }

    /// Overwrites `b` with the solution of `A x = b`, when this is the decomposition of A.
    #[inline(always)]
    pub fn solve(&self, b: &mut [F; N], band: usize) {
        for i in 0..N {
            for d in (1..=band).rev() {
                if i >= d {
                    b[i] = b[i] - self.rows[i][band - d] * b[i - d];
                }
            }
        }
        for i in (0..N).rev() {
            for d in 1..=band {
                if i + d < N {
                    b[i] = b[i] - self.rows[i][band + d] * b[i + d];
                }
            }
            b[i] = b[i] * self.rows[i][band];
        }
    }
}
