//! The full Newton matrix: each mode has a block of its own, `P = M - h mu f_v - h^2 mu^2 f_q`.

use super::geometry::{Degenerate, Geometry};
use super::linearization::{Factors, Point, amplitude, distribute, joint_block};
use crate::linear::Lu;
use crate::method::{Coefficients, Mode, Modes, Slots, Stages};
use crate::model::{MassFactor, MassMatrix, Mechanical, Vector};
use crate::number::{Complex, Dual, Field, Real, Scalar};

/// A mode's own block P, its `P^-1 G^T` by columns, and its joints.
#[derive(Clone, Copy, Debug)]
struct FullMode<E, const Q: usize, const L: usize> {
    block: Lu<E, Q, false>,
    directions: [[E; Q]; L],
    weight: [E; L],
    schur: Lu<E, L, false>,
}

impl<R: Real, E: Field<Real = R>, const Q: usize, const L: usize> FullMode<E, Q, L> {
    #[inline(always)]
    fn new<M, const U: usize>(
        model: &M,
        at: &Point<R, Q, U>,
        eigenvalue: E,
        parts: &Parts<R, M::Mass<R>, Q>,
        jacobian: &[[R; Q]; L],
    ) -> Result<Self, Degenerate>
    where
        M: Mechanical<R, Q, L, U>,
    {
        let once = eigenvalue.scale(at.h);
        let twice = once * once;
        let mut block = [[E::ZERO; Q]; Q];
        for i in 0..Q {
            for j in 0..Q {
                block[i][j] =
                    -(twice.scale(parts.stiffness[i][j]) + once.scale(parts.damping[i][j]));
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
        let (weight, schur) = joint_block(&model.joints(), at.h, eigenvalue, schur)?;
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
        let mut w = amplitude(mode, r1);
        self.block.solve(&mut w);
        let mut lambda = amplitude(mode, r2);
        for j in 0..L {
            lambda[j] = lambda[j] * self.weight[j] - project(&jacobian[j], &w);
        }
        self.schur.solve(&mut lambda);
        for n in 0..Q {
            for j in 0..L {
                w[n] = w[n] + self.directions[j][n] * lambda[j];
            }
            w[n] = -w[n];
        }
        distribute(mode, &w, dw, first);
        distribute(mode, &lambda, dlambda, first);
    }
}

/// The product of a real row with a column of a mode.
#[inline(always)]
fn project<R: Real, E: Field<Real = R>, const Q: usize>(row: &[R; Q], column: &[E; Q]) -> E {
    let mut sum = E::ZERO;
    for n in 0..Q {
        sum = sum + column[n].scale(row[n]);
    }
    sum
}

/// The real matrices that every mode's block is made of.
struct Parts<R, T, const Q: usize> {
    mass: T,
    /// f_q by rows.
    stiffness: [[R; Q]; Q],
    /// f_v by rows.
    damping: [[R; Q]; Q],
}

impl<R: Real, T, const Q: usize> Parts<R, T, Q> {
    #[inline(always)]
    fn at<M, const L: usize, const U: usize>(model: &M, at: &Point<R, Q, U>) -> Self
    where
        M: Mechanical<R, Q, L, U, Mass<R> = T>,
    {
        let variables = |x: &[R; Q]| {
            let mut duals = [Dual::<R, Q>::constant(R::ZERO); Q];
            for i in 0..Q {
                duals[i] = Dual::variable(x[i], i);
            }
            Vector::from(duals)
        };
        let constants = |x: &[R; Q]| {
            let mut duals = [Dual::<R, Q>::constant(R::ZERO); Q];
            for i in 0..Q {
                duals[i] = Dual::constant(x[i]);
            }
            Vector::from(duals)
        };
        let t = Dual::constant(at.t);
        let q = variables(&at.q);
        let force = model.force(t, &q, &constants(&at.v), &at.u).data.0[0];
        let damped = model
            .force(t, &constants(&at.q), &variables(&at.v), &at.u)
            .data
            .0[0];
        let mut parts = Parts {
            mass: model.mass(&Vector::from(at.q)),
            stiffness: [[R::ZERO; Q]; Q],
            damping: [[R::ZERO; Q]; Q],
        };
        for i in 0..Q {
            for j in 0..Q {
                parts.stiffness[i][j] = force[i].slope[j];
                parts.damping[i][j] = damped[i].slope[j];
            }
        }
        parts
    }
}

/// See [`Full`](super::Full).
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
impl<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize>
    Factors<R, F, Q, L, S> for FullFactors<R, F, Q, L, S>
where
    Stages<S>: Modes,
{
    #[inline(always)]
    fn factor<M, const U: usize>(
        model: &M,
        at: &Point<R, Q, U>,
        coefficients: &Coefficients<R, S>,
    ) -> Result<Self, Degenerate>
    where
        M: Mechanical<R, Q, L, U>,
        M::Mass<R>: MassMatrix<R, R, Q, Factor = F>,
    {
        let geometry = Geometry::at(model, at.t, &at.q)?;
        let parts = Parts::at(model, at);
        let real = <Stages<S> as Modes>::PerReal::try_filled(|_| {
            FullMode::new(
                model,
                at,
                coefficients.real.eigenvalue,
                &parts,
                &geometry.jacobian,
            )
        })?;
        let pairs = <Stages<S> as Modes>::PerPair::try_filled(|k| {
            FullMode::new(
                model,
                at,
                coefficients.pairs[k].eigenvalue,
                &parts,
                &geometry.jacobian,
            )
        })?;
        Ok(FullFactors {
            geometry,
            real,
            pairs,
        })
    }

    #[inline(always)]
    fn solve(&self, r1: &mut [[R; Q]; S], r2: &mut [[R; L]; S], coefficients: &Coefficients<R, S>) {
        let (mut dw, mut dlambda) = ([[R::ZERO; Q]; S], [[R::ZERO; L]; S]);
        let jacobian = &self.geometry.jacobian;
        for mode in self.real.as_ref() {
            mode.solve(
                &coefficients.real,
                jacobian,
                (r1, r2),
                (&mut dw, &mut dlambda),
                true,
            );
        }
        for (k, (mode, table)) in self
            .pairs
            .as_ref()
            .iter()
            .zip(&coefficients.pairs)
            .enumerate()
        {
            let first = S.is_multiple_of(2) && k == 0;
            mode.solve(table, jacobian, (r1, r2), (&mut dw, &mut dlambda), first);
        }
        (*r1, *r2) = (dw, dlambda);
    }

    #[inline(always)]
    fn geometry(&self) -> &Geometry<R, F, Q, L> {
        &self.geometry
    }
}
