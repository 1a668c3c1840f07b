//! The lean Newton matrix of constraints that touch few coordinates each: as [`LeanFactors`](super::lean::LeanFactors), with the same bits, in rows as
//! narrow as the constraints and in place. Where there are many constraints, to hand whole matrices about costs more than to use them.

use super::linearization::{Solves, amplitude_of, distribute, joint_weights};
use crate::geometry::{Degenerate, Narrow, Pattern, PatternOf};
use crate::linear::Band;
use crate::method::{Coefficients, Mode, Modes, Slots, Stages};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical, Vector};
use crate::number::{Complex, Field, Real};
use core::marker::PhantomData;

/// A mode's joints: weights of the constraint rows and the factorised Schur complement.
#[derive(Clone, Copy, Debug)]
struct NarrowMode<E, const L: usize, const K: usize> {
    weight: [E; L],
    schur: Band<E, L, K>,
}

impl<R: Real, E: Field<Real = R>, const L: usize, const K: usize> NarrowMode<E, L, K> {
    /// A place for one.
    const PLACE: Self = NarrowMode {
        weight: [E::ZERO; L],
        schur: Band::ZERO,
    };

    #[inline(always)]
    fn set<F, J: Joints<R, L>>(
        &mut self,
        geometry: &Narrow<R, F, L, K>,
        pattern: &Pattern<L>,
        joints: &J,
        (h, eigenvalue): (R, E),
    ) -> Result<(), Degenerate> {
        let (compliance, weight) = (joints.compliance(), joint_weights(joints, h, eigenvalue));
        self.weight = weight;
        geometry.fill(pattern, &mut self.schur, |j| {
            J::ELASTIC.then(|| weight[j].scale(compliance[j] / (h * h)))
        });
        self.schur
            .decompose(pattern.band)
            .map_err(Degenerate::constraint)
    }

    /// From `r2` and `G M^-1 r1` to this mode's part of dLambda.
    #[inline(always)]
    fn solve<const S: usize>(
        &self,
        mode: &Mode<E, S>,
        (r2, pulled): (&[[R; L]; S], &[[R; L]; S]),
        increments: &mut [[R; L]; S],
        (first, band): (bool, usize),
    ) {
        let mut rhs = [E::ZERO; L];
        for j in 0..L {
            rhs[j] = amplitude_of(mode, r2, j) * self.weight[j] - amplitude_of(mode, pulled, j);
        }
        self.schur.solve(&mut rhs, band);
        distribute(mode, &rhs, increments, first);
    }
}

/// The mass of a model, factorised.
type MassFactorOf<R, M, const Q: usize, const L: usize, const U: usize> =
    <<M as Mechanical<R, Q, L, U>>::Mass<R> as MassMatrix<R, R, Q>>::Factor;

/// The factors of a model with a pattern, which keeps `K` elements of each row.
pub(super) struct NarrowFactors<
    R,
    M,
    const Q: usize,
    const L: usize,
    const U: usize,
    const S: usize,
    const K: usize,
> where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    Stages<S>: Modes,
{
    geometry: Narrow<R, MassFactorOf<R, M, Q, L, U>, L, K>,
    real: <Stages<S> as Modes>::PerReal<NarrowMode<R, L, K>>,
    pairs: <Stages<S> as Modes>::PerPair<NarrowMode<Complex<R>, L, K>>,
    model: PhantomData<M>,
}

impl<R, M, const Q: usize, const L: usize, const U: usize, const S: usize, const K: usize>
    NarrowFactors<R, M, Q, L, U, S, K>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    Stages<S>: Modes,
{
    const PATTERN: Pattern<L> = PatternOf::<R, M, Q, L, U>::PATTERN;

    /// A place for those at q.
    #[inline(always)]
    pub fn place(model: &M, q: &[R; Q]) -> Result<Self, Degenerate> {
        let mass = model.mass(&Vector::from(*q)).factor();
        Ok(NarrowFactors {
            geometry: Narrow::place(mass.map_err(Degenerate::mass)?),
            real: Slots::filled(NarrowMode::PLACE),
            pairs: Slots::filled(NarrowMode::PLACE),
            model: PhantomData,
        })
    }

    /// Those at (t, q), for steps of size h.
    #[inline(always)]
    pub fn set(
        &mut self,
        model: &M,
        (t, q): (R, &[R; Q]),
        h: R,
        coefficients: &Coefficients<R, S>,
    ) -> Result<(), Degenerate> {
        self.geometry.set(model, t, q);
        let (geometry, pattern, joints) = (&self.geometry, &Self::PATTERN, model.joints());
        for mode in self.real.as_mut() {
            let of = (h, coefficients.real.eigenvalue);
            mode.set(geometry, pattern, &joints, of)?;
        }
        for (mode, table) in self.pairs.as_mut().iter_mut().zip(&coefficients.pairs) {
            mode.set(geometry, pattern, &joints, (h, table.eigenvalue))?;
        }
        Ok(())
    }
}

#[allow(private_interfaces)]
impl<R, M, const Q: usize, const L: usize, const U: usize, const S: usize, const K: usize>
    Solves<R, Q, L, S> for NarrowFactors<R, M, Q, L, U, S, K>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    Stages<S>: Modes,
{
    #[inline(always)]
    fn solve(&self, r1: &mut [[R; Q]; S], r2: &mut [[R; L]; S], coefficients: &Coefficients<R, S>) {
        let (geometry, pattern) = (&self.geometry, &Self::PATTERN);
        let mut pulled = [[R::ZERO; L]; S];
        for i in 0..S {
            geometry.mass.solve(&mut r1[i]);
            pulled[i] = geometry.across(pattern, &r1[i]);
        }
        let mut increments = [[R::ZERO; L]; S];
        for mode in self.real.as_ref() {
            let how = (true, pattern.band);
            mode.solve(&coefficients.real, (r2, &pulled), &mut increments, how);
        }
        let pairs = self.pairs.as_ref().iter().zip(&coefficients.pairs);
        for (k, (mode, table)) in pairs.enumerate() {
            let how = (S.is_multiple_of(2) && k == 0, pattern.band);
            mode.solve(table, (r2, &pulled), &mut increments, how);
        }
        for i in 0..S {
            let response: [R; Q] = geometry.respond(pattern, &increments[i]);
            for n in 0..Q {
                r1[i][n] += response[n];
            }
        }
        *r2 = increments;
    }

    #[inline(always)]
    fn way(&self, lack: [R; L], give: Option<[R; L]>) -> Result<[R; Q], Degenerate> {
        self.geometry.way(&Self::PATTERN, lack, give)
    }
}
