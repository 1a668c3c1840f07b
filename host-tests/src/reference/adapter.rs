//! The core's models, taken as they are by the reference solver.

use super::{Descriptor, Mechanism};
use nalgebra::{DMatrix, DVector};
use stiffstep::model::{FirstOrder, Joints, MassMatrix, Mechanical, Vector};
use stiffstep::number::{Dual, Scalar};

/// A first-order model of the core with its inputs held.
pub struct OfModel<'a, M, const N: usize, const U: usize> {
    /// The model.
    pub model: &'a M,
    /// The inputs.
    pub input: Vector<f64, U>,
}

impl<M: FirstOrder<f64, N, U>, const N: usize, const U: usize> Descriptor for OfModel<'_, M, N, U> {
    fn mass(&self) -> DMatrix<f64> {
        dense(&self.model.mass())
    }

    fn rhs(&self, t: f64, x: &DVector<f64>) -> DVector<f64> {
        let x = Vector::from_fn(|i, _| x[i]);
        let f: Vector<f64, N> = self.model.rhs(t, &x, &self.input);
        DVector::from_row_slice(f.as_slice())
    }

    fn magnitude(&self) -> DVector<f64> {
        DVector::from_row_slice(self.model.nominal().as_slice())
    }
}

/// A mechanism of the core with its inputs held. G and g_t come from the model through dual numbers, which have tests of
/// their own: difference quotients would be less exact than the solver that they are to check.
pub struct OfMechanism<'a, M, const Q: usize, const L: usize, const U: usize> {
    /// The model.
    pub model: &'a M,
    /// The inputs.
    pub input: Vector<f64, U>,
    /// How large multipliers are.
    pub multiplier: f64,
}

/// A mass as a matrix, column by column.
fn dense<M: MassMatrix<f64, f64, N>, const N: usize>(mass: &M) -> DMatrix<f64> {
    let unit = |k: usize| std::array::from_fn(|n| if n == k { 1.0 } else { 0.0 });
    let columns = (0..N).map(|k| DVector::from_row_slice(&mass.times(&unit(k))));
    DMatrix::from_columns(&columns.collect::<Vec<_>>())
}

fn vector<const N: usize>(x: &DVector<f64>) -> Vector<f64, N> {
    Vector::from_fn(|i, _| x[i])
}

impl<M: Mechanical<f64, Q, L, U>, const Q: usize, const L: usize, const U: usize> Mechanism
    for OfMechanism<'_, M, Q, L, U>
{
    fn mass(&self, q: &DVector<f64>) -> DMatrix<f64> {
        dense(&self.model.mass(&vector(q)))
    }

    fn force(&self, t: f64, q: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        let force = self.model.force(t, &vector(q), &vector(v), &self.input);
        DVector::from_row_slice(force.as_slice())
    }

    fn constraint(&self, t: f64, q: &DVector<f64>) -> DVector<f64> {
        let g = self.model.constraint(t, &vector(q));
        DVector::from_row_slice(g.as_slice())
    }

    fn constraint_jacobian(&self, t: f64, q: &DVector<f64>) -> DMatrix<f64> {
        let q = Vector::from_fn(|i, _| Dual::<f64, Q>::variable(q[i], i));
        let g = self.model.constraint(Dual::constant(t), &q);
        DMatrix::from_fn(L, Q, |i, j| g[i].slope()[j])
    }

    fn constraint_rate(&self, t: f64, q: &DVector<f64>) -> DVector<f64> {
        let q = Vector::from_fn(|i, _| Dual::<f64, 1>::constant(q[i]));
        let g = self.model.constraint(Dual::variable(t, 0), &q);
        DVector::from_fn(L, |i, _| g[i].slope()[0])
    }

    fn compliance(&self) -> Option<DVector<f64>> {
        M::Joints::ELASTIC.then(|| DVector::from_row_slice(&self.model.joints().compliance()))
    }

    fn relaxation(&self) -> Option<DVector<f64>> {
        M::Joints::DAMPED.then(|| DVector::from_row_slice(&self.model.joints().relaxation()))
    }

    fn multiplier_magnitude(&self) -> f64 {
        self.multiplier
    }
}
