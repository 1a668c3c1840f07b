//! Between the stages and beyond them: the collocation polynomial at any time, seen from the end of its step.

use super::Coefficients;
use crate::number::Real;

impl<R: Real, const S: usize> Coefficients<R, S> {
    /// What each stage contributes to a stage quantity at `x`, which is 0 at the start of the step and 1 at its end.
    #[inline]
    pub fn values_at(&self, x: R) -> [R; S] {
        let y = x - R::ONE;
        let mut weights = [R::ZERO; S];
        for k in (0..S).rev() {
            for j in 0..S {
                weights[j] = weights[j] * y + self.basis[k][j];
            }
        }
        weights
    }

    /// What each stage contributes to the change of such a quantity from the end of the step to `x`.
    #[inline]
    pub fn rises_to(&self, x: R) -> [R; S] {
        let mut weights = self.values_at(x);
        for j in 0..S {
            weights[j] -= self.basis[0][j];
        }
        weights
    }

    /// The integrals of those contributions from the end of the step to `x`: from derivatives to values.
    #[inline]
    pub fn integrals_to(&self, x: R) -> [R; S] {
        let y = x - R::ONE;
        let mut weights = [R::ZERO; S];
        for k in (0..S).rev() {
            let over = R::ONE / R::from_count(k as u64 + 1);
            for j in 0..S {
                weights[j] = (weights[j] + self.basis[k][j] * over) * y;
            }
        }
        weights
    }

    /// The same integrated twice: from accelerations to positions.
    #[inline]
    pub fn double_integrals_to(&self, x: R) -> [R; S] {
        let y = x - R::ONE;
        let mut weights = [R::ZERO; S];
        for k in (0..S).rev() {
            let over = R::ONE / R::from_count((k as u64 + 1) * (k as u64 + 2));
            for j in 0..S {
                weights[j] = (weights[j] + self.basis[k][j] * over) * y;
            }
        }
        for weight in &mut weights {
            *weight *= y;
        }
        weights
    }

    /// The weights that make stages of a step of size `h` those of a step `ratio h` that ends where it ended, on the same
    /// polynomial: so a prediction survives a change of the step size.
    #[inline]
    pub fn rescaled(&self, ratio: R) -> [[R; S]; S] {
        let mut weights = [[R::ZERO; S]; S];
        for i in 0..S {
            weights[i] = self.values_at(R::ONE + ratio * (self.c[i] - R::ONE));
        }
        weights
    }
}
