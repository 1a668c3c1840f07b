//! Jay & Petzold's figures.

use super::chart::{Axis, Look, Panel};
use super::{Chapter, Wish};
use crate::experiments::jay_petzold::{
    conjecture, failing, first_step, lobatto, oscillation, perturbed, rigid_orders, section_4,
    smooth, stability, stiff_orders,
};
use crate::pendulum::StiffRun;
use anyhow::Result;
use stiffstep::model::Motion;

/// The chapter.
pub fn chapter(wish: &Wish) -> Result<Chapter> {
    wish.say("Jay & Petzold: the smooth motion");
    let (gauss, smooth) = smooth()?;
    wish.say("Jay & Petzold: a perturbed start");
    let off = perturbed()?;
    wish.say("Jay & Petzold: methods that fail");
    let failing = failing()?;
    wish.say("Jay & Petzold: orders");
    let (orders, stiff) = (rigid_orders()?, stiff_orders()?);
    let measures = oscillation(&gauss, &off);
    wish.say("Jay & Petzold: section 4");
    let (iterations, first, conjecture) = (section_4()?, first_step()?, conjecture()?);
    Chapter::of(
        "jay-petzold",
        vec![
            ("jay-petzold-stability", stability().into()),
            ("jay-petzold-lobatto", lobatto()?.into()),
            ("jay-petzold-fig-1", motion(&gauss).into()),
            ("jay-petzold-smooth", smooth.into()),
            ("jay-petzold-fig-2", motion(&off.gauss_5).into()),
            ("jay-petzold-fig-3", motion(&off.gauss_4).into()),
            ("jay-petzold-fig-4", motion(&off.radau_3).into()),
            ("jay-petzold-perturbed", off.table.into()),
            ("jay-petzold-failing", failing.into()),
            ("jay-petzold-orders", orders.into()),
            ("jay-petzold-stiff-orders", stiff.into()),
            ("jay-petzold-section-4", iterations.into()),
            ("jay-petzold-first-step", first.into()),
            ("jay-petzold-oscillation", measures.into()),
            ("jay-petzold-conjecture", conjecture.into()),
        ],
    )
}

fn motion(run: &StiffRun) -> Vec<Panel> {
    let axes = |title: &str, y: &str| Panel::new(title, Axis::linear("t"), Axis::linear(y));
    let path = || run.path.iter().enumerate();
    let time = |k: usize| k as f64 * StiffRun::H;
    let part = |title: &str, names: [&str; 2], of: fn(&Motion<f64, 2, 1>) -> [f64; 2]| {
        (0..2).fold(axes(title, &names[0][..1]), |panel, n| {
            let points = path().map(|(k, (at, _))| (time(k), of(at)[n]));
            panel.with(names[n], Look::Line, points)
        })
    };
    let energy = path().map(|(k, (_, energy))| (time(k), *energy));
    vec![
        part("positions", ["q1", "q2"], |at| at.q.into()),
        part("velocities", ["v1", "v2"], |at| at.v.into()),
        axes("energy", "H").with("", Look::Line, energy),
    ]
}
