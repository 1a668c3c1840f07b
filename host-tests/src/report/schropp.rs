//! Schropp's tables and figures.

use super::chart::{Axis, Look, Panel};
use super::{Chapter, Wish};
use crate::experiments::schropp::{
    Effort, Run, andrews, andrews_levels, fixed_errors, fixed_orders, local_orders, pendulum,
    pendulum_levels, radau_ia, remark, third_defect,
};
use anyhow::{Context, Result};

/// The chapter.
pub fn chapter(wish: &Wish) -> Result<Chapter> {
    wish.say("Schropp: the pendulum");
    let swing = pendulum()?;
    let levels = pendulum_levels(&swing);
    wish.say("Schropp: orders");
    let (orders, errors) = (fixed_orders()?, fixed_errors()?);
    wish.say("Schropp: Andrews' squeezing mechanism");
    let squeezer = andrews()?;
    let (swung, squeezed) = (at(&swing, 1)?, at(&squeezer, 1)?);
    let first_two = [(0, "d1"), (1, "d2")];
    Chapter::of(
        "schropp",
        vec![
            ("schropp-table-1", swing.table.clone().into()),
            ("schropp-table-1-saved", swing.saved.clone().into()),
            ("schropp-levels", levels.into()),
            ("schropp-fig-1", vec![coordinates(&swung[1])].into()),
            ("schropp-fig-2", both(swung, 2.0, &first_two).into()),
            ("schropp-fig-3", both(swung, 2.0, &[(2, "d3")]).into()),
            ("schropp-fig-3-level", third_defect(&swing).into()),
            ("schropp-orders", orders.into()),
            ("schropp-radau-ia", radau_ia()?.into()),
            ("schropp-local", local_orders()?.into()),
            ("schropp-remark", remark()?.into()),
            ("schropp-errors", errors.into()),
            ("schropp-table-2", squeezer.table.clone().into()),
            ("schropp-table-2-saved", squeezer.saved.clone().into()),
            ("schropp-table-2-levels", andrews_levels(&squeezer).into()),
            ("schropp-fig-4", angles(&squeezed[1]).into()),
            ("schropp-fig-5", both(squeezed, 1.0, &first_two).into()),
        ],
    )
}

/// The runs of a row.
fn at<const Q: usize>(effort: &Effort<Q>, row: usize) -> Result<&[Run<Q>; 2]> {
    effort.runs.get(row).context("there is no such row")
}

fn coordinates(run: &Run<2>) -> Panel {
    let coordinate = |k: usize| run.path.iter().map(move |at| (at.t, at.q[k]));
    Panel::new("", Axis::linear("t"), Axis::linear("u"))
        .with("u1", Look::Line, coordinate(0))
        .with("u2", Look::Line, coordinate(1))
}

fn angles(run: &Run<7>) -> Vec<Panel> {
    let names = ["β", "Θ", "γ", "Φ", "δ", "Ω", "ε"];
    let panel = |title: &str, which: std::ops::Range<usize>| {
        let empty = Panel::new(title, Axis::linear("t"), Axis::linear("angle [rad]"));
        which.fold(empty, |panel, k| {
            let points = run.path.iter().map(|at| (at.t, at.q[k]));
            panel.with(names[k], Look::Line, points)
        })
    };
    vec![
        panel("those that turn", 0..2),
        panel("those that swing", 2..7),
    ]
}

/// Two panels, without and with projection, of defects times a factor.
fn both<const Q: usize>(runs: &[Run<Q>; 2], factor: f64, which: &[(usize, &str)]) -> Vec<Panel> {
    let titles = ["without projection", "with projection"];
    let panel = |(run, title): (&Run<Q>, &str)| {
        let least = 1e-18;
        let most = which
            .iter()
            .map(|&(k, _)| factor * runs[0].defect(k).max(runs[1].defect(k)));
        let most = 10_f64.powf(most.fold(least, f64::max).log10().ceil());
        let y = Axis::logarithmic("magnitude").within(least, most);
        let empty = Panel::new(title, Axis::linear("t"), y);
        which.iter().fold(empty, |panel, &(k, name)| {
            let points = run.path.iter().map(|at| (at.t, factor * at.defects[k]));
            panel.with(name, Look::Line, points)
        })
    };
    runs.iter().zip(titles).map(panel).collect()
}
