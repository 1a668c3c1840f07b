//! General linear methods for second-order systems (Wunderlich, section 2.3): several stages a step, several values from
//! step to step.
//!
//! The values z are scaled derivatives, `z_k ~ h^(p_k) x^(p_k)`, a Nordsieck vector (40); a step that differs from the last
//! one rescales them, (58). With `W_i` the stages' accelerations, (59):
//!
//! ```text
//! X_i  = sum u2_ik z_k + h^2 sum a2_ij W_j        z' = sum v2 z + h^2 sum b2 W
//! h V_i = sum u_ik z_k  + h^2 sum a_ij W_j
//! ```
//!
//! A Runge-Kutta method in second-order form, (29)-(33), is one of them (Example 2.7), so all of them share one step.

use super::tableau::{Coefficients, lagrange_at};
use super::{Accuracy, Collocation, Modes, Stages, StifflyAccurate};
use crate::number::{Implies, Real};

/// The matrices of a method with `S` stages and `K` values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nordsieck<R, const S: usize, const K: usize> {
    /// The nodes.
    pub c: [R; S],
    /// From accelerations to stages: the square of `a`.
    pub a2: [[R; S]; S],
    /// From accelerations to the stages' velocities.
    pub a: [[R; S]; S],
    /// From values to stages. The first column is one.
    pub u2: [[R; K]; S],
    /// From values to the stages' velocities, times h. The first column is zero, the second one.
    pub u: [[R; K]; S],
    /// From accelerations to the new values.
    pub b2: [[R; S]; K],
    /// From values to the new values. The first row starts with one, the second with zero and one.
    pub v2: [[R; K]; K],
    /// Which power of h each value carries: 0, 1, 2 and what follows.
    pub powers: [u8; K],
}

/// A general linear method with `S` stages and `K` values from step to step, of which the first three are x, `h x'` and
/// `h^2 x''`.
pub trait GeneralLinear<const S: usize, const K: usize>:
    Copy + Implies<Stages<S>, Is: Modes>
{
    /// The method's name, for reports.
    const NAME: &'static str;
    /// The order of convergence.
    const ORDER: usize;
    /// Whether a start needs more than x and x': then a step of a method of higher order gives it.
    const STARTS: bool;
    /// Where A is lower triangular: its diagonal. One stage is then solved after the other, all with the same real matrix;
    /// the number of stages must be odd.
    const DIAGONAL: Option<f64> = None;
    /// The method with the same A, in whose modes the stages decouple where it is not triangular.
    type Modes: Collocation<S>;
    /// The matrices, rounded to the number type that is asked for.
    fn matrices<R: Real>() -> Nordsieck<R, S, K>;
}

/// A Runge-Kutta method in second-order form (29)-(33), Example 2.7. The third value is the acceleration at the end, which
/// an explicit first stage starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OneStep<C>(pub C);

impl<C: Collocation<S>, const S: usize> GeneralLinear<S, 3> for OneStep<C> {
    const NAME: &'static str = C::NAME;
    const ORDER: usize = C::ORDER;
    // Without stiff accuracy an algebraic unknown remembers its start, with its derivative.
    const STARTS: bool = C::EXPLICIT_FIRST || !<C::Accuracy as Accuracy>::STIFF;
    type Modes = C;

    #[inline(always)]
    fn matrices<R: Real>() -> Nordsieck<R, S, 3> {
        let t = C::coefficients::<R>();
        let (zero, one) = (R::ZERO, R::ONE);
        let (mut u2, mut u, mut last) = ([[one; 3]; S], [[zero; 3]; S], [zero; S]);
        for i in 0..S {
            u2[i] = [one, t.c[i], t.first2[i]];
            u[i] = [zero, one, t.first[i]];
            last[i] = if <C::Accuracy as Accuracy>::STIFF {
                if i + 1 == S { one } else { zero }
            } else {
                R::from_f64(lagrange_at(&C::coefficients::<f64>().c, i, 1.0))
            };
        }
        // An explicit first stage is there with stiffly accurate methods only, whose end is their last stage.
        let (first2, first) = (t.first2[S - 1], t.first[S - 1]);
        Nordsieck {
            c: t.c,
            a2: t.a2,
            a: t.a,
            u2,
            u,
            b2: [t.ba, t.b, last],
            v2: [[one, one, first2], [zero, one, first], [zero; 3]],
            powers: [0, 1, 2],
        }
    }
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
        Self::PRINTED.rounded()
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
        const { Self::FIRST_ORDER.twice() }.rounded()
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
            u2[i] = [self.u[i][0], self.u[i][1], self.u[i][2], 0.0, 0.0];
            let mut j = 0;
            while j < 3 {
                let mut k = 0;
                while k < 3 {
                    a2[i][k] += self.a[i][j] * self.a[j][k];
                    k += 1;
                }
                k = 0;
                while k < 5 {
                    u2[i][k] += self.a[i][j] * u[j][k];
                    k += 1;
                }
                j += 1;
            }
            i += 1;
        }
        // h^2 x'' from the stages' velocities, as h^3 x''' from their accelerations.
        let (mut b, mut v) = ([0.0; 3], [0.0; 5]);
        let mut j = 0;
        while j < 3 {
            let mut k = 0;
            while k < 3 {
                b[k] += self.b[2][j] * self.a[j][k];
                k += 1;
            }
            k = 0;
            while k < 5 {
                v[k] += self.b[2][j] * u[j][k];
                k += 1;
            }
            j += 1;
        }
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

impl<const S: usize, const K: usize> Nordsieck<f64, S, K> {
    /// The matrices in another number type.
    #[inline(always)]
    fn rounded<R: Real>(&self) -> Nordsieck<R, S, K> {
        Nordsieck {
            c: vector(&self.c),
            a2: matrix(&self.a2),
            a: matrix(&self.a),
            u2: matrix(&self.u2),
            u: matrix(&self.u),
            b2: matrix(&self.b2),
            v2: matrix(&self.v2),
            powers: self.powers,
        }
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

impl Quarters {
    const DOUBLE: Coefficients<f64, 3> = Coefficients::collocation([0.25, 0.5, 1.0]);
    const SINGLE: Coefficients<f32, 3> = Self::DOUBLE.single();
}

impl Collocation<3> for Quarters {
    const NAME: &'static str = "collocation at 1/4, 1/2, 1";
    const ORDER: usize = 3;
    type Accuracy = StifflyAccurate;
    #[inline(always)]
    fn coefficients<R: Real>() -> &'static Coefficients<R, 3> {
        R::own::<Stages<3>>(&Self::SINGLE, &Self::DOUBLE)
    }
}
