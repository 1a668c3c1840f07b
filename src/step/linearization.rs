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

use super::full::FullFactors;
use super::geometry::{Degenerate, Geometry};
use super::lean::LeanFactors;
use crate::linear::Lu;
use crate::method::{Coefficients, Mode, Modes, Stages};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical, Vector};
use crate::number::{Dual, Field, Real, Scalar};

/// How much of the model the Newton matrix knows: [`Full`] or [`Lean`].
pub trait Jacobian: Copy + core::fmt::Debug {
    /// Whether it knows how forces vary.
    #[doc(hidden)]
    const FORCES: bool;
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
    const FORCES: bool = false;
    type Factors<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize>
        = LeanFactors<R, F, Q, L, S>
    where
        Stages<S>: Modes;
}

impl Jacobian for Full {
    const FORCES: bool = true;
    type Factors<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize>
        = FullFactors<R, F, Q, L, S>
    where
        Stages<S>: Modes;
}

/// What the Newton matrix is made of at a point, besides its geometry, whatever the step size.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Parts<R, T, const Q: usize> {
    pub(super) mass: T,
    /// f_q by rows.
    pub(super) stiffness: [[R; Q]; Q],
    /// f_v by rows.
    pub(super) damping: [[R; Q]; Q],
}

impl<R: Real, T, const Q: usize> Parts<R, T, Q> {
    #[inline(always)]
    pub(super) fn at<M, const L: usize, const U: usize>(
        model: &M,
        t: R,
        q: &[R; Q],
        v: &[R; Q],
        u: &Vector<R, U>,
    ) -> Self
    where
        M: Mechanical<R, Q, L, U, Mass<R> = T>,
    {
        let mut parts = Parts {
            mass: model.mass(&Vector::from(*q)),
            stiffness: [[R::ZERO; Q]; Q],
            damping: [[R::ZERO; Q]; Q],
        };
        if M::Jacobian::FORCES {
            let t = Dual::constant(t);
            let by_place = model.force(t, &variables(q), &constants(v), u).data.0[0];
            let by_speed = model.force(t, &constants(q), &variables(v), u).data.0[0];
            for n in 0..Q {
                parts.stiffness[n] = by_place[n].slope;
                parts.damping[n] = by_speed[n].slope;
            }
        }
        parts
    }
}

/// Numbers each of which is a variable.
#[inline(always)]
fn variables<R: Real, const Q: usize>(x: &[R; Q]) -> Vector<Dual<R, Q>, Q> {
    let mut duals = [Dual::constant(R::ZERO); Q];
    for n in 0..Q {
        duals[n] = Dual::variable(x[n], n);
    }
    Vector::from(duals)
}

/// Numbers that do not vary.
#[inline(always)]
fn constants<R: Real, const Q: usize>(x: &[R; Q]) -> Vector<Dual<R, Q>, Q> {
    let mut duals = [Dual::constant(R::ZERO); Q];
    for n in 0..Q {
        duals[n] = Dual::constant(x[n]);
    }
    Vector::from(duals)
}

#[doc(hidden)]
#[allow(private_interfaces)]
pub trait Factors<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize, const S: usize>:
    Sized
{
    fn factor<T, J>(
        geometry: Geometry<R, F, Q, L>,
        parts: &Parts<R, T, Q>,
        joints: &J,
        h: R,
        coefficients: &Coefficients<R, S>,
    ) -> Result<Self, Degenerate>
    where
        T: MassMatrix<R, R, Q, Factor = F>,
        J: Joints<R, L>;

    /// Overwrites the residuals with the increments of W and Lambda.
    fn solve(&self, r1: &mut [[R; Q]; S], r2: &mut [[R; L]; S], coefficients: &Coefficients<R, S>);

    /// The same in the mode of the real eigenvalue alone, if there is one.
    fn solve_real(&self, r1: &mut [R; Q], r2: &mut [R; L]);

    fn geometry(&self) -> &Geometry<R, F, Q, L>;
}

/// `1 / (mu^2 + tau mu / h)` for each joint, and the Schur block `G X + C / (h^2 mu^2 + h tau mu)`.
#[inline(always)]
pub(super) fn joint_block<R, J, E, const L: usize>(
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
    let lu = Lu::factor(schur).map_err(Degenerate::constraint)?;
    Ok((weight, lu))
}

/// The amplitude of a stage vector in a mode.
#[inline(always)]
pub(super) fn amplitude<R: Real, E: Field<Real = R>, const N: usize, const S: usize>(
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
pub(super) fn distribute<R: Real, E: Field<Real = R>, const N: usize, const S: usize>(
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
