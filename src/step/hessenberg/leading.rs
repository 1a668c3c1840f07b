//! The leading derivatives of a Hessenberg system, and the projections that need no more than these.

use crate::geometry::{Degenerate, combine, dot, plus};
use crate::linear::Lu;
use crate::model::{Constrained, Hessenberg, Vector};
use crate::number::{Real, Scalar, constants, moving, variables};
use crate::step::Error;

/// The leading derivatives at a point.
pub struct Leading<R, const N: usize, const V: usize, const L: usize> {
    /// g_u by rows.
    pub(super) g_u: [[R; N]; L],
    /// f_v by columns.
    pub(super) f_v: [[R; N]; V],
    /// k_lambda by columns.
    pub(super) k_lambda: [[R; V]; L],
    /// The factorised `g_u f_v k_lambda`.
    pub(super) schur: Lu<R, L>,
}

impl<R: Real, const N: usize, const V: usize, const L: usize> Leading<R, N, V, L> {
    pub fn at<M: Hessenberg<R, N, V, L, U>, const U: usize>(
        model: &M,
        at: &Constrained<R, N, V, L>,
        input: &Vector<R, U>,
    ) -> Result<Self, Error> {
        let (u, v, lambda) = (&at.u.data.0[0], &at.v.data.0[0], &at.lambda.data.0[0]);
        let g = model.g(&variables(u).into()).data.0[0];
        let f = model.f(&constants(u).into(), &variables(v).into()).data.0[0];
        let (still, speed) = (constants(u).into(), constants(v).into());
        let k = model.k(&still, &speed, &variables(lambda).into(), input);
        let (mut g_u, mut f_v, mut k_lambda) =
            ([[R::ZERO; N]; L], [[R::ZERO; N]; V], [[R::ZERO; V]; L]);
        for j in 0..L {
            g_u[j] = g[j].slope();
            for n in 0..V {
                k_lambda[j][n] = k.data.0[0][n].slope()[j];
            }
        }
        for n in 0..V {
            for i in 0..N {
                f_v[n][i] = f[i].slope()[n];
            }
        }
        let mut schur = [[R::ZERO; L]; L];
        for j in 0..L {
            let moved = combine(&k_lambda[j], &f_v);
            for i in 0..L {
                schur[i][j] = dot(&g_u[i], &moved);
            }
        }
        let schur = Lu::factor(schur).map_err(Degenerate::constraint)?;
        Ok(Leading {
            g_u,
            f_v,
            k_lambda,
            schur,
        })
    }

    /// `g_u x` for a motion of u.
    pub fn seen(&self, x: &[R; N]) -> [R; L] {
        let mut product = [R::ZERO; L];
        for j in 0..L {
            product[j] = dot(&self.g_u[j], x);
        }
        product
    }
}

/// How fast the constraints grow, `g_u f(u, v)`.
pub(super) fn rate<R, M, T, const N: usize, const V: usize, const L: usize, const U: usize>(
    model: &M,
    u: &Vector<T, N>,
    v: &Vector<T, V>,
) -> [T; L]
where
    T: Scalar<R>,
    M: Hessenberg<R, N, V, L, U>,
{
    let f = model.f(u, v).data.0[0];
    let g = model.g(&Vector::from(moving(&u.data.0[0], &f))).data.0[0];
    let mut rates = [T::constant(R::ZERO); L];
    for j in 0..L {
        rates[j] = g[j].slope()[0];
    }
    rates
}

/// Schropp's (2.8), and with `position` his (2.7): v along `k_lambda` onto `g_u f = 0`, u along `f_v k_lambda` onto g = 0.
/// Three iterations: a step ends close to the manifold.
pub(super) fn project<R, M, const N: usize, const V: usize, const L: usize, const U: usize>(
    model: &M,
    at: &mut Constrained<R, N, V, L>,
    input: &Vector<R, U>,
    position: bool,
) -> Result<(), Error>
where
    M: Hessenberg<R, N, V, L, U>,
{
    for _ in 0..3 {
        let leading = Leading::at(model, at, input)?;
        if position {
            let mut multiplier = model.g(&at.u).data.0[0];
            leading.schur.solve(&mut multiplier);
            let motion = combine(&combine(&multiplier, &leading.k_lambda), &leading.f_v);
            plus(&mut at.u.data.0[0], -R::ONE, &motion);
        }
        let mut multiplier = rate(model, &at.u, &at.v);
        leading.schur.solve(&mut multiplier);
        let motion = combine(&multiplier, &leading.k_lambda);
        plus(&mut at.v.data.0[0], -R::ONE, &motion);
    }
    Ok(())
}

/// The multipliers that keep `g_u f` constant, by Newton, because k may bend in lambda.
pub(super) fn multipliers<R, M, const N: usize, const V: usize, const L: usize, const U: usize>(
    model: &M,
    at: &mut Constrained<R, N, V, L>,
    input: &Vector<R, U>,
) -> Result<(), Error>
where
    M: Hessenberg<R, N, V, L, U>,
{
    for _ in 0..20 {
        let leading = Leading::at(model, at, input)?;
        let (u, v) = (&at.u.data.0[0], &at.v.data.0[0]);
        let f = model.f(&at.u, &at.v).data.0[0];
        let k = model.k(&at.u, &at.v, &at.lambda, input).data.0[0];
        let growing = rate(model, &moving(u, &f).into(), &moving(v, &k).into());
        let mut step = [R::ZERO; L];
        for j in 0..L {
            step[j] = growing[j].slope()[0];
        }
        leading.schur.solve(&mut step);
        plus(&mut at.lambda.data.0[0], -R::ONE, &step);
    }
    Ok(())
}
