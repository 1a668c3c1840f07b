//! Ariel, Sanz-Serna & Tsai's table and figures.

use super::chart::{Axis, Look, Panel};
use super::{Chapter, Wish};
use crate::experiments::ariel::{
    Attempt, KERNELS, OMEGAS, adaptive, fast_error, filters, gliding, models, orders, projected,
    rattle, runge_kutta, runge_kutta_errors, saturation, slow_error, slow_points, table_1,
    tolerances,
};
use anyhow::{Context, Result};

/// The chapter.
pub fn chapter(wish: &Wish) -> Result<Chapter> {
    wish.say("Ariel et al.: Table 1");
    let [(_, soft), (_, stiff)] = table_1()?;
    let points = slow_points()?;
    wish.say("Ariel et al.: Fig. 2");
    let fig_2 = sweep(&|omega| (3..10).map(|k| rattle(omega, 1 << k)).collect())?;
    wish.say("Ariel et al.: Fig. 3");
    let fig_3 = sweep(&|omega| (3..9).map(|k| adaptive(omega, false, k)).collect())?;
    wish.say("Ariel et al.: Fig. 4");
    let fig_4 = sweep(&|omega| (3..9).map(|k| adaptive(omega, true, k)).collect())?;
    wish.say("Ariel et al.: Fig. 5");
    let fig_5 = sweep(&|omega| (3..9).map(|k| projected(omega, k)).collect())?;
    wish.say("Ariel et al.: Fig. 6");
    let fig_6 = sweep(&|omega| (1..7).map(|k| runge_kutta(omega, 1 << k)).collect())?;
    let (errors, orders) = (runge_kutta_errors()?, orders()?);
    wish.say("Ariel et al.: where errors saturate");
    let levels = saturation([&among(&fig_3), &among(&fig_4), &among(&fig_5)])?;
    Chapter::of(
        "ariel",
        vec![
            ("ariel-filters", filters().into()),
            ("ariel-filter-curves", filter_panels().into()),
            ("ariel-models", models()?.into()),
            ("ariel-gliding", gliding()?.into()),
            ("ariel-table-1a", soft.into()),
            ("ariel-table-1b", stiff.into()),
            ("ariel-points", points.into()),
            ("ariel-fig-2", panels(&fig_2).into()),
            ("ariel-fig-3", panels(&fig_3).into()),
            ("ariel-fig-4", panels(&fig_4).into()),
            ("ariel-fig-5", panels(&fig_5).into()),
            ("ariel-fig-6", panels(&fig_6).into()),
            ("ariel-fig-6-errors", errors.into()),
            ("ariel-levels", levels.into()),
            ("ariel-orders", orders.into()),
        ],
    )
}

type Sweep = Vec<(f64, Vec<Attempt>)>;

fn sweep(attempts: &dyn Fn(f64) -> Result<Vec<Attempt>>) -> Result<Sweep> {
    OMEGAS
        .into_iter()
        .map(|omega| Ok((omega, attempts(omega)?)))
        .collect()
}

/// What was found for omega and the tolerance 10^-k.
fn among(sweep: &Sweep) -> impl Fn(f64, i32) -> Result<Attempt> {
    move |omega, k| {
        let row = sweep.iter().find(|(at, _)| *at == omega);
        let attempts = row.map_or(&[][..], |(_, attempts)| attempts);
        let found = attempts.iter().find(|at| at.setting == tolerances(k)[0]);
        found.copied().context("no such attempt")
    }
}

fn filter_panels() -> Vec<Panel> {
    let log = Axis::logarithmic;
    let mut slow = Panel::new("slow", log("half a window"), log("error"));
    let mut fast = Panel::new("fast", log("window [rad]"), log("left"));
    for (name, kernel) in &KERNELS {
        slow = slow.with(*name, Look::Both, slow_error(kernel));
        fast = fast.with(*name, Look::Both, fast_error(kernel));
    }
    vec![slow, fast]
}

/// Errors of q and of p over the work, all figures with the same axes.
fn panels(sweep: &Sweep) -> Vec<Panel> {
    let panel = |k: usize| {
        let axes = Panel::new(
            ["error of q", "error of p"][k],
            Axis::logarithmic("evaluations").within(1e2, 1e7),
            Axis::logarithmic("error at t = 10").within(1e-11, 1.0),
        );
        sweep.iter().fold(axes, |panel, (omega, attempts)| {
            let points = attempts.iter().map(|at| (at.evaluations, at.error[k]));
            panel.with(format!("ω = {omega}"), Look::Both, points)
        })
    };
    vec![panel(0), panel(1)]
}
