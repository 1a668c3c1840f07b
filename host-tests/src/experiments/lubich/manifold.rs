//! Theorem 3.2, (3.8): runs from off the manifold of smooth motion are drawn to one from a point on it.

use crate::figures::{Comparison, Grid, Tolerance};
use crate::laboratory;
use crate::laboratory::{Laboratory, Series};
use crate::reference::Tableau;
use crate::stability::StabilityFunction;
use anyhow::{Context, Result};

/// Every state of so many steps.
fn path(
    lab: &Laboratory,
    start: laboratory::State<1>,
    steps: usize,
) -> Result<Vec<laboratory::State<1>>> {
    let mut path = vec![start];
    for k in 0..steps {
        let next = lab.step(&path[k], laboratory::Iteration::Full);
        path.push(next.context("a stiff step did not end")?.0);
    }
    Ok(path)
}

/// A point of the manifold of smooth motion up to `eps^4`, by its angle and its speed along the circle.
fn smooth(eps: f64, [angle, speed]: [f64; 2]) -> laboratory::State<1> {
    let (sin, cos) = angle.sin_cos();
    let tension = speed * speed - sin;
    let (r, out) = (1.0 + eps * eps * tension, -3.0 * eps * eps * speed * cos);
    laboratory::State::at(
        [r * cos, r * sin],
        [out * cos - speed * sin, out * sin + speed * cos],
        tension,
    )
}

/// How far a run from `h^2 / 4` and `h / 4` off the manifold is, step by step, from that run from a point on the manifold which
/// it ends up with: after `STEPS` steps both are at the same angle with the same speed.
fn to_its_shadow(stages: usize, eps: f64, h: f64) -> Result<Vec<f64>> {
    const STEPS: usize = 40;
    let lab = Laboratory::new(Tableau::radau_iia(stages), eps, h);
    let mut at = [-0.5, 0.8];
    let mut start = smooth(eps, at);
    let out = [at[0].cos(), at[0].sin()];
    for n in 0..2 {
        start.y[n].0[0] += 0.25 * h * h * out[n];
        start.v[n].0[0] += 0.25 * h * out[n];
    }
    let run = path(&lab, start, STEPS)?;
    let apart = |at: [f64; 2]| -> Result<[f64; 2]> {
        let (end, other) = (run[STEPS], path(&lab, smooth(eps, at), STEPS)?[STEPS]);
        let along = |a: [Series<1>; 2], b: [Series<1>; 2]| {
            end.y[0].0[0] * (a[1].0[0] - b[1].0[0]) - end.y[1].0[0] * (a[0].0[0] - b[0].0[0])
        };
        Ok([along(other.y, end.y), along(other.v, end.v)])
    };
    // Newton's iteration for the two numbers, with difference quotients.
    for _ in 0..5 {
        let d = 1e-6;
        let f = apart(at)?;
        let (a, b) = (apart([at[0] + d, at[1]])?, apart([at[0], at[1] + d])?);
        let column = |x: [f64; 2]| [(x[0] - f[0]) / d, (x[1] - f[1]) / d];
        let ([a0, a1], [b0, b1]) = (column(a), column(b));
        let determinant = a0 * b1 - b0 * a1;
        at[0] -= (b1 * f[0] - b0 * f[1]) / determinant;
        at[1] -= (a0 * f[1] - a1 * f[0]) / determinant;
    }
    let shadow = path(&lab, smooth(eps, at), STEPS)?;
    let distance = |(a, b): (&laboratory::State<1>, &laboratory::State<1>)| {
        let [y, v] = a.distance(b, 0);
        y + v
    };
    Ok(run.iter().zip(&shadow).map(distance).collect())
}

/// (3.8): the distance falls like `h rho^n` with `rho = |R(i h / eps)|`, and not below `eps^2k` for all that the theorem says. It
/// does fall below: after forty steps rounding is left.
pub fn floor() -> Result<Grid> {
    let h: f64 = 0.05;
    let mut table = Grid::new("method, eps", &["n = 5", "n = 10", "n = 20", "n = 40"]);
    for stages in [2, 3] {
        let function = StabilityFunction::new(Tableau::radau_iia(stages));
        for eps in [5e-3, 1e-3, 1e-4] {
            let run = to_its_shadow(stages, eps, h)?;
            let floor = eps * eps * if stages == 3 { h } else { 1.0 };
            let name = format!("Radau IIA {stages}, {eps:e}");
            let cell = |n: usize| {
                let what = format!("{name}, distance after {n} steps");
                if n == 40 {
                    return Comparison::ours(what, run[n], 1e-12, Tolerance::AtMost(0.0));
                }
                let bound = h * function.kept(h / eps).powi(n as i32) + floor;
                Comparison::theory(what, run[n], bound, Tolerance::Excess(1.0))
            };
            table.push(name.clone(), [5, 10, 20, 40].map(cell));
        }
    }
    Ok(table)
}
