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

#[cfg(test)]
mod tests {
    use super::Ldlt;

    /// A matrix of three rows with a known solution.
    #[test]
    fn positive_systems_are_solved() {
        let rows = [[4.0, 2.0, -2.0], [2.0, 10.0, 5.0], [-2.0, 5.0, 14.0_f64]];
        let x = [1.0, -2.0, 3.0];
        let mut b = rows.map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum());
        if let Ok(factors) = Ldlt::factor(rows) {
            factors.solve(&mut b);
        }
        for i in 0..3 {
            assert!((b[i] - x[i]).abs() < 1e-14, "{b:?}");
        }
    }

    /// What is not positive, or is what cancellation left.
    #[test]
    fn others_are_singular() {
        let column = |rows: [[f64; 2]; 2]| {
            let found = Ldlt::factor(rows).map(drop);
            found.map_err(|singular| (singular.column, singular.finite))
        };
        assert_eq!(column([[1.0, 0.5], [0.5, 1.0]]), Ok(()));
        assert_eq!(column([[0.0, 0.0], [0.0, 1.0]]), Err((0, true)));
        assert_eq!(column([[-1.0, 0.0], [0.0, 1.0]]), Err((0, true)));
        assert_eq!(column([[1.0, 2.0], [2.0, 4.0]]), Err((1, true)));
        assert_eq!(column([[1.0, 2.0], [2.0, 3.0]]), Err((1, true)));
        let nearly = 4.0 + 4.0 * f64::EPSILON;
        assert_eq!(column([[1.0, 2.0], [2.0, nearly]]), Err((1, true)));
        assert_eq!(
            column([[1.0, 2.0], [2.0, 4.0 + 32.0 * f64::EPSILON]]),
            Ok(())
        );
        assert_eq!(column([[1.0, 0.0], [0.0, f64::INFINITY]]), Err((1, false)));
    }
}
