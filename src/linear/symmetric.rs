//! Eigenvalues of a symmetric matrix by Jacobi's rotations: for matrices of a few rows nothing is simpler or more accurate.

use crate::number::Real;

/// Rotations converge quadratically; ten sweeps are more than any matrix of this size needs.
const SWEEPS: usize = 10;

/// The eigenvalues of a symmetric matrix, in no order. The work does not depend on the numbers.
pub fn eigenvalues<R: Real, const N: usize>(mut a: [[R; N]; N]) -> [R; N] {
    let half = R::from_f64(0.5);
    for _ in 0..SWEEPS {
        for p in 0..N {
            for q in p + 1..N {
                // t = tan of the angle that makes a_pq zero, the smaller of the two.
                let off = a[p][q];
                let away = (a[q][q] - a[p][p]) * half;
                let root = (away * away + off * off).sqrt();
                let sum = if away < R::ZERO {
                    away - root
                } else {
                    away + root
                };
                let t = if sum == R::ZERO { R::ZERO } else { off / sum };
                let c = R::ONE / (t * t + R::ONE).sqrt();
                let s = t * c;
                a[p][p] -= t * off;
                a[q][q] += t * off;
                a[p][q] = R::ZERO;
                for k in 0..N {
                    if k != p && k != q {
                        // The upper triangle holds the matrix.
                        let (x, y) = (upper(&a, k, p), upper(&a, k, q));
                        set_upper(&mut a, k, p, c * x - s * y);
                        set_upper(&mut a, k, q, s * x + c * y);
                    }
                }
            }
        }
    }
    let mut values = [R::ZERO; N];
    for i in 0..N {
        values[i] = a[i][i];
    }
    values
}

#[inline(always)]
fn upper<R: Real, const N: usize>(a: &[[R; N]; N], i: usize, j: usize) -> R {
    if i < j { a[i][j] } else { a[j][i] }
}

#[inline(always)]
fn set_upper<R: Real, const N: usize>(a: &mut [[R; N]; N], i: usize, j: usize, x: R) {
    if i < j {
        a[i][j] = x;
    } else {
        a[j][i] = x;
    }
}

#[cfg(test)]
mod tests {
    use super::eigenvalues;

    /// Products of known rotations: the eigenvalues that were put in.
    #[test]
    fn eigenvalues_are_the_known_ones() {
        let mut two: [f64; 2] = eigenvalues([[2.0, 1.0], [1.0, 2.0]]);
        two.sort_by(f64::total_cmp);
        assert!((two[0] - 1.0).abs() < 1e-15 && (two[1] - 3.0).abs() < 1e-15);
        // A chain of three springs: 2 - 2 cos(k pi / 4).
        let chain = [[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]];
        let mut three: [f64; 3] = eigenvalues(chain);
        three.sort_by(f64::total_cmp);
        let root = libm::sqrt(2.0);
        for (found, expected) in three.into_iter().zip([2.0 - root, 2.0, 2.0 + root]) {
            assert!((found - expected).abs() < 1e-14, "{three:?}");
        }
        // Trace, sum of squares and product of a full one.
        let full = [[4.0, 1.0, -2.0], [1.0, -3.0, 0.5], [-2.0, 0.5, 1.0]];
        let [a, b, c]: [f64; 3] = eigenvalues(full);
        assert!((a + b + c - 2.0).abs() < 1e-14);
        assert!((a * a + b * b + c * c - (16.0 + 9.0 + 1.0 + 2.0 * 5.25)).abs() < 1e-13);
        let determinant = 4.0 * (-3.0 - 0.25) - (1.0 + 1.0) - 2.0 * (0.5 - 6.0);
        assert!((a * b * c - determinant).abs() < 1e-13);
        assert_eq!(eigenvalues([[5.0, 0.0], [0.0, 5.0]]), [5.0, 5.0]);
    }
}
