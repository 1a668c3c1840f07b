//! The Newton matrix of all stages of a collocation method, factorised: one small real or complex matrix a mode of A.

use crate::linear::{Known, Lu, Singular};
use crate::memory::{Memory, Words};
use crate::method::{Coefficients, Mode, Modes, Slots, Stages, visit_slots};
use crate::number::{Complex, Field, Real};

/// The factorised matrices of all modes.
#[derive(Clone, Copy)]
pub struct ModeFactors<R: Real, const N: usize, const S: usize>
where
    Stages<S>: Modes,
{
    pub(super) real: <Stages<S> as Modes>::PerReal<Lu<R, N>>,
    pub(super) pairs: <Stages<S> as Modes>::PerPair<Lu<Complex<R>, N>>,
}

impl<R: Real, const N: usize, const S: usize> ModeFactors<R, N, S>
where
    Stages<S>: Modes,
{
    /// Makes them what functions of `h mu` put there, mu being a mode's eigenvalue.
    #[inline(always)]
    pub fn refactor(
        &mut self,
        table: &Coefficients<R, S>,
        h: R,
        real: impl Fn(R, &mut Lu<R, N>) -> Result<(), Singular>,
        pair: impl Fn(Complex<R>, &mut Lu<Complex<R>, N>) -> Result<(), Singular>,
    ) -> Result<(), Singular> {
        for lu in self.real.as_mut() {
            real(table.real.eigenvalue * h, lu)?;
        }
        for (lu, mode) in self.pairs.as_mut().iter_mut().zip(&table.pairs) {
            pair(mode.eigenvalue.scale(h), lu)?;
        }
        Ok(())
    }

    /// A place to put others.
    pub fn unit() -> Self {
        ModeFactors {
            real: Slots::filled(Lu::unit()),
            pairs: Slots::filled(Lu::unit()),
        }
    }

    /// From residuals to increments, mode by mode.
    #[inline(always)]
    pub fn solve(&self, residual: &[[R; N]; S], table: &Coefficients<R, S>) -> [[R; N]; S] {
        self.solve_around(None, residual, table)
    }

    /// The same by factors of matrices with zeros, if these are known.
    #[inline(always)]
    pub fn solve_around(
        &self,
        zeros: Known<N>,
        residual: &[[R; N]; S],
        table: &Coefficients<R, S>,
    ) -> [[R; N]; S] {
        let (mut increments, mut none) = ([[R::ZERO; N]; S], true);
        for lu in self.real.as_ref() {
            contribute(&table.real, lu, zeros, residual, (&mut increments, none));
            none = false;
        }
        for (lu, mode) in self.pairs.as_ref().iter().zip(&table.pairs) {
            contribute(mode, lu, zeros, residual, (&mut increments, none));
            none = false;
        }
        increments
    }
}

/// Adds what a mode contributes to the stages: its amplitude of the residual, solved, along its eigenvector. Where there are `none`
/// yet, they are what it contributes.
#[inline(always)]
fn contribute<R: Real, F: Field<Real = R>, const N: usize, const S: usize>(
    mode: &Mode<F, S>,
    lu: &Lu<F, N>,
    zeros: Known<N>,
    residual: &[[R; N]; S],
    (increments, none): (&mut [[R; N]; S], bool),
) {
    let mut d = [F::ZERO; N];
    for n in 0..N {
        d[n] = mode.left[0].scale(residual[0][n]);
        for i in 1..S {
            d[n] = d[n] + mode.left[i].scale(residual[i][n]);
        }
    }
    lu.solve_around(zeros, &mut d);
    for i in 0..S {
        for n in 0..N {
            let part = (mode.right[i] * d[n]).real_part();
            // Not added to zero: 0 + x is not x for x = -0, so the compiler would have to add.
            increments[i][n] = if none { part } else { increments[i][n] + part };
        }
    }
}

impl<R: Real, const N: usize, const S: usize> Memory for ModeFactors<R, N, S>
where
    Stages<S>: Modes,
{
    fn visit<W: Words>(&mut self, words: &mut W) {
        visit_slots(&mut self.real, words);
        visit_slots(&mut self.pairs, words);
    }
}
