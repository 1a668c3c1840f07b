//! From nodes to everything a collocation step needs, in double precision at compile time:
//! nodes -> A, b (exact quadrature of the Lagrange polynomials) -> eigenvalues and eigenvectors of A.
//!
//! The simplified Newton matrix of a step is `I (x) E - h A (x) J`. With `A w = mu w` and the dual basis `l`, the stages
//! decouple: one real system `E - h mu J` for a real eigenvalue and one complex system for a conjugate pair, of which the
//! conjugate need not be solved. So no matrix of size s n is ever built. Errors in eigenvalues or eigenvectors slow the
//! iteration down but do not touch the solution, because residuals are formed with A itself.

use super::Stages;
use super::spectrum::{amplification, modes, row_over};
use crate::number::{Complex, Family};

/// A mode of A: an eigenvalue with its eigenvectors.
#[derive(Clone, Copy, Debug)]
pub struct Mode<F, const S: usize> {
    /// The eigenvalue `mu` of A.
    pub eigenvalue: F,
    /// The row of the dual basis: a stage vector's amplitude in this mode is `sum_i left[i] r_i`.
    pub left: [F; S],
    /// The eigenvector: amplitude `d` contributes `Re(right[i] d)` to stage i. For a pair it carries the factor 2 that
    /// stands for the conjugate.
    pub right: [F; S],
}

/// The coefficients of a collocation method with `S` stages.
#[derive(Clone, Copy, Debug)]
pub struct Coefficients<R, const S: usize> {
    /// The nodes, ascending in [0, 1].
    pub c: [R; S],
    /// The matrix A: `a[i][j]` is the integral of the j-th Lagrange polynomial from 0 to `c[i]`.
    pub a: [[R; S]; S],
    /// A squared: from accelerations to positions.
    pub a2: [[R; S]; S],
    /// The inverse of A.
    pub a_inverse: [[R; S]; S],
    /// The weights: the same integrals up to 1.
    pub b: [R; S],
    /// What an explicit first stage adds to each stage: the first column of A without its first element; zero for methods
    /// without such a stage.
    pub first: [R; S],
    /// The same for A squared.
    pub first2: [R; S],
    /// `b^T A`: from accelerations to the position at the end.
    pub ba: [R; S],
    /// `b^T A^-1`: from stage values to the value at the end, for variables without a derivative.
    pub end: [R; S],
    /// `R(infinity) = 1 - b^T A^-1 1`: what is kept of the old value then.
    pub r_infinity: R,
    /// `end_slope[j]`: the derivative of the j-th Lagrange polynomial at 1.
    pub end_slope: [R; S],
    /// `extrapolation[i][j]`: the j-th Lagrange polynomial at `1 + c[i]`, which continues the last step's stages.
    pub extrapolation: [[R; S]; S],
    /// The largest row sum of |extrapolation|: how far an error of the last step's stages swings when they are continued.
    pub swing: R,
    /// `basis[k][j]`: the factor of `(x - 1)^k` in the j-th Lagrange polynomial. In powers around the end of the step, from
    /// which dense output looks back.
    pub basis: [[R; S]; S],
    /// The largest row sum of |A^-2|: how much rounding in the stages' positions is amplified in their accelerations.
    pub amplification: R,
    /// The mode of the real eigenvalue, there when `S` is odd.
    pub real: Mode<R, S>,
    /// The modes of the conjugate pairs; the first `S / 2` count.
    pub pairs: [Mode<Complex<R>, S>; S],
}

impl<const S: usize> Coefficients<f64, S> {
    /// The collocation method with nodes `c`.
    pub const fn collocation(c: [f64; S]) -> Self {
        let (mut a, mut b) = ([[0.0; S]; S], [0.0; S]);
        let mut j = 0;
        while j < S {
            let mut i = 0;
            while i < S {
                a[i][j] = lagrange_integral(&c, j, c[i]);
                i += 1;
            }
            b[j] = lagrange_integral(&c, j, 1.0);
            j += 1;
        }
        Self::complete(c, a, b)
    }

    /// The collocation method with `FULL = S + 1` nodes of which the first is 0: what is left of it without the explicit
    /// stage, and what that stage adds.
    pub const fn explicit_first<const FULL: usize>(nodes: [f64; FULL]) -> Self {
        assert!(
            FULL == S + 1 && nodes[0] == 0.0,
            "the first stage is not explicit"
        );
        let (mut c, mut a, mut first) = ([0.0; S], [[0.0; S]; S], [0.0; S]);
        let mut j = 0;
        while j < FULL {
            let mut i = 0;
            while i < S {
                let element = lagrange_integral(&nodes, j, nodes[i + 1]);
                if j == 0 {
                    first[i] = element;
                } else {
                    a[i][j - 1] = element;
                }
                c[i] = nodes[i + 1];
                i += 1;
            }
            j += 1;
        }
        let mut method = Self::complete(c, a, a[S - 1]);
        let mut i = 0;
        while i < S {
            let mut k = 0;
            while k < S {
                method.first2[i] += a[i][k] * first[k];
                k += 1;
            }
            i += 1;
        }
        method.first = first;
        method
    }

    /// Everything that follows from a tableau with an invertible matrix.
    pub const fn complete(c: [f64; S], a: [[f64; S]; S], b: [f64; S]) -> Self {
        let (mut a2, mut extrapolation, mut basis) = ([[0.0; S]; S], [[0.0; S]; S], [[0.0; S]; S]);
        let mut end_slope = [0.0; S];
        let mut j = 0;
        while j < S {
            let around_end = lagrange(&c, j, 1.0);
            let mut i = 0;
            while i < S {
                extrapolation[i][j] = lagrange_at(&c, j, 1.0 + c[i]);
                basis[i][j] = around_end[i];
                i += 1;
            }
            if S > 1 {
                end_slope[j] = around_end[1];
            }
            a2[j] = row_times(&a[j], &a);
            j += 1;
        }
        let swing = largest_row_sum(&extrapolation);
        let ba = row_times(&b, &a);
        let (real, pairs) = modes(&a);
        let amplification = amplification(&real, &pairs);
        let end = row_over(&b, &real, &pairs);
        let mut a_inverse = [[0.0; S]; S];
        let mut i = 0;
        while i < S {
            let mut unit = [0.0; S];
            unit[i] = 1.0;
            a_inverse[i] = row_over(&unit, &real, &pairs);
            i += 1;
        }
        let mut r_infinity = 1.0;
        i = 0;
        while i < S {
            r_infinity -= end[i];
            i += 1;
        }
        Coefficients {
            c,
            a,
            a2,
            a_inverse,
            b,
            first: [0.0; S],
            first2: [0.0; S],
            ba,
            end,
            r_infinity,
            end_slope,
            extrapolation,
            swing,
            basis,
            amplification,
            real,
            pairs,
        }
    }

    /// Rounded to single precision.
    pub const fn single(&self) -> Coefficients<f32, S> {
        let mut real = Mode {
            eigenvalue: self.real.eigenvalue as f32,
            left: [0.0; S],
            right: [0.0; S],
        };
        let zero = Complex { re: 0.0, im: 0.0 };
        let mut pairs = [Mode {
            eigenvalue: zero,
            left: [zero; S],
            right: [zero; S],
        }; S];
        let (mut a, mut a2, mut extrapolation) = ([[0.0; S]; S], [[0.0; S]; S], [[0.0; S]; S]);
        let (mut a_inverse, mut basis) = ([[0.0; S]; S], [[0.0; S]; S]);
        let mut i = 0;
        while i < S {
            basis[i] = single_all(&self.basis[i]);
            a[i] = single_all(&self.a[i]);
            a2[i] = single_all(&self.a2[i]);
            a_inverse[i] = single_all(&self.a_inverse[i]);
            extrapolation[i] = single_all(&self.extrapolation[i]);
            real.left[i] = self.real.left[i] as f32;
            real.right[i] = self.real.right[i] as f32;
            pairs[i].eigenvalue = single_complex(self.pairs[i].eigenvalue);
            let mut j = 0;
            while j < S {
                pairs[i].left[j] = single_complex(self.pairs[i].left[j]);
                pairs[i].right[j] = single_complex(self.pairs[i].right[j]);
                j += 1;
            }
            i += 1;
        }
        Coefficients {
            c: single_all(&self.c),
            a,
            a2,
            a_inverse,
            b: single_all(&self.b),
            first: single_all(&self.first),
            first2: single_all(&self.first2),
            ba: single_all(&self.ba),
            end: single_all(&self.end),
            r_infinity: self.r_infinity as f32,
            end_slope: single_all(&self.end_slope),
            extrapolation,
            swing: self.swing as f32,
            basis,
            amplification: self.amplification as f32,
            real,
            pairs,
        }
    }
}

/// The largest sum of magnitudes in a row.
const fn largest_row_sum<const S: usize>(matrix: &[[f64; S]; S]) -> f64 {
    let (mut largest, mut i) = (0.0, 0);
    while i < S {
        let (mut sum, mut j) = (0.0, 0);
        while j < S {
            sum += matrix[i][j].abs();
            j += 1;
        }
        if sum > largest {
            largest = sum;
        }
        i += 1;
    }
    largest
}

/// A row vector times a matrix.
const fn row_times<const S: usize>(row: &[f64; S], matrix: &[[f64; S]; S]) -> [f64; S] {
    let mut product = [0.0; S];
    let mut i = 0;
    while i < S {
        let mut j = 0;
        while j < S {
            product[j] += row[i] * matrix[i][j];
            j += 1;
        }
        i += 1;
    }
    product
}

const fn single_all<const S: usize>(values: &[f64; S]) -> [f32; S] {
    let mut rounded = [0.0; S];
    let mut i = 0;
    while i < S {
        rounded[i] = values[i] as f32;
        i += 1;
    }
    rounded
}

const fn single_complex(z: Complex<f64>) -> Complex<f32> {
    Complex {
        re: z.re as f32,
        im: z.im as f32,
    }
}

/// The zeros of `P_s + first P_(s-1) + second P_(s-2)` (Legendre polynomials), mapped from [-1, 1] to [0, 1]: Radau IIA
/// has (-1, 0), Gauss (0, 0), Lobatto (0, -1).
pub const fn legendre_nodes<const S: usize>(first: f64, second: f64) -> [f64; S] {
    // Finer than the closest pair of zeros for any number of stages that we use.
    const CELLS: usize = 64;
    let mut c = [0.0; S];
    let mut found = 0;
    if legendre_sum(S, first, second, -1.0) == 0.0 {
        found = 1;
    }
    let mut cell = 0;
    while cell < CELLS {
        let mut left = -1.0 + 2.0 * cell as f64 / CELLS as f64;
        let mut right = -1.0 + 2.0 * (cell + 1) as f64 / CELLS as f64;
        // A zero on a cell's edge belongs to the cell on its right.
        let at_left = legendre_sum(S, first, second, left);
        if at_left == 0.0 && cell > 0 {
            c[found] = (1.0 + left) / 2.0;
            found += 1;
        } else if at_left * legendre_sum(S, first, second, right) < 0.0 {
            let mut halvings = 0;
            while halvings < 60 {
                let middle = (left + right) / 2.0;
                if at_left * legendre_sum(S, first, second, middle) > 0.0 {
                    left = middle;
                } else {
                    right = middle;
                }
                halvings += 1;
            }
            c[found] = (1.0 + (left + right) / 2.0) / 2.0;
            found += 1;
        }
        cell += 1;
    }
    if found + 1 == S && legendre_sum(S, first, second, 1.0) == 0.0 {
        c[found] = 1.0;
        found += 1;
    }
    assert!(found == S, "a zero was missed: use more cells");
    c
}

/// `P_s + first P_(s-1) + second P_(s-2)` at x by the three-term recurrence.
const fn legendre_sum(s: usize, first: f64, second: f64, x: f64) -> f64 {
    let (mut before, mut previous, mut current) = (0.0, 0.0, 1.0);
    let mut n = 1;
    while n <= s {
        let next = ((2 * n - 1) as f64 * x * current - (n - 1) as f64 * previous) / n as f64;
        before = previous;
        previous = current;
        current = next;
        n += 1;
    }
    current + first * previous + second * before
}

/// Coefficients of the j-th Lagrange polynomial on the nodes in powers of x - origin, lowest first. Around 1/2 they are
/// smaller than around 0, and less is lost when they are summed.
const fn lagrange<const S: usize>(c: &[f64; S], j: usize, origin: f64) -> [f64; S] {
    let mut p = [0.0; S];
    p[0] = 1.0;
    let (mut m, mut degree) = (0, 0);
    while m < S {
        if m != j {
            let scale = 1.0 / (c[j] - c[m]);
            let node = c[m] - origin;
            let mut k = degree + 1;
            while k > 0 {
                p[k] = (p[k - 1] - node * p[k]) * scale;
                k -= 1;
            }
            p[0] = -node * p[0] * scale;
            degree += 1;
        }
        m += 1;
    }
    p
}

/// The integral of the j-th Lagrange polynomial from 0 to x.
pub const fn lagrange_integral<const S: usize>(c: &[f64; S], j: usize, x: f64) -> f64 {
    let basis = lagrange(c, j, 0.5);
    integral(&basis, x - 0.5) - integral(&basis, -0.5)
}

/// The j-th Lagrange polynomial at x.
pub(crate) const fn lagrange_at<const S: usize>(c: &[f64; S], j: usize, x: f64) -> f64 {
    let mut product = 1.0;
    let mut m = 0;
    while m < S {
        if m != j {
            product *= (x - c[m]) / (c[j] - c[m]);
        }
        m += 1;
    }
    product
}

/// The integral of a polynomial from 0 to x.
const fn integral<const S: usize>(p: &[f64; S], x: f64) -> f64 {
    let mut sum = 0.0;
    let mut k = S;
    while k > 0 {
        sum = (sum + p[k - 1] / k as f64) * x;
        k -= 1;
    }
    sum
}

/// The coefficients of so many stages come in all number types.
impl<const S: usize> Family for Stages<S> {
    type Of<R> = Coefficients<R, S>;
}
