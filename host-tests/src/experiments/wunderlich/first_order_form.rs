//! Example 1.2: what the detour by way of first order costs.

use crate::figures::{Comparison, Grid, Tolerance};
use crate::reference::{Descriptor, Tableau, descriptor};
use crate::second_order::states;
use anyhow::Result;
use nalgebra::{DMatrix, DVector};
use stiffstep::prelude::*;

/// Example 1.2, (2), with `f = (cos t, sin t + noise sin(pitch t))`.
#[derive(Clone, Copy)]
struct Chain {
    noise: f64,
    pitch: f64,
}

impl Chain {
    /// f.
    fn force<T: Scalar<f64>>(&self, t: T) -> [T; 2] {
        [t.cos(), t.sin() + (t * self.pitch).sin() * self.noise]
    }

    /// (5) at time zero: `v1, v2, x1, x2`.
    fn start(&self) -> [f64; 4] {
        let third = 1.0 + self.noise * self.pitch.powi(3);
        let first = 1.0 + self.noise * self.pitch;
        [first, third, 0.0, 1.0 - first]
    }
}

impl SecondOrder<f64, 2, 0> for Chain {
    const ALGEBRAIC: [bool; 2] = [false, true];
    fn residual<T: Scalar<f64>>(
        &self,
        t: T,
        x: &Vector<T, 2>,
        v: &Vector<T, 2>,
        a: &Vector<T, 2>,
        _u: &Vector<f64, 0>,
    ) -> Vector<T, 2> {
        let [f1, f2] = self.force(t);
        [a[0] + v[0] + x[1] - f1, x[0] - f2].into()
    }
}

/// (4): the same as a first-order system in v1, v2, x1 and x2.
impl Descriptor for Chain {
    fn mass(&self) -> DMatrix<f64> {
        DMatrix::from_diagonal(&DVector::from_row_slice(&[1.0, 0.0, 1.0, 1.0]))
    }
    fn rhs(&self, t: f64, y: &DVector<f64>) -> DVector<f64> {
        let [f1, f2] = self.force(t);
        DVector::from_row_slice(&[f1 - y[0] - y[3], f2 - y[2], y[0], y[1]])
    }
    /// v2 has the rounding of x1 over h^3.
    fn magnitude(&self) -> DVector<f64> {
        DVector::from_row_slice(&[1.0, 1e3, 1.0, 1.0])
    }
}

/// x2 and v2 at t = 1: x2 of the second-order form (2), and both of the first-order form (4).
fn chain(model: Chain, stages: usize, steps: usize) -> Result<[f64; 3]> {
    let h = 1.0 / steps as f64;
    let [v1, v2, x1, x2] = model.start();
    let start = ([x1, x2].into(), [v1, v2].into());
    let steps_of = vec![h; steps];
    let direct = match stages {
        2 => states(model, RadauIIA::<2>, start, &steps_of)?,
        _ => states(model, RadauIIA::<3>, start, &steps_of)?,
    };
    let method = Tableau::radau_iia(stages);
    let start = DVector::from_row_slice(&model.start());
    let y = descriptor::integrate(&model, &method, &start, h, steps)?;
    Ok([direct.last().map_or(f64::NAN, |at| at.x[1]), y[3], y[1]])
}

/// Example 1.2: in the second-order form x2 needs two derivatives of f, (3); the first-order form has v2, too, which needs a third,
/// (5). A method loses an order with each, and a disturbance is magnified by its frequency once more.
pub fn example_1_2() -> Result<Grid> {
    let mut table = Grid::new("", &["x2, (2)", "x2, (4)", "v2, (4)"]);
    let quiet = Chain {
        noise: 0.0,
        pitch: 0.0,
    };
    let exact = [1_f64.sin(), 1_f64.sin(), 1_f64.cos()];
    let mut row = |name: String, ours: [f64; 3], theory: [f64; 3]| {
        table.fill(&*name, &format!("{name}, "), |k, what| {
            Comparison::theory(what, ours[k], theory[k], Tolerance::Within(0.2))
        });
    };
    for (stages, steps) in [(2, 100), (3, 50)] {
        let coarse = chain(quiet, stages, steps)?;
        let fine = chain(quiet, stages, 2 * steps)?;
        let order = |k: usize| ((coarse[k] - exact[k]) / (fine[k] - exact[k])).abs().log2();
        let (name, s) = (format!("Radau IIA {stages}, order"), stages as f64);
        row(name, [0, 1, 2].map(order), [s - 1.0, s - 1.0, s - 2.0]);
    }
    let still = chain(quiet, 3, 400)?;
    let louder = |pitch: f64| -> Result<[f64; 3]> {
        let noisy = chain(Chain { noise: 1e-3, pitch }, 3, 400)?;
        Ok([0, 1, 2].map(|k: usize| (noisy[k] - still[k]).abs()))
    };
    // Where the disturbances' phases at t = 1 are alike.
    let (pi, low) = (std::f64::consts::PI, 4.0);
    let (coarse, fine) = (louder(low * pi + 0.5)?, louder(2.0 * low * pi + 0.5)?);
    let ratio = ((2.0 * low * pi + 0.5) / (low * pi + 0.5)).ln();
    let power = |k: usize| (fine[k] / coarse[k]).ln() / ratio;
    let name = "a disturbance of f2, power of its frequency".to_owned();
    row(name, [0, 1, 2].map(power), [2.0, 2.0, 3.0]);
    Ok(table)
}
