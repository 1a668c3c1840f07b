//! Lubich's orders and his Newton table.

use super::chart::{Axis, Look, Panel};
use super::{Chapter, Wish};
use crate::experiments::PARTS;
use crate::experiments::lubich::{
    EPS, MATRICES, contractions, convergence, damping, eps_squared, floor, higher_index,
    newton_table, potential, remainder, rigid_orders, smooth_motion, stiff_orders,
};
use anyhow::Result;

/// The chapter.
pub fn chapter(wish: &Wish) -> Result<Chapter> {
    wish.say("Lubich: orders");
    let orders = stiff_orders()?;
    let curves = vec![
        errors("Radau IIA 2", &convergence::<2>()?),
        errors("Radau IIA 3", &convergence::<3>()?),
    ];
    let (term, damping) = (eps_squared()?, damping()?);
    wish.say("Lubich: systems of index 5 and 7");
    let (index, remainder, floor) = (higher_index()?, remainder()?, floor()?);
    wish.say("Lubich: Newton matrices");
    let (table, bounds) = newton_table()?;
    Chapter::of(
        "lubich",
        vec![
            ("lubich-smooth", smooth_motion().into()),
            ("lubich-orders", orders.into()),
            ("lubich-rigid", rigid_orders()?.into()),
            ("lubich-convergence", curves.into()),
            ("lubich-eps", term.into()),
            ("lubich-index", index.into()),
            ("lubich-remainder", remainder.into()),
            ("lubich-damping", damping.into()),
            ("lubich-floor", floor.into()),
            ("lubich-newton", table.into()),
            ("lubich-newton-bounds", bounds.into()),
            ("lubich-potential", potential()?.into()),
            ("lubich-newton-curves", vec![contraction()?].into()),
        ],
    )
}

fn errors(title: &str, curve: &[(f64, [f64; 3])]) -> Panel {
    let y = Axis::logarithmic("error at t = 5").within(1e-15, 1.0);
    let axes = Panel::new(title, Axis::logarithmic("h"), y);
    (0..3).fold(axes, |panel, k| {
        let points = curve.iter().map(|(h, error)| (*h, error[k]));
        panel.with(PARTS[k], Look::Both, points)
    })
}

fn contraction() -> Result<Panel> {
    let mut curves = Vec::new();
    for k in 0..=12 {
        let h = 10_f64.powf(-2.5 + f64::from(k) / 8.0);
        curves.push((h, contractions(EPS, h)?));
    }
    let y = Axis::logarithmic("rate of contraction").within(1e-8, 1e5);
    let axes = Panel::new("", Axis::logarithmic("h"), y);
    let panel = (0..MATRICES.len()).fold(axes, |panel, k| {
        let points = curves.iter().map(|(h, rates)| (*h, rates[k]));
        panel.with(MATRICES[k].0, Look::Both, points)
    });
    Ok(panel.coloured(6, "converges below", Look::Line, [(1e-3, 1.0), (1e-1, 1.0)]))
}
