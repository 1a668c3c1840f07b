//! What an affine model is: `f(t, x, u) = J x + f(t, 0, u)`, with a product that large coefficients do not spoil.
//!
//! A row `-g, g` of a large conductance g, multiplied out, leaves the rounding of `g x` where a small current should be; and it
//! is not the same in the row of the other node, so that charge comes from nowhere. With x_p the unknown of a row's largest
//! coefficient,
//!
//! ```text
//! sum_j a_j x_j = sum_j a_j (x_j - x_p) + (sum_j a_j) x_p
//! ```
//!
//! is rounded as the currents are, not as their parts. Whatever the row, that is at most N times as inexact as the product
//! multiplied out, because no coefficient is larger than that of x_p.

use super::{FirstOrderFactors, OnFirstOrder, Point};
use crate::geometry::combine;
use crate::memory::visits;
use crate::method::Collocation;
use crate::model::{FirstOrder, MassMatrix, Matrix};
use crate::number::{Field, Real};
use crate::step::scheme::Old;

/// The constant Jacobian of an affine model.
#[derive(Clone, Copy)]
pub(super) struct Affine<R, const N: usize> {
    rows: [[R; N]; N],
    /// The sums of the rows, good to rounding however much of them cancels.
    sums: [R; N],
    /// Where each row has its largest element.
    largest: [u8; N],
}

impl<R: Real, const N: usize> Affine<R, N> {
    /// Nothing: a place to put a Jacobian.
    pub fn none() -> Self {
        Affine {
            rows: [[R::ZERO; N]; N],
            sums: [R::ZERO; N],
            largest: [0; N],
        }
    }

    /// A Jacobian, taken apart.
    pub fn of(jacobian: &Matrix<R, N, N>) -> Self {
        let mut affine = Self::none();
        for i in 0..N {
            let mut most = R::ZERO;
            for j in 0..N {
                let element = jacobian.data.0[j][i];
                affine.rows[i][j] = element;
                if element.abs() > most {
                    (most, affine.largest[i]) = (element.abs(), j as u8);
                }
            }
            affine.sums[i] = sum(&affine.rows[i]);
        }
        affine
    }

    /// The sums of the rows of `E - factor J`, where `e` are the rows of E.
    pub fn sums<F: Field<Real = R>>(&self, e: &[[R; N]; N], factor: F) -> [F; N] {
        let mut sums = [F::ZERO; N];
        for i in 0..N {
            sums[i] = F::ONE.scale(sum(&e[i])) - factor.scale(self.sums[i]);
        }
        sums
    }

    /// `J x`, as what differences of unknowns contribute and as what the sums of the rows do.
    #[inline(always)]
    pub fn times<F: Field<Real = R>>(&self, x: &[F; N]) -> ([F; N], [F; N]) {
        let (mut differences, mut rest) = ([F::ZERO; N], [F::ZERO; N]);
        for i in 0..N {
            // Always there.
            let p = x.get(usize::from(self.largest[i])).copied();
            let p = p.unwrap_or(F::ZERO);
            differences[i] = (x[0] - p).scale(self.rows[i][0]);
            for j in 1..N {
                differences[i] = differences[i] + (x[j] - p).scale(self.rows[i][j]);
            }
            rest[i] = p.scale(self.sums[i]);
        }
        (differences, rest)
    }
}

/// A sum that is good to rounding, however much of it cancels.
fn sum<R: Real, const N: usize>(terms: &[R; N]) -> R {
    let (mut high, mut low) = (R::ZERO, R::ZERO);
    for &term in terms {
        let next = high + term;
        let part = next - high;
        low += (high - (next - part)) + (term - part);
        high = next;
    }
    high + low
}

visits!([R: Real, const N: usize] Affine<R, N>: rows, sums, largest);

impl<R, M: FirstOrder<R, N, U>, K: Collocation<S>, const N: usize, const U: usize, const S: usize>
    Old<'_, OnFirstOrder<R, M, K, N, U, S>>
{
    /// The right-hand sides of an affine model at the old point, in every stage, and the size of the terms of the last one.
    #[inline(always)]
    fn driven(&self, affine: &Affine<R, N>, first: &[R; N]) -> ([[R; N]; S], [R; N]) {
        let table = K::coefficients::<R>();
        let (mut f, mut sizes) = ([[R::ZERO; N]; S], [R::ZERO; N]);
        let (mut differences, mut rest) = affine.times(&self.state.data.0[0]);
        for i in 0..S {
            if K::EXPLICIT_FIRST {
                let mut x = self.state.data.0[0];
                for n in 0..N {
                    x[n] += self.h * table.first[i] * first[n];
                }
                (differences, rest) = affine.times(&x);
            }
            let drive = self.model.drive(self.t + table.c[i] * self.h, self.u);
            for n in 0..N {
                // What a source and a large conductance in series drive is the sum of both.
                let drive = drive.data.0[0][n];
                f[i][n] = (drive + differences[n]) + rest[n];
                if i == S - 1 {
                    sizes[n] = (drive.abs() + differences[n].abs()) + rest[n].abs();
                }
            }
        }
        (f, sizes)
    }

    /// The stages of an affine model. Answers the squares of what they may be off by: the last one is put into its equation, and
    /// what is left there is solved for with the other stages as they are. That is a sample of what rounding does to all of
    /// them; three times as much covers the others. The rounding of f itself cannot be seen there, and is added as a bound.
    #[inline(always)]
    pub(super) fn solve_affine(
        &self,
        point: &Point<R, M::Mass, N>,
        factors: &FirstOrderFactors<R, N, S>,
        k: &mut [[R; N]; S],
    ) -> [R; N] {
        let table = K::coefficients::<R>();
        let (f, sizes) = self.driven(&factors.affine, &point.first);
        *k = factors.modes.solve(&f, table);
        let mut moved = combine(&table.a[S - 1], k);
        for n in 0..N {
            moved[n] *= self.h;
        }
        let (differences, rest) = factors.affine.times(&moved);
        let mut left = point.mass.times(&k[S - 1]);
        for n in 0..N {
            left[n] = ((f[S - 1][n] - left[n]) + differences[n]) + rest[n];
        }
        let mut squares = [R::ZERO; N];
        for n in 0..N {
            let (mut off, mut rounding) = (R::ZERO, R::ZERO);
            for j in 0..N {
                let answer = factors.check[n][j];
                off += answer * left[j];
                rounding += answer.abs() * sizes[j];
            }
            let off = R::from_f64(3.0) * off.abs() + R::EPSILON * rounding;
            let size = off * (self.h * self.scales.weights[n]);
            squares[n] = size * size;
        }
        squares
    }
}

#[cfg(test)]
mod tests {
    use super::sum;

    /// What cancels leaves all of the rest.
    #[test]
    fn a_sum_keeps_what_cancels() {
        assert_eq!(sum(&[1e8_f32, 1.0, -1e8, 0.25]), 1.25);
        assert_eq!(sum(&[3.0_f32, 1e-6, -3.0]), 1e-6);
    }
}
