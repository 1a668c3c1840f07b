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
//! with `P = M - h mu f_v + h^2 mu^2 S`, `S = d(M a - f + G^T lambda)/dq`, or `P = M` for [`Lean`](crate::method::Lean), by the Schur complement
//! of P. Geometric stiffness, the derivatives of M a and of G^T lambda, is as stiff as what turns is fast: without it a rod at 31
//! steps a turn is off by its own length after 5,000 steps that two iterations each call converged. Lambda's own scale is divided
//! out of the second row, so that a stiffer joint is only a smaller number.

use crate::geometry::{Degenerate, Geometry};
use crate::linear::Lu;
use crate::method::{Coefficients, Mode};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical, Vector};
use crate::number::{Dual, Field, Real, Scalar, constants, variables};

/// What the Newton matrix is made of at a point, besides its geometry, whatever the step size.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Parts<R, T, const Q: usize> {
    pub(super) mass: T,
    /// `-S = d(f - M a - G^T lambda)/dq` by rows.
    pub(super) stiffness: [[R; Q]; Q],
    /// f_v by rows.
    pub(super) damping: [[R; Q]; Q],
}

impl<R: Real, T, const Q: usize> Parts<R, T, Q> {
    /// At a point, with accelerations and multipliers as far as they are known; with how `forces` vary, or with the mass alone.
    #[inline(always)]
    pub(super) fn at<M: Mechanical<R, Q, L, U, Mass<R> = T>, const L: usize, const U: usize>(
        model: &M,
        t: R,
        (q, v): (&[R; Q], &[R; Q]),
        (a, lambda): (&[R; Q], &[R; L]),
        u: &Vector<R, U>,
        forces: bool,
    ) -> Self {
        let mut parts = Parts {
            mass: model.mass(&Vector::from(*q)),
            stiffness: [[R::ZERO; Q]; Q],
            damping: [[R::ZERO; Q]; Q],
        };
        if forces {
            let time = Dual::constant(t);
            let (place, speed) = (Vector::from(variables(q)), Vector::from(variables(v)));
            let still: [Vector<_, Q>; 2] = [constants(q).into(), constants(v).into()];
            let by_place = model.force(time, &place, &still[1], u).data.0[0];
            let by_speed = model.force(time, &still[0], &speed, u).data.0[0];
            let inertia: [Dual<R, Q>; Q] = model.mass(&place).times(a);
            let turning = turning(model, t, q, lambda);
            for n in 0..Q {
                parts.damping[n] = by_speed[n].slope();
                for m in 0..Q {
                    parts.stiffness[n][m] =
                        by_place[n].slope()[m] - inertia[n].slope()[m] - turning[n][m];
                }
            }
        }
        parts
    }
}

/// `d(G^T lambda)/dq`, the second derivative of `lambda . g`, by rows.
#[inline(always)]
fn turning<R, M: Mechanical<R, Q, L, U>, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &[R; Q],
    lambda: &[R; L],
) -> [[R; Q]; Q] {
    let mut rows = [[R::ZERO; Q]; Q];
    // Written out, because with n known the compiler knows which slopes are zero, and it does not unroll this loop.
    if Q > 0 {
        turning_along(model, t, q, lambda, 0, &mut rows);
    }
    if Q > 1 {
        turning_along(model, t, q, lambda, 1, &mut rows);
    }
    if Q > 2 {
        turning_along(model, t, q, lambda, 2, &mut rows);
    }
    if Q > 3 {
        turning_along(model, t, q, lambda, 3, &mut rows);
    }
    for n in 4..Q {
        turning_along(model, t, q, lambda, n, &mut rows);
    }
    rows
}

/// Its row and its column n from the diagonal on: the derivative along coordinate n of the gradient.
#[inline(always)]
fn turning_along<R, M: Mechanical<R, Q, L, U>, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &[R; Q],
    lambda: &[R; L],
    n: usize,
    rows: &mut [[R; Q]; Q],
) {
    let mut nested = [Dual::<Dual<R, Q>, 1>::constant(R::ZERO); Q];
    for m in 0..Q {
        let place = Dual::variable(q[m], m);
        nested[m] = if m == n {
            Dual::variable(place, 0)
        } else {
            Dual::still(place)
        };
    }
    let time = Dual::constant(t);
    let g = model.constraint(time, &Vector::from(nested)).data.0[0];
    for m in n..Q {
        for j in 0..L {
            let part = lambda[j] * g[j].slope()[0].slope()[m];
            rows[n][m] = if j == 0 { part } else { rows[n][m] + part };
        }
        rows[m][n] = rows[n][m];
    }
}

/// What an iteration and the end of a step ask of a factorised Newton matrix.
#[doc(hidden)]
#[allow(private_interfaces)]
pub trait Solves<R: Real, const Q: usize, const L: usize, const S: usize> {
    /// Whether a part of what is to be taken off W stays apart, because to add it up here would cost a pass over all of it.
    const APART: bool = false;

    /// Overwrites the residuals with what is to be taken off W and added to Lambda. What stays apart is added to a place of zeros.
    fn solve(
        &self,
        r1: &mut [[R; Q]; S],
        r2: &mut [[R; L]; S],
        apart: &mut [[R; Q]; S],
        coefficients: &Coefficients<R, S>,
    );

    /// The way along `M^-1 G^T` that makes good what constraints lack, if joints give way by so much, or not at all; written to a place of zeros.
    fn way(&self, lack: [R; L], give: Option<[R; L]>, way: &mut [R; Q]) -> Result<(), Degenerate>;
}

/// The same of a matrix at a geometry whose rows are kept whole.
#[doc(hidden)]
#[allow(private_interfaces)]
pub trait Factors<const Q: usize, const L: usize, const S: usize>: Sized {
    type R: Real;
    type Mass: MassFactor<Self::R, Q>;

    fn factor<T: MassMatrix<Self::R, Self::R, Q, Factor = Self::Mass>>(
        geometry: Geometry<Self::R, Self::Mass, Q, L>,
        parts: &Parts<Self::R, T, Q>,
        joints: &impl Joints<Self::R, L>,
        step: (Self::R, &Coefficients<Self::R, S>),
    ) -> Result<Self, Degenerate>;

    /// Overwrites the residuals of all stages with what is to be taken off W and added to Lambda.
    fn solve_stages(
        &self,
        r1: &mut [[Self::R; Q]; S],
        r2: &mut [[Self::R; L]; S],
        coefficients: &Coefficients<Self::R, S>,
    );

    /// Solves in the mode of the real eigenvalue alone, if there is one.
    fn solve_real(&self, r1: &mut [Self::R; Q], r2: &mut [Self::R; L]);

    fn geometry(&self) -> &Geometry<Self::R, Self::Mass, Q, L>;
}

#[allow(private_interfaces)]
impl<R: Real, F: Factors<Q, L, S, R = R>, const Q: usize, const L: usize, const S: usize>
    Solves<R, Q, L, S> for F
{
    #[inline(always)]
    fn solve(
        &self,
        r1: &mut [[R; Q]; S],
        r2: &mut [[R; L]; S],
        _apart: &mut [[R; Q]; S],
        coefficients: &Coefficients<R, S>,
    ) {
        self.solve_stages(r1, r2, coefficients);
    }

    #[inline(always)]
    fn way(&self, lack: [R; L], give: Option<[R; L]>, way: &mut [R; Q]) -> Result<(), Degenerate> {
        *way = self.geometry().way(lack, give)?;
        Ok(())
    }
}

/// `1 / (mu^2 + tau mu / h)`: the weight of a joint with relaxation time tau.
#[inline(always)]
pub(super) fn damped_weight<R: Real, E: Field<Real = R>>(h: R, eigenvalue: E, tau: R) -> E {
    (eigenvalue * eigenvalue + eigenvalue.scale(tau / h)).recip()
}

/// The weights of all joints, and the Schur block `G X + C / (h^2 mu^2 + h tau mu)`.
#[inline(always)]
pub(super) fn joint_block<R, J: Joints<R, L>, E: Field<Real = R>, const L: usize>(
    joints: &J,
    h: R,
    eigenvalue: E,
    mut schur: [[E; L]; L],
) -> Result<([E; L], Lu<E, L, false>), Degenerate> {
    let (compliance, tau) = (joints.compliance(), joints.relaxation());
    let mut weight = [(eigenvalue * eigenvalue).recip(); L];
    if J::DAMPED {
        for j in 0..L {
            weight[j] = damped_weight(h, eigenvalue, tau[j]);
        }
    }
    if J::ELASTIC {
        for j in 0..L {
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
        sum[n] = amplitude_of(mode, |i| stages[i][n]);
    }
    sum
}

/// That of one number a stage.
#[inline(always)]
pub(super) fn amplitude_of<R: Real, E: Field<Real = R>, const S: usize>(
    mode: &Mode<E, S>,
    stage: impl Fn(usize) -> R,
) -> E {
    let mut sum = mode.left[0].scale(stage(0));
    for i in 1..S {
        sum = sum + mode.left[i].scale(stage(i));
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
