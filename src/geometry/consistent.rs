//! Consistent values: positions and velocities on the manifold, with the accelerations and multipliers that belong to them.

use super::{Geometry, constraint_curvature, constraint_rate, dot, plus};
use crate::Error;
use crate::model::{MassFactor, Mechanical, Motion, Vector};

/// The point of the manifold `g = 0`, `g_t + G v = 0` next to (q, v), in the metric of the mass, with its accelerations
/// and multipliers. A point that is there already stays where it is, to rounding.
///
/// For rigid joints every simulation starts with this. For elastic ones it is the slow manifold of Jay & Petzold (section
/// 4): a start from here does not ring, up to the square of the compliance.
///
/// ```
/// # use stiffstep::prelude::*;
/// # use stiffstep::manifold::consistent;
/// # #[derive(Clone, Copy)]
/// # struct Spring;
/// # impl Mechanical<f64, 2, 1, 0> for Spring {
/// #     type Joints = Elastic<f64, 1>;
/// #     type Mass<T: Scalar<f64>> = Unit;
/// #     fn joints(&self) -> Elastic<f64, 1> { Elastic { stiffness: [1e6] } }
/// #     fn mass<T: Scalar<f64>>(&self, _q: &Vector<T, 2>) -> Unit { Unit }
/// #     fn force<T: Scalar<f64>>(&self, _t: T, _q: &Vector<T, 2>, _v: &Vector<T, 2>, _u: &Vector<f64, 0>) -> Vector<T, 2> {
/// #         [T::constant(0.0), T::constant(-1.0)].into()
/// #     }
/// #     fn constraint<T: Scalar<f64>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
/// #         [(q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0].into()
/// #     }
/// # }
/// // Roughly on the circle, roughly along it.
/// let slow = consistent(&Spring, 0.0, &[1.01, 0.0].into(), &[0.1, -0.5].into(), &Vector::from([0.0; 0]))?;
/// let pendulum = Simulation::new(Spring, RadauIIA::<3>, 1e-2, (slow.q, slow.v))?;
/// assert!(pendulum.state().q[0] - 1.0 < 1e-12 && pendulum.state().v[0].abs() < 1e-12);
/// # Ok::<(), stiffstep::Error>(())
/// ```
pub fn consistent<R, M: Mechanical<R, Q, L, U>, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &Vector<R, Q>,
    v: &Vector<R, Q>,
    u: &Vector<R, U>,
) -> Result<Motion<R, Q, L>, Error> {
    // Quadratic convergence: whoever needs more iterations is lost.
    const MOST: usize = 30;
    let nominal = model.nominal();
    let (mut q, mut v) = (q.data.0[0], v.data.0[0]);
    let mut iteration = 0;
    loop {
        let (g, _) = constraint_rate(model, t, &q, &v);
        let geometry = Geometry::at(model, t, &q)?;
        let mut there = true;
        for j in 0..L {
            // What rounding of q alone does to g.
            let mut scale = R::ZERO;
            for n in 0..Q {
                scale += geometry.jacobian[j][n].size() * nominal.q[n].size();
            }
            // False for NaN, too.
            there &= g[j].size() <= scale * R::EPSILON;
        }
        if there || iteration == MOST {
            if !there {
                return Err(Error::Inconsistent);
            }
            break;
        }
        let mut step = g;
        geometry.factor()?.solve(&mut step);
        let correction = geometry.respond(&step);
        plus(&mut q, -R::ONE, &correction);
        iteration += 1;
    }
    let (_, mut rate) = constraint_rate(model, t, &q, &v);
    let geometry = Geometry::at(model, t, &q)?;
    geometry.factor()?.solve(&mut rate);
    let correction = geometry.respond(&rate);
    plus(&mut v, -R::ONE, &correction);
    free_motion(model, t, &q.into(), &v.into(), u)
}

/// The accelerations and multipliers that keep rigid constraints: `M a + G^T lambda = f`, `G a = -(g_tt + 2 g_tq v + v
/// g_qq v)`. Along an elastic joint's slow motion these are its values up to the square of its compliance.
pub fn free_motion<R, M: Mechanical<R, Q, L, U>, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &Vector<R, Q>,
    v: &Vector<R, Q>,
    u: &Vector<R, U>,
) -> Result<Motion<R, Q, L>, Error> {
    let geometry = Geometry::at(model, t, &q.data.0[0])?;
    let mut a = model.force(t, q, v, u).data.0[0];
    geometry.mass.solve(&mut a);
    let mut lambda = constraint_curvature(model, t, &q.data.0[0], &v.data.0[0]);
    for j in 0..L {
        lambda[j] += dot(&geometry.jacobian[j], &a);
    }
    geometry.factor()?.solve(&mut lambda);
    let response = geometry.respond(&lambda);
    plus(&mut a, -R::ONE, &response);
    Ok(Motion {
        q: *q,
        v: *v,
        a: a.into(),
        lambda: lambda.into(),
        turns: 0,
    })
}
