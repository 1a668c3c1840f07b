//! Single precision beside double.

use super::chart::{Axis, Look, Panel};
use super::{Chapter, Wish};
use crate::experiments::precision::{Precisions, long_double, long_single, multipliers};
use anyhow::Result;

/// The chapter.
pub fn chapter(wish: &Wish) -> Result<Chapter> {
    wish.say("single precision: multipliers");
    let (runs, table) = multipliers()?;
    wish.say("single precision: a thousand seconds");
    let (double, single) = (long_double()?, long_single()?);
    let curves: Vec<Panel> = runs.iter().map(multiplier).collect();
    let energies: Vec<Panel> = runs.iter().take(2).map(energy).collect();
    Chapter::of(
        "precision",
        vec![
            ("precision-multipliers", table.into()),
            ("precision-curves", curves.into()),
            ("precision-energy", energies.into()),
            ("precision-long-double", double.into()),
            ("precision-long-single", single.into()),
        ],
    )
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
