//! Methods that the papers compare with. Nobody should prefer them: they are here to be measured, and to show that methods are data that
//! need not be the library's own.

use stiffstep::method::general_linear::{GeneralLinear, Nordsieck};
use stiffstep::method::{
    Backward, Coefficients, Collocation, Loose, Modes, Stages, StifflyAccurate,
};
use stiffstep::method::{lagrange_integral, legendre_nodes};
use stiffstep::number::Real;

/// Radau IA with `S` stages: the same stability as Radau IIA, with its first stage at the start of the step and its result
/// at none, so that constraints are left and must be projected onto, Schropp's (2.7). Of lower stage order, s - 1; there to
/// exercise the general projection, not to be preferred.
///
/// The nodes are the zeros of `P_s + P_(s-1)`, and A satisfies D(s).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RadauIA<const S: usize>;

impl<const S: usize> Collocation<S> for RadauIA<S>
where
    Stages<S>: Modes,
{
    const NAME: &'static str = match S {
        2 => "Radau IA 2",
        3 => "Radau IA 3",
        _ => "Radau IA",
    };
    const ORDER: usize = 2 * S - 1;
    type Accuracy = Loose;
    const TABLE: Coefficients<f64, S> = transposed(legendre_nodes(1.0, 0.0));
}

/// The method with nodes `c` that satisfies D(s) instead, `sum_i b_i p(c_i) a_ij = b_j int_(c_j)^1 p` for polynomials p
/// of degree s - 1: the adjoint in the sense of Hairer & Wanner II, section IV.5, as Radau IA is of Radau IIA.
const fn transposed<const S: usize>(c: [f64; S]) -> Coefficients<f64, S> {
    let (mut a, mut b) = ([[0.0; S]; S], [0.0; S]);
    let mut i = 0;
    while i < S {
        b[i] = lagrange_integral(&c, i, 1.0);
        i += 1;
    }
    i = 0;
    while i < S {
        let mut j = 0;
        while j < S {
            a[i][j] = b[j] / b[i] * (b[i] - lagrange_integral(&c, i, c[j]));
            j += 1;
        }
        i += 1;
    }
    Coefficients::complete(c, a, b)
}

/// The ordinary formulas up to order `K`, applied to `x' = v`, `F(t, x, v, v') = 0`: for comparison. Multipliers are wrong
/// by amounts of the order 1 after every change of step or order, the start included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrdinaryBdf<const K: usize>;

impl<const K: usize> Backward for OrdinaryBdf<K> {
    const NAME: &'static str = match K {
        1 => "ordinary BDF 1",
        2 => "ordinary BDF 2",
        3 => "ordinary BDF 3",
        4 => "ordinary BDF 4",
        5 => "ordinary BDF 5",
        _ => "ordinary BDF 6",
    };
    const ORDER: usize = K;
    const MODIFIED: bool = false;
}

/// Wunderlich's method of Example 2.11: order and stage order 2 by the theorem's count, with c = (1/4, 1/2, 1). Its third value
/// is carried along and never used: it is collocation at these nodes in Nordsieck form.
///
/// It is **not A-stable**: an oscillation with `h omega` near 3.04 grows by 8 % a step. Do not use it on stiff plants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wunderlich;

impl GeneralLinear<3, 3> for Wunderlich {
    const NAME: &'static str = "Wunderlich's general linear method";
    const ORDER: usize = 2;
    const STARTS: bool = true;
    type Modes = Quarters;

    #[inline(always)]
    fn matrices<R: Real>() -> Nordsieck<R, 3, 3> {
        rounded(&Self::PRINTED)
    }
}

impl Wunderlich {
    /// The method as it is printed.
    const PRINTED: Nordsieck<f64, 3, 3> = Nordsieck {
        c: [0.25, 0.5, 1.0],
        a2: [
            [37.0 / 432.0, -41.0 / 576.0, 29.0 / 1728.0],
            [23.0 / 108.0, -1.0 / 9.0, 5.0 / 216.0],
            [13.0 / 27.0, -1.0 / 18.0, 2.0 / 27.0],
        ],
        a: [
            [4.0 / 9.0, -11.0 / 48.0, 5.0 / 144.0],
            [5.0 / 9.0, -1.0 / 12.0, 1.0 / 36.0],
            [4.0 / 9.0, 1.0 / 3.0, 2.0 / 9.0],
        ],
        u2: [[1.0, 0.25, 0.0], [1.0, 0.5, 0.0], [1.0, 1.0, 0.0]],
        u: [[0.0, 1.0, 0.0]; 3],
        b2: [
            [13.0 / 27.0, -1.0 / 18.0, 2.0 / 27.0],
            [4.0 / 9.0, 1.0 / 3.0, 2.0 / 9.0],
            [0.0; 3],
        ],
        v2: [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        powers: [0, 1, 2],
    };
}

/// Wright's method (65) of order 2 for first-order systems, applied to `x' = v`, `F(t, x, v, v') = 0`. Diagonally implicit:
/// one factorisation of one real matrix serves all three stages. Five values: the Nordsieck vector of x, and that of v
/// without v itself, which is the second of x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wright;

impl Wright {
    /// The method's own matrices, those of a first-order system.
    pub const FIRST_ORDER: FirstOrderNordsieck = FirstOrderNordsieck {
        c: [0.25, 0.5, 1.0],
        a: [
            [0.25, 0.0, 0.0],
            [1.0 / 6.0, 0.25, 0.0],
            [1.0 / 6.0, 0.5, 0.25],
        ],
        u: [
            [1.0, 0.0, -1.0 / 32.0],
            [1.0, 1.0 / 12.0, -1.0 / 24.0],
            [1.0, 1.0 / 12.0, -1.0 / 24.0],
        ],
        b: [[1.0 / 6.0, 0.5, 0.25], [0.0, 0.0, 1.0], [0.0, -2.0, 2.0]],
        v: [[1.0, 1.0 / 12.0, -1.0 / 24.0], [0.0; 3], [0.0; 3]],
    };
}

impl GeneralLinear<3, 5> for Wright {
    const NAME: &'static str = "Wright's general linear method";
    const ORDER: usize = 2;
    const STARTS: bool = true;
    const DIAGONAL: Option<f64> = Some(Self::FIRST_ORDER.a[0][0]);
    type Modes = Quarters;

    #[inline(always)]
    fn matrices<R: Real>() -> Nordsieck<R, 3, 5> {
        rounded(&const { Self::FIRST_ORDER.twice() })
    }
}

/// The matrices of a general linear method for first-order systems with three stages and the three values x, `h x'` and
/// `h^2 x''`, whose first result is its last stage.
#[derive(Clone, Copy, Debug)]
pub struct FirstOrderNordsieck {
    /// The nodes.
    pub c: [f64; 3],
    /// From derivatives to stages.
    pub a: [[f64; 3]; 3],
    /// From values to stages.
    pub u: [[f64; 3]; 3],
    /// From derivatives to the new values.
    pub b: [[f64; 3]; 3],
    /// From values to the new values.
    pub v: [[f64; 3]; 3],
}

impl FirstOrderNordsieck {
    /// The method applied to `x' = v` and `v' = w`: from accelerations to velocities, and from those to positions. The values
    /// are x, `h v`, the `h^2 x''` of x, and `h (h v')`, `h (h^2 v'')` of v.
    const fn twice(&self) -> Nordsieck<f64, 3, 5> {
        let (mut a2, mut u2, mut u) = ([[0.0; 3]; 3], [[0.0; 5]; 3], [[0.0; 5]; 3]);
        let mut i = 0;
        while i < 3 {
            u[i] = [0.0, self.u[i][0], 0.0, self.u[i][1], self.u[i][2]];
            i += 1;
        }
        i = 0;
        while i < 3 {
            let own = [self.u[i][0], self.u[i][1], self.u[i][2], 0.0, 0.0];
            a2[i] = plus_product([0.0; 3], &self.a[i], &self.a);
            u2[i] = plus_product(own, &self.a[i], &u);
            i += 1;
        }
        // h^2 x'' from the stages' velocities, as h^3 x''' from their accelerations.
        let b = plus_product([0.0; 3], &self.b[2], &self.a);
        let v = plus_product([0.0; 5], &self.b[2], &u);
        Nordsieck {
            c: self.c,
            a2,
            a: self.a,
            u2,
            u,
            b2: [a2[2], self.a[2], b, self.b[1], self.b[2]],
            v2: [u2[2], u[2], v, [0.0; 5], [0.0; 5]],
            powers: [0, 1, 2, 2, 3],
        }
    }
}

/// A row, and the product of another one with a matrix.
const fn plus_product<const K: usize>(
    mut sum: [f64; K],
    row: &[f64; 3],
    matrix: &[[f64; K]; 3],
) -> [f64; K] {
    let mut j = 0;
    while j < 3 {
        let mut k = 0;
        while k < K {
            sum[k] += row[j] * matrix[j][k];
            k += 1;
        }
        j += 1;
    }
    sum
}

/// The matrices in another number type.
#[inline(always)]
fn rounded<R: Real, const S: usize, const K: usize>(
    exact: &Nordsieck<f64, S, K>,
) -> Nordsieck<R, S, K> {
    Nordsieck {
        c: vector(&exact.c),
        a2: matrix(&exact.a2),
        a: matrix(&exact.a),
        u2: matrix(&exact.u2),
        u: matrix(&exact.u),
        b2: matrix(&exact.b2),
        v2: matrix(&exact.v2),
        powers: exact.powers,
    }
}

#[inline(always)]
fn vector<R: Real, const N: usize>(values: &[f64; N]) -> [R; N] {
    let mut rounded = [R::ZERO; N];
    for i in 0..N {
        rounded[i] = R::from_f64(values[i]);
    }
    rounded
}

#[inline(always)]
fn matrix<R: Real, const N: usize, const M: usize>(rows: &[[f64; M]; N]) -> [[R; M]; N] {
    let mut rounded = [[R::ZERO; M]; N];
    for i in 0..N {
        rounded[i] = vector(&rows[i]);
    }
    rounded
}

/// Collocation at 1/4, 1/2 and 1, for the modes of [`Wunderlich`]'s stages. As a method of its own it is no better than that
/// one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quarters;

impl Collocation<3> for Quarters {
    const NAME: &'static str = "collocation at 1/4, 1/2, 1";
    const ORDER: usize = 3;
    type Accuracy = StifflyAccurate;
    const TABLE: Coefficients<f64, 3> = Coefficients::collocation([0.25, 0.5, 1.0]);
}
