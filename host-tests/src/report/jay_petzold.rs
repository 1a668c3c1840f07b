//! Jay & Petzold's figures.

use super::chart::{Axis, Look, Panel};
use super::{Body, Chapter, Exhibit};
use crate::experiments::jay_petzold::{failing, perturbed, rigid_orders, smooth};
use crate::pendulum::StiffRun;
use anyhow::Result;

const SOURCE: &str = "host-tests/src/experiments/jay_petzold.rs";

/// The chapter.
pub fn chapter(say: &dyn Fn(&str)) -> Result<Chapter> {
    say("Jay & Petzold: the smooth motion");
    let (gauss, smooth) = smooth()?;
    say("Jay & Petzold: a perturbed start");
    let off = perturbed()?;
    say("Jay & Petzold: methods that fail");
    let failing = failing()?;
    say("Jay & Petzold: orders");
    let orders = rigid_orders()?;
    Ok(Chapter {
        id: "jay-petzold",
        title: "Jay & Petzold: highly oscillatory systems and P-stability",
        text: vec![
            "The stiff spring pendulum with eps = 1e-5 in steps of h = 0.01, a thousand times the spring's period over 2π. Methods that \
             are P-stable and of sufficient stage order follow the smooth motion and keep the energy of a perturbation; L-stable \
             ones damp it; others fail."
                .into(),
        ],
        exhibits: vec![
            Exhibit::new(
                "jay-petzold-fig-1",
                "Fig. 1: smooth motion, Gauss 5",
                "Positions, velocities and energy. The energy should be zero; what is left of it is the end of the Newton iteration.",
                SOURCE,
                Body::Chart(motion(&gauss)),
            ),
            Exhibit::new(
                "jay-petzold-smooth",
                "The smooth motion by seven methods",
                "The largest energy on the way, the errors at t = 20 and the Newton iterations a step down to 1e-14.",
                SOURCE,
                Body::Grid(smooth),
            )
            .differs(
                "fewer iterations: ours start from the last step's polynomial, with the Jacobian half a step ahead.",
            ),
            Exhibit::new(
                "jay-petzold-fig-2",
                "Fig. 2: highly oscillatory motion, Gauss 5",
                "The spring is stretched by 1e-5, an energy of 0.5. R(∞) = −1: the radial velocity changes its sign with every step, and \
                 fills the band that the print shows.",
                SOURCE,
                Body::Chart(motion(&off.gauss_5)),
            ),
            Exhibit::new(
                "jay-petzold-fig-3",
                "Fig. 3: the same start, Gauss 4",
                "R(∞) = +1: the radial velocity does not change its sign, and the oscillation cannot be seen; its energy is there.",
                SOURCE,
                Body::Chart(motion(&off.gauss_4)),
            ),
            Exhibit::new(
                "jay-petzold-fig-4",
                "Fig. 4: the same start, Radau IIA 3",
                "L-stable: the energy of 0.5 is gone after two steps.",
                SOURCE,
                Body::Chart(motion(&off.radau_3)),
            ),
            Exhibit::new(
                "jay-petzold-perturbed",
                "Energies after a perturbed start",
                "The paper prints the energy at the start and Radau's after the first two steps, with two digits.",
                SOURCE,
                Body::List(off.table),
            ),
            Exhibit::new(
                "jay-petzold-failing",
                "Methods that fail on the smooth motion",
                "The midpoint and the trapezoidal rule are P-stable, and do not converge on the rigid limit; Verlet's method is not P-stable.",
                SOURCE,
                Body::List(failing),
            ),
            Exhibit::new(
                "jay-petzold-orders",
                "Theorems 3.1 and 3.2: orders on the rigid pendulum",
                "As the methods are, at least; and projected onto the constraints.",
                SOURCE,
                Body::Grid(orders),
            )
            .differs("odd Gauss methods and Lobatto IIIA 4 do better than their theorem on this problem."),
        ],
    })
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
