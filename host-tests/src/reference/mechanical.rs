//! Runge-Kutta steps for constrained mechanical systems, rigid or elastic:
//!
//! ```text
//! q' = v,    M(q) v' = f(t, q, v) - G(t, q)^T lambda,    g(t, q) + tau (g_t + G v) = C lambda
//! ```
//!
//! With `C = tau = 0` this is the index-3 system (Hairer & Wanner II, section VII.1) and the method is applied directly:
//! the stages satisfy the constraint itself. With `C > 0` the joints are springs of stiffness `1 / C` and damping
//! `tau / C`, written with the spring force as a variable (Lubich, section 8).

use super::{NoConvergence, Tableau, newton::newton};
use nalgebra::{DMatrix, DVector};

/// A mechanical system with its constraints.
pub trait Mechanism {
    /// The mass matrix M(q).
    fn mass(&self, q: &DVector<f64>) -> DMatrix<f64>;
    /// The forces f(t, q, v), without those of the constraints.
    fn force(&self, t: f64, q: &DVector<f64>, v: &DVector<f64>) -> DVector<f64>;
    /// The constraint g(t, q).
    fn constraint(&self, t: f64, q: &DVector<f64>) -> DVector<f64>;
    /// Its derivative G = dg/dq.
    fn constraint_jacobian(&self, t: f64, q: &DVector<f64>) -> DMatrix<f64>;
    /// Its partial derivative g_t = dg/dt.
    fn constraint_rate(&self, t: f64, q: &DVector<f64>) -> DVector<f64> {
        DVector::zeros(self.constraint(t, q).len())
    }
    /// The diagonal of C, one over the stiffness of each joint. `None` for rigid joints.
    fn compliance(&self) -> Option<DVector<f64>> {
        None
    }
    /// The relaxation time `tau = C D` of each joint with damping D. `None` without damping.
    fn relaxation(&self) -> Option<DVector<f64>> {
        None
    }
    /// How large multipliers are.
    fn multiplier_magnitude(&self) -> f64 {
        1.0
    }
}

/// Positions, velocities and multipliers.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Positions.
    pub q: DVector<f64>,
    /// Velocities.
    pub v: DVector<f64>,
    /// Multipliers: the forces in the joints.
    pub lambda: DVector<f64>,
}

/// One step of size `h` from `start` at time `t`.
///
/// The unknowns are all stages `Q_i`, `V_i`, `Lambda_i`, as distances from the start, and the equations, solved together,
/// are for i = 1..s
///
/// ```text
/// Q_i - q = h sum_j a_ij V_j
/// M(Q_i) W_i = f(T_i, Q_i, V_i) - G(T_i, Q_i)^T Lambda_i      where W_i = sum_j (A^-1)_ij (V_j - v) / h
/// g(T_i, Q_i) + tau (g_t + G V_i) = C Lambda_i                where T_i = t + c_i h
/// ```
pub fn step(
    mechanism: &impl Mechanism,
    method: &Tableau,
    t: f64,
    start: &Motion,
    h: f64,
) -> Result<Motion, NoConvergence> {
    let (s, n, m) = (method.stages(), start.q.len(), start.lambda.len());
    let width = 2 * n + m;
    let inverse = method.inverse();
    let compliance = mechanism.compliance().unwrap_or(DVector::zeros(m));
    let relaxation = mechanism.relaxation().unwrap_or(DVector::zeros(m));

    let residual = |y: &DVector<f64>| {
        let dq = |i: usize| y.rows(i * width, n);
        let dv = |i: usize| y.rows(i * width + n, n);
        let mut residual = DVector::zeros(s * width);
        for i in 0..s {
            let t = t + method.c[i] * h;
            let q = &start.q + dq(i);
            let v = &start.v + dv(i);
            let lambda = &start.lambda + y.rows(i * width + 2 * n, m);

            let (mut kinematic, mut w) = (dq(i).into_owned(), DVector::zeros(n));
            for j in 0..s {
                kinematic -= h * method.a[(i, j)] * (&start.v + dv(j));
                w += inverse[(i, j)] / h * dv(j);
            }
            let jacobian = mechanism.constraint_jacobian(t, &q);
            let dynamic = mechanism.mass(&q) * w - mechanism.force(t, &q, &v)
                + jacobian.transpose() * &lambda;
            let rate = mechanism.constraint_rate(t, &q) + jacobian * &v;
            let joint = mechanism.constraint(t, &q) + relaxation.component_mul(&rate)
                - compliance.component_mul(&lambda);

            residual.rows_mut(i * width, n).copy_from(&kinematic);
            residual.rows_mut(i * width + n, n).copy_from(&dynamic);
            residual.rows_mut(i * width + 2 * n, m).copy_from(&joint);
        }
        residual
    };
    // What an acceleration of order one and the multipliers do within a step.
    let magnitude = DVector::from_fn(s * width, |k, _| match k % width {
        k if k < n => h,
        k if k < 2 * n => 1.0,
        _ => mechanism.multiplier_magnitude(),
    });
    let y = newton(residual, DVector::zeros(s * width), &magnitude)?;

    let d = method.closing_weights();
    let mut end = start.clone();
    for i in 0..s {
        end.q += d[i] * y.rows(i * width, n);
        end.v += d[i] * y.rows(i * width + n, n);
        end.lambda += d[i] * y.rows(i * width + 2 * n, m);
    }
    Ok(end)
}

/// `steps` steps of size `h` from `start` at time zero.
pub fn integrate(
    mechanism: &impl Mechanism,
    method: &Tableau,
    start: &Motion,
    h: f64,
    steps: usize,
) -> Result<Motion, NoConvergence> {
    (0..steps).try_fold(start.clone(), |motion, k| {
        step(mechanism, method, k as f64 * h, &motion, h)
    })
}
