//! Lubich's stiff mechanical systems on the stiff pendulum: orders, the error's term in eps^2, damping of motions off the
//! smooth manifold, and the matrices of the Newton iteration (section 8).
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | orders, Theorems 3.1 and 4.1, and damping, Theorem 3.2 |
//! | `expansion.rs` | expansions in eps^2, Theorems 2.2, 4.2 and 6.1 |
//! | `manifold.rs` | how near runs come to each other, (3.8) |
//! | `newton.rs` | section 8 |

mod expansion;
mod manifold;
mod newton;

pub use expansion::{higher_index, remainder, smooth_motion};
pub use manifold::floor;
pub use newton::{MATRICES, contractions, newton_table, potential};

use super::{Compare, order_row, orders};
use crate::figures::Tolerance::{AtLeast, Figure, Within};
use crate::figures::{Comparison, Figures, Grid};
use crate::pendulum::{
    LESS_STIFF_5, RIGID_5, STIFF_5, State, Swings, TIGHT, errors, halved, integrate, level,
};
use anyhow::Result;
use expansion::{terms, terms_5};
use stiffstep::method::{Modes, Stages};
use stiffstep::prelude::*;
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};

/// The spring's parameter where nothing else is said.
pub const EPS: f64 = 1e-5;

/// Orders of Radau IIA 2 and 3 on a pendulum at t = 5, without projection.
fn order_table<M, A, B>(model: M, exact: &State) -> Result<Grid, Error>
where
    M: Copy,
    Lean<RadauIIA<2>>: Swings<M, A>,
    Lean<RadauIIA<3>>: Swings<M, B>,
{
    let mut table = Grid::new("method", &["q", "v", "lambda"]);
    let two = |h, n| integrate(model, Lean(RadauIIA::<2>), h, n);
    let three = |h, n| integrate(model, Lean(RadauIIA::<3>), h, n);
    for (name, both, expected) in [
        ("Radau IIA 2", halved(two, exact, 800)?, [3.0, 1.99, 1.0]),
        ("Radau IIA 3", halved(three, exact, 200)?, [5.0, 2.99, 2.01]),
    ] {
        let rule = (Within(0.05), Comparison::independent as Compare);
        order_row(&mut table, name, orders(both), expected, rule);
    }
    Ok(table)
}

/// Theorem 3.1 with eps = 1e-5.
pub fn stiff_orders() -> Result<Grid, Error> {
    order_table(StiffPendulum::<f64>::new(EPS), &STIFF_5)
}

/// Theorem 4.1: the system of index 3.
pub fn rigid_orders() -> Result<Grid, Error> {
    order_table(RigidPendulum, &RIGID_5)
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
        let end = integrate(stiff, Lean(RadauIIA::<S>), h, steps)?;
        Ok((h, errors(&end, &STIFF_5)))
    };
    (0..7).map(at).collect()
}

/// The error of the stiff pendulum is that of the rigid one and a term in eps^2, in v of first order for Radau IIA 3. With
/// eps = 1e-4 the term is four digits above rounding even for the smallest step. The term of q is that of the system of index 5.
pub fn eps_squared() -> Result<Vec<Comparison>> {
    let eps = 1e-4;
    let term = |steps: usize, part: usize| -> Result<f64, Error> {
        let h = 5.0 / steps as f64;
        let model = StiffPendulum::<f64>::new(eps);
        let stiff = integrate(model, Lean(RadauIIA::<3>), h, steps)?;
        let rigid = integrate(RigidPendulum, Lean(RadauIIA::<3>), h, steps)?;
        let [stiff, rigid] = [stiff, rigid].map(|at| [at.q, at.v][part]);
        let difference = |k: usize| {
            let n = 2 * part + k;
            let errors = (stiff[k] - LESS_STIFF_5[n]) - (rigid[k] - RIGID_5[n]);
            (errors / (eps * eps)).abs()
        };
        Ok(difference(0).max(difference(1)))
    };
    let mut all = Vec::new();
    for (part, steps, published) in [
        (1, 400, Some(1.16e-2)),
        (1, 800, Some(6.3e-3)),
        (1, 1600, Some(3.3e-3)),
        (0, 100, None),
        (0, 200, None),
        (0, 400, None),
    ] {
        let (name, h) = (["q", "v"][part], 5.0 / steps as f64);
        let what = format!("[err(eps) - err(0)] / eps² of {name}, h = {h}");
        let ours = term(steps, part)?;
        all.push(match published {
            Some(published) => Comparison::independent(what, ours, published, Figure),
            None => {
                let [y, _] = terms(3, 5.0, steps)?.distance(&terms_5(), 1);
                Comparison::theory(what, ours, y, Figure)
            }
        });
    }
    let order = |at: usize| (all[at].measured / all[at + 1].measured).log2();
    let (v, q) = (order(1), order(4));
    all.theory("the order of v's", v, 1.0, Within(0.2));
    all.theory("the order of q's", q, 1.0, AtLeast(0.0));
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
        Simulation::new(pendulum, Lean(RadauIIA::<S>), 0.01, (q, v)).map(|s| s.with_budget(TIGHT))
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
    let (three, two) = ([3.0e-3, 3.1e-7, 2.7e-8, 6.7e-12], [2.0e-3, 5.6e-8, 8.0e-9]);
    for (name, measured, published) in [
        ("Radau IIA 3", radial::<3>(1e-5)?, &three[..]),
        ("Radau IIA 2", radial::<2>(1e-5)?, &two),
    ] {
        let pairs = measured.iter().zip(published).enumerate();
        let cells = pairs.map(|(k, (&measured, &published))| {
            let what = format!("{name}, radial velocity after step {}", k + 1);
            Comparison::independent(what, measured, published, Figure)
        });
        table.push(name, cells);
    }
    Ok(table)
}
