//! LDL^T decomposition of a symmetric positive definite matrix: half the work of LU, and no pivots are needed.

use super::Singular;
use crate::number::Real;

/// `A = L D L^T`. The diagonal is kept inverted, so that solving needs no division.
#[derive(Clone, Copy, Debug)]
pub struct Ldlt<R, const N: usize> {
    /// L below the diagonal, 1/D on it.
    rows: [[R; N]; N],
}

impl<R: Real, const N: usize> Ldlt<R, N> {
    /// Decomposes a matrix of which the lower triangle is read. The first pivot that rounding does not leave positive is
    /// reported.
    #[inline(always)]
    pub fn factor(mut rows: [[R; N]; N]) -> Result<Self, Singular> {
        let threshold = R::EPSILON * R::from_f64(4.0);
        for j in 0..N {
            let mut cancelled = R::ZERO;
            let mut scaled = [R::ZERO; N];
            for k in 0..j {
                // L_jk D_k, with 1/D_k on the diagonal: the product before it was divided.
                scaled[k] = rows[j][k];
                rows[j][k] = scaled[k] * rows[k][k];
                cancelled += scaled[k] * rows[j][k];
            }
            let pivot = rows[j][j] - cancelled;
            let sound = if j == 0 {
                pivot.positive()
            } else {
                pivot > cancelled * threshold && pivot <= R::LARGEST
            };
            if !sound {
                return Err(Singular {
                    column: j,
                    finite: pivot.finite(),
                });
            }
            rows[j][j] = R::ONE / pivot;
            for i in j + 1..N {
                for k in 0..j {
                    rows[i][j] -= rows[i][k] * rows[j][k];
                }
            }
        }
        Ok(Ldlt { rows })
    }

    /// Overwrites `b` with the solution of `A x = b`.
    #[inline(always)]
    pub fn solve(&self, b: &mut [R; N]) {
        for i in 1..N {
            for k in 0..i {
                b[i] -= self.rows[i][k] * b[k];
            }
        }
        for i in 0..N {
            b[i] *= self.rows[i][i];
        }
        for i in (0..N).rev() {
            for k in i + 1..N {
                b[i] -= self.rows[k][i] * b[k];
            }
        }
    }
}
