//! Ways to start stiff springs without ringing, and what each leaves of it; slow solutions by an explicit adaptive solver.

use crate::until;
use anyhow::{Context, Result, ensure};
use ivp::prelude::{FirstOrderSystem, Ivp, Method as Explicit};
use std::cell::Cell;
use std::f64::consts::TAU;
use stiffstep::manifold::{Ipa, consistent};
use stiffstep::prelude::*;
use stiffstep_plants::double_spring::{DoubleSpring, start};

/// Positions and velocities.
pub type Start = (Vector<f64, 4>, Vector<f64, 4>);

/// How to get onto the slow manifold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// Not at all.
    AsGiven,
    /// Jay & Petzold's geometric projection, onto `g = 0`, `G v = 0`.
    Constraints,
    /// The iterated projection.
    Iterated,
    /// So many steps of Radau IIA 3 with h = 0.01, which damp whatever rings.
    Damped(u32),
}

impl Way {
    /// The step of the damping.
    pub const STEP: f64 = 0.01;

    /// Where it leads from a start.
    pub fn from(self, omega: f64, (q, v): Start) -> Result<Start, Error> {
        let (model, none) = (DoubleSpring::new(omega), Vector::from([]));
        match self {
            Way::AsGiven => Ok((q, v)),
            Way::Constraints => consistent(&model, 0.0, &q, &v, &none).map(|at| (at.q, at.v)),
            Way::Iterated => {
                let ipa = Ipa::new(omega).tolerance(tolerance(omega));
                let slow = ipa.project(&model, 0.0, &q, &v, &none)?;
                Ok((slow.motion.q, slow.motion.v))
            }
            Way::Damped(steps) => {
                let plant = Simulation::new(model, Lean(RadauIIA::<3>), Self::STEP, (q, v))?;
                let mut plant = plant.with_budget(until(1e-12, 50));
                for _ in 0..steps {
                    plant.step()?;
                }
                Ok((plant.state().q, plant.state().v))
            }
        }
    }
}

/// The paper's tolerance for the stopping test.
pub fn tolerance(omega: f64) -> f64 {
    if omega < 500.0 { 1e-7 } else { 1e-9 }
}

/// The forces in the springs over three periods of the slower oscillation.
#[derive(Clone, Debug)]
pub struct Ringing {
    /// Time in units of `1 / omega`, and the forces.
    pub forces: Vec<(f64, [f64; 2])>,
    /// The energy of the oscillation: that of springs as far from their mean, `sum (d lambda)^2 / 2 K` at its largest.
    pub energy: f64,
}

/// Steps of a period.
const FINE: u32 = 60;

impl Ringing {
    /// From a start, by Verlet's method.
    pub fn of(omega: f64, start: Start) -> Result<Self, Error> {
        let h = TAU / (omega * f64::from(FINE));
        let mut plant = Simulation::new(DoubleSpring::new(omega), LobattoPair::<2>, h, start)?;
        let mut forces = Vec::new();
        // The slower of the two oscillations has 0.6 omega.
        for _ in 0..5 * FINE {
            let lambda = plant.state().lambda;
            forces.push((plant.time() * omega, [lambda[0], lambda[1]]));
            plant.step()?;
        }
        let mut energies = vec![0.0; forces.len()];
        for joint in 0..2 {
            let curve: Vec<(f64, f64)> = forces.iter().map(|(t, f)| (*t, f[joint])).collect();
            for (energy, away) in energies.iter_mut().zip(from_trend(&curve)) {
                *energy += away * away / (2.0 * omega * omega);
            }
        }
        let energy = energies.into_iter().fold(0.0, f64::max);
        Ok(Ringing { forces, energy })
    }
}

/// How far a curve is from the straight line that fits it best: slow motion is straight within a few oscillations.
fn from_trend(curve: &[(f64, f64)]) -> Vec<f64> {
    let count = curve.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| curve.iter().map(f).sum::<f64>() / count;
    let (t, x) = (mean(|p| p.0), mean(|p| p.1));
    let square: f64 = curve.iter().map(|p| (p.0 - t).powi(2)).sum();
    let slope = curve.iter().map(|p| (p.0 - t) * (p.1 - x)).sum::<f64>() / square;
    curve.iter().map(|p| p.1 - x - slope * (p.0 - t)).collect()
}

/// The stiff equations as a system of first order that counts its evaluations.
struct Equations {
    stiffness: f64,
    evaluations: Cell<u64>,
}

impl FirstOrderSystem for Equations {
    fn derivative(&self, _t: f64, z: &[f64], rates: &mut [f64]) {
        self.evaluations.set(self.evaluations.get() + 1);
        let &[x1, y1, x2, y2, ..] = z else { return };
        let (r1, dx, dy) = (x1.hypot(y1), x1 - x2, y1 - y2);
        let r2 = dx.hypot(dy);
        let [f1, f2] = [r1, r2].map(|r| -self.stiffness * (r - 1.0) / r);
        let forces = [f1 * x1 + f2 * dx, f1 * y1 + f2 * dy, -f2 * dx, -f2 * dy];
        let velocities = z.iter().skip(4).copied();
        for (rate, value) in rates.iter_mut().zip(velocities.chain(forces)) {
            *rate = value;
        }
    }
}

/// An explicit integration and what it took.
#[derive(Clone, Copy, Debug)]
pub struct Explored {
    /// The state that it reached.
    pub end: Start,
    /// Evaluations of the equations.
    pub evaluations: u64,
}

/// The double spring from a start over a time, by the explicit method of Dormand and Prince of order 8 with its own choice
/// of steps. In pieces of a few hundred steps: after a thousand it suspects that the problem is stiff, and gives up.
pub fn explicit(omega: f64, (q, v): Start, time: f64, tolerances: [f64; 2]) -> Result<Explored> {
    let equations = Equations {
        stiffness: omega * omega,
        evaluations: Cell::new(0),
    };
    let mut state: Vec<f64> = q.iter().chain(v.iter()).copied().collect();
    let pieces = (time * omega / 100.0).ceil();
    let mut first_step = None;
    for _ in 0..pieces as u64 {
        let piece = time / pieces;
        let mut solver = Ivp::first_order(&equations, 0.0, piece, &state)
            .method(Explicit::DOP853)
            .rtol(tolerances[0])
            .atol(tolerances[1]);
        if let Some(step) = first_step {
            solver = solver.first_step(step);
        }
        let solution = solver.solve();
        let solution = solution.map_err(|error| anyhow::anyhow!("{error:?}"))?;
        ensure!(
            solution.t.last() == Some(&piece),
            "the solver gave up: {:?}",
            solution.status
        );
        // The step that it chose last but one: the last one only fills the piece.
        first_step = solution.t.windows(2).rev().nth(1).map(|t| t[1] - t[0]);
        state = solution.y.last().context("there is no solution")?.clone();
    }
    ensure!(state.len() == 8, "the solution has {} numbers", state.len());
    let part = |from: usize| Vector::from_iterator(state.iter().skip(from).copied());
    Ok(Explored {
        end: (part(0), part(4)),
        evaluations: equations.evaluations.get(),
    })
}

/// The slow start of section 6: (31)-(32), projected.
pub fn slow_start(omega: f64) -> Result<Start, Error> {
    Way::Iterated.from(omega, start(stiffstep_plants::double_spring::ON))
}
