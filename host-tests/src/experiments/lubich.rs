//! Lubich's stiff mechanical systems on the stiff pendulum: orders, the error's term in eps^2, damping of motions off the
//! smooth manifold, and the matrices of the Newton iteration (section 8).

use super::{order_row, orders};
use crate::figures::{Comparison, Grid, Tolerance};
use crate::newton_matrices::{NewtonMatrix, SolvedStep};
use crate::pendulum::{
    LESS_STIFF_5, RIGID_5, STIFF_5, State, TIGHT, errors, halved, integrate, level,
};
use crate::reference::{NoConvergence, Tableau};
use stiffstep::method::{Modes, Stages};
use stiffstep::prelude::*;
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};

/// The spring's parameter where nothing else is said.
pub const EPS: f64 = 1e-5;

/// The smooth motion at t = 1, for the experiments with Newton matrices.
const AT_1: [(f64, State); 3] = [
    (
        1e-3,
        [
            0.879_549_671_911_076_4,
            -0.475_810_077_124_836_75,
            -0.464_154_161_024_666_8,
            -0.858_008_759_576_775_6,
            1.427_425_193_844_108,
        ],
    ),
    (
        1e-4,
        [
            0.879_548_147_806_931_4,
            -0.475_809_924_484_547_73,
            -0.464_157_326_872_654_8,
            -0.858_008_044_545_021,
            1.427_429_723_078_088_4,
        ],
    ),
    (
        1e-5,
        [
            0.879_548_132_565_839_6,
            -0.475_809_922_958_139_06,
            -0.464_157_358_531_210_6,
            -0.858_008_037_394_669,
            1.427_429_768_370_661_6,
        ],
    ),
];

/// Orders on the stiff pendulum at t = 5, without projection.
pub fn stiff_orders() -> Result<Grid, Error> {
    let mut table = Grid::new("method", &["q", "v", "lambda"]);
    let mut row = |name: &str, both: [[f64; 3]; 2], expected: [f64; 3]| {
        let within = Tolerance::Within(0.05);
        let compare = Comparison::independent;
        table.push(
            name,
            order_row(name, orders(both), expected, within, compare),
        );
    };
    let stiff = StiffPendulum::<f64>::new(EPS);
    let two = |h, n| integrate(stiff, RadauIIA::<2>, h, n);
    row("Radau IIA 2", halved(two, &STIFF_5, 800)?, [3.0, 1.99, 1.0]);
    let three = |h, n| integrate(stiff, RadauIIA::<3>, h, n);
    row(
        "Radau IIA 3",
        halved(three, &STIFF_5, 200)?,
        [5.0, 2.99, 2.01],
    );
    Ok(table)
}

/// Steps and errors of q, v and lambda at t = 5 on the stiff pendulum.
pub fn convergence<const S: usize>() -> Result<Vec<(f64, [f64; 3])>, Error>
where
    Stages<S>: Modes,
{
    let stiff = StiffPendulum::<f64>::new(EPS);
    let at = |exponent: u32| {
        let steps = 25 << exponent;
        let h = 5.0 / steps as f64;
        let end = integrate(stiff, RadauIIA::<S>, h, steps)?;
        Ok((h, errors(&end, &STIFF_5)))
    };
    (0..7).map(at).collect()
}

/// The error of the stiff pendulum is that of the rigid one and a term in eps^2, in v of first order for Radau IIA 3. With
/// eps = 1e-4 the term is four digits above rounding even for the smallest step.
pub fn eps_squared() -> Result<Vec<Comparison>, Error> {
    let eps = 1e-4;
    let mut terms = Vec::new();
    let mut all = Vec::new();
    for (steps, published) in [(400, 1.16e-2), (800, 6.3e-3), (1600, 3.3e-3)] {
        let h = 5.0 / steps as f64;
        let stiff = integrate(StiffPendulum::<f64>::new(eps), RadauIIA::<3>, h, steps)?;
        let rigid = integrate(RigidPendulum, RadauIIA::<3>, h, steps)?;
        let difference = |k: usize| {
            let errors = (stiff.v[k] - LESS_STIFF_5[2 + k]) - (rigid.v[k] - RIGID_5[2 + k]);
            (errors / (eps * eps)).abs()
        };
        let term = difference(0).max(difference(1));
        let what = format!("[err(eps) - err(0)] / eps² of v, h = {h}");
        all.push(Comparison::independent(
            what,
            term,
            published,
            Tolerance::Figure,
        ));
        terms.push(term);
    }
    let order = (terms[1] / terms[2]).log2();
    let what = "its order";
    all.push(Comparison::theory(what, order, 1.0, Tolerance::Within(0.2)));
    Ok(all)
}

/// How far the radial velocity of a start off the smooth manifold is, after each step, from that of a start on it.
pub fn radial<const S: usize>(delta: f64) -> Result<Vec<f64>, Error>
where
    Stages<S>: Modes,
{
    let at = |delta: f64| {
        let (mut q, v) = level();
        q[0] += delta;
        let pendulum = StiffPendulum::<f64>::new(EPS);
        Simulation::new(pendulum, RadauIIA::<S>, 0.01, (q, v)).map(|s| s.with_budget(TIGHT))
    };
    let (mut off, mut on) = (at(delta)?, at(0.0)?);
    let speed = |at: &Motion<f64, 2, 1>| at.q.dot(&at.v) / at.q.norm();
    let mut distances = Vec::new();
    for _ in 0..4 {
        off.step()?;
        on.step()?;
        distances.push((speed(off.state()) - speed(on.state())).abs());
    }
    Ok(distances)
}

/// Theorem 3.2: motions off the manifold are damped. A start that is 1e-5 off.
pub fn damping() -> Result<Grid, Error> {
    let mut table = Grid::new("method", &["step 1", "step 2", "step 3", "step 4"]);
    for (name, measured, published) in [
        (
            "Radau IIA 3",
            radial::<3>(1e-5)?,
            &[3.0e-3, 3.1e-7, 2.7e-8, 6.7e-12][..],
        ),
        ("Radau IIA 2", radial::<2>(1e-5)?, &[2.0e-3, 5.6e-8, 8.0e-9]),
    ] {
        let pairs = measured.iter().zip(published).enumerate();
        let cells = pairs.map(|(k, (&measured, &published))| {
            let what = format!("{name}, radial velocity after step {}", k + 1);
            Comparison::independent(what, measured, published, Tolerance::Figure)
        });
        table.push(name, cells);
    }
    Ok(table)
}

/// The matrices, by their names.
pub const MATRICES: [(&str, NewtonMatrix); 4] = [
    ("J0 (8.1)", NewtonMatrix::J0),
    ("J1 (8.2)", NewtonMatrix::J1),
    ("λ form (8.4)", NewtonMatrix::Multiplier),
    ("J2 (8.3)", NewtonMatrix::J2),
];

/// The rates of contraction with [`MATRICES`] of a step of Radau IIA 3 from t = 1; NaN for an eps of which the state is unknown.
pub fn contractions(eps: f64, h: f64) -> Result<[f64; 4], NoConvergence> {
    let method = Tableau::radau_iia(3);
    let mut rates = [f64::NAN; 4];
    for (_, start) in AT_1.iter().filter(|(e, _)| *e == eps) {
        let step = SolvedStep::new(&method, eps, start, h)?;
        for (rate, (_, matrix)) in rates.iter_mut().zip(MATRICES) {
            *rate = step.contraction(&method, matrix)?;
        }
    }
    Ok(rates)
}

/// Lemma 8.1: J0 diverges, J1 contracts a little, the formulation with multipliers by 0.84 h, the rigid stages' by h^2.
pub fn newton_table() -> Result<(Grid, Vec<Comparison>), NoConvergence> {
    let names = MATRICES.map(|(name, _)| name);
    let mut table = Grid::new("eps, h", &names);
    let mut bounds = Vec::new();
    for (eps, h, published) in [
        (1e-3, 0.1, [2.70, 0.64, 0.087]),
        (1e-4, 0.05, [13.6, 0.95, 0.043]),
        (1e-5, 0.01, [2.56, 0.64, 0.0084]),
        (1e-5, 0.1, [2.2e4, 1.0, 0.087]),
    ] {
        let rates = contractions(eps, h)?;
        let at = format!("eps = {eps:e}, h = {h}");
        let cell = |k: usize| {
            let what = format!("{at}, {}", names[k]);
            match published.get(k) {
                Some(&published) => {
                    Comparison::independent(what, rates[k], published, Tolerance::Figure)
                }
                // With the rigid stages nothing is left but what eps^2 moves them, at the price of computing them first.
                None => Comparison::theory(what, rates[k], 0.2 * h * h, Tolerance::AtMost(0.0)),
            }
        };
        table.push(at.clone(), [0, 1, 2, 3].map(cell));
        // The curvature of h = 0.1 shows in the third digit.
        let over_h = rates[2] / h;
        let what = format!("{at}: rate of the λ form over h");
        bounds.push(Comparison::independent(
            what,
            over_h,
            0.84,
            Tolerance::Relative(0.05),
        ));
        let what = format!("{at}: J0 diverges, rate above 1");
        bounds.push(Comparison::theory(
            what,
            rates[0],
            1.0,
            Tolerance::AtLeast(0.0),
        ));
    }
    Ok((table, bounds))
}
