//! The core's models, taken as they are by the reference solver.

use super::Descriptor;
use nalgebra::{DMatrix, DVector};
use stiffstep::model::{FirstOrder, MassMatrix, Vector};

/// A first-order model of the core with its inputs held.
pub struct OfModel<'a, M, const N: usize, const U: usize> {
    /// The model.
    pub model: &'a M,
    /// The inputs.
    pub input: Vector<f64, U>,
}

impl<M: FirstOrder<f64, N, U>, const N: usize, const U: usize> Descriptor for OfModel<'_, M, N, U> {
    fn mass(&self) -> DMatrix<f64> {
        let mass = self.model.mass();
        let columns: Vec<DVector<f64>> = (0..N)
            .map(|k| {
                let mut unit = [0.0; N];
                unit[k] = 1.0;
                DVector::from_row_slice(&mass.times(&unit))
            })
            .collect();
        DMatrix::from_columns(&columns)
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
