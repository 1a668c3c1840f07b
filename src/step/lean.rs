//! The lean Newton matrix: mass and constraints. One real factorisation of the mass serves all stages; only the Schur
//! complements, of the size of the constraints, know the modes.

use super::linearization::{Factors, Parts, amplitude, distribute, joint_block};
use crate::geometry::{Degenerate, Geometry, dot, plus};
use crate::linear::Lu;
use crate::method::{Coefficients, Mode, Modes, Slots, Stages};
use crate::model::{Joints, MassFactor, MassMatrix};
use crate::number::{Complex, Field, Real};

/// A mode's joints: weights of the constraint rows and the factorised Schur complement.
#[derive(Clone, Copy, Debug)]
struct LeanMode<E, const L: usize> {
    weight: [E; L],
    schur: Lu<E, L, false>,
}

impl<R: Real, E: Field<Real = R>, const L: usize> LeanMode<E, L> {
    #[inline(always)]
    fn new<J: Joints<R, L>>(
        joints: &J,
        h: R,
        eigenvalue: E,
        real: &[[R; L]; L],
    ) -> Result<Self, Degenerate> {
        let mut schur = [[E::ZERO; L]; L];
        for i in 0..L {
            for j in 0..L {
                schur[i][j] = E::ONE.scale(real[i][j]);
            }
        }
        let (weight, schur) = joint_block(joints, h, eigenvalue, schur)?;
        Ok(LeanMode { weight, schur })
    }

    /// From `r2` and `G M^-1 r1` to this mode's part of dLambda.
    #[inline(always)]
    fn solve<const S: usize>(
        &self,
        mode: &Mode<E, S>,
        r2: &[[R; L]; S],
        pulled: &[[R; L]; S],
        increments: &mut [[R; L]; S],
        first: bool,
    ) {
        let mut rhs = amplitude(mode, r2);
        self.multipliers(&mut rhs, &amplitude(mode, pulled));
        distribute(mode, &rhs, increments, first);
    }

    #[inline(always)]
    fn multipliers(&self, rhs: &mut [E; L], pulled: &[E; L]) {
        for j in 0..L {
            rhs[j] = rhs[j] * self.weight[j] - pulled[j];
        }
        self.schur.solve(rhs);
    }
}

/// See [`Lean`](crate::method::Lean).
#[doc(hidden)]
pub struct LeanFactors<R: Real, F, const Q: usize, const L: usize, const S: usize>
where
    Stages<S>: Modes,
{
    geometry: Geometry<R, F, Q, L>,
    real: <Stages<S> as Modes>::PerReal<LeanMode<R, L>>,
    pairs: <Stages<S> as Modes>::PerPair<LeanMode<Complex<R>, L>>,
}

impl<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize>
    LeanFactors<R, F, Q, L, S>
where
    Stages<S>: Modes,
{
    /// The factors for a geometry, which need not be that of a constraint: the rows of E may differ from G.
    #[inline(always)]
    pub(super) fn from_geometry<J: Joints<R, L>>(
        geometry: Geometry<R, F, Q, L>,
        joints: &J,
        h: R,
        coefficients: &Coefficients<R, S>,
    ) -> Result<Self, Degenerate> {
        let real = <Stages<S> as Modes>::PerReal::try_filled(|_| {
            LeanMode::new(joints, h, coefficients.real.eigenvalue, &geometry.schur)
        })?;
        let pairs = <Stages<S> as Modes>::PerPair::try_filled(|k| {
            LeanMode::new(joints, h, coefficients.pairs[k].eigenvalue, &geometry.schur)
        })?;
        Ok(LeanFactors {
            geometry,
            real,
            pairs,
        })
    }
}

#[allow(private_interfaces)]
impl<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize> Factors<Q, L, S>
    for LeanFactors<R, F, Q, L, S>
where
    Stages<S>: Modes,
{
    type R = R;
    type Mass = F;

    #[inline(always)]
    fn factor<T: MassMatrix<R, R, Q, Factor = F>>(
        geometry: Geometry<R, F, Q, L>,
        _parts: &Parts<R, T, Q>,
        joints: &impl Joints<R, L>,
        (h, table): (R, &Coefficients<R, S>),
    ) -> Result<Self, Degenerate> {
        Self::from_geometry(geometry, joints, h, table)
    }

    #[inline(always)]
    fn solve_stages(
        &self,
        r1: &mut [[R; Q]; S],
        r2: &mut [[R; L]; S],
        coefficients: &Coefficients<R, S>,
    ) {
        let mut pulled = [[R::ZERO; L]; S];
        for i in 0..S {
            self.geometry.mass.solve(&mut r1[i]);
            for j in 0..L {
                pulled[i][j] = dot(&self.geometry.jacobian[j], &r1[i]);
            }
        }
        let mut increments = [[R::ZERO; L]; S];
        for mode in self.real.as_ref() {
            mode.solve(&coefficients.real, r2, &pulled, &mut increments, true);
        }
        let pairs = self.pairs.as_ref().iter().zip(&coefficients.pairs);
        for (k, (mode, table)) in pairs.enumerate() {
            let first = S.is_multiple_of(2) && k == 0;
            mode.solve(table, r2, &pulled, &mut increments, first);
        }
        for i in 0..S {
            let response = self.geometry.respond(&increments[i]);
            plus(&mut r1[i], R::ONE, &response);
        }
        *r2 = increments;
    }

    #[inline(always)]
    fn solve_real(&self, r1: &mut [R; Q], r2: &mut [R; L]) {
        for mode in self.real.as_ref() {
            self.geometry.mass.solve(r1);
            let mut pulled = [R::ZERO; L];
            for j in 0..L {
                pulled[j] = dot(&self.geometry.jacobian[j], r1);
            }
            mode.multipliers(r2, &pulled);
            let response = self.geometry.respond(r2);
            plus(r1, R::ONE, &response);
        }
    }

    #[inline(always)]
    fn geometry(&self) -> &Geometry<R, F, Q, L> {
        &self.geometry
    }
}
