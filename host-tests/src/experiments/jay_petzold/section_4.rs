//! Section 4: starting values of the stages, measures of an oscillation, and the conjecture on projections.

use super::{PERTURBATION, Perturbed, methods, stiff_end};
use crate::figures::Tolerance::{AtLeast, AtMost, Factor, Figure, Relative, Within};
use crate::figures::{Comparison, Figures, Grid};
use crate::laboratory;
use crate::laboratory::{Iteration, Laboratory};
use crate::pendulum::StiffRun;
use crate::reference::Tableau;
use crate::stability::tableau;
use anyhow::{Context, Result};
use stiffstep::prelude::*;

/// Iterations of a step, the mean of 2000.
fn counted(method: &Tableau, stretch: f64, how: Iteration) -> Result<f64> {
    let lab = Laboratory::new(method.clone(), 1e-5, StiffRun::H);
    let mut at = laboratory::State::<1>::level_with(1e-5, stretch);
    let mut total = 0;
    for _ in 0..StiffRun::STEPS {
        let next = lab.step(&at, how);
        let next = next.context("the laboratory's iteration did not end")?;
        (at, total) = (next.0, total + next.1);
    }
    Ok(f64::from(total) / StiffRun::STEPS as f64)
}

/// Section 4 as it stands: stages from the projected point, for methods with an invertible matrix by the first formula and for
/// Lobatto IIIA by the second, and the Jacobian there. Beside it Newton's own iteration.
pub fn section_4() -> Result<Grid> {
    let names = [
        "simplified",
        "Newton's",
        "perturbed, simplified",
        "perturbed, Newton's",
    ];
    let mut table = Grid::new("method", &names);
    let radau = [
        ("Radau IIA 3", tableau::<RadauIIA<3>, 3>()),
        ("Radau IIA 2", tableau::<RadauIIA<2>, 2>()),
    ];
    let means = [6.6, 7.2, 7.3, 6.3, 7.0, 6.5, 5.8];
    let six = |(name, _): &(&str, Tableau)| !["Gauss 6", "Lobatto IIIA 5"].contains(name);
    let methods = methods().into_iter().filter(six).chain(radau);
    for ((name, method), mean) in methods.zip(means) {
        let smooth = counted(&method, 0.0, Iteration::Projected)?;
        let newton = counted(&method, 0.0, Iteration::Full)?;
        // An iteration that does not end takes infinitely many.
        let off = |how| counted(&method, PERTURBATION, how).unwrap_or(f64::INFINITY);
        let (off, off_newton) = (off(Iteration::Projected), off(Iteration::Full));
        table.fill(name, &format!("{name}, "), |k, what| match (k, name) {
            (0, _) => Comparison::independent(what, smooth, mean, Within(1.5)),
            (1, _) => Comparison::ours(what, newton, smooth, AtMost(0.0)),
            (2, "Lobatto IIIA 4") => Comparison::independent(what, off, 21.0, Figure),
            // Its iteration does not end.
            (2, "Lobatto IIIA 3") => Comparison::ours(what, off, f64::INFINITY, AtLeast(0.0)),
            (2, _) => Comparison::ours(what, off, smooth, Factor(2.0)),
            (_, "Lobatto IIIA 4") => Comparison::independent(what, off_newton, 4.0, Within(1.5)),
            _ => Comparison::ours(what, off_newton, off, AtMost(0.0)),
        });
    }
    Ok(table)
}

/// And what the paper says of the multiplier: zero at the projected point, and not the spring's force of 1e5.
pub fn first_step() -> Result<Vec<Comparison>> {
    let lab = Laboratory::new(tableau::<RadauIIA<3>, 3>(), 1e-5, StiffRun::H);
    let start = laboratory::State::<1>::level_with(1e-5, PERTURBATION);
    let count = |how| {
        lab.step(&start, how)
            .map_or(f64::INFINITY, |(_, count)| count.into())
    };
    let (projected, own) = (count(Iteration::Projected), count(Iteration::OwnMultiplier));
    let mut all = Vec::new();
    let what = "Radau IIA 3, iterations of the first step after a perturbation, multiplier 0";
    all.independent(what, projected, 4.0, Within(1.5));
    all.independent("the same, multiplier 1e5", own, 27.0, Figure);
    Ok(all)
}

/// Section 4's measure of an oscillation, the distances from the slow manifold: `eps^2 lambda` on the smooth motion, and the stretch
/// and the speed of what rings on another.
pub fn oscillation(smooth: &StiffRun, off: &Perturbed) -> Vec<Comparison> {
    let most = |run: &StiffRun, skip: usize| {
        let path = run.path.iter().skip(skip);
        path.fold([0.0_f64; 2], |[stretch, speed], (at, _)| {
            let r = at.q.norm();
            let out = (at.q.dot(&at.v) / r).abs();
            [stretch.max((r - 1.0).abs()), speed.max(out)]
        })
    };
    let mut all = Vec::new();
    let calm = ([3e-10, 1e-6], [Figure, AtMost(0.0)]);
    let ringing = ([PERTURBATION, 1.0], [Relative(0.1); 2]);
    let damped = most(&off.radau_3, 2);
    for (name, [q, v], (expected, rules)) in [
        ("smooth, Gauss 5", most(smooth, 0), calm),
        ("perturbed, Gauss 5", most(&off.gauss_5, 0), ringing),
        ("perturbed, Gauss 4", most(&off.gauss_4, 0), ringing),
        // What damps it leaves the smooth motion's.
        ("perturbed, Radau IIA 3, from step 2 on", damped, calm),
    ] {
        all.theory(format!("{name}: |q~ - q|"), q, expected[0], rules[0]);
        all.theory(format!("{name}: |v~ - v|"), v, expected[1], rules[1]);
    }
    all
}

/// The conjecture of section 4: steps far larger than a period lose the oscillation's phase, and yet the projections of the numerical
/// and of the exact solution approach each other. With an energy of 0.5 in a spring of eps = 1e-3 they do, with order 2 in q, as
/// far as the exact solution's own ripple: eps in v.
pub fn conjecture() -> Result<Grid> {
    let eps = 1e-3;
    let onto = |at: laboratory::State<1>| {
        let (y, v) = (at.y.map(|x| x.0[0]), at.v.map(|x| x.0[0]));
        let r = y[0].hypot(y[1]);
        let n = y.map(|y| y / r);
        let out = n[0] * v[0] + n[1] * v[1];
        laboratory::State::<1>::at(n, [v[0] - out * n[0], v[1] - out * n[1]], 0.0)
    };
    // Every oscillation in 25 steps of order 12.
    let exact = onto(stiff_end(&tableau::<Gauss<6>, 6>(), eps, eps, 20_000)?);
    let names = [
        "q, h = 0.1",
        "q, h = 0.025",
        "order of q",
        "v, h = 0.025",
        "v as it is",
    ];
    let mut table = Grid::new("method", &names);
    for (name, method) in [
        ("Gauss 4", tableau::<Gauss<4>, 4>()),
        ("Gauss 5", tableau::<Gauss<5>, 5>()),
    ] {
        let at = |steps| stiff_end(&method, eps, eps, steps);
        let coarse = onto(at(50)?).distance(&exact, 0);
        let fine = onto(at(200)?).distance(&exact, 0);
        let raw = at(200)?.distance(&exact, 0)[1];
        let figures = [
            (coarse[0], 1e-3, AtMost(0.0)),
            (fine[0], 5e-5, AtMost(0.0)),
            ((coarse[0] / fine[0]).log2() / 2.0, 2.0, AtLeast(0.0)),
            (fine[1], eps, AtMost(0.0)),
            (raw, 0.01, AtLeast(0.0)),
        ];
        table.fill(name, &format!("{name}, "), |k, what| {
            let (ours, bar, rule) = figures[k];
            Comparison::ours(what, ours, bar, rule)
        });
    }
    Ok(table)
}
