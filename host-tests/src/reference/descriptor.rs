//! Runge-Kutta steps for `E x' = f(t, x)` with a constant E, which may be singular (Hairer & Wanner II, section VI.1).

use super::{NoConvergence, Tableau, newton::newton};
use nalgebra::{DMatrix, DVector};

/// `E x' = f(t, x)`.
pub trait Descriptor {
    /// The matrix E.
    fn mass(&self) -> DMatrix<f64>;
    /// The right-hand side f.
    fn rhs(&self, t: f64, x: &DVector<f64>) -> DVector<f64>;
    /// How large each state is.
    fn magnitude(&self) -> DVector<f64> {
        DVector::repeat(self.mass().ncols(), 1.0)
    }
}

/// One step of size `h` from `(t, x)`.
///
/// The unknowns are the stages' distances from x, `Z_i = X_i - x`, and the equations
/// `E Z_i = h sum_j a_ij f(t + c_j h, x + Z_j)` for i = 1..s, solved together. They need no inverse of E.
pub fn step(
    system: &impl Descriptor,
    method: &Tableau,
    t: f64,
    x: &DVector<f64>,
    h: f64,
) -> Result<DVector<f64>, NoConvergence> {
    let (s, n) = (method.stages(), x.len());
    let mass = system.mass();
    let residual = |z: &DVector<f64>| {
        let f: Vec<DVector<f64>> = (0..s)
            .map(|j| system.rhs(t + method.c[j] * h, &(x + z.rows(j * n, n))))
            .collect();
        let mut residual = DVector::zeros(s * n);
        for i in 0..s {
            let mut row = &mass * z.rows(i * n, n);
            for j in 0..s {
                row -= h * method.a[(i, j)] * &f[j];
            }
            residual.rows_mut(i * n, n).copy_from(&row);
        }
        residual
    };
    let magnitude = system.magnitude();
    let magnitude = DVector::from_fn(s * n, |k, _| magnitude[k % n]);
    let z = newton(residual, DVector::zeros(s * n), &magnitude)?;
    let d = method.closing_weights();
    Ok((0..s).fold(x.clone(), |end, i| end + d[i] * z.rows(i * n, n)))
}

/// `steps` steps of size `h` from `x` at time zero.
pub fn integrate(
    system: &impl Descriptor,
    method: &Tableau,
    x: &DVector<f64>,
    h: f64,
    steps: usize,
) -> Result<DVector<f64>, NoConvergence> {
    (0..steps).try_fold(x.clone(), |x, k| step(system, method, k as f64 * h, &x, h))
}
