//! The full Newton matrix: each mode has a block of its own, `P = M - h mu f_v + h^2 mu^2 S`.

use super::linearization::{Factors, Parts, amplitude, distribute, joint_block};
use crate::geometry::{Degenerate, Geometry};
use crate::linear::Lu;
use crate::method::{Coefficients, Mode, Modes, Slots, Stages};
use crate::model::{Joints, MassFactor, MassMatrix};
use crate::number::{Complex, Field, Real};

/// A mode's own block P, its `P^-1 G^T` by columns, and its joints.
#[derive(Clone, Copy, Debug)]
struct FullMode<E, const Q: usize, const L: usize> {
    block: Lu<E, Q>,
    directions: [[E; Q]; L],
    weight: [E; L],
    schur: Lu<E, L, false>,
}

impl<R: Real, E: Field<Real = R>, const Q: usize, const L: usize> FullMode<E, Q, L> {
    #[inline(always)]
    fn new<T: MassMatrix<R, R, Q>, J: Joints<R, L>>(
        parts: &Parts<R, T, Q>,
        jacobian: &[[R; Q]; L],
        joints: &J,
        h: R,
        eigenvalue: E,
    ) -> Result<Self, Degenerate> {
        let once = eigenvalue.scale(h);
        let (once, twice) = (-once, -(once * once));
        let mut block = [[E::ZERO; Q]; Q];
        for i in 0..Q {
            for j in 0..Q {
                block[i][j] = twice.scale(parts.stiffness[i][j]) + once.scale(parts.damping[i][j]);
            }
        }
        parts.mass.add_to(&mut block);
        let block = Lu::factor(block).map_err(Degenerate::mass)?;
        let mut directions = [[E::ZERO; Q]; L];
        let mut schur = [[E::ZERO; L]; L];
        for j in 0..L {
            for n in 0..Q {
                directions[j][n] = E::ONE.scale(jacobian[j][n]);
            }
            block.solve(&mut directions[j]);
            for i in 0..L {
                schur[i][j] = project(&jacobian[i], &directions[j]);
            }
        }
        let (weight, schur) = joint_block(joints, h, eigenvalue, schur)?;
        Ok(FullMode {
            block,
            directions,
            weight,
            schur,
        })
    }

    #[inline(always)]
    fn solve<const S: usize>(
        &self,
        mode: &Mode<E, S>,
        jacobian: &[[R; Q]; L],
        (r1, r2): (&[[R; Q]; S], &[[R; L]; S]),
        (dw, dlambda): (&mut [[R; Q]; S], &mut [[R; L]; S]),
        first: bool,
    ) {
        let (mut w, mut lambda) = (amplitude(mode, r1), amplitude(mode, r2));
        self.eliminate(jacobian, &mut w, &mut lambda);
        distribute(mode, &w, dw, first);
        distribute(mode, &lambda, dlambda, first);
    }

    /// From a mode's residuals to what is to be taken off W and added to Lambda.
    #[inline(always)]
    fn eliminate(&self, jacobian: &[[R; Q]; L], w: &mut [E; Q], lambda: &mut [E; L]) {
        self.block.solve(w);
        for j in 0..L {
            lambda[j] = lambda[j] * self.weight[j] - project(&jacobian[j], w);
        }
        self.schur.solve(lambda);
        for n in 0..Q {
            for j in 0..L {
                w[n] = w[n] + self.directions[j][n] * lambda[j];
            }
        }
    }
}

/// The product of a real row with a column of a mode.
#[inline(always)]
fn project<R: Real, E: Field<Real = R>, const Q: usize>(row: &[R; Q], column: &[E; Q]) -> E {
    let mut sum = E::ZERO;
    for n in 0..Q {
        let part = column[n].scale(row[n]);
        sum = if n == 0 { part } else { sum + part };
    }
    sum
}

/// A full Newton matrix, factorised.
#[doc(hidden)]
pub struct FullFactors<R: Real, F, const Q: usize, const L: usize, const S: usize>
where
    Stages<S>: Modes,
{
    geometry: Geometry<R, F, Q, L>,
    real: <Stages<S> as Modes>::PerReal<FullMode<R, Q, L>>,
    pairs: <Stages<S> as Modes>::PerPair<FullMode<Complex<R>, Q, L>>,
}

#[allow(private_interfaces)]
impl<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize> Factors<Q, L, S>
    for FullFactors<R, F, Q, L, S>
where
    Stages<S>: Modes,
{
    type R = R;
    type Mass = F;

    #[inline(always)]
    fn factor<T: MassMatrix<R, R, Q, Factor = F>>(
        geometry: Geometry<R, F, Q, L>,
        parts: &Parts<R, T, Q>,
        joints: &impl Joints<R, L>,
        (h, table): (R, &Coefficients<R, S>),
    ) -> Result<Self, Degenerate> {
        let jacobian = &geometry.jacobian;
        let real = <Stages<S> as Modes>::PerReal::try_filled(|_| {
            FullMode::new(parts, jacobian, joints, h, table.real.eigenvalue)
        })?;
        let pairs = <Stages<S> as Modes>::PerPair::try_filled(|k| {
            FullMode::new(parts, jacobian, joints, h, table.pairs[k].eigenvalue)
        })?;
        Ok(FullFactors {
            geometry,
            real,
            pairs,
        })
    }

    #[inline(always)]
    fn solve_stages(
        &self,
        r1: &mut [[R; Q]; S],
        r2: &mut [[R; L]; S],
        coefficients: &Coefficients<R, S>,
    ) {
        let (mut dw, mut dlambda) = ([[R::ZERO; Q]; S], [[R::ZERO; L]; S]);
        let (jacobian, table) = (&self.geometry.jacobian, &coefficients.real);
        for mode in self.real.as_ref() {
            mode.solve(table, jacobian, (r1, r2), (&mut dw, &mut dlambda), true);
        }
        let pairs = self.pairs.as_ref().iter().zip(&coefficients.pairs);
        for (k, (mode, table)) in pairs.enumerate() {
            let first = S.is_multiple_of(2) && k == 0;
            mode.solve(table, jacobian, (r1, r2), (&mut dw, &mut dlambda), first);
        }
        (*r1, *r2) = (dw, dlambda);
    }

    #[inline(always)]
    fn solve_real(&self, r1: &mut [R; Q], r2: &mut [R; L]) {
        for mode in self.real.as_ref() {
            mode.eliminate(&self.geometry.jacobian, r1, r2);
        }
    }

    #[inline(always)]
    fn geometry(&self) -> &Geometry<R, F, Q, L> {
        &self.geometry
    }
}
