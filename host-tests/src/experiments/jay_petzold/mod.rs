//! The experiments of Jay & Petzold's section 5: the stiff pendulum with steps a thousand times the period of its spring over
//! 2 pi. P-stable methods of sufficient order follow the smooth motion and keep a perturbation's energy; others fail.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | section 5, Figs. 1 to 4 |
//! | `orders.rs` | Theorems 3.1 to 3.3 |
//! | `stability.rs` | Theorems 2.3, 2.4 and 2.6 |
//! | `section_4.rs` | section 4 |

mod orders;
mod section_4;
mod stability;

pub use orders::{rigid_orders, stiff_orders};
pub use section_4::{conjecture, first_step, oscillation, section_4};
pub use stability::{lobatto, stability};

use crate::figures::Tolerance::{AtLeast, AtMost, Figure, Relative, Within};
use crate::figures::{Comparison, Figures, Grid, Tolerance};
use crate::laboratory;
use crate::laboratory::Laboratory;
use crate::pendulum::{STIFF_20, State, StiffRun, errors, level};
use crate::reference::Tableau;
use crate::stability::tableau;
use crate::until;
use anyhow::{Context, Result};
use stiffstep::prelude::*;
use stiffstep_plants::pendulum::StiffPendulum;

/// As exact as can be, and as long as it takes.
pub const PATIENT: Until<f64> = until(1e-14, 60);

/// What stretches the spring in the experiment with a perturbed start, with an energy of 0.5.
pub const PERTURBATION: f64 = 1e-5;

/// Fig. 1, and the same with other methods: the largest energy, the errors at t = 20, and the iterations a step.
pub fn smooth() -> Result<(StiffRun, Grid), Error> {
    let names = [
        "|H|",
        "q(20)",
        "v(20)",
        "iterations, mean",
        "iterations, most",
    ];
    let mut table = Grid::new("method", &names);
    let runs = [
        StiffRun::new(Lean(Gauss::<3>), 0.0, PATIENT)?,
        StiffRun::new(Lean(Gauss::<4>), 0.0, PATIENT)?,
        StiffRun::new(Lean(Gauss::<5>), 0.0, PATIENT)?,
        StiffRun::new(Lean(LobattoIIIA::<3>), 0.0, PATIENT)?,
        StiffRun::new(Lean(LobattoIIIA::<4>), 0.0, PATIENT)?,
        StiffRun::new(Lean(RadauIIA::<3>), 0.0, PATIENT)?,
        StiffRun::new(Lean(RadauIIA::<2>), 0.0, PATIENT)?,
    ];
    let published = [
        ("Gauss 3", [1.1e-10, 8.5e-11, 2.4e-6, 6.6, 11.0]),
        ("Gauss 4", [9.0e-12, 3.0e-12, 3.3e-6, 7.2, 11.0]),
        ("Gauss 5", [7.5e-13, 1.3e-12, 1.2e-9, 7.3, 11.0]),
        ("Lobatto IIIA 3", [7.1e-4, 6.8e-4, 1.8e-3, 6.3, 9.0]),
        ("Lobatto IIIA 4", [3.4e-13, 1.1e-12, 1.9e-10, 7.0, 11.0]),
        ("Radau IIA 3", [2.9e-11, 8.7e-11, 8.5e-8, 6.5, 10.0]),
        ("Radau IIA 2", [2.0e-6, 6.1e-6, 1.2e-5, 5.8, 7.0]),
    ];
    for (run, (name, published)) in runs.iter().zip(published) {
        let radau = name.starts_with("Radau");
        let rule = if radau { Figure } else { Tolerance::Error };
        let [q, v, _] = errors(&run.end, &STIFF_20);
        // A run that stopped early proves nothing.
        let whole = run.steps == StiffRun::STEPS;
        let ours = [run.deviation(), q, v, run.mean, run.most.into()];
        // Fewer iterations than published: ours start from the last step's polynomial with the Jacobian half a step ahead.
        let rules = [rule, rule, rule, AtMost(1.5), AtMost(0.0)];
        table.fill(name, &format!("{name}, "), |k, what| {
            let ours = if whole { ours[k] } else { f64::NAN };
            Comparison::independent(what, ours, published[k], rules[k])
        });
    }
    let [_, _, five, ..] = runs;
    Ok((five, table))
}

/// Runs from a perturbed start.
pub struct Perturbed {
    /// Fig. 2.
    pub gauss_5: StiffRun,
    /// Fig. 3.
    pub gauss_4: StiffRun,
    /// Fig. 4.
    pub radau_3: StiffRun,
    /// Energies, changes of sign, iterations.
    pub table: Vec<Comparison>,
}

/// Figs. 2 to 4. The energy of a perturbation stays, neither damped nor growing. With R(infinity) = -1 the radial velocity
/// changes its sign with every step, but for the few where it passes through zero; with R(infinity) = 1 in those few only.
/// Radau damps it within two steps, of which the first takes four iterations if it starts from the multiplier of the slow
/// motion, and 27 from the spring's own of 1e5.
pub fn perturbed() -> Result<Perturbed, Error> {
    let gauss_5 = StiffRun::new(Lean(Gauss::<5>), PERTURBATION, PATIENT)?;
    let gauss_4 = StiffRun::new(Lean(Gauss::<4>), PERTURBATION, PATIENT)?;
    let lobatto = StiffRun::new(Lean(LobattoIIIA::<4>), PERTURBATION, PATIENT)?;
    let radau_3 = StiffRun::new(Lean(RadauIIA::<3>), PERTURBATION, PATIENT)?;
    let mut table = Vec::new();
    let start = radau_3.path[0].1;
    table.printed("energy at the start", start, 0.5, Relative(1e-3));
    for (name, run, [low, high]) in [
        ("Gauss 5", &gauss_5, [0.476, 0.525]),
        ("Gauss 4", &gauss_4, [0.452, 0.553]),
        ("Lobatto IIIA 4", &lobatto, [0.214, 0.785]),
    ] {
        let steps = StiffRun::STEPS as f64;
        let done = run.steps as f64;
        table.theory(format!("{name}, steps done"), done, steps, Within(0.0));
        for (what, measured, published) in [
            ("lowest", run.energy[0], low),
            ("highest", run.energy[1], high),
        ] {
            let what = format!("{name}, {what} energy");
            table.independent(what, measured, published, Within(1e-3));
        }
        let what = format!("{name}, changes of sign of the radial velocity");
        let changes = run.alternations as f64;
        table.push(if name == "Gauss 4" {
            Comparison::theory(what, changes, 100.0, AtMost(0.0))
        } else {
            Comparison::theory(what, changes, 1900.0, AtLeast(0.0))
        });
    }
    // Published for a matrix that does not know of the spring's force.
    let what = "Lobatto IIIA 4, iterations a step";
    table.independent(what, lobatto.mean, 21.0, AtMost(1.5));
    for (step, published, digits) in [(1, 4.5e-6, 4.500e-6), (2, -2.6e-10, -2.595e-10)] {
        let energy = radau_3.path[step].1;
        let what = format!("Radau IIA 3, energy after step {step}");
        // As many digits as are printed, and then four: far above the rounding of an energy of 0.5, too.
        table.printed(what.clone(), energy, published, Relative(0.02));
        table.independent(what, energy, digits, Relative(1e-3));
    }
    Ok(Perturbed {
        gauss_5,
        gauss_4,
        radau_3,
        table,
    })
}

/// P-stable as they are, methods of low order do not converge on the rigid pendulum that is the limit of the stiff one, and
/// fail even with its smooth motion; Verlet's method is not P-stable at all.
pub fn failing() -> Result<Vec<Comparison>, Error> {
    let mut table = Vec::new();
    let midpoint = StiffRun::new(Lean(Gauss::<1>), 0.0, PATIENT)?;
    // At that energy its iteration diverges sooner or later, a few hundred steps before the end.
    let gauss = StiffRun::new(Lean(Gauss::<2>), 0.0, PATIENT)?;
    for (name, run, published) in [("midpoint rule", &midpoint, 4e4), ("Gauss 2", &gauss, 7e3)] {
        let what = format!("{name}, largest energy");
        table.independent(what, run.deviation(), published, Figure);
    }
    let steps = gauss.steps as f64;
    table.independent("Gauss 2, steps done", steps, 1500.0, AtLeast(0.0));
    let trapezoidal = StiffRun::new(Lean(LobattoIIIA::<2>), 0.0, PATIENT)?;
    let [_, v, _] = errors(&trapezoidal.end, &STIFF_20);
    table.independent("trapezoidal rule, v(20)", v, 6e-3, Figure);
    let model = StiffPendulum::<f64>::new(1e-5);
    let mut verlet = Simulation::new(model, LobattoPair::<2>, StiffRun::H, level())?;
    for (step, published) in [(1, 1.95e-3), (2, 1.95e9), (3, 1.95e21)] {
        verlet.step()?;
        let what = format!("Verlet, energy after step {step}");
        let energy = model.energy(verlet.state());
        table.independent(what, energy, published, Relative(0.01));
    }
    Ok(table)
}

/// The methods of the paper, as the core has them.
fn methods() -> [(&'static str, Tableau); 7] {
    [
        ("Gauss 3", tableau::<Gauss<3>, 3>()),
        ("Gauss 4", tableau::<Gauss<4>, 4>()),
        ("Gauss 5", tableau::<Gauss<5>, 5>()),
        ("Gauss 6", tableau::<Gauss<6>, 6>()),
        ("Lobatto IIIA 3", tableau::<LobattoIIIA<3>, 2>()),
        ("Lobatto IIIA 4", tableau::<LobattoIIIA<4>, 3>()),
        ("Lobatto IIIA 5", tableau::<LobattoIIIA<5>, 4>()),
    ]
}

/// The stiff pendulum at t = 5, by the laboratory.
fn stiff_end(
    method: &Tableau,
    eps: f64,
    stretch: f64,
    steps: usize,
) -> Result<laboratory::State<1>> {
    let lab = Laboratory::new(method.clone(), eps, 5.0 / steps as f64);
    let end = lab.run(&laboratory::State::level_with(eps, stretch), steps);
    end.context("the laboratory's iteration did not end")
}

/// The largest errors of q and v.
fn distance(at: &laboratory::State<1>, exact: &State) -> [f64; 2] {
    let [q1, q2, v1, v2, _] = *exact;
    at.distance(&laboratory::State::at([q1, q2], [v1, v2], 0.0), 0)
}
