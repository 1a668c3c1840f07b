//! Lubich's matrices for the simplified Newton iteration of a stiff step (section 8), on the stiff pendulum: how fast does
//! the iteration contract with each of them?
//!
//! A step of `y'' = (0, -1) - grad U(y) / eps^2`, `U = (r - 1)^2 / 2`, has the stages' accelerations W as unknowns and
//! the residual `F_i = W_i + (0, 1) + grad U(Y_i) / eps^2` with `Y = y_0 + h c v_0 + h^2 A^2 W`. An iteration with the matrix J has
//! the errors' amplification matrix `I - J^-1 F'`, near the solution; its spectral radius is the rate of contraction.

use crate::pendulum::State;
use crate::reference::{NoConvergence, Tableau, newton::newton};
use nalgebra::{DMatrix, DVector, Matrix2, Vector2};

/// The solved stage equations of one step of the stiff pendulum.
pub struct SolvedStep {
    eps: f64,
    h: f64,
    /// A squared.
    a2: DMatrix<f64>,
    c: DVector<f64>,
    /// Where the step starts: position, velocity, and the tension over the length.
    start: (Vector2<f64>, Vector2<f64>, f64),
    /// The stages' positions, and their tension over the length.
    places: Vec<Vector2<f64>>,
    multipliers: Vec<f64>,
}

/// The matrix of the iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewtonMatrix {
    /// (8.1): the Hessian of U at the start.
    J0,
    /// (8.2): at the start, moved along the velocity.
    J1,
    /// (8.3): at the stages of the rigid pendulum.
    J2,
    /// That of the formulation (8.4), with the tension as a variable, at the start.
    Multiplier,
}

/// The Hessian of U over eps^2 at a place where the tension over the length, `(r - 1) / (r eps^2)`, is known: computed from
/// the place it would be nothing but rounding.
fn hessian(place: &Vector2<f64>, multiplier: f64, eps: f64) -> Matrix2<f64> {
    let along = place.normalize();
    let outer = along * along.transpose();
    outer / (eps * eps) + (Matrix2::identity() - outer) * multiplier
}

/// The gradient of the constraint of (8.4), `(r - 1) / r`.
fn gradient(place: &Vector2<f64>) -> Vector2<f64> {
    place / place.norm().powi(3)
}

/// Position and velocity.
fn parts(&[q1, q2, v1, v2, _]: &State) -> (Vector2<f64>, Vector2<f64>) {
    (Vector2::new(q1, q2), Vector2::new(v1, v2))
}

/// The stages of a step with this eps, which may be zero.
fn stages(
    method: &Tableau,
    start: &State,
    h: f64,
    eps: f64,
) -> Result<(Vec<Vector2<f64>>, Vec<f64>), NoConvergence> {
    let s = method.stages();
    let a2 = &method.a * &method.a;
    let (q, v) = parts(start);
    let place = |y: &DVector<f64>, i: usize| {
        (0..s).fold(q + method.c[i] * h * v, |place, j| {
            place + h * h * a2[(i, j)] * y.fixed_rows::<2>(3 * j)
        })
    };
    let residual = |y: &DVector<f64>| {
        let mut residual = DVector::zeros(3 * s);
        for i in 0..s {
            let (at, lambda) = (place(y, i), y[3 * i + 2]);
            let dynamic = y.fixed_rows::<2>(3 * i) + Vector2::new(0.0, 1.0) + at * lambda;
            residual.fixed_rows_mut::<2>(3 * i).copy_from(&dynamic);
            residual[3 * i + 2] = (1.0 - 1.0 / at.norm() - eps * eps * lambda) / (h * h);
        }
        residual
    };
    let guess = DVector::from_fn(3 * s, |k, _| if k % 3 == 2 { start[4] } else { 0.0 });
    let y = newton(residual, guess, &DVector::repeat(3 * s, 1.0))?;
    Ok((0..s).map(|i| (place(&y, i), y[3 * i + 2])).unzip())
}

impl SolvedStep {
    /// The step of size `h` from a state.
    pub fn new(method: &Tableau, eps: f64, start: &State, h: f64) -> Result<Self, NoConvergence> {
        let (places, multipliers) = stages(method, start, h, eps)?;
        let (q, v) = parts(start);
        Ok(SolvedStep {
            eps,
            h,
            a2: &method.a * &method.a,
            c: method.c.clone(),
            start: (q, v, start[4]),
            places,
            multipliers,
        })
    }

    /// `I + h^2 (A^2)_ik H_i`, with a Hessian for each stage.
    fn with_hessians(&self, hessians: impl Fn(usize) -> Matrix2<f64>) -> DMatrix<f64> {
        let s = self.c.len();
        let mut matrix = DMatrix::identity(2 * s, 2 * s);
        for i in 0..s {
            for k in 0..s {
                let block = hessians(i) * (self.h * self.h * self.a2[(i, k)]);
                let mut part = matrix.fixed_view_mut::<2, 2>(2 * i, 2 * k);
                part += block;
            }
        }
        matrix
    }

    /// The derivative of the equations (8.4), the second divided by h^2, with a place and a multiplier for each stage.
    fn with_multipliers(&self, at: impl Fn(usize) -> (Vector2<f64>, f64)) -> DMatrix<f64> {
        let s = self.c.len();
        let scale = self.h * self.h;
        let mut matrix = DMatrix::zeros(3 * s, 3 * s);
        for i in 0..s {
            let (place, lambda) = at(i);
            for k in 0..s {
                let same = if i == k { 1.0 } else { 0.0 };
                let moved = Matrix2::identity() * (same + scale * self.a2[(i, k)] * lambda);
                let slope = gradient(&place).transpose() * self.a2[(i, k)];
                let mut block = matrix.fixed_view_mut::<3, 3>(3 * i, 3 * k);
                block.fixed_view_mut::<2, 2>(0, 0).copy_from(&moved);
                block
                    .fixed_view_mut::<2, 1>(0, 2)
                    .copy_from(&(place * same));
                block.fixed_view_mut::<1, 2>(2, 0).copy_from(&slope);
                matrix[(3 * i + 2, 3 * k + 2)] = -same * self.eps * self.eps / scale;
            }
        }
        matrix
    }

    /// The rate of contraction with a matrix: the spectral radius of `I - J^-1 F'`, infinite if J is singular.
    pub fn contraction(
        &self,
        method: &Tableau,
        matrix: NewtonMatrix,
    ) -> Result<f64, NoConvergence> {
        let (q, v, lambda) = self.start;
        let eps = self.eps;
        let moved = |i: usize| q + self.c[i] * self.h * v;
        let known = |i: usize| (self.places[i], self.multipliers[i]);
        let j = match matrix {
            NewtonMatrix::J0 => self.with_hessians(|_| hessian(&q, lambda, eps)),
            NewtonMatrix::J1 => self.with_hessians(|i| {
                let place = moved(i);
                let multiplier = (1.0 - 1.0 / place.norm()) / (eps * eps);
                hessian(&place, multiplier, eps)
            }),
            NewtonMatrix::J2 => {
                let at = [q[0], q[1], v[0], v[1], lambda];
                let (places, _) = stages(method, &at, self.h, 0.0)?;
                // On the rod the Hessian has its normal part only.
                self.with_hessians(|i| hessian(&places[i], 0.0, eps))
            }
            NewtonMatrix::Multiplier => self.with_multipliers(|_| (q, lambda)),
        };
        let f = match matrix {
            NewtonMatrix::Multiplier => self.with_multipliers(known),
            _ => self.with_hessians(|i| hessian(&known(i).0, known(i).1, eps)),
        };
        let n = j.nrows();
        Ok(match j.lu().solve(&f) {
            Some(product) => (DMatrix::identity(n, n) - product)
                .complex_eigenvalues()
                .iter()
                .map(|z| z.norm())
                .fold(0.0, f64::max),
            None => f64::INFINITY,
        })
    }
}
