//! Schropp's section 4: the pendulum and Andrews' squeezing mechanism by the adaptive Radau IIA method of three stages, without
//! and with projection; and the orders of fixed steps.

use super::{Compare, known, order_row, orders};
use crate::figures::Tolerance::{AtLeast, AtMost, Excess, Figure, Within};
use crate::figures::{Comparison, Figures, Grid, Tolerance};
use crate::pendulum::{RIGID_5, TIGHT, errors, halved, integrate, level};
use stiffstep::drive::{Controlled, Statistics};
use stiffstep::manifold::Diagnostics;
use stiffstep::model::Constrained;
use stiffstep::prelude::*;
use stiffstep::step::{Control, Method};
use stiffstep_plants::andrews::{self, Andrews};
use stiffstep_plants::exponentials::{Exponentials, solution};
use stiffstep_plants::papers::RadauIA;
use stiffstep_plants::pendulum::RigidPendulum;

/// A moment of an adaptive run.
#[derive(Clone, Copy, Debug)]
pub struct Moment<const Q: usize> {
    /// The time.
    pub t: f64,
    /// The coordinates.
    pub q: [f64; Q],
    /// The largest of the constraints, and of their first and second derivatives.
    pub defects: [f64; 3],
}

/// An adaptive run.
#[derive(Clone, Debug)]
pub struct Run<const Q: usize> {
    /// What it took.
    pub done: Statistics,
    /// The largest error of a coordinate at the end.
    pub error: f64,
    /// Every step.
    pub path: Vec<Moment<Q>>,
}

impl<const Q: usize> Run<Q> {
    /// The largest defect on the way: of the constraints, or of a derivative of theirs.
    pub fn defect(&self, derivative: usize) -> f64 {
        let all = self.path.iter().map(|moment| moment.defects[derivative]);
        all.fold(0.0, f64::max)
    }
}

/// Runs a mechanism to `end`, where its coordinates should be `exact`. The first step is 1e-6.
pub fn adaptive<M, Kind, K, const Q: usize, const L: usize>(
    model: M,
    method: K,
    start: (Vector<f64, Q>, Vector<f64, Q>),
    (tolerance, end): (f64, f64),
    exact: [f64; Q],
) -> Result<Run<Q>, Error>
where
    M: Mechanical<f64, Q, L, 0>,
    K: Method<M, Kind, Real = f64, Start = (Vector<f64, Q>, Vector<f64, Q>)>,
    K::Stepper: Controlled<Real = f64, Model = M, State = Motion<f64, Q, L>>,
{
    // The tables are counts of RADAU5's, under its own control.
    let plant = Adaptive::new(model, method, tolerance, 1e-6, start)?;
    let mut plant = plant.with_control(Control::Radau5);
    let mut path = Vec::new();
    while plant.time() < end {
        plant.longest = end - plant.time();
        plant.step()?;
        let at = Diagnostics::of(plant.model(), plant.time(), plant.state());
        let largest = |x: [f64; L]| x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        path.push(Moment {
            t: plant.time(),
            q: plant.state().q.data.0[0],
            defects: [at.constraint, at.rate, at.acceleration].map(largest),
        });
    }
    Ok(Run {
        done: plant.statistics(),
        error: (plant.state().q - Vector::from(exact)).amax(),
        path,
    })
}

/// A row of a table: the tolerance, and evaluations and Jacobians as published, without and with projection.
type Row = (f64, [[u32; 2]; 2]);

/// Table 1.
const TABLE_1: [Row; 4] = [
    (1e-6, [[2966, 276], [2580, 238]]),
    (1e-8, [[6217, 570], [4996, 481]]),
    (1e-10, [[12979, 1124], [9963, 956]]),
    (1e-12, [[24531, 2225], [20576, 1912]]),
];

/// Table 2.
const TABLE_2: [Row; 4] = [
    (1e-6, [[2147, 138], [2073, 131]]),
    (1e-8, [[3429, 241], [3251, 227]]),
    (1e-10, [[6098, 472], [5760, 447]]),
    (1e-12, [[12078, 984], [11190, 926]]),
];

/// Where the rigid pendulum is at t = 20.
const PENDULUM_20: [f64; 2] = [-0.517_719_703_552_777_8, -0.855_550_295_747_259_9];

/// Runs without and with projection, and with what the table compares.
pub struct Effort<const Q: usize> {
    /// For each tolerance the run without and the run with projection.
    pub runs: Vec<[Run<Q>; 2]>,
    /// Evaluations and Jacobians beside the printed ones. Fewer are a gain.
    pub table: Grid,
    /// What projection saves, which must be something.
    pub saved: Vec<Comparison>,
}

fn effort<const Q: usize>(
    rows: [Row; 4],
    mut run: impl FnMut(f64) -> Result<[Run<Q>; 2], Error>,
) -> Result<Effort<Q>, Error> {
    let mut runs = Vec::new();
    let mut saved = Vec::new();
    let names = [
        "evaluations, without",
        "evaluations, with projection",
        "Jacobians, without",
        "Jacobians, with projection",
    ];
    let mut table = Grid::new("tolerance", &names);
    for (tolerance, published) in rows {
        let pair = run(tolerance)?;
        let counts = |k: usize| [pair[k].done.evaluations, pair[k].done.jacobians].map(f64::from);
        let (free, projected) = (counts(0), counts(1));
        let cell = |k: usize| {
            let (of, way) = (k / 2, k % 2);
            let ours = [free, projected][way][of];
            let what = format!("{}, tolerance {tolerance:e}", names[k]);
            Comparison::printed(what, ours, published[way][of].into(), Excess(0.1))
        };
        table.push(format!("{tolerance:e}"), [0, 1, 2, 3].map(cell));
        for (of, name) in ["evaluations", "Jacobians"].into_iter().enumerate() {
            let what = format!("{name}, with projection over without, tolerance {tolerance:e}");
            let printed = f64::from(published[1][of]) / f64::from(published[0][of]);
            let ratio = projected[of] / free[of];
            saved.printed(what, ratio, printed, AtMost(1.0 - printed));
        }
        runs.push(pair);
    }
    Ok(Effort { runs, table, saved })
}

/// Table 1, with Figs. 1 to 3 in the runs: the pendulum to t = 20.
pub fn pendulum() -> Result<Effort<2>, Error> {
    effort(TABLE_1, |tolerance| {
        let to = (tolerance, 20.0);
        let free = adaptive(RigidPendulum, Lean(RadauIIA::<3>), level(), to, PENDULUM_20)?;
        let method = Projected(Lean(RadauIIA::<3>));
        let projected = adaptive(RigidPendulum, method, level(), to, PENDULUM_20)?;
        Ok([free, projected])
    })
}

/// Errors and drifts that go with the first and the last row of Table 1; in between by the same factor from row to row.
pub fn pendulum_levels(effort: &Effort<2>) -> Grid {
    let between = |first: f64, last: f64, row: usize| first * (last / first).powf(row as f64 / 3.0);
    let names = ["q(20)", "q(20), projected", "G v", "G v, projected"];
    let mut table = Grid::new("tolerance", &names);
    for (row, [free, projected]) in effort.runs.iter().enumerate() {
        let error = |k: usize, measured: f64, published: f64| {
            let what = format!("{}, tolerance {:e}", names[k], TABLE_1[row].0);
            Comparison::independent(what, measured, published, Tolerance::Error)
        };
        table.push(
            format!("{:e}", TABLE_1[row].0),
            [
                error(0, free.error, between(3.5e-4, 2.8e-9, row)),
                error(1, projected.error, between(9.7e-5, 2.6e-10, row)),
                error(2, free.defect(1), between(2.9e-4, 2.3e-7, row)),
                error(3, projected.defect(1), 4.4e-16),
            ],
        );
    }
    table
}

/// Fig. 3 in numbers: the twice differentiated constraint at a tolerance of 1e-8, without projection and with it, where the multiplier
/// belongs to the projected values.
pub fn third_defect(effort: &Effort<2>) -> Vec<Comparison> {
    let [free, projected] = &effort.runs[1];
    let mut all = Vec::new();
    let (with, without) = (2.0 * projected.defect(2), 2.0 * free.defect(2));
    all.ours("largest d3 with projection", with, 1e-14, AtMost(0.0));
    all.ours("largest d3 without projection", without, 1e-4, AtLeast(0.0));
    all
}

/// Table 2, with Figs. 4 and 5 in the runs: Andrews' mechanism to t = 0.05.
pub fn andrews() -> Result<Effort<7>, Error> {
    effort(TABLE_2, |tolerance| {
        let (model, to) = (Andrews::default(), (tolerance, 0.05));
        let start = || (andrews::START.into(), [0.0; 7].into());
        let exact = known("andrews", "0.05");
        let free = adaptive(model, RadauIIA::<3>, start(), to, exact)?;
        let method = Projected(RadauIIA::<3>);
        let projected = adaptive(model, method, start(), to, exact)?;
        Ok([free, projected])
    })
}

/// What goes with Table 2, of which the paper prints no error: those of the angles at t = 0.05, where 33 radians are an error of a
/// thousandth of a per cent at the loosest tolerance, and how far the constraints' first and second derivative are off on the
/// way. The bars are ours: what the errors are, a fifth more, and rounding at velocities of a thousand.
pub fn andrews_levels(effort: &Effort<7>) -> Grid {
    let names = [
        "q(0.05)",
        "q(0.05), projected over not",
        "G v, projected",
        "d3, projected over not",
    ];
    let mut table = Grid::new("tolerance", &names);
    let errors = [2.0e-3, 1.8e-4, 6.0e-6, 3.8e-7];
    for (([free, projected], (tolerance, _)), error) in effort.runs.iter().zip(TABLE_2).zip(errors)
    {
        let cell = |k: usize| {
            let (ours, bar) = [
                (free.error, 1.2 * error),
                (projected.error / free.error, 1.0),
                (projected.defect(1), 1e-13),
                (projected.defect(2) / free.defect(2), 1e-6),
            ][k];
            let what = format!("{}, tolerance {tolerance:e}", names[k]);
            Comparison::limit(what, ours, bar)
        };
        table.push(format!("{tolerance:e}"), [0, 1, 2, 3].map(cell));
    }
    table
}

/// Errors of u, v and lambda of an index-3 system with a solution in exponentials, `steps` steps of `h` after `from`.
pub fn exponential_errors<K, Kind>(
    method: K,
    from: f64,
    h: f64,
    steps: u32,
) -> Result<[f64; 3], Error>
where
    K: Method<Exponentials, Kind, Real = f64, Start = (Vector<f64, 2>, Vector<f64, 2>)>,
    K::Stepper: Stepper<Real = f64, State = Constrained<f64, 2, 2, 1>>,
{
    let [u1, u2, v1, v2, _] = solution(from);
    let start = ([u1, u2].into(), [v1, v2].into());
    let mut plant = Simulation::new(Exponentials, method, h, start)?.with_budget(TIGHT);
    for _ in 0..steps {
        plant.step()?;
    }
    let (at, exact) = (plant.state(), solution(from + f64::from(steps) * h));
    let found = [at.u[0], at.u[1], at.v[0], at.v[1], at.lambda[0]];
    let error = |n: usize| (found[n] - exact[n]).abs();
    Ok([error(0).max(error(1)), error(2).max(error(3)), error(4)])
}

/// Theorem 2.1 for the method whose every step needs both projections, (2.7): Radau IA 3, p = 5 and q = 2. The orders q, q and
/// q - 1 are not bounds but what it has.
pub fn radau_ia() -> Result<Grid, Error> {
    let mut table = Grid::new("Radau IA 3 on", &["u", "v", "lambda"]);
    let ends = |steps: u32| {
        exponential_errors(Projected(RadauIA::<3>), 0.0, 1.0 / f64::from(steps), steps)
    };
    let run = |h, n| integrate(RigidPendulum, Projected(Lean(RadauIA::<3>)), h, n);
    for (name, both) in [
        ("exponentials, t = 1", [ends(80)?, ends(160)?]),
        ("the pendulum, t = 5", halved(run, &RIGID_5, 200)?),
    ] {
        let rule = (Within(0.1), Comparison::theory as Compare);
        order_row(&mut table, name, orders(both), [2.0, 2.0, 1.0], rule);
    }
    Ok(table)
}

/// Lemma 3.3, (3.21): a single step is off by `min(q + 2, p)`, `q + 1` and `q - 1`. The multiplier's is an equality, and so is v's for
/// Radau IA; Radau IIA does better in u and v.
pub fn local_orders() -> Result<Grid, Error> {
    let mut table = Grid::new("one step of", &["u", "v", "lambda"]);
    let ia = |h| exponential_errors(Projected(RadauIA::<3>), 0.3, h, 1);
    let two = |h| exponential_errors(Projected(RadauIIA::<2>), 0.3, h, 1);
    let three = |h| exponential_errors(Projected(RadauIIA::<3>), 0.3, h, 1);
    for (name, coarse, fine, [p, q]) in [
        ("Radau IA 3", ia(0.05)?, ia(0.025)?, [5.0, 2.0]),
        ("Radau IIA 2", two(0.05)?, two(0.025)?, [3.0, 2.0]),
        ("Radau IIA 3", three(0.05)?, three(0.025)?, [5.0, 3.0]),
    ] {
        let name = format!("{name} (p = {p}, q = {q})");
        let theory = [f64::min(p, q + 2.0), q + 1.0, q - 1.0];
        let both = orders([coarse, fine]);
        let exact = [false, p > q + 2.0, true];
        table.fill(&*name, &format!("{name}, order of "), |k, what| {
            let rule = if exact[k] { Within(0.1) } else { AtLeast(0.0) };
            Comparison::theory(what, both[k], theory[k], rule)
        });
    }
    Ok(table)
}

/// The remark after Theorem 2.1: with p >= q + 2 the u of a step and of a run gain an order, to q + 2 and q + 1. Of a step they do.
/// Of a run they do where v does, too: Radau IA's v is of order q, and so is then its integral u.
pub fn remark() -> Result<Vec<Comparison>, Error> {
    let order = |coarse: [f64; 3], fine: [f64; 3]| orders([coarse, fine])[0];
    let ia = |from, h, n| exponential_errors(Projected(RadauIA::<3>), from, h, n);
    let three = |from, h, n| exponential_errors(Projected(RadauIIA::<3>), from, h, n);
    let (mut all, least) = (Vec::new(), AtLeast(0.0));
    let u = order(three(0.3, 0.05, 1)?, three(0.3, 0.025, 1)?);
    all.theory("Radau IIA 3 (q = 3), u of a step", u, 5.0, least);
    let u = order(three(0.0, 0.05, 20)?, three(0.0, 0.025, 40)?);
    all.theory("Radau IIA 3, u of a run", u, 4.0, least);
    let u = order(ia(0.3, 0.05, 1)?, ia(0.3, 0.025, 1)?);
    all.theory("Radau IA 3 (q = 2), u of a step", u, 4.0, least);
    let u = order(ia(0.0, 0.0125, 80)?, ia(0.0, 0.00625, 160)?);
    let what = "Radau IA 3, u of a run, which the remark says is of order 3";
    all.ours(what, u, 2.0, Within(0.1));
    Ok(all)
}

/// Orders of fixed steps on the rigid pendulum at t = 5.
pub fn fixed_orders() -> Result<Grid, Error> {
    let mut table = Grid::new("method", &["q", "v", "lambda"]);
    let two = |h, n| integrate(RigidPendulum, Lean(RadauIIA::<2>), h, n);
    let three = |h, n| integrate(RigidPendulum, Lean(RadauIIA::<3>), h, n);
    let two_too = |h, n| integrate(RigidPendulum, Projected(Lean(RadauIIA::<2>)), h, n);
    let three_too = |h, n| integrate(RigidPendulum, Projected(Lean(RadauIIA::<3>)), h, n);
    let projected = [
        halved(two_too, &RIGID_5, 400)?,
        halved(three_too, &RIGID_5, 200)?,
    ];
    let (at, rule) = (&RIGID_5, (Within(0.05), Comparison::independent as Compare));
    for (name, both, expected) in [
        ("Radau IIA 2", halved(two, at, 800)?, [3.0, 1.99, 1.0]),
        ("Radau IIA 3", halved(three, at, 200)?, [5.0, 2.99, 2.01]),
        ("projected Radau IIA 2", projected[0], [3.0, 3.0, 1.0]),
        ("projected Radau IIA 3", projected[1], [5.0, 5.0, 2.0]),
    ] {
        order_row(&mut table, name, orders(both), expected, rule);
    }
    Ok(table)
}

/// Errors of fixed steps h = 0.0125 at t = 5. Schropp's multiplier belongs to `g = |q|^2 - 1` and is half of ours.
pub fn fixed_errors() -> Result<Grid, Error> {
    let mut table = Grid::new("Radau IIA 3, h = 0.0125", &["q", "v", "lambda"]);
    let free = integrate(RigidPendulum, Lean(RadauIIA::<3>), 0.0125, 400)?;
    let projected = integrate(RigidPendulum, Projected(Lean(RadauIIA::<3>)), 0.0125, 400)?;
    for (name, at, published) in [
        ("without projection", free, [1.8e-11, 8.7e-8, 3.0e-5]),
        ("with projection", projected, [1.0e-11, 1.3e-11, 4.3e-5]),
    ] {
        let [q, v, lambda] = errors(&at, &RIGID_5);
        let ours = [q, v, lambda / 2.0];
        table.fill(name, &format!("{name}, error of "), |k, what| {
            Comparison::independent(what, ours[k], published[k], Figure)
        });
    }
    Ok(table)
}
