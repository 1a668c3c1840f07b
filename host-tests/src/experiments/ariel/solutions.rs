//! Section 6: slow solutions by five ways, Figs. 2 to 6.

use super::super::known;
use crate::figures::Tolerance::{AtLeast, AtMost, Excess, Factor, Relative, Within};
use crate::figures::{Comparison, Figures, Grid, Tolerance};
use crate::slow_start::{Start, Way, explicit, slow_start, tolerance};
use crate::until;
use anyhow::{Result, ensure};
use stiffstep::manifold::Ipa;
use stiffstep::prelude::*;
use stiffstep_plants::double_spring::{DoubleRod, DoubleSpring, ON, start};

/// The stiffnesses of Figs. 2 to 6.
pub const OMEGAS: [f64; 3] = [1e2, 1e3, 1e4];

/// Errors of q and p at t = 10 in the Euclidean norm, and what they took.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    /// The step of fixed steps, or the relative tolerance of adaptive ones.
    pub setting: f64,
    /// Evaluations of forces.
    pub evaluations: f64,
    /// The errors.
    pub error: [f64; 2],
    /// Whether everything that was iterated converged.
    pub settled: bool,
}

impl Attempt {
    fn ended(omega: f64, setting: f64, evaluations: f64, end: Start) -> Result<Self> {
        Ok(Attempt {
            setting,
            evaluations,
            error: distance(end, reference(omega)?),
            settled: true,
        })
    }
}

/// The distances of positions and of velocities.
pub fn distance(a: Start, b: Start) -> [f64; 2] {
    [(a.0 - b.0).norm(), (a.1 - b.1).norm()]
}

/// The slow solution at t = 10, computed without this library. That of omega = 1e2 is ours: by a projection and a method of order 8 that were
/// written a second time, with tolerances of 1e-13.
pub fn reference(omega: f64) -> Result<Start> {
    ensure!(
        OMEGAS.contains(&omega),
        "no slow solution is known for omega = {omega}"
    );
    let end = known::<8>("slow", &format!("{omega:e}"));
    let [q, v] = [0, 4].map(|from| Vector::from_iterator(end.iter().skip(from).copied()));
    Ok((q, v))
}

/// The pair of relative and absolute tolerance 10^-k and 10^-(k+3), k from 3 to 8 in the paper.
pub fn tolerances(k: i32) -> [f64; 2] {
    [10_f64.powi(-k), 10_f64.powi(-k - 3)]
}

/// Fig. 2: RATTLE on rods, from the springs' slow start.
pub fn rattle(omega: f64, steps: u32) -> Result<Attempt> {
    let h = 1.0 / f64::from(steps);
    let mut rods = Simulation::new(DoubleRod, LobattoPair::<2>, h, slow_start(omega)?)?
        .with_budget(until(1e-13, 30));
    let mut evaluations = 0.0;
    for _ in 0..10 * steps {
        evaluations += 1.0 + f64::from(rods.step()?.iterations);
    }
    let end = (rods.state().q, rods.state().v);
    Attempt::ended(omega, h, evaluations, end)
}

/// Figs. 3 and 4: the stiff springs by an explicit adaptive solver, from the constraints or from the slow manifold.
pub fn adaptive(omega: f64, slow: bool, k: i32) -> Result<Attempt> {
    let from = if slow { slow_start(omega)? } else { start(ON) };
    let run = explicit(omega, from, 10.0, tolerances(k))?;
    Attempt::ended(omega, tolerances(k)[0], run.evaluations as f64, run.end)
}

/// Fig. 5: the same from the slow manifold, and projected back onto it at t = 1, 2, .. 9.
pub fn projected(omega: f64, k: i32) -> Result<Attempt> {
    let mut at = slow_start(omega)?;
    let mut evaluations = 0.0;
    for second in 0..10 {
        if second > 0 {
            at = Way::Iterated.from(omega, at)?;
        }
        let run = explicit(omega, at, 1.0, tolerances(k))?;
        at = run.end;
        evaluations += run.evaluations as f64;
    }
    Attempt::ended(omega, tolerances(k)[0], evaluations, at)
}

/// Evaluations of an iteration of the projection, on both sides.
const MICRO_STEPS: f64 = 35.0;

/// Fig. 6: steps of the classical Runge-Kutta method as if the springs were not there.
pub fn runge_kutta(omega: f64, steps: u32) -> Result<Attempt> {
    let method = RungeKutta4Ipa(Ipa::new(omega).tolerance(tolerance(omega)));
    let h = 1.0 / f64::from(steps);
    let mut plant = Simulation::new(DoubleSpring::new(omega), method, h, start(ON))?;
    let (mut evaluations, mut settled) = (0.0, true);
    for _ in 0..10 * steps {
        let report = plant.step()?;
        settled &= report.outcome == Outcome::Converged;
        evaluations += 4.0 + MICRO_STEPS * f64::from(report.iterations);
    }
    let end = (plant.state().q, plant.state().v);
    let attempt = Attempt::ended(omega, h, evaluations, end)?;
    Ok(Attempt { settled, ..attempt })
}

/// Errors where the text names them: what Figs. 3 and 5 saturate at. It names none for omega = 1e2: those are ours.
///
/// From the constraints the error saturates whatever the tolerance; projected back now and then, what the projections
/// themselves leave, of the order omega^-4, is the error. The attempts are those of the three figures, by omega and k.
pub fn saturation(figures: [&dyn Fn(f64, i32) -> Result<Attempt>; 3]) -> Result<Vec<Comparison>> {
    let [from_constraints, from_slow, projected_back] = figures;
    let mut all = Vec::new();
    for (omega, in_q, in_p, source) in [
        (1e2, 2.84e-3, 9.5e-3, Comparison::ours as Compare),
        (1e3, 1e-5, 1e-3, Comparison::printed),
        (1e4, 1e-7, 1e-4, Comparison::printed),
    ] {
        // The text says where the curves end up; what was computed has three digits.
        let within = |factor| {
            if omega > 1e2 {
                Factor(factor)
            } else {
                Relative(0.01)
            }
        };
        for k in [7, 8] {
            let at = format!("omega {omega:e}, tolerance 1e-{k}");
            let rippled = from_constraints(omega, k)?.error;
            let what = format!("Fig. 3, q, {at}");
            all.push(source(what, rippled[0], in_q, within(2.0)));
            let what = format!("Fig. 3, p, {at}");
            all.push(source(what, rippled[1], in_p, within(3.3)));
            let smooth = from_slow(omega, k)?.error;
            // A slow start takes the ripples away.
            let what = format!("Fig. 4 over Fig. 3, q, {at}");
            let most = AtMost(0.0);
            all.theory(what, smooth[0] / rippled[0], 1e-3, most);
            let what = format!("Fig. 4 over Fig. 3, p, {at}");
            all.theory(what, smooth[1] / rippled[1], 5e-2, most);
        }
    }
    for (omega, in_q, in_p, source) in [
        (1e2, 5.29e-4, 7.81e-4, Comparison::ours as Compare),
        (1e3, 5e-8, 5e-7, Comparison::printed),
    ] {
        for k in [6, 7, 8] {
            let at = format!("omega {omega:e}, tolerance 1e-{k}");
            let error = projected_back(omega, k)?.error;
            let what = format!("Fig. 5, q, {at}");
            let within = |rule| {
                if omega > 1e2 { rule } else { Relative(0.01) }
            };
            all.push(source(what, error[0], in_q, within(Relative(0.5))));
            let what = format!("Fig. 5, p, {at}");
            all.push(source(what, error[1], in_p, within(Excess(0.5))));
        }
    }
    Ok(all)
}

type Compare = fn(String, f64, f64, Tolerance) -> Comparison;

/// Fig. 6 in numbers: errors at t = 10, omega = 1e4.
pub fn runge_kutta_errors() -> Result<Grid> {
    let mut grid = Grid::new("H", &["q", "p"]);
    for (steps, published) in [
        (8, [4.08e-4, 1.82e-4]),
        (16, [3.04e-5, 1.36e-5]),
        (32, [2.76e-6, 1.32e-6]),
        (64, [5.8e-7, 2.5e-7]),
    ] {
        let Attempt { error, settled, .. } = runge_kutta(1e4, steps)?;
        ensure!(settled, "H = 1/{steps}: a projection did not settle");
        let cell = |k: usize| {
            let what = format!("error of {}, H = 1/{steps}", ["q", "p"][k]);
            Comparison::independent(what, error[k], published[k], Tolerance::Error)
        };
        grid.push(format!("1/{steps}"), [0, 1].map(cell));
    }
    Ok(grid)
}

/// Figs. 2 and 6: RATTLE is of order 2 and ends at omega^-2; the explicit method along the slow manifold is of order 4, and ends
/// where its projections do.
pub fn orders() -> Result<Vec<Comparison>> {
    let order = |coarse: Attempt, fine: Attempt| (coarse.error[0] / fine.error[0]).log2();
    let rods = order(rattle(1e4, 8)?, rattle(1e4, 16)?);
    let springs = order(runge_kutta(1e4, 8)?, runge_kutta(1e4, 16)?);
    // omega = 1e2: neither gets better any more.
    let saturated = rattle(1e2, 64)?.error[0];
    let (coarse, fine) = (runge_kutta(1e2, 32)?, runge_kutta(1e2, 64)?);
    let mut all = Vec::new();
    all.theory("RATTLE, order, omega 1e4", rods, 2.0, Within(0.1));
    let what = "RK4 and projection, order, omega 1e4";
    all.theory(what, springs, 4.0, Within(0.4));
    let what = "RATTLE, error of q at H = 1/64, omega 1e2";
    all.theory(what, saturated, 1e-4, AtLeast(0.0));
    let what = "RK4 and projection, error of q at H = 1/64 over that at 1/32, omega 1e2";
    all.theory(what, fine.error[0] / coarse.error[0], 0.5, AtLeast(0.0));
    Ok(all)
}
