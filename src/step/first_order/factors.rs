//! The Newton matrix of a first-order step, factorised: anew in each step, or, for an affine model, once, by the sums of its rows.

use super::affine::Affine;
use crate::linear::{Lu, Shape, Singular};
use crate::memory::visits;
use crate::method::{Coefficients, Modes, Stages};
use crate::model::{MassMatrix, Matrix};
use crate::number::{Field, Real};
use crate::step::Error;
use crate::step::modes::ModeFactors;
use core::cell::Cell;

/// The factorised matrices `E - h mu J`, one a mode, and what an affine model's stages are computed and checked by.
#[derive(Clone, Copy)]
pub struct FirstOrderFactors<R: Real, const N: usize, const S: usize>
where
    Stages<S>: Modes,
{
    pub(super) modes: ModeFactors<R, N, S>,
    pub(super) affine: Affine<R, N>,
    /// The inverse of the last stage's own matrix, by which an affine model's stages are checked.
    pub(super) check: [[R; N]; N],
}

visits!(
    [R: Real, const N: usize, const S: usize] FirstOrderFactors<R, N, S> where [Stages<S>: Modes]:
    modes, check, affine
);

impl<R: Real, const N: usize, const S: usize> FirstOrderFactors<R, N, S>
where
    Stages<S>: Modes,
{
    /// Makes them those of a model that is not affine.
    #[inline(always)]
    pub(super) fn refactor<Z: Shape<N>, E: MassMatrix<R, R, N>>(
        &mut self,
        mass: &E,
        h: R,
        jacobian: &Matrix<R, N, N>,
        table: &Coefficients<R, S>,
    ) -> Result<(), Singular> {
        self.modes.refactor(
            table,
            h,
            |factor, lu| decompose::<R, _, Z, E, N>(lu, mass, factor, jacobian),
            |factor, lu| decompose::<R, _, Z, E, N>(lu, mass, factor, jacobian),
        )
    }

    /// Those of an affine model, by what sums of rows are: so that a small conductance counts beside large ones. Where a matrix
    /// is nearly singular all the same, as that of an unstable circuit near a pole of the method is, the check of one stage
    /// grows with the rounding that all of them have.
    pub(super) fn by_sums<E: MassMatrix<R, R, N>>(
        mass: &E,
        h: R,
        jacobian: &Matrix<R, N, N>,
        table: &Coefficients<R, S>,
    ) -> Result<Self, Error> {
        let affine = Affine::of(jacobian);
        let mut e = [[R::ZERO; N]; N];
        mass.add_to(&mut e);
        let most = Cell::new(R::ONE);
        let mut factors = Self::unit();
        factors.modes.refactor(
            table,
            h,
            |factor, lu| {
                let more = by_sums(lu, mass, factor, jacobian, affine.sums(&e, factor))?;
                most.set(most.get().max(more));
                Ok(())
            },
            |factor, lu| {
                let more = by_sums(lu, mass, factor, jacobian, affine.sums(&e, factor))?;
                most.set(most.get().max(more));
                Ok(())
            },
        )?;
        // The size of a complex number is the sum of those of its parts: up to two where nothing cancels.
        let doubt = (most.get() - R::ONE).max(R::ONE);
        let (mut own, factor) = (Lu::unit(), table.a[S - 1][S - 1] * h);
        by_sums(&mut own, mass, factor, jacobian, affine.sums(&e, factor))?;
        for j in 0..N {
            // A column of the inverse.
            let mut column = [R::ZERO; N];
            column[j] = doubt;
            own.solve(&mut column);
            for i in 0..N {
                factors.check[i][j] = column[i];
            }
        }
        factors.affine = affine;
        Ok(factors)
    }

    /// A place to put others.
    pub(super) fn unit() -> Self {
        FirstOrderFactors {
            modes: ModeFactors::unit(),
            affine: Affine::none(),
            check: [[R::ZERO; N]; N],
        }
    }
}

/// Decomposes `E - factor J`.
#[inline(always)]
fn decompose<R: Real, F: Field<Real = R>, Z: Shape<N>, E: MassMatrix<R, R, N>, const N: usize>(
    lu: &mut Lu<F, N>,
    mass: &E,
    factor: F,
    j: &Matrix<R, N, N>,
) -> Result<(), Singular> {
    let Some(zeros) = Z::KNOWN else {
        return lu.refactor(|rows| iteration_matrix(mass, factor, j, rows));
    };
    lu.refactor_around(zeros, |rows| {
        for row in 0..N {
            for column in 0..N {
                if zeros.given(row, column) {
                    rows[row][column] = factor.scale(-j.data.0[column][row]);
                } else if zeros.kept(row, column) {
                    rows[row][column] = F::ZERO;
                }
            }
        }
        mass.add_to(rows);
    })
}

/// Writes the rows of `E - factor J`.
#[inline(always)]
fn iteration_matrix<R: Real, F: Field<Real = R>, E: MassMatrix<R, R, N>, const N: usize>(
    mass: &E,
    factor: F,
    j: &Matrix<R, N, N>,
    rows: &mut [[F; N]; N],
) {
    for row in 0..N {
        for column in 0..N {
            rows[row][column] = factor.scale(-j.data.0[column][row]);
        }
    }
    mass.add_to(rows);
}

/// Decomposes `E - factor J` by the sums of its rows, and answers by how much that amplifies rounding.
fn by_sums<R: Real, F: Field<Real = R>, E: MassMatrix<R, R, N>, const N: usize>(
    lu: &mut Lu<F, N>,
    mass: &E,
    factor: F,
    j: &Matrix<R, N, N>,
    sums: [F; N],
) -> Result<R, Singular> {
    lu.refactor_by_sums(sums, |rows| iteration_matrix(mass, factor, j, rows))
}
