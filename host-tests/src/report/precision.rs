//! Single precision beside double.

use super::chart::{Axis, Look, Panel};
use super::{Chapter, Wish};
use crate::experiments::precision::{Account, Precisions, long_double, long_single, multipliers};
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

/// Curves of all precisions.
fn panel(runs: &Precisions, y: Axis, of: fn(&Account) -> &[f64]) -> Panel {
    let title = format!("eps = {:e}, h = {:e}", runs.eps, runs.h);
    let axes = Panel::new(title, Axis::linear("t"), y);
    let curves = [
        ("f64", &runs.double),
        ("f64, g rounded to f32", &runs.rounded),
        ("f32", &runs.single),
    ];
    curves.into_iter().fold(axes, |panel, (name, run)| {
        let points = run.t.iter().copied().zip(of(run).iter().copied());
        panel.with(name, Look::Line, points)
    })
}

fn multiplier(runs: &Precisions) -> Panel {
    let y = Axis::logarithmic("error of λ").within(1e-7, 1e2);
    panel(runs, y, |run| &run.multiplier)
}

fn energy(runs: &Precisions) -> Panel {
    let y = Axis::logarithmic("energy").within(1e-12, 1e-2);
    panel(runs, y, |run| &run.energy)
}
