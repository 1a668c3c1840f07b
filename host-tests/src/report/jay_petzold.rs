//! Jay & Petzold's figures.

use super::chart::{Axis, Look, Panel};
use super::{Chapter, Wish};
use crate::experiments::jay_petzold::{
    conjecture, failing, first_step, lobatto, oscillation, perturbed, rigid_orders, section_4,
    smooth, stability, stiff_orders,
};
use crate::pendulum::StiffRun;
use anyhow::Result;

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
    let time = |k: usize| k as f64 * StiffRun::H;
    let path = || run.path.iter().enumerate();
    let t = || Axis::linear("t");
    let positions = (0..2).fold(
        Panel::new("positions", t(), Axis::linear("q")),
        |panel, n| {
            let points = path().map(|(k, (at, _))| (time(k), at.q[n]));
            panel.with(["q1", "q2"][n], Look::Line, points)
        },
    );
    let velocities = (0..2).fold(
        Panel::new("velocities", t(), Axis::linear("v")),
        |panel, n| {
            let points = path().map(|(k, (at, _))| (time(k), at.v[n]));
            panel.with(["v1", "v2"][n], Look::Line, points)
        },
    );
    let energy = path().map(|(k, (_, energy))| (time(k), *energy));
    let energy = Panel::new("energy", t(), Axis::linear("H")).with("", Look::Line, energy);
    vec![positions, velocities, energy]
}
