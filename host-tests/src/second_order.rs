//! Runs of second-order systems, shared by the tests of their methods.

use crate::until;
use stiffstep::prelude::*;
use stiffstep::step::Method;

/// As exact as a step's equations can be solved in double precision.
pub const TIGHT: Until<f64> = until(1e-14, 20);

/// Every state of a run with these steps.
pub fn states<M, Kind, K, const N: usize, const U: usize>(
    model: M,
    method: K,
    start: (Vector<f64, N>, Vector<f64, N>),
    steps: &[f64],
) -> Result<Vec<Course<f64, N>>, Error>
where
    K: Method<M, Kind, Real = f64, Start = (Vector<f64, N>, Vector<f64, N>)>,
    K::Stepper: Stepper<Real = f64, Model = M, State = Course<f64, N>, Input = Vector<f64, U>>,
{
    let first = steps.first().copied().unwrap_or(1.0);
    let mut run = Simulation::new(model, method, first, start)?.with_budget(TIGHT);
    let mut states = Vec::with_capacity(steps.len());
    for &h in steps {
        if h != run.h() {
            run.set_h(h)?;
        }
        run.step()?;
        states.push(*run.state());
    }
    Ok(states)
}

/// Numbers in [0, 1), the same ones every time.
pub struct Chance(pub u64);

impl Chance {
    /// Another one (Knuth's linear congruence).
    pub fn draw(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Steps with random ratios in [0.2, 2], kept within [h/10, h], until their sum is `end`.
    pub fn steps(&mut self, h: f64, end: f64) -> Vec<f64> {
        let (mut step, mut t, mut steps) = (0.5 * h, 0.0, Vec::new());
        while t < end {
            steps.push(step);
            t += step;
            step = (step * (0.2 + 1.8 * self.draw())).clamp(0.1 * h, h);
        }
        steps
    }
}
