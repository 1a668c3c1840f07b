//! The leading derivatives of a Hessenberg system, and the projections that need no more than these.

use crate::geometry::{Degenerate, combine, dot};
use crate::linear::Lu;
use crate::model::{Constrained, Hessenberg, Vector};
use crate::number::{Dual, Real, Scalar};
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

/// Variables with unit slopes.
pub(super) fn variables<R: Real, const N: usize>(x: &[R; N]) -> Vector<Dual<R, N>, N> {
    let mut duals = [Dual::constant(R::ZERO); N];
    for i in 0..N {
        duals[i] = Dual::variable(x[i], i);
    }
    duals.into()
}

/// Constants among dual numbers.
pub(super) fn constants<R: Real, const N: usize, const D: usize>(
    x: &[R; N],
) -> Vector<Dual<R, D>, N> {
    let mut duals = [Dual::constant(R::ZERO); N];
    for i in 0..N {
        duals[i] = Dual::constant(x[i]);
    }
    duals.into()
}

impl<R: Real, const N: usize, const V: usize, const L: usize> Leading<R, N, V, L> {
    pub fn at<M: Hessenberg<R, N, V, L, U>, const U: usize>(
        model: &M,
        at: &Constrained<R, N, V, L>,
        input: &Vector<R, U>,
    ) -> Result<Self, Error> {
        let (u, v, lambda) = (&at.u.data.0[0], &at.v.data.0[0], &at.lambda.data.0[0]);
        let g = model.g(&variables(u)).data.0[0];
        let f = model.f(&constants(u), &variables(v)).data.0[0];
        let k = model
            .k(&constants(u), &constants(v), &variables(lambda), input)
            .data
            .0[0];
        let (mut g_u, mut f_v, mut k_lambda) =
            ([[R::ZERO; N]; L], [[R::ZERO; N]; V], [[R::ZERO; V]; L]);
        for j in 0..L {
            g_u[j] = g[j].slope();
            for n in 0..V {
                k_lambda[j][n] = k[n].slope()[j];
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
    let mut moving = [Dual::<T, 1>::constant(R::ZERO); N];
    for i in 0..N {
        moving[i] = Dual::new(u.data.0[0][i], [f[i]]);
    }
    let g = model.g(&Vector::from(moving)).data.0[0];
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
            for n in 0..N {
                at.u.data.0[0][n] -= motion[n];
            }
        }
        let mut multiplier = rate(model, &at.u, &at.v);
        leading.schur.solve(&mut multiplier);
        let motion = combine(&multiplier, &leading.k_lambda);
        for n in 0..V {
            at.v.data.0[0][n] -= motion[n];
        }
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
        let (f, k) = (
            model.f(&at.u, &at.v),
            model.k(&at.u, &at.v, &at.lambda, input),
        );
        let growing = rate(model, &moving(&at.u, &f), &moving(&at.v, &k));
        let mut step = [R::ZERO; L];
        for j in 0..L {
            step[j] = growing[j].slope()[0];
        }
        leading.schur.solve(&mut step);
        for j in 0..L {
            at.lambda.data.0[0][j] -= step[j];
        }
    }
    Ok(())
}

/// Numbers that change with a rate.
fn moving<R: Real, const N: usize>(x: &Vector<R, N>, rate: &Vector<R, N>) -> Vector<Dual<R, 1>, N> {
    let mut duals = [Dual::constant(R::ZERO); N];
    for i in 0..N {
        duals[i] = Dual::new(x.data.0[0][i], [rate.data.0[0][i]]);
    }
    duals.into()
}
