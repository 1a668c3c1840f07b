//! Section 3: orders on the rigid and on the stiff pendulum.

use super::super::{PARTS, orders};
use super::{distance, methods, stiff_end};
use crate::figures::Tolerance::{AtLeast, AtMost, Within};
use crate::figures::{Comparison, Grid};
use crate::pendulum::{
    LESS_STIFF_5, RIGID_5, SOFT_5, SOFTER_5, STIFF_5, Swings, halved, integrate,
};
use anyhow::Result;
use stiffstep::manifold::free_motion;
use stiffstep::prelude::*;
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};

/// Orders on the rigid pendulum, as methods are and projected: Theorems 3.1 and 3.2.
///
/// Gauss: s, s - 2, s - 4, each one higher if s is odd. Lobatto IIIA: 2s - 4, s - 1, s - 3; with five stages v and q do no
/// more, and q of four stages does 6. Where the multiplier's order is 0 its error is of the size of the multiplier or more.
/// On the manifold everything converges alike: Gauss with s, Lobatto IIIA with its full order.
pub fn rigid_orders() -> Result<Grid, Error> {
    let names = ["q", "v", "λ", "projected q", "projected v", "projected λ"];
    let mut table = Grid::new("method", &names);
    let as_they_are = [
        direct(Direct(Lean(Gauss::<3>)), 100)?,
        direct(Direct(Lean(Gauss::<4>)), 100)?,
        direct(Direct(Lean(Gauss::<5>)), 25)?,
        direct(Direct(Lean(Gauss::<6>)), 50)?,
        direct(Lean(LobattoIIIA::<3>), 100)?,
        direct(Lean(LobattoIIIA::<4>), 50)?,
        direct(Lean(LobattoIIIA::<5>), 25)?,
    ];
    let on_manifold = [
        projected(Projected(Lean(Gauss::<3>)), 100)?,
        projected(Projected(Lean(Gauss::<4>)), 100)?,
        projected(Projected(Lean(Gauss::<5>)), 50)?,
        projected(Projected(Lean(Gauss::<6>)), 36)?,
        projected(Projected(Lean(LobattoIIIA::<3>)), 100)?,
        projected(Projected(Lean(LobattoIIIA::<4>)), 50)?,
        projected(Projected(Lean(LobattoIIIA::<5>)), 28)?,
    ];
    let theory = [
        ("Gauss 3", [4.0, 2.0, 0.0], 3.0),
        ("Gauss 4", [4.0, 2.0, 0.0], 4.0),
        ("Gauss 5", [6.0, 4.0, 2.0], 5.0),
        ("Gauss 6", [6.0, 4.0, 2.0], 6.0),
        ("Lobatto IIIA 3", [2.0, 2.0, 0.0], 4.0),
        ("Lobatto IIIA 4", [4.0, 3.0, 1.0], 6.0),
        ("Lobatto IIIA 5", [6.0, 4.0, 2.0], 8.0),
    ];
    for (k, (name, direct, projected)) in theory.into_iter().enumerate() {
        table.fill(name, "", |n, _| match n {
            0..3 => {
                let what = format!("{name}, order of {}", PARTS[n]);
                Comparison::theory(what, as_they_are[k][n], direct[n], AtLeast(0.2))
            }
            _ => {
                let what = format!("projected {name}, order of {}", PARTS[n - 3]);
                Comparison::theory(what, on_manifold[k][n - 3], projected, Within(0.3))
            }
        });
    }
    Ok(table)
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
    let on = [
        stiff(Lean(Gauss::<3>), 50)?,
        stiff(Lean(Gauss::<4>), 50)?,
        stiff(Lean(Gauss::<5>), 25)?,
        stiff(Lean(Gauss::<6>), 25)?,
        stiff(Lean(LobattoIIIA::<3>), 50)?,
        stiff(Lean(LobattoIIIA::<4>), 50)?,
        stiff(Lean(LobattoIIIA::<5>), 25)?,
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
        table.fill(name, &format!("{name}, "), |k, what| match k {
            0 | 1 => Comparison::theory(what, order[k], in_h[k], AtLeast(0.2)),
            _ => Comparison::theory(what, fine[k - 2] / coarse[k - 2], 1.0, AtMost(0.5)),
        });
    }
    Ok(table)
}

/// A method's orders of q, v and lambda at t = 5, on the stiff pendulum.
fn stiff<Kind, K>(method: K, steps: usize) -> Result<[f64; 3], Error>
where
    K: Swings<StiffPendulum<f64>, Kind> + Copy,
{
    let run = |h, n| integrate(StiffPendulum::new(1e-5), method, h, n);
    Ok(orders(halved(run, &STIFF_5, steps)?))
}

/// And on the rigid one.
fn direct<Kind, K>(method: K, steps: usize) -> Result<[f64; 3], Error>
where
    K: Swings<RigidPendulum, Kind> + Copy,
{
    let run = |h, n| integrate(RigidPendulum, method, h, n);
    Ok(orders(halved(run, &RIGID_5, steps)?))
}

/// The same with the multiplier that belongs to q and v.
fn projected<Kind, K>(method: K, steps: usize) -> Result<[f64; 3], Error>
where
    K: Swings<RigidPendulum, Kind> + Copy,
{
    let run = |h, n| {
        let at = integrate(RigidPendulum, method, h, n)?;
        free_motion(&RigidPendulum, 5.0, &at.q, &at.v, &Vector::from([]))
    };
    Ok(orders(halved(run, &RIGID_5, steps)?))
}
