//! Figs. 2 to 8.

use super::circle::{Moment, Path, circle, circle_controlled, first_order_circle, steps_of, worst};
use crate::figures::Tolerance::{AtLeast, AtMost, Figure, Relative};
use crate::figures::{Comparison, Figures, Grid, Tolerance};
use crate::second_order::{Chance, states};
use anyhow::Result;
use stiffstep::method::bdf;
use stiffstep::prelude::*;
use stiffstep_plants::papers::{OrdinaryBdf, Wright, Wunderlich};
use stiffstep_plants::rlc::Rlc;
use stiffstep_plants::second_order::Voltages;

/// Two runs of a figure: the first-order form, and the second-order form.
pub struct Pair {
    /// First order, or ordinary.
    pub first: Path,
    /// Second order, or modified.
    pub second: Path,
    /// What is compared.
    pub table: Vec<Comparison>,
}

const fn pair(first: Path, second: Path, table: Vec<Comparison>) -> Pair {
    Pair {
        first,
        second,
        table,
    }
}

/// Fig. 2: formulas whose order rises from 1 to 4 in the first steps, h = 1e-3.
pub fn fig_2() -> Result<Pair, Error> {
    let steps = [1e-3; 100];
    let first = circle(OrdinaryBdf::<4>, &steps)?;
    let second = circle(Bdf::<4>, &steps)?;
    let mut table = Vec::new();
    for (k, published) in [0.25, 0.50, 0.375, 0.333, 0.0625].into_iter().enumerate() {
        let what = format!("ordinary formulas, error of λ in step {}", k + 1);
        table.independent(what, first[k].error[2], published, Figure);
    }
    let what = "ordinary formulas, error of λ in step 6";
    table.independent(what, first[5].error[2], 6e-8, Tolerance::Error);
    let what = "modified formulas, largest error of λ";
    table.independent(what, worst(&second, 2), 7.1e-7, Tolerance::Error);
    Ok(pair(first, second, table))
}

/// Fig. 3: order 2 in variable steps, drawn at random between 1e-4 and 1e-3. The modified formulas' multiplier is as good as
/// their order; the ordinary ones' jumps.
pub fn fig_3() -> Result<Pair, Error> {
    let steps = Chance(5).steps(1e-3, 0.1);
    let first = circle(OrdinaryBdf::<2>, &steps)?;
    let second = circle(Bdf::<2>, &steps)?;
    let (mut grid, mut direct) = (bdf::Grid::default(), 0.0);
    for &h in &steps {
        let order = grid.next(2);
        direct += f64::from(u8::from(grid.formula(h, order, true).direct));
        grid.push(h, order);
    }
    let mut table = Vec::new();
    let what = "modified formulas, share of steps whose coefficients are a direct formula's";
    table.ours(what, direct / steps.len() as f64, 0.2, AtMost(0.0));
    let what = "ordinary formulas, largest error of λ";
    table.theory(what, worst(&first, 2), 0.1, AtLeast(0.0));
    // The square of the largest step.
    let what = "modified formulas, largest error of λ";
    table.theory(what, worst(&second, 2), 1e-6, AtMost(0.0));
    Ok(pair(first, second, table))
}

/// The errors at the end of a path beside expected ones.
fn end_errors(name: &str, path: &[Moment], expected: [f64; 3]) -> Vec<Comparison> {
    let error = path.last().map_or([f64::NAN; 3], |moment| moment.error);
    let compare = |k: usize| {
        let what = format!("{name}, {} at t = 0.1", ["y", "y'", "λ"][k]);
        Comparison::independent(what, error[k], expected[k], Tolerance::Error)
    };
    (0..3).map(compare).collect()
}

/// Fig. 4: Radau IIA 2 in steps of h = 1e-3.
pub fn fig_4() -> Result<Pair> {
    let steps = [1e-3; 100];
    let second = circle(RadauIIA::<2>, &steps)?;
    let first = first_order_circle(&steps)?;
    let mut table = end_errors("Radau IIA 2", &second, [1.4e-13, 2.7e-11, 1.2e-7]);
    // Rounding over h^2.
    table.push(same(&first, &second, 1e-8));
    Ok(pair(first, second, table))
}

/// The forms are one method: their multipliers differ by so much at most.
fn same(first: &[Moment], second: &[Moment], most: f64) -> Comparison {
    let pairs = first.iter().zip(second);
    let apart = pairs
        .map(|(a, b)| (a.x[2] - b.x[2]).abs())
        .fold(0.0, f64::max);
    let what = "first-order form and second-order form, largest distance of λ";
    Comparison::theory(what, apart, most, AtMost(0.0))
}

/// Fig. 5: Radau IIA 2 in steps of its own choice, and the first-order form in the same ones.
pub fn fig_5() -> Result<Pair> {
    let second = circle_controlled(RadauIIA::<2>)?;
    let first = first_order_circle(&steps_of(&second))?;
    let mut table = tolerances_kept("Radau IIA 2", &second);
    // Its iteration stops at a thousandth of the tolerance.
    table.push(same(&first, &second, 1e-5));
    Ok(pair(first, second, table))
}

/// A run keeps the paper's tolerances, all steps together.
fn tolerances_kept(name: &str, path: &[Moment]) -> Vec<Comparison> {
    let bars = [1e-4, 1e-4, 1e-2];
    let compare = |k: usize| {
        let what = format!("{name}, largest error of {}", ["y", "y'", "λ"][k]);
        Comparison::theory(what, worst(path, k), bars[k], AtMost(0.0))
    };
    (0..3).map(compare).collect()
}

/// Fig. 6: the general linear methods (60) and (65) in steps of h = 1e-3.
pub fn fig_6() -> Result<Pair> {
    let steps = [1e-3; 100];
    let second = circle(Wunderlich, &steps)?;
    let first = circle(Wright, &steps)?;
    let table = end_errors("Example 2.11", &second, [3.5e-14, 1.6e-11, 3.9e-8]);
    Ok(pair(first, second, table))
}

/// Fig. 7: the general linear methods in steps of their own choice.
pub fn fig_7() -> Result<Pair> {
    let second = circle_controlled(Wunderlich)?;
    let first = circle_controlled(Wright)?;
    let mut table = tolerances_kept("Example 2.11", &second);
    table.extend(tolerances_kept("(65)", &first));
    let what = "largest error of y, Example 2.11 over (65)";
    let ratio = worst(&second, 0) / worst(&first, 0);
    table.ours(what, ratio, 0.1, AtMost(0.0));
    Ok(pair(first, second, table))
}

/// A run of the circuit (67): times, voltages `v_L, v_C, v_R` and their errors.
pub type Voltage = Vec<(f64, [f64; 3], [f64; 3])>;

/// Fig. 8: the circuit (67) to t = 7 by four methods, h = 0.01.
pub struct Circuit67 {
    /// The methods' runs by name.
    pub runs: Vec<(&'static str, Voltage)>,
    /// Errors at t = 7.
    pub table: Grid,
}

/// Fig. 8.
pub fn fig_8() -> Result<Circuit67, Error> {
    let (steps, start, model) = ([0.01; 700], Voltages::at(0.0), Voltages(Rlc::mild()));
    let path = |run: Vec<Course<f64, 3>>| -> Voltage {
        let at = |(k, state): (usize, &Course<f64, 3>)| {
            let t = (k + 1) as f64 * 0.01;
            let exact = Voltages::at(t).0;
            let x = state.x.data.0[0];
            (t, x, [0, 1, 2].map(|n: usize| (x[n] - exact[n]).abs()))
        };
        run.iter().enumerate().map(at).collect()
    };
    let runs = [
        ("BDF 2", states(model, Bdf::<2>, start, &steps)?),
        ("Radau IIA 2", states(model, RadauIIA::<2>, start, &steps)?),
        ("Example 2.11", states(model, Wunderlich, start, &steps)?),
        ("Radau IIA 3", states(model, RadauIIA::<3>, start, &steps)?),
    ];
    let runs: Vec<_> = runs
        .into_iter()
        .map(|(name, run)| (name, path(run)))
        .collect();
    let published = [
        ([5.2e-8, 5.5e-8, 3.2e-9], Figure),
        // Rounding is far below: these figures are the methods'.
        ([1.3e-10, 1.4e-10, 8.0e-12], Relative(0.1)),
        ([3.2e-11, 3.4e-11, 2.0e-12], Relative(0.1)),
        ([2e-16; 3], Tolerance::Error),
    ];
    let mut table = Grid::new("method", &["v_C", "v_R", "v_L"]);
    for ((name, run), (published, rule)) in runs.iter().zip(published) {
        let error = run.last().map_or([f64::NAN; 3], |at| at.2);
        table.fill(*name, &format!("{name}, error of "), |k, what| {
            // The model has v_L, v_C, v_R.
            let ours = error[[1, 2, 0][k]];
            Comparison::independent(what, ours, published[k], rule)
        });
    }
    Ok(Circuit67 { runs, table })
}
