//! The simplified Newton matrix of a mechanical step, one small block a mode of A.
//!
//! Unknowns are the stages' accelerations W and multipliers Lambda. In a mode with eigenvalue mu of A, where velocities
//! move by `h mu dW` and positions by `h^2 mu^2 dW`, the iteration solves
//!
//! ```text
//! [ P   G^T                            ] [ dW      ]     [ r1                       ]
//! [ G   -C / (h^2 mu^2 + h tau mu)     ] [ dLambda ] = - [ r2 / (mu^2 + tau mu / h) ]
//! ```
//!
//! with `P = M - h mu f_v - h^2 mu^2 f_q` ([`Full`]) or `P = M` ([`Lean`]), by the Schur complement of P. The derivatives of
//! M a and of G^T lambda are left out of both: they are never stiff, and cost contraction of order h^2 only. Lambda's own
//! scale is divided out of the second row, so that a stiffer joint is only a smaller number.

use super::geometry::{Degenerate, Geometry, dot};
use crate::linear::{Lu, Singular};
use crate::method::{Coefficients, Mode, Modes, Slots, Stages};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical, Vector};
use crate::number::{Complex, Dual, Field, Real, Scalar};

/// How much of the model the Newton matrix knows: [`Full`] or [`Lean`].
pub trait Jacobian: Copy + core::fmt::Debug {
    /// What is kept of it.
    #[doc(hidden)]
    type Factors<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize>: Factors<R, F, Q, L, S>
    where
        Stages<S>: Modes;
}

/// All of it: right for every model.
#[derive(Clone, Copy, Debug)]
pub struct Full;

/// Mass and constraints only. The stiffness of joints is in the constraints, so for a mechanism whose applied forces are
/// not stiff this converges as fast, at half the price: one real factorisation serves all stages. With stiff springs or
/// dampers among the *forces* it does not contract, and the step says [`Diverged`](super::Error::Diverged).
#[derive(Clone, Copy, Debug)]
pub struct Lean;

impl Jacobian for Lean {
    type Factors<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize>
        = LeanFactors<R, F, Q, L, S>
    where
        Stages<S>: Modes;
}

impl Jacobian for Full {
    type Factors<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize>
        = FullFactors<R, F, Q, L, S>
    where
        Stages<S>: Modes;
}

/// Where a model is linearised, and with which step.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Point<R, const Q: usize, const U: usize> {
    pub t: R,
    pub h: R,
    pub q: [R; Q],
    pub v: [R; Q],
    pub u: Vector<R, U>,
}

#[doc(hidden)]
#[allow(private_interfaces)]
pub trait Factors<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize>:
    Sized
{
    fn factor<M, const U: usize>(
        model: &M,
        at: &Point<R, Q, U>,
        coefficients: &Coefficients<R, S>,
    ) -> Result<Self, Degenerate>
    where
        M: Mechanical<R, Q, L, U>,
        M::Mass<R>: MassMatrix<R, R, Q, Factor = F>;

    /// Overwrites the residuals with the increments of W and Lambda.
    fn solve(&self, r1: &mut [[R; Q]; S], r2: &mut [[R; L]; S], coefficients: &Coefficients<R, S>);

    fn geometry(&self) -> &Geometry<R, F, Q, L>;
}

/// `1 / (mu^2 + tau mu / h)` for each joint, and the Schur block `G X + C / (h^2 mu^2 + h tau mu)`.
#[inline(always)]
fn joint_block<R, J, E, const L: usize>(
    joints: &J,
    h: R,
    eigenvalue: E,
    mut schur: [[E; L]; L],
) -> Result<([E; L], Lu<E, L, false>), Degenerate>
where
    R: Real,
    J: Joints<R, L>,
    E: Field<Real = R>,
{
    let (compliance, tau) = (joints.compliance(), joints.relaxation());
    let mut weight = [(eigenvalue * eigenvalue).recip(); L];
    for j in 0..L {
        if J::DAMPED {
            weight[j] = (eigenvalue * eigenvalue + eigenvalue.scale(tau[j] / h)).recip();
        }
        if J::ELASTIC {
            schur[j][j] = schur[j][j] + weight[j].scale(compliance[j] / (h * h));
        }
    }
    let lu = Lu::factor(schur).map_err(|Singular { column }| Degenerate::Constraint(column))?;
    Ok((weight, lu))
}

/// The amplitude of a stage vector in a mode.
#[inline(always)]
fn amplitude<R: Real, E: Field<Real = R>, const N: usize, const S: usize>(
    mode: &Mode<E, S>,
    stages: &[[R; N]; S],
) -> [E; N] {
    let mut sum = [E::ZERO; N];
    for n in 0..N {
        sum[n] = mode.left[0].scale(stages[0][n]);
        for i in 1..S {
            sum[n] = sum[n] + mode.left[i].scale(stages[i][n]);
        }
    }
    sum
}

/// Adds a mode's contribution to the stages, or puts it there if it is the first.
#[inline(always)]
fn distribute<R: Real, E: Field<Real = R>, const N: usize, const S: usize>(
    mode: &Mode<E, S>,
    amplitude: &[E; N],
    stages: &mut [[R; N]; S],
    first: bool,
) {
    for i in 0..S {
        for n in 0..N {
            let part = (mode.right[i] * amplitude[n]).real_part();
            stages[i][n] = if first { part } else { stages[i][n] + part };
        }
    }
}

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
        let pulled = amplitude(mode, pulled);
        for j in 0..L {
            rhs[j] = rhs[j] * self.weight[j] - pulled[j];
        }
        self.schur.solve(&mut rhs);
        distribute(mode, &rhs, increments, first);
    }
}

/// See [`Lean`].
#[doc(hidden)]
pub struct LeanFactors<R: Real, F, const Q: usize, const L: usize, const S: usize>
where
    Stages<S>: Modes,
{
    geometry: Geometry<R, F, Q, L>,
    real: <Stages<S> as Modes>::PerReal<LeanMode<R, L>>,
    pairs: <Stages<S> as Modes>::PerPair<LeanMode<Complex<R>, L>>,
}

#[allow(private_interfaces)]
impl<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize>
    Factors<R, F, Q, L, S> for LeanFactors<R, F, Q, L, S>
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
        let joints = model.joints();
        let real = <Stages<S> as Modes>::PerReal::try_filled(|_| {
            LeanMode::new(&joints, at.h, coefficients.real.eigenvalue, &geometry.schur)
        })?;
        let pairs = <Stages<S> as Modes>::PerPair::try_filled(|k| {
            LeanMode::new(
                &joints,
                at.h,
                coefficients.pairs[k].eigenvalue,
                &geometry.schur,
            )
        })?;
        Ok(LeanFactors {
            geometry,
            real,
            pairs,
        })
    }

    #[inline(always)]
    fn solve(&self, r1: &mut [[R; Q]; S], r2: &mut [[R; L]; S], coefficients: &Coefficients<R, S>) {
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
        for (k, (mode, table)) in self
            .pairs
            .as_ref()
            .iter()
            .zip(&coefficients.pairs)
            .enumerate()
        {
            mode.solve(table, r2, &pulled, &mut increments, S % 2 == 0 && k == 0);
        }
        for i in 0..S {
            let response = self.geometry.respond(&increments[i]);
            for n in 0..Q {
                r1[i][n] = -(r1[i][n] + response[n]);
            }
        }
        *r2 = increments;
    }

    #[inline(always)]
    fn geometry(&self) -> &Geometry<R, F, Q, L> {
        &self.geometry
    }
}

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
        let block = Lu::factor(block).map_err(|Singular { column }| Degenerate::Mass(column))?;
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
        r1: &[[R; Q]; S],
        r2: &[[R; L]; S],
        dw: &mut [[R; Q]; S],
        dlambda: &mut [[R; L]; S],
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

/// See [`Full`].
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
                r1,
                r2,
                &mut dw,
                &mut dlambda,
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
            let first = S % 2 == 0 && k == 0;
            mode.solve(table, jacobian, r1, r2, &mut dw, &mut dlambda, first);
        }
        (*r1, *r2) = (dw, dlambda);
    }

    #[inline(always)]
    fn geometry(&self) -> &Geometry<R, F, Q, L> {
        &self.geometry
    }
}
