//! Section 8: the matrices of the Newton iteration, and strong potentials without a constraint function.

use super::super::known;
use crate::Go;
use crate::figures::Tolerance::{AtLeast, AtMost, Figure, Relative, Within};
use crate::figures::{Comparison, Figures, Grid};
use crate::newton_matrices::{NewtonMatrix, SolvedStep};
use crate::pendulum::State;
use crate::reference::{NoConvergence, Tableau};
use anyhow::Result;
use stiffstep::prelude::*;
use stiffstep_plants::valley::Valley;

/// The smooth motion at t = 1, for the experiments with Newton matrices; not a number for an eps of which it is unknown.
pub(super) fn at_1(eps: f64) -> State {
    known("smooth", &format!("{eps:e}"))
}

/// The matrices, by their names.
pub const MATRICES: [(&str, NewtonMatrix); 4] = [
    ("J0 (8.1)", NewtonMatrix::J0),
    ("J1 (8.2)", NewtonMatrix::J1),
    ("λ form (8.4)", NewtonMatrix::Multiplier),
    ("J2 (8.3)", NewtonMatrix::J2),
];

/// The rates of contraction with [`MATRICES`] of a step of Radau IIA 3 from t = 1.
pub fn contractions(eps: f64, h: f64) -> Result<[f64; 4], NoConvergence> {
    let method = Tableau::radau_iia(3);
    let step = SolvedStep::new(&method, eps, &at_1(eps), h)?;
    let mut rates = [f64::NAN; 4];
    for (rate, (_, matrix)) in rates.iter_mut().zip(MATRICES) {
        *rate = step.contraction(&method, matrix)?;
    }
    Ok(rates)
}

/// Lemma 8.1: J0 diverges, J1 contracts a little, the formulation with multipliers by 0.84 h, the rigid stages' by h^2.
pub fn newton_table() -> Result<(Grid, Vec<Comparison>), NoConvergence> {
    let mut table = Grid::new("eps, h", &MATRICES.map(|(name, _)| name));
    let mut bounds = Vec::new();
    for (eps, h, published) in [
        (1e-3, 0.1, [2.70, 0.64, 0.087]),
        (1e-4, 0.05, [13.6, 0.95, 0.043]),
        (1e-5, 0.01, [2.56, 0.64, 0.0084]),
        (1e-5, 0.1, [2.2e4, 1.0, 0.087]),
    ] {
        let rates = contractions(eps, h)?;
        let at = format!("eps = {eps:e}, h = {h}");
        table.fill(&*at, &format!("{at}, "), |k, what| match published.get(k) {
            Some(&published) => Comparison::independent(what, rates[k], published, Figure),
            // With the rigid stages nothing is left but what eps^2 moves them, at the price of computing them first.
            None => Comparison::theory(what, rates[k], 0.2 * h * h, AtMost(0.0)),
        });
        // The curvature of h = 0.1 shows in the third digit.
        let over_h = rates[2] / h;
        let what = format!("{at}: rate of the λ form over h");
        bounds.independent(what, over_h, 0.84, Relative(0.05));
        let what = format!("{at}: J0 diverges, rate above 1");
        bounds.theory(what, rates[0], 1.0, AtLeast(0.0));
    }
    Ok((table, bounds))
}

/// A state of the rigid pendulum, at the bottom of the valley and moving along it.
const VALLEY: [[f64; 2]; 2] = [
    [0.8795481324118892, -0.4758099229427208],
    [-0.464157358850994, -0.8580080373224432],
];

/// The acceleration of a step with the correction (8.7), or without it if C is zero, twenty damping steps on from [`VALLEY`].
fn acceleration<const C: u8>(eps: f64, h: f64) -> Result<Vector<f64, 2>, Error> {
    let [q, v] = VALLEY.map(Vector::from);
    let budget = Until {
        tolerance: 1e-13,
        max: 40,
    };
    let slow = Simulation::new(Valley::<f64, 1>::new(eps), RadauIIA::<3>, h, (q, v))?;
    let mut slow = slow.with_budget(budget);
    slow.go(20)?;
    let start = (slow.state().q, slow.state().v);
    let plant = Simulation::new(Valley::<f64, C>::new(eps), RadauIIA::<3>, h, start)?;
    let mut plant = plant.with_budget(budget);
    plant.step()?;
    Ok(plant.state().a)
}

/// Lemma 8.2 in a valley that has no constraint function: the outer iteration is off by 0.21 to 0.27 eps^2 before the first
/// correction (a fifth more or less, because it depends on where the pendulum is). The library corrects in every iteration, so that
/// nothing is left after the last one. The inner iteration contracts with 0.6 to 1.2 h where the spring is much faster than the
/// step, and with no more where it is not.
pub fn potential() -> Result<Vec<Comparison>, Error> {
    let (eps, h) = (1e-2, 1e-2);
    let exact = acceleration::<1>(eps, h)?;
    let off = |a: Vector<f64, 2>| (a - exact).norm() / (eps * eps);
    let (mut all, first) = (Vec::new(), off(acceleration::<0>(eps, h)?));
    all.independent("|Y''(0) − Y''| / eps²", first, 0.25, Within(0.08));
    for eps in [1e-2, 1e-4, 1e-6] {
        for h in [0.02, 0.01, 0.005] {
            let [q, v] = VALLEY.map(Vector::from);
            let plant = Simulation::new(Valley::<f64, 0>::new(eps), RadauIIA::<3>, h, (q, v))?;
            let rate = plant.with_budget(Fixed(3)).step()?.contraction() / h;
            let what = format!("contraction over h, eps = {eps:e}, h = {h}");
            let (bar, rule) = if eps < 1e-2 {
                (0.9, Within(0.3))
            } else {
                (1.2, AtMost(0.0))
            };
            all.independent(what, rate, bar, rule);
        }
    }
    Ok(all)
}
