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
