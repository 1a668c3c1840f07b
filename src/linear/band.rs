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

#[cfg(test)]
mod tests {
    use super::{Band, Singular};

    /// The matrix with these diagonals: two from the main one on each side.
    fn band(diagonals: [f64; 5]) -> Band<f64, 6, 5> {
        let mut band = Band::ZERO;
        *band.rows() = [diagonals; 6];
        band
    }

    #[test]
    fn a_band_is_solved() {
        let diagonals = [0.5, -1.0, 4.0, 2.0, -0.25];
        let mut matrix = band(diagonals);
        assert_eq!(matrix.decompose(2), Ok(()));
        let x = [1.0, -2.0, 3.0, 0.5, -0.125, 7.0];
        let mut b = [0.0; 6];
        for i in 0..6_usize {
            for (k, diagonal) in diagonals.iter().enumerate() {
                if let Some(x) = (i + k).checked_sub(2).and_then(|j| x.get(j)) {
                    b[i] += diagonal * x;
                }
            }
        }
        matrix.solve(&mut b, 2);
        for i in 0..6 {
            assert!((b[i] - x[i]).abs() < 1e-14, "{b:?}");
        }
    }

    /// A pivot that is what rounding leaves of a cancellation is none, although it is not zero; the same number by itself is one.
    #[test]
    fn a_cancelled_pivot_is_singular() {
        let tiny = f64::EPSILON;
        let mut matrix = band([0.0, 1.0, 1.0, 1.0, 0.0]);
        matrix.rows()[1][2] = 1.0 + tiny;
        let singular = |column, finite| Err(Singular { column, finite });
        assert_eq!(matrix.decompose(2), singular(1, true));
        let mut matrix = band([0.0, 0.0, tiny, 0.0, 0.0]);
        assert_eq!(matrix.decompose(2), Ok(()));
    }

    /// It is said whether a matrix has no inverse or has elements that are no numbers.
    #[test]
    fn what_is_not_finite_is_said() {
        for (row, place, column) in [(0, 2, 0), (1, 1, 1), (2, 0, 2), (0, 3, 1), (0, 4, 2)] {
            let mut matrix = band([1.0, 1.0, 8.0, 1.0, 1.0]);
            matrix.rows()[row][place] = f64::NAN;
            let finite = false;
            assert_eq!(
                matrix.decompose(2),
                Err(Singular { column, finite }),
                "{row} {place}"
            );
        }
    }
}
