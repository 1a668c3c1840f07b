//! The experiments of Jay & Petzold's section 5: the stiff pendulum with steps a thousand times the period of its spring over
//! 2 pi. P-stable methods of sufficient order follow the smooth motion and keep a perturbation's energy; others fail.

use super::{order_row, orders};
use crate::figures::{Comparison, Grid, Tolerance};
use crate::pendulum::{RIGID_5, STIFF_20, StiffRun, errors, halved, integrate, level};
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
    let five = StiffRun::new(Gauss::<5>, 0.0, PATIENT)?;
    let (figure, error) = (Tolerance::Figure, Tolerance::Error);
    row(
        "Gauss 3",
        &StiffRun::new(Gauss::<3>, 0.0, PATIENT)?,
        [1.1e-10, 8.5e-11, 2.4e-6, 6.6, 11.0],
        error,
    );
    row(
        "Gauss 4",
        &StiffRun::new(Gauss::<4>, 0.0, PATIENT)?,
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
        &StiffRun::new(LobattoIIIA::<3>, 0.0, PATIENT)?,
        [7.1e-4, 6.8e-4, 1.8e-3, 6.3, 9.0],
        error,
    );
    row(
        "Lobatto IIIA 4",
        &StiffRun::new(LobattoIIIA::<4>, 0.0, PATIENT)?,
        [3.4e-13, 1.1e-12, 1.9e-10, 7.0, 11.0],
        error,
    );
    row(
        "Radau IIA 3",
        &StiffRun::new(RadauIIA::<3>, 0.0, PATIENT)?,
        [2.9e-11, 8.7e-11, 8.5e-8, 6.5, 10.0],
        figure,
    );
    row(
        "Radau IIA 2",
        &StiffRun::new(RadauIIA::<2>, 0.0, PATIENT)?,
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
    let gauss_5 = StiffRun::new(Gauss::<5>, PERTURBATION, PATIENT)?;
    let gauss_4 = StiffRun::new(Gauss::<4>, PERTURBATION, PATIENT)?;
    let lobatto = StiffRun::new(LobattoIIIA::<4>, PERTURBATION, PATIENT)?;
    let radau_3 = StiffRun::new(RadauIIA::<3>, PERTURBATION, PATIENT)?;
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
    let midpoint = StiffRun::new(Gauss::<1>, 0.0, PATIENT)?;
    // At that energy its iteration diverges sooner or later, a few hundred steps before the end.
    let gauss = StiffRun::new(Gauss::<2>, 0.0, PATIENT)?;
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
    let trapezoidal = StiffRun::new(LobattoIIIA::<2>, 0.0, PATIENT)?;
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
        direct(Direct(Gauss::<3>), 100)?,
        [4.0, 2.0, 0.0],
        projected(Projected(Gauss::<3>), 100)?,
        3.0,
    );
    row(
        "Gauss 4",
        direct(Direct(Gauss::<4>), 100)?,
        [4.0, 2.0, 0.0],
        projected(Projected(Gauss::<4>), 100)?,
        4.0,
    );
    row(
        "Gauss 5",
        direct(Direct(Gauss::<5>), 25)?,
        [6.0, 4.0, 2.0],
        projected(Projected(Gauss::<5>), 50)?,
        5.0,
    );
    row(
        "Gauss 6",
        direct(Direct(Gauss::<6>), 50)?,
        [6.0, 4.0, 2.0],
        projected(Projected(Gauss::<6>), 36)?,
        6.0,
    );
    row(
        "Lobatto IIIA 3",
        direct(LobattoIIIA::<3>, 100)?,
        [2.0, 2.0, 0.0],
        projected(Projected(LobattoIIIA::<3>), 100)?,
        4.0,
    );
    row(
        "Lobatto IIIA 4",
        direct(LobattoIIIA::<4>, 50)?,
        [4.0, 3.0, 1.0],
        projected(Projected(LobattoIIIA::<4>), 50)?,
        6.0,
    );
    row(
        "Lobatto IIIA 5",
        direct(LobattoIIIA::<5>, 25)?,
        [6.0, 4.0, 2.0],
        projected(Projected(LobattoIIIA::<5>), 28)?,
        8.0,
    );
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
