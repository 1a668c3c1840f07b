//! Sections 3 and 4: what filters leave, the model problems, and errors along the constraints.

use crate::figures::Tolerance::{AtLeast, AtMost, Within};
use crate::figures::{Comparison, Figures, Grid};
use anyhow::Result;
use stiffstep::manifold::{Ipa, Kernel};
use stiffstep::prelude::*;
use stiffstep_plants::double_spring::DoubleSpring;

/// What a kernel's filter, in a window of `L` radians each way, leaves of an oscillation.
fn left(kernel: &Kernel, radians: f64) -> f64 {
    const N: usize = 400;
    let weights = kernel.weights::<N>();
    let term = |k: usize| weights[k] * (radians * k as f64 / N as f64).cos();
    weights[0] + 2.0 * (1..N).map(term).sum::<f64>()
}

/// The kernels, by name.
pub const KERNELS: [(&str, Kernel); 2] = [("cubic", Kernel::CUBIC), ("smooth", Kernel::SMOOTH)];

/// Windows, and the filter's error on cos t at its top (Lemma 3.1): half a window of so much time.
pub fn slow_error(kernel: &Kernel) -> Vec<(f64, f64)> {
    let windows = (0..=8).map(|k| 0.025 * 2_f64.powf(f64::from(k) / 2.0));
    windows
        .map(|window| (window, (1.0 - left(kernel, window)).abs()))
        .collect()
}

/// Windows in radians, and the most that is left of an oscillation in them and in those up to twice as wide (Lemma 3.2).
pub fn fast_error(kernel: &Kernel) -> Vec<(f64, f64)> {
    let windows = (0..=8).map(|k| 10.0 * 2_f64.powf(f64::from(k) / 2.0));
    let most = |from: f64| {
        let wider = (0..200).map(|k| left(kernel, from * (1.0 + 0.005 * f64::from(k))).abs());
        wider.fold(0.0, f64::max)
    };
    windows.map(|window| (window, most(window))).collect()
}

/// Lemmas 3.1 and 3.2: orders mu + 1 in the window's width and nu in its reciprocal.
pub fn filters() -> Grid {
    let names = ["Lemma 3.1, order mu + 1", "Lemma 3.2, order nu"];
    let mut table = Grid::new("kernel", &names);
    for (name, kernel) in KERNELS {
        let (slow, fast) = (slow_error(&kernel), fast_error(&kernel));
        let order = |curve: &[(f64, f64)], k: usize| (curve[k + 2].1 / curve[k].1).log2();
        let [mu, nu] = [kernel.moments, kernel.smoothness].map(f64::from);
        let what = format!("{name}, order in the window");
        let slow = Comparison::theory(what, order(&slow, 4), mu + 1.0, Within(0.1));
        let what = format!("{name}, order in its reciprocal");
        let fast = Comparison::theory(what, -order(&fast, 2), nu, Within(0.3));
        table.push(name, [slow, fast]);
    }
    table
}

/// Both model problems at once: `x'' = -x`, and `y'' = -omega^2 (y - cos t)` beside it.
#[derive(Clone, Copy)]
struct Models {
    omega: f64,
}

impl Mechanical<f64, 2, 1, 0> for Models {
    type Joints = Elastic<f64, 1>;
    type Mass<T: Scalar<f64>> = Unit;
    fn joints(&self) -> Elastic<f64, 1> {
        Elastic {
            stiffness: [self.omega * self.omega],
        }
    }
    fn force<T: Scalar<f64>>(
        &self,
        _t: T,
        q: &Vector<T, 2>,
        _v: &Vector<T, 2>,
        _u: &Vector<f64, 0>,
    ) -> Vector<T, 2> {
        [-q[0], T::constant(0.0)].into()
    }
    fn constraint<T: Scalar<f64>>(&self, t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        [q[1] - t.cos()].into()
    }
}

/// How far the start of the model problems is off in y and y', and when it is.
const ASIDE: f64 = 0.1;
const MOMENT: f64 = 0.7;

/// The slow point of the model problems' start after so many iterations or below a tolerance, and how many it took.
fn of_models(omega: f64, tolerance: f64, iterations: u8) -> Result<([f64; 4], f64), Error> {
    let [_, y, _, rate] = slow_of_models(omega);
    let ipa = Ipa::new(omega).tolerance(tolerance).iterations(iterations);
    let (q, v) = ([1.0, y + ASIDE].into(), [0.5, rate - ASIDE].into());
    let slow = ipa.project(&Models { omega }, MOMENT, &q, &v, &Vector::from([]))?;
    let (q, v) = (slow.motion.q, slow.motion.v);
    Ok(([q[0], q[1], v[0], v[1]], slow.report.iterations.into()))
}

/// Where it should lead: x as it was, and (6).
fn slow_of_models(omega: f64) -> [f64; 4] {
    let a = omega * omega / (omega * omega - 1.0);
    [1.0, a * MOMENT.cos(), 0.5, -a * MOMENT.sin()]
}

/// Sections 4.1 and 4.2. R is what the paper's filter leaves of an oscillation that Verlet's method takes for one of
/// `2 asin(h omega / 2) / h`.
pub fn models() -> Result<Vec<Comparison>, Error> {
    const NEVER: f64 = f64::MIN_POSITIVE;
    let weights = Kernel::CUBIC.weights::<18>();
    let turn = 2.0 * (std::f64::consts::PI / 6.0).asin();
    let rest = (1..18).map(|k| weights[k] * (turn * k as f64).cos());
    let kept = weights[0] + 2.0 * rest.sum::<f64>();
    let mut all = Vec::new();
    for omega in [1e2, 1e4] {
        let (limit, _) = of_models(omega, NEVER, 30)?;
        for tolerance in [1e-4, 1e-8] {
            let (at, taken) = of_models(omega, tolerance, 60)?;
            let at_what = format!("ω = {omega:e}, tolerance {tolerance:e}");
            // The terms Ac and As of (18) are nothing beside the distance of the start.
            let estimate = ((2.0 * ASIDE).ln() - tolerance.ln()) / -kept.abs().ln();
            let what = format!("(18), {at_what}: iterations");
            all.theory(what, taken - 1.0, estimate, Within(1.5));
            let error = (at[1] - limit[1]).abs().max((at[3] - limit[3]).abs());
            let what = format!("(19), {at_what}: distance from the limit");
            all.theory(what, error, kept / (1.0 - kept) * tolerance, AtMost(0.0));
        }
    }
    let limit = |omega| -> Result<[f64; 2], Error> {
        let (at, exact) = (of_models(omega, NEVER, 30)?.0, slow_of_models(omega));
        Ok([1, 3].map(|n: usize| (at[n] - exact[n]).abs()))
    };
    let (coarse, fine) = (limit(1e2)?, limit(2e2)?);
    let order = |k: usize| (coarse[k] / fine[k]).log2();
    let what = "(16): the limit's error of q, order in 1/ω";
    all.theory(what, order(0), 4.0, Within(0.1));
    // The paper's analysis has exact micro-solutions; Verlet's velocities are off by h^2.
    let what = "the limit's error of p, Verlet's own, order in 1/ω";
    all.ours(what, order(1), 2.0, Within(0.2));
    let glide = |omega, iterations| {
        of_models(omega, NEVER, iterations).map(|(at, _)| [at[0] - 1.0, at[2] - 0.5])
    };
    let (three, six, stiffer) = (glide(1e2, 3)?, glide(1e2, 6)?, glide(2e2, 6)?);
    for (k, name) in ["x", "x'"].into_iter().enumerate() {
        let what = format!("4.2: glide of {name} after 6 iterations over that after 3");
        all.theory(what, six[k] / three[k], 2.0, Within(0.01));
        let what = format!("4.2: glide of {name}, order in 1/ω");
        all.theory(what, (six[k] / stiffer[k]).log2(), 4.0, Within(0.1));
    }
    Ok(all)
}

/// Section 4.3.3: how far one iteration moves a point along the constraints that was `kappa` off across them, from two rods at a right
/// angle, at rest or gliding along.
fn tangential(kappa: f64, pace: f64) -> Result<[f64; 2], Error> {
    let q = [1.0 + kappa, -kappa, 1.0, 1.0 + kappa].into();
    let v = [kappa, pace - kappa, pace, pace + kappa].into();
    let (omega, none) = (1e4, Vector::from([]));
    let ipa = Ipa::new(omega).tolerance(f64::MIN_POSITIVE).iterations(1);
    let slow = ipa.project(&DoubleSpring::new(omega), 0.0, &q, &v, &none)?;
    let along =
        |x: &Vector<f64, 4>, [a, b]: [f64; 2]| (x[2] - a).hypot((x[1] + x[3] - b) / 2_f64.sqrt());
    let Motion { q, v, .. } = slow.motion;
    Ok([along(&q, [1.0, 1.0]), along(&v, [pace, 2.0 * pace])])
}

/// 4.3.3: `kappa^2`, in the positions always, and in the velocities of what does not move along the constraints. What does is slowed
/// or sped up by `kappa` times its pace, because the oscillation keeps angular momenta, not speeds: the paper's estimate
/// neglects that term of (28).
pub fn gliding() -> Result<Vec<Comparison>, Error> {
    let order = |pace: f64| -> Result<[f64; 2], Error> {
        let (coarse, fine) = (tangential(0.02, pace)?, tangential(0.01, pace)?);
        Ok([0, 1].map(|k: usize| (coarse[k] / fine[k]).log2()))
    };
    let (rest, moving) = (order(0.0)?, order(0.5)?);
    let mut all = Vec::new();
    let what = ["at rest", "gliding at 0.5"].map(|how| format!("{how}: order in κ of the"));
    let what = |k: usize, of: &str| format!("{} {of}", what[k]);
    all.theory(what(0, "positions"), rest[0], 2.0, Within(0.1));
    all.theory(what(0, "velocities"), rest[1], 2.0, AtLeast(0.0));
    all.theory(what(1, "positions"), moving[0], 2.0, Within(0.1));
    all.ours(what(1, "velocities"), moving[1], 1.0, Within(0.1));
    Ok(all)
}
