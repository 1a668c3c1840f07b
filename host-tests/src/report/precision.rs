//! Single precision beside double.

use super::chart::{Axis, Look, Panel};
use super::{Body, Chapter, Exhibit};
use crate::experiments::precision::{Precisions, long_double, long_single, multipliers};
use anyhow::Result;

const SOURCE: &str = "host-tests/src/experiments/precision.rs";

/// The chapter.
pub fn chapter(say: &dyn Fn(&str)) -> Result<Chapter> {
    say("single precision: multipliers");
    let (runs, table) = multipliers()?;
    say("single precision: a thousand seconds");
    let (double, single) = (long_double()?, long_single()?);
    let curves = runs.iter().map(multiplier).collect();
    let energies = runs.iter().take(2).map(energy).collect();
    Ok(Chapter {
        id: "precision",
        title: "Single precision beside double",
        text: vec![
            "Microcontrollers compute in single precision. A constraint that is evaluated directly then puts noise of the order u/h² into the \
             multiplier. The library computes increments of constraints without cancellation and keeps compensated sums; what is \
             left is the method's own error."
                .into(),
        ],
        exhibits: vec![
            Exhibit::new(
                "precision-multipliers",
                "Multipliers of the stiff pendulum over 20 seconds",
                "The largest error of the multiplier by Radau IIA 3 with two iterations a step in single precision and with converged stages \
                 in double. The last column rounds nothing but g to single precision.",
                SOURCE,
                Body::Grid(table),
            ),
            Exhibit::new(
                "precision-curves",
                "The largest error of the multiplier so far",
                "",
                SOURCE,
                Body::Chart(curves),
            ),
            Exhibit::new(
                "precision-energy",
                "The largest deviation of the energy so far",
                "",
                SOURCE,
                Body::Chart(energies),
            ),
            Exhibit::new(
                "precision-long-double",
                "A thousand seconds on the rod, double precision",
                "The largest constraint defects on the way, g = |q|² − 1, and the energy at the end, which should be zero.",
                SOURCE,
                Body::Grid(double),
            ),
            Exhibit::new(
                "precision-long-single",
                "A thousand seconds on the rod, single precision",
                "",
                SOURCE,
                Body::Grid(single),
            ),
        ],
    })
}

fn panel(runs: &Precisions, y: Axis) -> Panel {
    let title = format!("eps = {:e}, h = {:e}", runs.eps, runs.h);
    Panel::new(title, Axis::linear("t"), y)
}

fn multiplier(runs: &Precisions) -> Panel {
    let mut panel = panel(runs, Axis::logarithmic("error of λ").within(1e-7, 1e2));
    for (name, run) in [
        ("f64", &runs.double),
        ("f64, g rounded to f32", &runs.rounded),
        ("f32", &runs.single),
    ] {
        let points: Vec<(f64, f64)> = run.t.iter().copied().zip(run.multiplier.clone()).collect();
        panel = panel.with(name, Look::Line, points);
    }
    panel
}

fn energy(runs: &Precisions) -> Panel {
    let mut panel = panel(runs, Axis::logarithmic("energy").within(1e-12, 1e-2));
    for (name, run) in [
        ("f64", &runs.double),
        ("f64, g rounded to f32", &runs.rounded),
        ("f32", &runs.single),
    ] {
        let points: Vec<(f64, f64)> = run.t.iter().copied().zip(run.energy.clone()).collect();
        panel = panel.with(name, Look::Line, points);
    }
    panel
}
