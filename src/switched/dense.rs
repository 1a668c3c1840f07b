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
