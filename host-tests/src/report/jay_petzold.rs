//! Jay & Petzold's figures.

use super::chart::{Axis, Look, Panel};
use super::{Body, Chapter, Exhibit};
use crate::experiments::jay_petzold::{
    conjecture, failing, first_step, lobatto, oscillation, perturbed, rigid_orders, section_4,
    smooth, stability, stiff_orders,
};
use crate::pendulum::StiffRun;
use anyhow::Result;

const SOURCE: &str = "host-tests/src/experiments/jay_petzold/mod.rs";
const ORDERS: &str = "host-tests/src/experiments/jay_petzold/orders.rs";
const SECTION_4: &str = "host-tests/src/experiments/jay_petzold/section_4.rs";
const STABILITY: &str = "host-tests/src/experiments/jay_petzold/stability.rs";

/// The chapter.
pub fn chapter(say: &dyn Fn(&str)) -> Result<Chapter> {
    say("Jay & Petzold: the smooth motion");
    let (gauss, smooth) = smooth()?;
    say("Jay & Petzold: a perturbed start");
    let off = perturbed()?;
    say("Jay & Petzold: methods that fail");
    let failing = failing()?;
    say("Jay & Petzold: orders");
    let (orders, stiff) = (rigid_orders()?, stiff_orders()?);
    let measures = oscillation(&gauss, &off);
    say("Jay & Petzold: section 4");
    let (iterations, first, conjecture) = (section_4()?, first_step()?, conjecture()?);
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
                "jay-petzold-stability",
                "Theorems 2.3 and 2.4: what a step does to an oscillation",
                "|R(i μ)| = 1 for symmetric methods over μ from 1e-2 to 1e6, R(∞), and the matrix (15) of Verlet's method by (11).",
                STABILITY,
                Body::List(stability()),
            ),
            Exhibit::new(
                "jay-petzold-lobatto",
                "Theorem 2.6: Lobatto IIIA–IIIB with three to five stages, and Lobatto IIIB alone",
                "No pair is P-stable: the trace of its matrix grows like μ². Alone, Lobatto IIIB is; on the stiff pendulum it is useless \
                 nevertheless, and the more so the stiffer the spring, because its last stage acts on no other.",
                STABILITY,
                Body::List(lobatto()?),
            ),
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
                ORDERS,
                Body::Grid(orders),
            )
            .differs("odd Gauss methods and Lobatto IIIA 4 do better than their theorem on this problem."),
            Exhibit::new(
                "jay-petzold-stiff-orders",
                "Theorem 3.3: orders on the stiff pendulum",
                "At eps = 1e-5 and h from 0.2 to 0.05; then the error over the theorem's h^a + eps² h^b, largest for h = 0.05 and 0.025 over \
                 largest for h = 0.2 and 0.1, eps from 1e-2 to 1e-5: a constant that does not grow.",
                ORDERS,
                Body::Grid(stiff),
            ),
            Exhibit::new(
                "jay-petzold-section-4",
                "Section 4: iterations of a step, with starting values from the projected point",
                "Down to 1e-14, in the mean of 2000 steps, by a solver written for this: the formula for methods with an invertible matrix, \
                 that for Lobatto IIIA, and Newton's own iteration from the same values.",
                SECTION_4,
                Body::Grid(iterations),
            )
            .differs(
                "the library itself uses these starting values for Lobatto IIIA only; its other methods start from the last step's polynomial, \
                 which takes fewer iterations on smooth motions.",
            ),
            Exhibit::new(
                "jay-petzold-first-step",
                "Section 4: the multiplier in the Jacobian",
                "After a perturbation the spring's own force is 1e5, and of no use in the matrix.",
                SECTION_4,
                Body::List(first),
            ),
            Exhibit::new(
                "jay-petzold-oscillation",
                "Section 4: |q~ − q| and |v~ − v| as measures of an oscillation",
                "The largest on the way, q~ and v~ being the projections onto the slow manifold.",
                SECTION_4,
                Body::List(measures),
            ),
            Exhibit::new(
                "jay-petzold-conjecture",
                "Section 4: the conjecture on projections",
                "eps = 1e-3 with an energy of 0.5 in the spring, t = 5, against a solution that resolves every oscillation. Steps lose the phase, \
                 and the velocity as it is with it; the projections approach those of the exact solution, as far as that one's own ripple.",
                SECTION_4,
                Body::Grid(conjecture),
            ),
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
