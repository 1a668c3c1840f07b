//! Lubich's orders and his Newton table.

use super::chart::{Axis, Look, Panel};
use super::{Body, Chapter, Exhibit};
use crate::experiments::PARTS;
use crate::experiments::lubich::{
    EPS, MATRICES, contractions, convergence, damping, eps_squared, floor, higher_index,
    newton_table, potential, remainder, rigid_orders, smooth_motion, stiff_orders,
};
use anyhow::Result;

const SOURCE: &str = "host-tests/src/experiments/lubich/mod.rs";
const EXPANSION: &str = "host-tests/src/experiments/lubich/expansion.rs";
const MANIFOLD: &str = "host-tests/src/experiments/lubich/manifold.rs";
const NEWTON: &str = "host-tests/src/experiments/lubich/newton.rs";

/// The chapter.
pub fn chapter(say: &dyn Fn(&str)) -> Result<Chapter> {
    say("Lubich: orders");
    let orders = stiff_orders()?;
    let curves = vec![
        errors("Radau IIA 2", &convergence::<2>()?),
        errors("Radau IIA 3", &convergence::<3>()?),
    ];
    let (term, damping) = (eps_squared()?, damping()?);
    say("Lubich: systems of index 5 and 7");
    let (index, remainder, floor) = (higher_index()?, remainder()?, floor()?);
    say("Lubich: Newton matrices");
    let (table, bounds) = newton_table()?;
    Ok(Chapter {
        id: "lubich",
        title: "Lubich: stiff mechanical systems",
        text: vec![
            "Runge–Kutta methods on stiff mechanical systems, with steps far larger than the period of their springs: orders as on the \
             rigid limit, motions off the smooth manifold are damped, and the Newton iteration converges if it is set up with the \
             spring's force as an unknown. The paper has theorems and no numbers of its own; the published values here are those \
             of an independent computation on the stiff pendulum."
                .into(),
        ],
        exhibits: vec![
            Exhibit::new(
                "lubich-smooth",
                "Theorem 2.2: smooth motion is an expansion in eps²",
                "What the rigid motion and then the first term leave of the smooth motion at t = 5: order 1 and 2 in eps², from eps = \
                 1e-2 and 1e-3.",
                EXPANSION,
                Body::List(smooth_motion()),
            ),
            Exhibit::new(
                "lubich-orders",
                "Orders of convergence on the stiff pendulum",
                "eps = 1e-5, t = 5, no projection: from the errors of a step and of its half. Theorem 3.1 with stage order 2 and 3.",
                SOURCE,
                Body::Grid(orders),
            ),
            Exhibit::new(
                "lubich-rigid",
                "Theorem 4.1: orders on the rigid pendulum",
                "The same methods on the system of index 3, t = 5: p for positions, q for velocities, q − 1 for the multiplier.",
                SOURCE,
                Body::Grid(rigid_orders()?),
            ),
            Exhibit::new(
                "lubich-convergence",
                "Errors over the step",
                "The same experiment over two decades: straight lines of slope 3, 2 and 1 for two stages, 5, 3 and 2 for three. The \
                 multiplier carries the rounding of positions over h².",
                SOURCE,
                Body::Chart(curves),
            ),
            Exhibit::new(
                "lubich-eps",
                "What the stiffness adds to the error",
                "Theorem 3.1: the error is that of the rigid system and a term in eps² of order q − 2, which is 1 for Radau IIA 3. \
                 eps = 1e-4. The term of q is that of the index-5 system below, and does one order better.",
                SOURCE,
                Body::List(term),
            ),
            Exhibit::new(
                "lubich-index",
                "Theorem 4.2: the systems of index 5 and 7",
                "Orders of the terms in eps² (k = 1) and eps⁴ (k = 2) of Runge–Kutta solutions at t = 5, computed with every number a power \
                 series in eps². The theorem says q − 2k, stage order less two for each.",
                EXPANSION,
                Body::Grid(index),
            )
            .differs(
                "positions do one order better than the theorem. With five stages velocities do, too, at steps at which index 7 has digits \
                 left: its velocities carry rounding over h⁵.",
            ),
            Exhibit::new(
                "lubich-remainder",
                "Theorem 6.1, (6.2): what the expansion leaves",
                "t = 2, terms up to k = [q / 2]: the remainder is of the order eps^2k for even stage order and h eps^2k for odd q, that is, of \
                 order q when both are halved. Over that, and largest for eps from h / 2 to h / 8, it does not grow when the step is halved.",
                EXPANSION,
                Body::Grid(remainder),
            ),
            Exhibit::new(
                "lubich-damping",
                "Damping of motions off the smooth manifold",
                "Theorem 3.2: a start that is 1e-5 off. The distance of the radial velocity from that of the smooth motion, step by \
                 step, h = 0.01.",
                SOURCE,
                Body::Grid(damping),
            ),
            Exhibit::new(
                "lubich-floor",
                "Theorem 3.2, (3.8): damping, and the floor eps^2k",
                "A start h²/4 and h/4 off, h = 0.05, and the run from a point of the manifold that it ends up with: their distance after n \
                 steps beside h ρⁿ + eps^2k (times h for q = 3), ρ = |R(i h / eps)|.",
                MANIFOLD,
                Body::Grid(floor),
            )
            .differs(
                "the floor is a bound of the proof. Both runs are drawn to the same manifold of the method, and after forty steps nothing is \
                 left between them but rounding.",
            ),
            Exhibit::new(
                "lubich-newton",
                "Lemma 8.1: how fast the Newton iteration contracts",
                "The spectral radius of the simplified Newton iteration of a step of Radau IIA 3 from t = 1, with each of the matrices \
                 of section 8. Above 1 it diverges.",
                NEWTON,
                Body::Grid(table),
            )
            .differs(
                "nothing is printed to differ from. On this pendulum J0 stops converging at a step that scales with the root of eps; the \
                 paper's bound eps^(2/3) is sufficient, not necessary.",
            ),
            Exhibit::new(
                "lubich-newton-bounds",
                "What follows from the table",
                "The formulation with multipliers contracts in proportion to h whatever the stiffness: this is the one that the \
                 library solves.",
                NEWTON,
                Body::List(bounds),
            ),
            Exhibit::new(
                "lubich-potential",
                "Lemma 8.2: the iteration (8.5)–(8.8) for a potential without a constraint function",
                "U = (1 + y1²/2)(r − 1)²/2. Without the correction (8.7) a step is off by a part of eps²; the library corrects in every \
                 iteration, to the solution of the coupled equations. The iteration contracts in proportion to h whatever the stiffness.",
                NEWTON,
                Body::List(potential()?),
            ),
            Exhibit::new(
                "lubich-newton-curves",
                "Contraction over the step",
                "eps = 1e-5. Only the λ form and the rigid stages' matrix contract at any step.",
                NEWTON,
                Body::Chart(vec![contraction()?]),
            ),
        ],
    })
}

fn errors(title: &str, curve: &[(f64, [f64; 3])]) -> Panel {
    let axes = Panel::new(
        title,
        Axis::logarithmic("h"),
        Axis::logarithmic("error at t = 5").within(1e-15, 1.0),
    );
    (0..3).fold(axes, |panel, k| {
        panel.with(
            PARTS[k],
            Look::Both,
            curve.iter().map(|(h, error)| (*h, error[k])),
        )
    })
}

fn contraction() -> Result<Panel> {
    let mut curves = Vec::new();
    for k in 0..=12 {
        let h = 10_f64.powf(-2.5 + f64::from(k) / 8.0);
        curves.push((h, contractions(EPS, h)?));
    }
    let axes = Panel::new(
        "",
        Axis::logarithmic("h"),
        Axis::logarithmic("rate of contraction").within(1e-8, 1e5),
    );
    let panel = MATRICES
        .iter()
        .enumerate()
        .fold(axes, |panel, (k, (name, _))| {
            panel.with(
                *name,
                Look::Both,
                curves.iter().map(|(h, rates)| (*h, rates[k])),
            )
        });
    Ok(panel.coloured(6, "converges below", Look::Line, [(1e-3, 1.0), (1e-1, 1.0)]))
}
