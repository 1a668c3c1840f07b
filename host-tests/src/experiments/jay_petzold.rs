//! The experiments of Jay & Petzold's section 5: the stiff pendulum with steps a thousand times the period of its spring over
//! 2 pi. P-stable methods of sufficient order follow the smooth motion and keep a perturbation's energy; others fail.

use super::{order_row, orders};
use crate::figures::{Comparison, Grid, Tolerance};
use crate::laboratory::{self, Iteration, Laboratory};
use crate::pendulum::{
    LESS_STIFF_5, RIGID_5, SOFT_5, SOFTER_5, STIFF_5, STIFF_20, State, StiffRun, errors, halved,
    integrate, level,
};
use crate::reference::Tableau;
use crate::stability::{Pair, StabilityFunction, tableau};
use anyhow::{Context, Result};
use stiffstep::manifold::free_motion;
use stiffstep::prelude::*;
use stiffstep::step::Method;
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};

/// As exact as can be, and as long as it takes.
pub const PATIENT: Until<f64> = Until {
    tolerance: 1e-14,
    max: 60,
};

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
    let mut row = |name: &str, run: &StiffRun, published: [f64; 5], rule: Tolerance| {
        let [q, v, _] = errors(&run.end, &STIFF_20);
        // A run that stopped early proves nothing.
        let whole = |x: f64| {
            if run.steps == StiffRun::STEPS {
                x
            } else {
                f64::NAN
            }
        };
        let ours = [run.deviation(), q, v, run.mean, run.most.into()];
        // Fewer iterations than published: ours start from the last step's polynomial with the Jacobian half a step ahead.
        let rules = [
            rule,
            rule,
            rule,
            Tolerance::AtMost(1.5),
            Tolerance::AtMost(0.0),
        ];
        let cell = |k: usize| {
            let what = format!("{name}, {}", names[k]);
            Comparison::independent(what, whole(ours[k]), published[k], rules[k])
        };
        table.push(name, [0, 1, 2, 3, 4].map(cell));
    };
    let five = StiffRun::new(Lean(Gauss::<5>), 0.0, PATIENT)?;
    let (figure, error) = (Tolerance::Figure, Tolerance::Error);
    row(
        "Gauss 3",
        &StiffRun::new(Lean(Gauss::<3>), 0.0, PATIENT)?,
        [1.1e-10, 8.5e-11, 2.4e-6, 6.6, 11.0],
        error,
    );
    row(
        "Gauss 4",
        &StiffRun::new(Lean(Gauss::<4>), 0.0, PATIENT)?,
        [9.0e-12, 3.0e-12, 3.3e-6, 7.2, 11.0],
        error,
    );
    row(
        "Gauss 5",
        &five,
        [7.5e-13, 1.3e-12, 1.2e-9, 7.3, 11.0],
        error,
    );
    row(
        "Lobatto IIIA 3",
        &StiffRun::new(Lean(LobattoIIIA::<3>), 0.0, PATIENT)?,
        [7.1e-4, 6.8e-4, 1.8e-3, 6.3, 9.0],
        error,
    );
    row(
        "Lobatto IIIA 4",
        &StiffRun::new(Lean(LobattoIIIA::<4>), 0.0, PATIENT)?,
        [3.4e-13, 1.1e-12, 1.9e-10, 7.0, 11.0],
        error,
    );
    row(
        "Radau IIA 3",
        &StiffRun::new(Lean(RadauIIA::<3>), 0.0, PATIENT)?,
        [2.9e-11, 8.7e-11, 8.5e-8, 6.5, 10.0],
        figure,
    );
    row(
        "Radau IIA 2",
        &StiffRun::new(Lean(RadauIIA::<2>), 0.0, PATIENT)?,
        [2.0e-6, 6.1e-6, 1.2e-5, 5.8, 7.0],
        figure,
    );
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
    table.push(Comparison::printed(
        "energy at the start",
        start,
        0.5,
        Tolerance::Relative(1e-3),
    ));
    for (name, run, [low, high]) in [
        ("Gauss 5", &gauss_5, [0.476, 0.525]),
        ("Gauss 4", &gauss_4, [0.452, 0.553]),
        ("Lobatto IIIA 4", &lobatto, [0.214, 0.785]),
    ] {
        let steps = StiffRun::STEPS as f64;
        let done = run.steps as f64;
        table.push(Comparison::theory(
            format!("{name}, steps done"),
            done,
            steps,
            Tolerance::Within(0.0),
        ));
        for (what, measured, published) in [
            ("lowest", run.energy[0], low),
            ("highest", run.energy[1], high),
        ] {
            let what = format!("{name}, {what} energy");
            table.push(Comparison::independent(
                what,
                measured,
                published,
                Tolerance::Within(1e-3),
            ));
        }
        let what = format!("{name}, changes of sign of the radial velocity");
        let changes = run.alternations as f64;
        table.push(if name == "Gauss 4" {
            Comparison::theory(what, changes, 100.0, Tolerance::AtMost(0.0))
        } else {
            Comparison::theory(what, changes, 1900.0, Tolerance::AtLeast(0.0))
        });
    }
    // Published for a matrix that does not know of the spring's force.
    let what = "Lobatto IIIA 4, iterations a step";
    table.push(Comparison::independent(
        what,
        lobatto.mean,
        21.0,
        Tolerance::AtMost(1.5),
    ));
    for (step, published, digits) in [(1, 4.5e-6, 4.500e-6), (2, -2.6e-10, -2.595e-10)] {
        let energy = radau_3.path[step].1;
        let what = format!("Radau IIA 3, energy after step {step}");
        // As many digits as are printed, and then four: far above the rounding of an energy of 0.5, too.
        table.push(Comparison::printed(
            what.clone(),
            energy,
            published,
            Tolerance::Relative(0.02),
        ));
        table.push(Comparison::independent(
            what,
            energy,
            digits,
            Tolerance::Relative(1e-3),
        ));
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
        table.push(Comparison::independent(
            what,
            run.deviation(),
            published,
            Tolerance::Figure,
        ));
    }
    let steps = gauss.steps as f64;
    table.push(Comparison::independent(
        "Gauss 2, steps done",
        steps,
        1500.0,
        Tolerance::AtLeast(0.0),
    ));
    let trapezoidal = StiffRun::new(Lean(LobattoIIIA::<2>), 0.0, PATIENT)?;
    let [_, v, _] = errors(&trapezoidal.end, &STIFF_20);
    table.push(Comparison::independent(
        "trapezoidal rule, v(20)",
        v,
        6e-3,
        Tolerance::Figure,
    ));
    let model = StiffPendulum::<f64>::new(1e-5);
    let mut verlet = Simulation::new(model, LobattoPair::<2>, StiffRun::H, level())?;
    for (step, published) in [(1, 1.95e-3), (2, 1.95e9), (3, 1.95e21)] {
        verlet.step()?;
        let what = format!("Verlet, energy after step {step}");
        let energy = model.energy(verlet.state());
        table.push(Comparison::independent(
            what,
            energy,
            published,
            Tolerance::Relative(0.01),
        ));
    }
    Ok(table)
}

/// Orders on the rigid pendulum, as methods are and projected: Theorems 3.1 and 3.2.
///
/// Gauss: s, s - 2, s - 4, each one higher if s is odd. Lobatto IIIA: 2s - 4, s - 1, s - 3; with five stages v and q do no
/// more, and q of four stages does 6. Where the multiplier's order is 0 its error is of the size of the multiplier or more.
/// On the manifold everything converges alike: Gauss with s, Lobatto IIIA with its full order.
pub fn rigid_orders() -> Result<Grid, Error> {
    let names = ["q", "v", "λ", "projected q", "projected v", "projected λ"];
    let mut table = Grid::new("method", &names);
    let mut row =
        |name: &str, direct: [f64; 3], theory: [f64; 3], projected: [f64; 3], order: f64| {
            let least = Tolerance::AtLeast(0.2);
            let as_it_is = order_row(name, direct, theory, least, Comparison::theory);
            let within = Tolerance::Within(0.3);
            let name_too = format!("projected {name}");
            let compare = Comparison::theory;
            let on_manifold = order_row(&name_too, projected, [order; 3], within, compare);
            table.push(name, as_it_is.into_iter().chain(on_manifold));
        };
    row(
        "Gauss 3",
        direct(Direct(Lean(Gauss::<3>)), 100)?,
        [4.0, 2.0, 0.0],
        projected(Projected(Lean(Gauss::<3>)), 100)?,
        3.0,
    );
    row(
        "Gauss 4",
        direct(Direct(Lean(Gauss::<4>)), 100)?,
        [4.0, 2.0, 0.0],
        projected(Projected(Lean(Gauss::<4>)), 100)?,
        4.0,
    );
    row(
        "Gauss 5",
        direct(Direct(Lean(Gauss::<5>)), 25)?,
        [6.0, 4.0, 2.0],
        projected(Projected(Lean(Gauss::<5>)), 50)?,
        5.0,
    );
    row(
        "Gauss 6",
        direct(Direct(Lean(Gauss::<6>)), 50)?,
        [6.0, 4.0, 2.0],
        projected(Projected(Lean(Gauss::<6>)), 36)?,
        6.0,
    );
    row(
        "Lobatto IIIA 3",
        direct(Lean(LobattoIIIA::<3>), 100)?,
        [2.0, 2.0, 0.0],
        projected(Projected(Lean(LobattoIIIA::<3>)), 100)?,
        4.0,
    );
    row(
        "Lobatto IIIA 4",
        direct(Lean(LobattoIIIA::<4>), 50)?,
        [4.0, 3.0, 1.0],
        projected(Projected(Lean(LobattoIIIA::<4>)), 50)?,
        6.0,
    );
    row(
        "Lobatto IIIA 5",
        direct(Lean(LobattoIIIA::<5>), 25)?,
        [6.0, 4.0, 2.0],
        projected(Projected(Lean(LobattoIIIA::<5>)), 28)?,
        8.0,
    );
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

/// The orders of Theorem 3.3: of q and v in h, and of their terms in eps^2.
fn theorem(name: &str, stages: usize) -> [[f64; 2]; 2] {
    let s = stages as f64;
    let odd = if stages % 2 == 1 { 1.0 } else { 0.0 };
    if name.starts_with("Gauss") {
        [[s + odd, s - 2.0 + odd], [s - 2.0 + odd, s - 4.0 + odd]]
    } else {
        [[2.0 * s - 4.0, s - 1.0], [s - 1.0, s - 3.0]]
    }
}

/// Theorem 3.3 on the stiff pendulum: orders at eps = 1e-5 in steps so large that the term in eps^2 does not show, by the core;
/// and the largest error of all eps <= h in fine steps over that in coarse ones, each over the theorem's `h^a + eps^2 h^b`, which
/// says that there is such a constant.
pub fn stiff_orders() -> Result<Grid> {
    let stiff = StiffPendulum::<f64>::new(1e-5);
    let on = [
        orders(halved(
            |h, n| integrate(stiff, Lean(Gauss::<3>), h, n),
            &STIFF_5,
            50,
        )?),
        orders(halved(
            |h, n| integrate(stiff, Lean(Gauss::<4>), h, n),
            &STIFF_5,
            50,
        )?),
        orders(halved(
            |h, n| integrate(stiff, Lean(Gauss::<5>), h, n),
            &STIFF_5,
            25,
        )?),
        orders(halved(
            |h, n| integrate(stiff, Lean(Gauss::<6>), h, n),
            &STIFF_5,
            25,
        )?),
        orders(halved(
            |h, n| integrate(stiff, Lean(LobattoIIIA::<3>), h, n),
            &STIFF_5,
            50,
        )?),
        orders(halved(
            |h, n| integrate(stiff, Lean(LobattoIIIA::<4>), h, n),
            &STIFF_5,
            50,
        )?),
        orders(halved(
            |h, n| integrate(stiff, Lean(LobattoIIIA::<5>), h, n),
            &STIFF_5,
            25,
        )?),
    ];
    let names = [
        "q",
        "v",
        "q: constant in fine steps",
        "v: constant in fine steps",
    ];
    let mut table = Grid::new("method", &names);
    for ((name, method), order) in methods().into_iter().zip(on) {
        let [in_h, in_eps] = theorem(name, method.stages());
        let (mut coarse, mut fine) = ([0.0_f64; 2], [0.0_f64; 2]);
        for (eps, exact) in [
            (1e-2, SOFT_5),
            (1e-3, SOFTER_5),
            (1e-4, LESS_STIFF_5),
            (1e-5, STIFF_5),
        ] {
            for steps in [25, 50, 100, 200] {
                let h = 5.0 / steps as f64;
                let error = distance(&stiff_end(&method, eps, 0.0, steps)?, &exact);
                let most = if steps < 100 { &mut coarse } else { &mut fine };
                for k in 0..2 {
                    let bound = h.powf(in_h[k]) + eps * eps * h.powf(in_eps[k]);
                    most[k] = most[k].max(error[k] / bound);
                }
            }
        }
        let cell = |k: usize| {
            let what = format!("{name}, {}", names[k]);
            match k {
                0 | 1 => Comparison::theory(what, order[k], in_h[k], Tolerance::AtLeast(0.2)),
                _ => Comparison::theory(
                    what,
                    fine[k - 2] / coarse[k - 2],
                    1.0,
                    Tolerance::AtMost(0.5),
                ),
            }
        };
        table.push(name, [0, 1, 2, 3].map(cell));
    }
    Ok(table)
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
    at.distance(
        &laboratory::State::at([exact[0], exact[1]], [exact[2], exact[3]], 0.0),
        0,
    )
}

/// Theorem 2.3 and (14): symmetric methods keep every oscillation, infinitely fast ones with their sign or against it; Theorem 2.4 by
/// (15), Verlet's matrix.
pub fn stability() -> Vec<Comparison> {
    let mut all = Vec::new();
    for (name, method) in methods() {
        let function = StabilityFunction::new(method.clone());
        let steps = (0..=800).map(|k| 10_f64.powf(-2.0 + f64::from(k) / 100.0));
        let most = steps
            .map(|mu| (function.kept(mu) - 1.0).abs())
            .fold(0.0, f64::max);
        all.push(Comparison::theory(
            format!("{name}, ||R(i μ)| - 1|"),
            most,
            1e-11,
            Tolerance::AtMost(0.0),
        ));
        let stages = method.stages() + usize::from(!name.starts_with("Gauss"));
        let limit = if stages % 2 == 0 { 1.0 } else { -1.0 };
        let what = format!("{name}, R(∞)");
        all.push(Comparison::printed(
            what,
            function.at_infinity(),
            limit,
            Tolerance::Within(1e-11),
        ));
    }
    let mu: f64 = 3.0;
    let matrix = Pair::of(LobattoPair::<2>).matrix(mu);
    let printed = [
        1.0 - mu * mu / 2.0,
        mu,
        -mu + mu.powi(3) / 4.0,
        1.0 - mu * mu / 2.0,
    ];
    for (k, printed) in printed.into_iter().enumerate() {
        let what = format!("(15), Verlet, entry {}{} at μ = 3", k / 2 + 1, k % 2 + 1);
        let ours = matrix[(k / 2, k % 2)];
        all.push(Comparison::printed(
            what,
            ours,
            printed,
            Tolerance::Within(1e-13),
        ));
    }
    all
}

/// Theorem 2.3 for Lobatto IIIB alone, Theorem 2.6 for pairs of more stages, and what IIIB does on the stiff pendulum: it keeps every
/// oscillation of the test equation, and is no method for stiff springs, because with its last stage on no other's account the
/// spring's force there is whatever a step makes of it.
pub fn lobatto() -> Result<Vec<Comparison>> {
    let mut all = Vec::new();
    for (name, method) in methods()
        .into_iter()
        .filter(|(name, _)| name.starts_with("Lobatto"))
    {
        let stages = method.stages();
        let pair = Pair::symplectic(method.clone());
        let function = StabilityFunction::new(pair.momentum.clone());
        let steps = (0..=800).map(|k| 10_f64.powf(-2.0 + f64::from(k) / 100.0));
        let most = steps
            .map(|mu| (function.kept(mu) - 1.0).abs())
            .fold(0.0, f64::max);
        let what = format!("Lobatto IIIB {stages} alone, ||R(i μ)| - 1| up to μ = 1e6");
        all.push(Comparison::theory(
            what,
            most,
            1e-10,
            Tolerance::AtMost(0.0),
        ));
        let trace = |mu: f64| pair.matrix(mu).trace().abs();
        let what = format!("pair IIIA–IIIB {stages}: |tr M| grows like μ to the power of");
        let growth = (trace(2e3) / trace(1e3)).log2();
        all.push(Comparison::theory(
            what,
            growth,
            2.0,
            Tolerance::Within(1e-3),
        ));
        let intervals = pair.periodicity();
        let what = format!("pair IIIA–IIIB {stages}: the end of its last interval of periodicity");
        let end = intervals.last().map_or(f64::NAN, |last| last.to);
        all.push(Comparison::ours(what, end, 20.0, Tolerance::AtMost(0.0)));
        if name == "Lobatto IIIA 4" {
            let run = |eps, exact| -> Result<[f64; 2]> {
                Ok(distance(&stiff_end(&pair.momentum, eps, 0.0, 400)?, &exact))
            };
            let (softer, stiffer) = (run(1e-4, LESS_STIFF_5)?, run(1e-5, STIFF_5)?);
            let what = "Lobatto IIIB 4 on the stiff pendulum, h = 0.0125: error of v at eps = 1e-5 over that at 1e-4";
            all.push(Comparison::ours(
                what,
                stiffer[1] / softer[1],
                100.0,
                Tolerance::Factor(1.2),
            ));
            let alike = distance(&stiff_end(&method, 1e-5, 0.0, 400)?, &STIFF_5);
            let what = "the same, eps = 1e-5, over that of Lobatto IIIA 4";
            all.push(Comparison::ours(
                what,
                stiffer[1] / alike[1],
                1e6,
                Tolerance::AtLeast(0.0),
            ));
        }
    }
    Ok(all)
}

/// Iterations of a step, the mean of 2000.
fn counted(method: &Tableau, stretch: f64, how: Iteration) -> Result<f64> {
    let lab = Laboratory::new(method.clone(), 1e-5, StiffRun::H);
    let mut at = laboratory::State::<1>::level_with(1e-5, stretch);
    let mut total = 0;
    for _ in 0..StiffRun::STEPS {
        let (next, count) = lab
            .step(&at, how)
            .context("the laboratory's iteration did not end")?;
        total += count;
        at = next;
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
    for (name, method, mean, [simplified, full]) in [
        ("Gauss 3", tableau::<Gauss<3>, 3>(), 6.6, [None, None]),
        ("Gauss 4", tableau::<Gauss<4>, 4>(), 7.2, [None, None]),
        ("Gauss 5", tableau::<Gauss<5>, 5>(), 7.3, [None, None]),
        (
            "Lobatto IIIA 3",
            tableau::<LobattoIIIA<3>, 2>(),
            6.3,
            [None, None],
        ),
        (
            "Lobatto IIIA 4",
            tableau::<LobattoIIIA<4>, 3>(),
            7.0,
            [Some(21.0), Some(4.0)],
        ),
        (
            "Radau IIA 3",
            tableau::<RadauIIA<3>, 3>(),
            6.5,
            [None, None],
        ),
        (
            "Radau IIA 2",
            tableau::<RadauIIA<2>, 2>(),
            5.8,
            [None, None],
        ),
    ] {
        let smooth = counted(&method, 0.0, Iteration::Projected)?;
        let newton = counted(&method, 0.0, Iteration::Full)?;
        let mut cells = vec![
            Some(Comparison::independent(
                format!("{name}, {}", names[0]),
                smooth,
                mean,
                Tolerance::Within(1.5),
            )),
            Some(Comparison::ours(
                format!("{name}, {}", names[1]),
                newton,
                smooth,
                Tolerance::AtMost(0.0),
            )),
        ];
        for (k, published, how) in [
            (2, simplified, Iteration::Projected),
            (3, full, Iteration::Full),
        ] {
            let what = format!("{name}, {}", names[k]);
            cells.push(match published {
                Some(published) => {
                    let ours = counted(&method, PERTURBATION, how)?;
                    let rule = if k == 2 {
                        Tolerance::Figure
                    } else {
                        Tolerance::Within(1.5)
                    };
                    Some(Comparison::independent(what, ours, published, rule))
                }
                None => None,
            });
        }
        table.rows.push((name.to_owned(), cells));
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
    let projected = count(Iteration::Projected);
    Ok(vec![
        Comparison::independent(
            "Radau IIA 3, iterations of the first step after a perturbation, multiplier 0",
            projected,
            4.0,
            Tolerance::Within(1.5),
        ),
        Comparison::independent(
            "the same, multiplier 1e5",
            count(Iteration::OwnMultiplier),
            27.0,
            Tolerance::Figure,
        ),
    ])
}

/// Section 4's measure of an oscillation, the distances from the slow manifold: `eps^2 lambda` on the smooth motion, and the stretch
/// and the speed of what rings on another.
pub fn oscillation(smooth: &StiffRun, off: &Perturbed) -> Vec<Comparison> {
    let most = |run: &StiffRun, skip: usize| {
        run.path
            .iter()
            .skip(skip)
            .fold([0.0_f64; 2], |most, (at, _)| {
                let r = at.q.norm();
                [
                    most[0].max((r - 1.0).abs()),
                    most[1].max((at.q.dot(&at.v) / r).abs()),
                ]
            })
    };
    let mut all = Vec::new();
    for (name, [q, v], expected, rules) in [
        (
            "smooth, Gauss 5",
            most(smooth, 0),
            [3e-10, 1e-6],
            [Tolerance::Figure, Tolerance::AtMost(0.0)],
        ),
        (
            "perturbed, Gauss 5",
            most(&off.gauss_5, 0),
            [PERTURBATION, 1.0],
            [Tolerance::Relative(0.1); 2],
        ),
        (
            "perturbed, Gauss 4",
            most(&off.gauss_4, 0),
            [PERTURBATION, 1.0],
            [Tolerance::Relative(0.1); 2],
        ),
        // What damps it leaves the smooth motion's.
        (
            "perturbed, Radau IIA 3, from step 2 on",
            most(&off.radau_3, 2),
            [3e-10, 1e-6],
            [Tolerance::Figure, Tolerance::AtMost(0.0)],
        ),
    ] {
        all.push(Comparison::theory(
            format!("{name}: |q~ - q|"),
            q,
            expected[0],
            rules[0],
        ));
        all.push(Comparison::theory(
            format!("{name}: |v~ - v|"),
            v,
            expected[1],
            rules[1],
        ));
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
        let (coarse, fine) = (
            onto(at(50)?).distance(&exact, 0),
            onto(at(200)?).distance(&exact, 0),
        );
        let raw = at(200)?.distance(&exact, 0)[1];
        let cell = |k: usize| {
            let what = format!("{name}, {}", names[k]);
            let least = Tolerance::AtLeast(0.0);
            match k {
                0 => Comparison::ours(what, coarse[0], 1e-3, Tolerance::AtMost(0.0)),
                1 => Comparison::ours(what, fine[0], 5e-5, Tolerance::AtMost(0.0)),
                2 => Comparison::ours(what, (coarse[0] / fine[0]).log2() / 2.0, 2.0, least),
                3 => Comparison::ours(what, fine[1], eps, Tolerance::AtMost(0.0)),
                _ => Comparison::ours(what, raw, 0.01, least),
            }
        };
        table.push(name, [0, 1, 2, 3, 4].map(cell));
    }
    Ok(table)
}

/// A method's orders of q, v and lambda at t = 5.
fn direct<K, Kind>(method: K, steps: usize) -> Result<[f64; 3], Error>
where
    K: Method<RigidPendulum, Kind, Real = f64, Start = (Vector<f64, 2>, Vector<f64, 2>)> + Copy,
    K::Stepper: Stepper<Real = f64, Model = RigidPendulum, State = Motion<f64, 2, 1>>,
{
    let run = |h, n| integrate(RigidPendulum, method, h, n);
    Ok(orders(halved(run, &RIGID_5, steps)?))
}

/// The same with the multiplier that belongs to q and v.
fn projected<K, Kind>(method: K, steps: usize) -> Result<[f64; 3], Error>
where
    K: Method<RigidPendulum, Kind, Real = f64, Start = (Vector<f64, 2>, Vector<f64, 2>)> + Copy,
    K::Stepper: Stepper<Real = f64, Model = RigidPendulum, State = Motion<f64, 2, 1>>,
{
    let run = |h, n| {
        let at = integrate(RigidPendulum, method, h, n)?;
        free_motion(&RigidPendulum, 5.0, &at.q, &at.v, &Vector::from([]))
    };
    Ok(orders(halved(run, &RIGID_5, steps)?))
}
