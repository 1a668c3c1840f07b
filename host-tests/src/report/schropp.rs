//! Schropp's tables and figures.

use super::chart::{Axis, Look, Panel};
use super::{Body, Chapter, Exhibit};
use crate::experiments::schropp::{
    Effort, Run, andrews, andrews_levels, fixed_errors, fixed_orders, local_orders, pendulum,
    pendulum_levels, radau_ia, remark, third_defect,
};
use anyhow::{Context, Result};

const SOURCE: &str = "host-tests/src/experiments/schropp.rs";

/// The chapter.
pub fn chapter(say: &dyn Fn(&str)) -> Result<Chapter> {
    say("Schropp: the pendulum");
    let swing = pendulum()?;
    let levels = pendulum_levels(&swing);
    say("Schropp: orders");
    let (orders, errors) = (fixed_orders()?, fixed_errors()?);
    say("Schropp: Andrews' squeezing mechanism");
    let squeezer = andrews()?;
    Ok(Chapter {
        id: "schropp",
        title: "Schropp: projected Runge–Kutta methods for index 3",
        text: vec![
            "Projected Runge–Kutta methods for index-3 differential-algebraic equations: after every step of Radau IIA the velocities \
             return to the tangent of the constraints. The pendulum and Andrews' squeezing mechanism, adaptive steps with RADAU5's \
             error estimate and controller."
                .into(),
        ],
        exhibits: vec![
            Exhibit::new(
                "schropp-table-1",
                "Table 1: effort on the pendulum, without and with projection",
                "Evaluations of forces and constraints and of their Jacobian, t from 0 to 20.",
                SOURCE,
                Body::Grid(swing.table.clone()),
            )
            .differs(
                "ours are fewer evaluations at the same or a better error, because the Newton iteration starts from the last step's \
                 polynomial with a Jacobian half a step ahead. The printed counts need the multiplier scaled so that v' = −u λ, with \
                 a factor 1 where (4.1) has 2, and a first step of 1e-6, which is what we take.",
            ),
            Exhibit::new(
                "schropp-table-1-saved",
                "What projection saves on the pendulum",
                "The ratio of effort with projection to effort without: below 1 in every row, as printed.",
                SOURCE,
                Body::List(swing.saved.clone()),
            ),
            Exhibit::new(
                "schropp-levels",
                "Errors and drift behind Table 1",
                "The error of the position at t = 20 and the largest |G v| on the way. Projected velocities stay on the constraint to \
                 rounding.",
                SOURCE,
                Body::Grid(levels),
            ),
            Exhibit::new(
                "schropp-fig-1",
                "Fig. 1: the pendulum's motion",
                "Coordinates over time, tolerance 1e-8, with projection.",
                SOURCE,
                Body::Chart(vec![coordinates(&at(&swing, 1)?[1])]),
            ),
            Exhibit::new(
                "schropp-fig-2",
                "Fig. 2: d1 = g and d2 = G v on the pendulum",
                "Without projection (left) and with it (right), tolerance 1e-8. Both are shown by magnitude on a logarithmic axis, \
                 where rounding can be told from drift; the print has linear axes.",
                SOURCE,
                Body::Chart(both(at(&swing, 1)?, 2.0, &[(0, "d1"), (1, "d2")])),
            ),
            Exhibit::new(
                "schropp-fig-3",
                "Fig. 3: d3, the twice differentiated constraint, on the pendulum",
                "Without projection (left) and with it (right), tolerance 1e-8. With projection ours is rounding, because the multiplier that \
                 belongs to the projected values is recomputed.",
                SOURCE,
                Body::Chart(both(at(&swing, 1)?, 2.0, &[(2, "d3")])),
            ),
            Exhibit::new(
                "schropp-fig-3-level",
                "Fig. 3 in numbers",
                "Tolerance 1e-8.",
                SOURCE,
                Body::List(third_defect(&swing)),
            ),
            Exhibit::new(
                "schropp-orders",
                "Orders of convergence on the rigid pendulum",
                "Fixed steps, t = 5: from the errors of a step and of its half.",
                SOURCE,
                Body::Grid(orders),
            ),
            Exhibit::new(
                "schropp-radau-ia",
                "Theorem 2.1 with both projections: Radau IA 3",
                "Stage order q = 2, so q, q and q − 1: equalities, on two problems.",
                SOURCE,
                Body::Grid(radau_ia()?),
            ),
            Exhibit::new(
                "schropp-local",
                "Lemma 3.3, (3.21): the error of one step",
                "min(q + 2, p), q + 1 and q − 1 at least, on an index-3 system with a solution in exponentials.",
                SOURCE,
                Body::Grid(local_orders()?),
            ),
            Exhibit::new(
                "schropp-remark",
                "The remark after Theorem 2.1: an order more in u for p ≥ q + 2",
                "Of a step, to q + 2, and of a run, to q + 1.",
                SOURCE,
                Body::List(remark()?),
            )
            .differs(
                "a run of Radau IA 3, with p = 5 and q = 2, has order 2 in u where the remark says 3. Its v has order 2, and u is v's integral; \
                 the remark holds for a step, and for runs of Radau IIA, whose v converges as fast as u.",
            ),
            Exhibit::new(
                "schropp-errors",
                "Errors at a fixed step",
                "The multiplier is that of g = |u|² − 1.",
                SOURCE,
                Body::Grid(errors),
            ),
            Exhibit::new(
                "schropp-table-2",
                "Table 2: effort on Andrews' squeezing mechanism, without and with projection",
                "Evaluations of forces and constraints and of their Jacobian, t from 0 to 0.05.",
                SOURCE,
                Body::Grid(squeezer.table.clone()),
            )
            .differs("fewer evaluations for the reason given at Table 1."),
            Exhibit::new(
                "schropp-table-2-saved",
                "What projection saves on the squeezing mechanism",
                "",
                SOURCE,
                Body::List(squeezer.saved.clone()),
            ),
            Exhibit::new(
                "schropp-table-2-levels",
                "Errors and drift behind Table 2",
                "The error of the angles at t = 0.05 against a reference of quadruple precision, what projection makes of it, and the largest \
                 defects on the way.",
                SOURCE,
                Body::Grid(andrews_levels(&squeezer)),
            )
            .differs("the paper prints no error for Table 2: the bars are our own, a fifth above what we found."),
            Exhibit::new(
                "schropp-fig-4",
                "Fig. 4: the seven angles of the squeezing mechanism",
                "Crank and rod turn (left), the others swing (right). Tolerance 1e-8, with projection.",
                SOURCE,
                Body::Chart(angles(&at(&squeezer, 1)?[1])),
            ),
            Exhibit::new(
                "schropp-fig-5",
                "Fig. 5: d1 = g and d2 = G v on the squeezing mechanism",
                "The largest of the six constraints. Without projection (left) and with it (right), tolerance 1e-8.",
                SOURCE,
                Body::Chart(both(at(&squeezer, 1)?, 1.0, &[(0, "d1"), (1, "d2")])),
            ),
        ],
    })
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
            panel.with(
                names[k],
                Look::Line,
                run.path.iter().map(|at| (at.t, at.q[k])),
            )
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
