//! Eigenvalues and eigenvectors of a tableau's matrix A, in double precision at compile time.

use super::tableau::Mode;
use crate::number::Complex;

type C = Complex<f64>;
const ZERO: C = re(0.0);

const fn re(x: f64) -> C {
    Complex { re: x, im: 0.0 }
}
const fn add(a: C, b: C) -> C {
    Complex {
        re: a.re + b.re,
        im: a.im + b.im,
    }
}
const fn sub(a: C, b: C) -> C {
    Complex {
        re: a.re - b.re,
        im: a.im - b.im,
    }
}
const fn mul(a: C, b: C) -> C {
    Complex {
        re: a.re * b.re - a.im * b.im,
        im: a.re * b.im + a.im * b.re,
    }
}
const fn div(a: C, b: C) -> C {
    let d = b.re * b.re + b.im * b.im;
    Complex {
        re: (a.re * b.re + a.im * b.im) / d,
        im: (a.im * b.re - a.re * b.im) / d,
    }
}
const fn size(a: C) -> f64 {
    a.re.abs() + a.im.abs()
}

/// The real mode (if there is one) and the modes with positive imaginary part.
pub(super) const fn modes<const S: usize>(a: &[[f64; S]; S]) -> (Mode<f64, S>, [Mode<C, S>; S]) {
    let eigenvalues = eigenvalues(a);
    let mut real = Mode {
        eigenvalue: 0.0,
        left: [0.0; S],
        right: [0.0; S],
    };
    let mut pairs = [Mode {
        eigenvalue: ZERO,
        left: [ZERO; S],
        right: [ZERO; S],
    }; S];
    let (mut i, mut found) = (0, 0);
    while i < S {
        // The eigenvalues of the methods in use are apart by more than 0.01: this tells real ones from pairs.
        if eigenvalues[i].im > 1e-6 {
            pairs[found] = mode(a, eigenvalues[i], 2.0);
            found += 1;
        } else if eigenvalues[i].im > -1e-6 {
            let mode = mode(a, re(eigenvalues[i].re), 1.0);
            real.eigenvalue = mode.eigenvalue.re;
            let mut j = 0;
            while j < S {
                real.left[j] = mode.left[j].re;
                real.right[j] = mode.right[j].re;
                j += 1;
            }
        }
        i += 1;
    }
    assert!(found == S / 2, "an eigenvalue was missed");
    (real, pairs)
}

/// A row vector times A^-1, from the modes.
pub(super) const fn row_over<const S: usize>(
    row: &[f64; S],
    real: &Mode<f64, S>,
    pairs: &[Mode<C, S>; S],
) -> [f64; S] {
    let mut quotient = [0.0; S];
    let mut j = 0;
    while j < S {
        let mut i = 0;
        while i < S {
            if S % 2 == 1 {
                quotient[j] += row[i] * real.right[i] * real.left[j] / real.eigenvalue;
            }
            let mut k = 0;
            while k < S / 2 {
                let mode = &pairs[k];
                quotient[j] += row[i] * div(mul(mode.right[i], mode.left[j]), mode.eigenvalue).re;
                k += 1;
            }
            i += 1;
        }
        j += 1;
    }
    quotient
}

/// The largest row sum of |A^-2|, from the modes.
pub(super) const fn amplification<const S: usize>(
    real: &Mode<f64, S>,
    pairs: &[Mode<C, S>; S],
) -> f64 {
    let mut largest = 0.0;
    let mut i = 0;
    while i < S {
        let mut sum = 0.0;
        let mut j = 0;
        while j < S {
            let mut element = 0.0;
            if S % 2 == 1 {
                element = real.right[i] * real.left[j] / (real.eigenvalue * real.eigenvalue);
            }
            let mut k = 0;
            while k < S / 2 {
                let mode = &pairs[k];
                let square = mul(mode.eigenvalue, mode.eigenvalue);
                element += div(mul(mode.right[i], mode.left[j]), square).re;
                k += 1;
            }
            sum += element.abs();
            j += 1;
        }
        if sum > largest {
            largest = sum;
        }
        i += 1;
    }
    largest
}

/// Coefficients of the characteristic polynomial (Faddeev-Leverrier): p[k] is that of x^k, and the leading one is 1.
const fn characteristic<const S: usize>(a: &[[f64; S]; S]) -> [f64; S] {
    let mut p = [0.0; S];
    let mut m = [[0.0; S]; S];
    let mut k = 1;
    while k <= S {
        let above = if k == 1 { 1.0 } else { p[S - k + 1] };
        let mut next = [[0.0; S]; S];
        let mut trace = 0.0;
        let mut i = 0;
        while i < S {
            m[i][i] += above;
            i += 1;
        }
        i = 0;
        while i < S {
            let mut j = 0;
            while j < S {
                let mut l = 0;
                while l < S {
                    next[i][j] += a[i][l] * m[l][j];
                    l += 1;
                }
                j += 1;
            }
            trace += next[i][i];
            i += 1;
        }
        p[S - k] = -trace / k as f64;
        m = next;
        k += 1;
    }
    p
}

/// A polynomial with the leading coefficient 1 at a point.
const fn value<const S: usize>(p: &[f64; S], z: C) -> C {
    let mut value = re(1.0);
    let mut k = S;
    while k > 0 {
        let coefficient = re(p[k - 1]);
        value = add(mul(value, z), coefficient);
        k -= 1;
    }
    value
}

/// Zeros of the characteristic polynomial, all at once by Weierstrass' iteration.
const fn eigenvalues<const S: usize>(a: &[[f64; S]; S]) -> [C; S] {
    let p = characteristic(a);
    let mut z = [ZERO; S];
    // Starting points on a spiral, as usual: neither real nor conjugate to one another, and of the eigenvalues' size.
    let spiral = Complex { re: 0.4, im: 0.9 };
    let mut start = re(1.0 / (S as f64 + 1.0));
    let mut i = 0;
    while i < S {
        start = mul(start, spiral);
        z[i] = start;
        i += 1;
    }
    let mut sweep = 0;
    while sweep < 100 {
        i = 0;
        while i < S {
            let mut others = re(1.0);
            let mut j = 0;
            while j < S {
                if j != i {
                    others = mul(others, sub(z[i], z[j]));
                }
                j += 1;
            }
            z[i] = sub(z[i], div(value(&p, z[i]), others));
            i += 1;
        }
        sweep += 1;
    }
    z
}

/// Eigenvectors by inverse iteration and the eigenvalue by its two-sided Rayleigh quotient, until both are exact.
const fn mode<const S: usize>(a: &[[f64; S]; S], mut eigenvalue: C, weight: f64) -> Mode<C, S> {
    let one = re(1.0);
    let (mut left, mut right) = ([one; S], [one; S]);
    let mut sweep = 0;
    while sweep < 4 {
        right = shifted_solve(a, false, eigenvalue, right);
        left = shifted_solve(a, true, eigenvalue, left);
        let (mut above, mut below) = (ZERO, ZERO);
        let mut i = 0;
        while i < S {
            let mut image = ZERO;
            let mut j = 0;
            while j < S {
                image = add(image, mul(re(a[i][j]), right[j]));
                j += 1;
            }
            above = add(above, mul(left[i], image));
            below = add(below, mul(left[i], right[i]));
            i += 1;
        }
        eigenvalue = div(above, below);
        sweep += 1;
    }
    let mut product = ZERO;
    let mut i = 0;
    while i < S {
        product = add(product, mul(left[i], right[i]));
        i += 1;
    }
    i = 0;
    while i < S {
        left[i] = div(left[i], product);
        right[i] = Complex {
            re: right[i].re * weight,
            im: right[i].im * weight,
        };
        i += 1;
    }
    Mode {
        eigenvalue,
        left,
        right,
    }
}

/// A - shift, or its transpose.
const fn shifted<const S: usize>(a: &[[f64; S]; S], transposed: bool, shift: C) -> [[C; S]; S] {
    let mut m = [[ZERO; S]; S];
    let mut i = 0;
    while i < S {
        let mut j = 0;
        while j < S {
            m[i][j] = re(if transposed { a[j][i] } else { a[i][j] });
            j += 1;
        }
        m[i][i] = sub(m[i][i], shift);
        i += 1;
    }
    m
}

/// Solves (A - shift) x = b, or with the transpose, and scales the solution to a largest element of 1. The matrix is
/// singular to rounding, which is what makes inverse iteration converge; an exact zero is replaced by a tiny pivot.
const fn shifted_solve<const S: usize>(
    a: &[[f64; S]; S],
    transposed: bool,
    shift: C,
    b: [C; S],
) -> [C; S] {
    let (mut m, mut x) = (shifted(a, transposed, shift), b);
    let mut i;
    let mut k = 0;
    while k < S {
        let mut pivot = k;
        i = k + 1;
        while i < S {
            if size(m[i][k]) > size(m[pivot][k]) {
                pivot = i;
            }
            i += 1;
        }
        (m[k], m[pivot]) = (m[pivot], m[k]);
        (x[k], x[pivot]) = (x[pivot], x[k]);
        if size(m[k][k]) < 1e-18 {
            m[k][k] = re(1e-18);
        }
        i = k + 1;
        while i < S {
            let l = div(m[i][k], m[k][k]);
            let mut j = k;
            while j < S {
                m[i][j] = sub(m[i][j], mul(l, m[k][j]));
                j += 1;
            }
            x[i] = sub(x[i], mul(l, x[k]));
            i += 1;
        }
        k += 1;
    }
    let mut largest = ZERO;
    while k > 0 {
        k -= 1;
        let mut j = k + 1;
        while j < S {
            x[k] = sub(x[k], mul(m[k][j], x[j]));
            j += 1;
        }
        x[k] = div(x[k], m[k][k]);
        if size(x[k]) > size(largest) {
            largest = x[k];
        }
    }
    while k < S {
        x[k] = div(x[k], largest);
        k += 1;
    }
    x
}
