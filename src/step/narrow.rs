//! The lean Newton matrix of constraints that touch few coordinates each: as [`LeanFactors`](super::lean::LeanFactors), with the same bits, in rows as
//! narrow as the constraints and in place. Where there are many constraints, to hand whole matrices about costs more than to use them.

use super::linearization::{Solves, amplitude_of, damped_weight};
use crate::geometry::{Degenerate, Narrow, Pattern, PatternOf};
use crate::linear::Band;
use crate::method::{Coefficients, Mode, Modes, Slots, Stages};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical};
use crate::number::{Complex, Field, Real};
use core::marker::PhantomData;

/// A mode's joints: weights of the constraint rows and the factorised Schur complement.
#[derive(Clone, Copy, Debug)]
struct NarrowMode<E, const L: usize, const K: usize> {
    /// The first is that of all, unless joints are damped.
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
    fn set<F: MassFactor<R, Q>, J: Joints<R, L>, const Q: usize>(
        &mut self,
        geometry: &Narrow<R, F, Q, L, K>,
        pattern: &Pattern<L>,
        joints: &J,
        (h, eigenvalue): (R, E),
    ) -> Result<(), Degenerate> {
        let (compliance, tau) = (joints.compliance(), joints.relaxation());
        let rigid = (eigenvalue * eigenvalue).recip();
        for j in 0..if J::DAMPED { L } else { 1.min(L) } {
            self.weight[j] = if J::DAMPED {
                damped_weight(h, eigenvalue, tau[j])
            } else {
                rigid
            };
        }
        let weight = &self.weight;
        geometry.fill(pattern, &mut self.schur, |j| {
            let weight = if J::DAMPED { weight[j] } else { rigid };
            J::ELASTIC.then(|| weight.scale(compliance[j] / (h * h)))
        });
        self.schur
            .decompose(pattern.band)
            .map_err(Degenerate::constraint)
    }

    /// What a constraint of which weight lacks in this mode, from its rows of `r2` and `G M^-1 r1`.
    #[inline(always)]
    fn lack<const S: usize>(
        &self,
        mode: &Mode<E, S>,
        (weight, r2, pulled): (usize, &[R; S], &[R; S]),
    ) -> E {
        amplitude_of(mode, |i| r2[i]) * self.weight[weight] - amplitude_of(mode, |i| pulled[i])
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
    M: Mechanical<R, Q, L, U>,
    Stages<S>: Modes,
{
    geometry: Narrow<R, MassFactorOf<R, M, Q, L, U>, Q, L, K>,
    real: <Stages<S> as Modes>::PerReal<NarrowMode<R, L, K>>,
    pairs: <Stages<S> as Modes>::PerPair<NarrowMode<Complex<R>, L, K>>,
    model: PhantomData<M>,
}

impl<R, M, const Q: usize, const L: usize, const U: usize, const S: usize, const K: usize>
    NarrowFactors<R, M, Q, L, U, S, K>
where
    M: Mechanical<R, Q, L, U>,
    Stages<S>: Modes,
{
    const PATTERN: Pattern<L> = PatternOf::<R, M, Q, L, U>::PATTERN;

    /// A place for those with that mass.
    #[inline(always)]
    pub fn place(mass: MassFactorOf<R, M, Q, L, U>) -> Self {
        NarrowFactors {
            geometry: Narrow::place(mass),
            real: Slots::filled(NarrowMode::PLACE),
            pairs: Slots::filled(NarrowMode::PLACE),
            model: PhantomData,
        }
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
    M: Mechanical<R, Q, L, U>,
    Stages<S>: Modes,
{
    const APART: bool = true;

    #[inline(always)]
    fn solve(
        &self,
        r1: &mut [[R; Q]; S],
        r2: &mut [[R; L]; S],
        apart: &mut [[R; Q]; S],
        coefficients: &Coefficients<R, S>,
    ) {
        let (geometry, pattern) = (&self.geometry, &Self::PATTERN);
        let damped = M::Joints::DAMPED;
        for i in 0..S {
            geometry.mass.solve(&mut r1[i]);
        }
        let mut real = <Stages<S> as Modes>::PerReal::filled([R::ZERO; L]);
        let mut pairs = <Stages<S> as Modes>::PerPair::filled([Complex::<R>::ZERO; L]);
        for j in 0..L {
            let (mut lacks, mut pulled) = ([R::ZERO; S], [R::ZERO; S]);
            for i in 0..S {
                (lacks[i], pulled[i]) = (r2[i][j], geometry.across(pattern, j, &r1[i]));
            }
            let of = (if damped { j } else { 0 }, &lacks, &pulled);
            for (mode, rhs) in self.real.as_ref().iter().zip(real.as_mut()) {
                rhs[j] = mode.lack(&coefficients.real, of);
            }
            let modes = self.pairs.as_ref().iter().zip(&coefficients.pairs);
            for ((mode, table), rhs) in modes.zip(pairs.as_mut()) {
                rhs[j] = mode.lack(table, of);
            }
        }
        for (mode, rhs) in self.real.as_ref().iter().zip(real.as_mut()) {
            mode.schur.solve(rhs, pattern.band);
        }
        for (mode, rhs) in self.pairs.as_ref().iter().zip(pairs.as_mut()) {
            mode.schur.solve(rhs, pattern.band);
        }
        for j in 0..L {
            for i in 0..S {
                let mut sum = None;
                for rhs in real.as_ref() {
                    sum = Some(coefficients.real.right[i] * rhs[j]);
                }
                for (rhs, table) in pairs.as_ref().iter().zip(&coefficients.pairs) {
                    let part = (table.right[i] * rhs[j]).real_part();
                    sum = Some(sum.map_or(part, |sum| sum + part));
                }
                let lambda = sum.unwrap_or(R::ZERO);
                r2[i][j] = lambda;
                geometry.respond(pattern, (j, lambda), &mut apart[i]);
            }
        }
    }

    #[inline(always)]
    fn way(&self, lack: [R; L], give: Option<[R; L]>, way: &mut [R; Q]) -> Result<(), Degenerate> {
        self.geometry.way(&Self::PATTERN, lack, give, way)
    }
}
