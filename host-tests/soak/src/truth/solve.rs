//! The judge: Newton's method to the end, with a dense matrix that is pivoted and scaled, nothing else.
//!
//! It shares no code with the steps that it judges. A problem gives residuals and their exact Jacobian.

use super::wide::Wide;
use stiffstep::prelude::Scalar;

/// The most unknowns of a problem: three stages of four accelerations and two multipliers.
pub const MOST: usize = 18;

/// Unknowns or residuals; what is behind the problem's size is zero.
pub type Column = [f64; MOST];

/// What is to be solved.
pub trait Equations {
    /// How many unknowns there are.
    fn size(&self) -> usize;
    /// What one unit of each unknown is.
    fn units(&self) -> &Column;
    /// The residuals, in double precision or in twice that, rounded at the end.
    fn residual<T: Scalar<f64>>(&self, x: &[T; MOST]) -> Column;
    /// Their derivatives, row by row.
    fn jacobian(&self, x: &Column) -> [Column; MOST];
    /// The norm of a difference of unknowns.
    fn norm(&self, dx: &Column) -> f64;
}

/// A factorised matrix whose rows and columns were scaled first.
struct Factors {
    n: usize,
    rows: [Column; MOST],
    /// Where each row came from, and what it was divided by.
    from: [usize; MOST],
    by: Column,
    units: Column,
}

impl Factors {
    /// Of the derivatives at x.
    fn at<E: Equations>(equations: &E, x: &Column) -> Option<Self> {
        let (n, mut rows, units) = (equations.size(), equations.jacobian(x), equations.units());
        let (mut from, mut by) = ([0; MOST], [0.0; MOST]);
        for i in 0..n {
            from[i] = i;
            for j in 0..n {
                rows[i][j] *= units[j];
                by[i] = f64::max(by[i], rows[i][j].abs());
            }
            if !(by[i] > 0.0 && by[i].is_finite()) {
                return None;
            }
            for j in 0..n {
                rows[i][j] /= by[i];
            }
        }
        for k in 0..n {
            let size = |i: &usize| rows[*i][k].abs();
            let pivot = (k..n).max_by(|a, b| size(a).total_cmp(&size(b)))?;
            if rows[pivot][k] == 0.0 {
                return None;
            }
            rows.swap(k, pivot);
            from.swap(k, pivot);
            for i in k + 1..n {
                let factor = rows[i][k] / rows[k][k];
                rows[i][k] = factor;
                if factor != 0.0 {
                    for j in k + 1..n {
                        rows[i][j] -= factor * rows[k][j];
                    }
                }
            }
        }
        Some(Factors {
            n,
            rows,
            from,
            by,
            units: *units,
        })
    }

    fn solve(&self, residual: &Column) -> Column {
        let mut x = [0.0; MOST];
        for i in 0..self.n {
            x[i] = residual[self.from[i]] / self.by[self.from[i]];
            for j in 0..i {
                x[i] -= self.rows[i][j] * x[j];
            }
        }
        for i in (0..self.n).rev() {
            for j in i + 1..self.n {
                x[i] -= self.rows[i][j] * x[j];
            }
            x[i] /= self.rows[i][i];
        }
        for i in 0..self.n {
            x[i] *= self.units[i];
        }
        x
    }
}

fn minus(x: &Column, by: f64, dx: &Column) -> Column {
    core::array::from_fn(|i| x[i] - by * dx[i])
}

/// The solution near `start`, and the size of the last increment. Steps are halved until the next increment by the same
/// matrix would be smaller (Deuflhard's natural monotonicity). The last iterations, if `wide`, are in twice the precision.
pub fn solve<E: Equations>(equations: &E, start: &Column, wide: bool) -> Option<(Column, f64)> {
    const SMALL: f64 = 1e-6;
    let mut x = *start;
    for _ in 0..60 {
        let factors = Factors::at(equations, &x)?;
        let dx = factors.solve(&equations.residual(&x));
        let size = equations.norm(&dx);
        let part = if size > SMALL {
            part(equations, &factors, (&x, &dx), size)?
        } else {
            1.0
        };
        if !size.is_finite() {
            return None;
        }
        x = minus(&x, part, &dx);
        if size <= SMALL {
            return refine(equations, &x, wide);
        }
    }
    None
}

/// The part of an increment after which the next one, by the same matrix, would be smaller.
fn part<E: Equations>(
    equations: &E,
    factors: &Factors,
    (x, dx): (&Column, &Column),
    size: f64,
) -> Option<f64> {
    let mut halves = (0..14).map(|k| 0.5_f64.powi(k));
    halves.find(|part| {
        let next = equations.residual(&minus(x, *part, dx));
        equations.norm(&factors.solve(&next)) <= (1.0 - part / 4.0) * size
    })
}

/// Goes on until increments no longer shrink, or far below what is judged.
fn refine<E: Equations>(equations: &E, start: &Column, wide: bool) -> Option<(Column, f64)> {
    let factors = Factors::at(equations, start)?;
    let mut x = start.map(Wide::from);
    let mut last = f64::INFINITY;
    for _ in 0..12 {
        let residual = match wide {
            true => equations.residual(&x),
            false => equations.residual(&x.map(|x| x.high)),
        };
        let dx = factors.solve(&residual);
        let size = equations.norm(&dx);
        let shrinks = size < 0.5 * last;
        if !shrinks {
            break;
        }
        last = size;
        for i in 0..MOST {
            x[i] = x[i] - dx[i];
        }
        if size < 1e-17 {
            break;
        }
    }
    let most = if wide { 1e-12 } else { 1e-7 };
    (last < most).then(|| (x.map(|x| x.high), last))
}
