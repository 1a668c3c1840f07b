//! Backward differentiation formulas while their order rises, and the order that they then have.

use super::circle::{Path, circle};
use super::track;
use crate::figures::Tolerance::{AtLeast, Relative, Within};
use crate::figures::{Comparison, Grid};
use crate::second_order::states;
use anyhow::Result;
use stiffstep::prelude::*;
use stiffstep_plants::second_order::Track;

/// The errors of a run with given steps.
type ErrorsOf<'a> = dyn Fn(&[f64]) -> Result<Vec<f64>, Error> + 'a;

/// The modified formulas' first 2 K steps, in which the order rises, with Example 1.3: the first step is off by `8 h`, because
/// (11) takes the slope of a straight line for the velocity; all others by `h^2` or less.
pub fn first_steps() -> Result<Grid, Error> {
    let mut table = Grid::new("order", &["step 1, over h", "steps 2 to 2 K, order"]);
    let mut row = |k: usize, run: &ErrorsOf<'_>| -> Result<(), Error> {
        let errors = |h: f64| run(&vec![h; 2 * k]);
        let (coarse, fine) = (errors(0.005)?, errors(0.0025)?);
        let most = |errors: &[f64]| errors.iter().skip(1).copied().fold(0.0, f64::max);
        let order = (most(&coarse) / most(&fine)).log2();
        let words = format!("modified formulas up to order {k}, ");
        table.fill(k.to_string(), &words, |n, what| match n {
            0 => Comparison::theory(what, fine[0] / 0.0025, 8.0, Relative(0.02)),
            _ => Comparison::theory(what, order, k.min(2) as f64, Within(0.1)),
        });
        Ok(())
    };
    macro_rules! rows {
        ($($k:literal)*) => { $(
            row($k, &|steps| Ok(track(&states(Track, Bdf::<$k>, Track::at(1.0), steps)?, steps)))?;
        )* };
    }
    rows!(1 2 3 4 5 6);
    Ok(table)
}

/// Steps of `h` up to t = 1 that begin with `h^((k + 1) / 2) / 2` and double.
fn growing(h: f64, k: usize) -> Vec<f64> {
    let (mut step, mut t, mut steps) = (0.5 * h.powf(0.5 * (k + 1) as f64), 0.0, Vec::new());
    while t < 1.0 {
        steps.push(step);
        t += step;
        step = h.min(2.0 * step);
    }
    steps
}

/// Rising formulas at t = 1 on the circle (62). In steps of one size the first, of order 1, leaves `h^2` in the momentum for good; in
/// steps that begin as small as `h^((k + 1) / 2)` it leaves less than the others, and the order is the formula's.
pub fn rising() -> Result<Grid, Error> {
    let names = ["y, one size", "λ, one size", "y', growing", "λ, growing"];
    let mut table = Grid::new("order", &names);
    let mut row =
        |k: usize, h: f64, run: &dyn Fn(&[f64]) -> Result<Path, Error>| -> Result<(), Error> {
            let end = |steps: &[f64]| {
                Ok::<_, Error>(run(steps)?.last().map_or([f64::NAN; 3], |at| at.error))
            };
            let even = |h: f64| end(&vec![h; (1.0 / h).round() as usize]);
            let (coarse, fine) = (even(0.01)?, even(0.005)?);
            let (coarse_too, fine_too) = (end(&growing(h, k))?, end(&growing(0.5 * h, k))?);
            let order = |a: [f64; 3], b: [f64; 3], n: usize| (a[n] / b[n]).log2();
            let orders = [
                order(coarse, fine, 0),
                order(coarse, fine, 2),
                order(coarse_too, fine_too, 1),
                order(coarse_too, fine_too, 2),
            ];
            table.fill(
                k.to_string(),
                &format!("rising to {k}, "),
                |n, what| match n {
                    0 | 1 => Comparison::theory(what, orders[n], 2.0, Within(0.1)),
                    _ => Comparison::theory(what, orders[n], k as f64, AtLeast(0.3)),
                },
            );
            Ok(())
        };
    row(3, 0.02, &|steps| circle(Bdf::<3>, steps))?;
    row(4, 0.02, &|steps| circle(Bdf::<4>, steps))?;
    Ok(table)
}
