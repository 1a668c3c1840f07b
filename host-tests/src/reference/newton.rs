//! Newton's iteration for `F(y) = 0`, with the full Jacobian taken anew in every iteration, until it cannot improve.

use nalgebra::{DMatrix, DVector};

/// The iteration did not reach rounding level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoConvergence {
    /// The last increment, relative to the magnitudes of the unknowns.
    pub increment: f64,
}

impl std::fmt::Display for NoConvergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the reference's Newton iteration ended with increments of {:e}",
            self.increment
        )
    }
}

impl std::error::Error for NoConvergence {}

/// Increments below this, relative to the magnitudes, count as convergence once they stop shrinking.
const ACCEPTED: f64 = 1e-8;

/// Increments below this change nothing.
const NEGLIGIBLE: f64 = 1e-3 * f64::EPSILON;

/// The zero of `residual` near `start`. `magnitude` says how large each unknown is: steps of the difference quotients and
/// increments are relative to it.
///
/// The Jacobian is a central difference quotient of the whole residual, good to ten digits. That is enough: it only
/// decides how fast the iteration converges, here by ten digits at a time, not where to.
pub fn newton(
    residual: impl Fn(&DVector<f64>) -> DVector<f64>,
    start: DVector<f64>,
    magnitude: &DVector<f64>,
) -> Result<DVector<f64>, NoConvergence> {
    let mut y = start;
    let mut previous = f64::INFINITY;
    for _ in 0..50 {
        let f = residual(&y);
        let j = jacobian(&residual, &y, magnitude);
        let increment = match j.lu().solve(&f) {
            Some(d) => -d,
            None => break,
        };
        y += increment.component_mul(magnitude);
        let size = increment.amax();
        if size < NEGLIGIBLE || size >= previous && previous < ACCEPTED {
            return Ok(y);
        }
        if !size.is_finite() {
            break;
        }
        previous = size;
    }
    Err(NoConvergence {
        increment: previous,
    })
}

/// `dF/dy`, each column multiplied by the magnitude of its unknown, so that pivots are chosen among comparable numbers.
fn jacobian(
    residual: impl Fn(&DVector<f64>) -> DVector<f64>,
    y: &DVector<f64>,
    magnitude: &DVector<f64>,
) -> DMatrix<f64> {
    // The cube root of epsilon balances rounding and truncation of a central difference.
    let step = f64::EPSILON.cbrt();
    let columns: Vec<DVector<f64>> = (0..y.len())
        .map(|k| {
            let (mut above, mut below) = (y.clone(), y.clone());
            above[k] += step * magnitude[k];
            below[k] -= step * magnitude[k];
            let distance = (above[k] - below[k]) / magnitude[k];
            (residual(&above) - residual(&below)) / distance
        })
        .collect();
    DMatrix::from_columns(&columns)
}
