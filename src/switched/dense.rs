//! Dense matrices of f64 whose size is known at run time and bounded at compile time: for tables, not for steps.

/// A square block of numbers, of which the first rows and columns are in use.
pub(crate) type Matrix<const S: usize> = [[f64; S]; S];

/// A matrix of zeros.
pub(crate) const fn zero<const S: usize>() -> Matrix<S> {
    [[0.0; S]; S]
}

/// Replaces `b` by the solution of `a x = b`, by elimination with row exchanges. `n` equations, `columns` right-hand sides. None if
/// a pivot is lost to rounding.
pub(crate) fn solve<const S: usize>(
    a: &mut Matrix<S>,
    n: usize,
    b: &mut Matrix<S>,
    columns: usize,
) -> Option<()> {
    if n > S || columns > S {
        return None;
    }
    for k in 0..n {
        let mut pivot = k;
        for i in k + 1..n {
            if a[i][k].abs() > a[pivot][k].abs() {
                pivot = i;
            }
        }
        a.swap(k, pivot);
        b.swap(k, pivot);
        let divisor = a[k][k];
        if !(divisor.abs() > 0.0 && divisor.is_finite()) {
            return None;
        }
        for i in 0..n {
            let factor = a[i][k] / divisor;
            if i == k || factor == 0.0 {
                continue;
            }
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            for j in 0..columns {
                b[i][j] -= factor * b[k][j];
            }
        }
    }
    for i in 0..n {
        for j in 0..columns {
            b[i][j] /= a[i][i];
        }
    }
    Some(())
}

/// `a b`, of which `n` by `inner` and `inner` by `columns` are in use.
pub(crate) fn product<const S: usize>(
    a: &Matrix<S>,
    b: &Matrix<S>,
    (n, inner, columns): (usize, usize, usize),
) -> Matrix<S> {
    let mut c = zero();
    for i in 0..n.min(S) {
        for k in 0..inner.min(S) {
            if a[i][k] != 0.0 {
                for j in 0..columns.min(S) {
                    c[i][j] += a[i][k] * b[k][j];
                }
            }
        }
    }
    c
}

/// The largest sum of magnitudes in a row.
pub(crate) fn norm<const S: usize>(a: &Matrix<S>, n: usize) -> f64 {
    let mut most = 0.0_f64;
    for row in a.iter().take(n) {
        most = most.max(row.iter().take(n).map(|x| x.abs()).sum());
    }
    most
}

/// The lower triangle `l` with `l l^T = a`. None if `a` is not positive.
pub(crate) fn cholesky<const S: usize>(a: &Matrix<S>, n: usize) -> Option<Matrix<S>> {
    let mut l = zero();
    for i in 0..n.min(S) {
        for j in 0..=i {
            let mut sum = a[i][j];
            for k in 0..j {
                sum -= l[i][k] * l[j][k];
            }
            if i == j {
                if !(sum > 0.0 && sum.is_finite()) {
                    return None;
                }
                l[i][i] = libm::sqrt(sum);
            } else {
                l[i][j] = sum / l[j][j];
            }
        }
    }
    Some(l)
}

/// `e^a - 1`. Doubling loses nothing in this form: `(1 + e)^2 - 1 = 2 e + e^2`.
pub(crate) fn exponential_less_one<const S: usize>(a: &Matrix<S>, n: usize) -> Matrix<S> {
    let mut doublings = 0;
    let mut size = norm(a, n);
    // Far beyond what any circuit needs: a bound for the loop.
    while size > 0.0625 && doublings < 64 {
        size *= 0.5;
        doublings += 1;
    }
    let mut scaled = *a;
    let factor = libm::exp2(-f64::from(doublings));
    scaled.iter_mut().flatten().for_each(|x| *x *= factor);
    let (mut term, mut sum) = (scaled, scaled);
    for k in 2..14 {
        term = product(&term, &scaled, (n, n, n));
        for (sum, term) in sum.iter_mut().flatten().zip(term.iter_mut().flatten()) {
            *term /= f64::from(k);
            *sum += *term;
        }
    }
    for _ in 0..doublings {
        let square = product(&sum, &sum, (n, n, n));
        for (sum, square) in sum.iter_mut().flatten().zip(square.iter().flatten()) {
            *sum = 2.0 * *sum + square;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::{Matrix, cholesky, exponential_less_one, norm, product, solve};

    /// A system whose first pivot is zero: rows are exchanged, in both matrices.
    #[test]
    fn systems_are_solved_with_pivots() {
        let a: Matrix<3> = [[0.0, 2.0, 1.0], [4.0, -2.0, 8.0], [1.0, 1.0, -1.0]];
        let x: Matrix<3> = [[1.0, -2.0, 9.0], [3.0, 0.5, 9.0], [-2.0, 4.0, 9.0]];
        let mut b = product(&a, &x, (3, 3, 2));
        assert_eq!(b[0], [4.0, 5.0, 0.0]);
        assert_eq!(solve(&mut a.clone(), 3, &mut b, 2), Some(()));
        for i in 0..3 {
            for j in 0..2 {
                assert!((b[i][j] - x[i][j]).abs() < 1e-14, "{i} {j}");
            }
        }
    }

    /// Sizes beyond the matrix, and matrices without an inverse.
    #[test]
    fn what_cannot_be_solved_is_nothing() {
        let one: Matrix<2> = [[1.0, 0.0], [0.0, 1.0]];
        let solved = |a: Matrix<2>, n: usize, columns: usize| {
            solve(&mut a.clone(), n, &mut one.clone(), columns).is_some()
        };
        assert!(solved(one, 2, 2));
        assert!(!solved(one, 3, 2) && !solved(one, 2, 3));
        assert!(!solved([[1.0, 2.0], [2.0, 4.0]], 2, 2));
        assert!(!solved([[f64::INFINITY, 0.0], [0.0, 1.0]], 2, 2));
        assert!(!solved([[f64::NAN, 0.0], [0.0, 1.0]], 2, 2));
        // The part that is asked for has one.
        assert!(solved([[3.0, 2.0], [2.0, 0.0]], 1, 1));
    }

    /// Only the part that is asked for, and its largest row.
    #[test]
    fn products_and_norms_are_of_a_part() {
        let a: Matrix<2> = [[1.0, -2.0], [3.0, 4.0]];
        assert_eq!(product(&a, &a, (2, 2, 2)), [[-5.0, -10.0], [15.0, 10.0]]);
        assert_eq!(product(&a, &a, (1, 1, 2)), [[1.0, -2.0], [0.0, 0.0]]);
        assert_eq!((norm(&a, 2), norm(&a, 1)), (7.0, 1.0));
        let b: Matrix<2> = [[-5.0, -4.0], [3.0, 4.0]];
        assert_eq!(norm(&b, 2), 9.0);
    }

    /// `L L^T` is the matrix; one that is not positive has none.
    #[test]
    fn roots_of_matrices() {
        let a: Matrix<3> = [[4.0, 2.0, -2.0], [2.0, 10.0, 5.0], [-2.0, 5.0, 14.0]];
        let root = [[2.0, 0.0, 0.0], [1.0, 3.0, 0.0], [-1.0, 2.0, 3.0]];
        assert_eq!(cholesky(&a, 3), Some(root));
        assert_eq!(cholesky::<1>(&[[0.0]], 1), None);
        assert_eq!(cholesky::<2>(&[[1.0, 2.0], [2.0, 4.0]], 2), None);
        assert_eq!(cholesky::<1>(&[[f64::INFINITY]], 1), None);
    }

    /// A rotation with decay, and a nilpotent matrix, whose exponentials are known; large enough to be doubled often.
    #[test]
    fn exponentials_are_the_known_ones() {
        for turn in [0.01, 0.5, 3.0] {
            let decay = 0.3 * turn;
            let e = exponential_less_one(&[[-decay, turn], [-turn, -decay]], 2);
            let (size, sin, cos) = (libm::exp(-decay), libm::sin(turn), libm::cos(turn));
            let expected = [
                [size * cos - 1.0, size * sin],
                [-size * sin, size * cos - 1.0],
            ];
            for i in 0..2 {
                for j in 0..2 {
                    assert!((e[i][j] - expected[i][j]).abs() < 1e-15 * (1.0 + 40.0 * turn));
                }
            }
        }
        let e = exponential_less_one(&[[0.0, 3.0, 0.0], [0.0, 0.0, 5.0], [0.0; 3]], 3);
        assert!((e[0][2] - 7.5).abs() < 1e-13 && (e[0][1] - 3.0).abs() < 1e-14);
        // A small decay keeps its digits.
        let small = exponential_less_one(&[[-1e-9]], 1)[0][0];
        assert!((small + 1e-9 - 0.5e-18).abs() < 1e-24);
    }
}
