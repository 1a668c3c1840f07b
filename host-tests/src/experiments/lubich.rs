//! Lubich's stiff mechanical systems on the stiff pendulum: orders, the error's term in eps^2, damping of motions off the
//! smooth manifold, and the matrices of the Newton iteration (section 8).

use super::{order_row, orders};
use crate::figures::{Comparison, Grid, Tolerance};
use crate::laboratory::{self, Laboratory, Series};
use crate::newton_matrices::{NewtonMatrix, SolvedStep};
use crate::pendulum::{
    LESS_STIFF_5, RIGID_5, SOFT_5, SOFTER_5, STIFF_5, State, TIGHT, errors, halved, integrate,
    level,
};
use crate::reference::{NoConvergence, Tableau};
use crate::stability::StabilityFunction;
use anyhow::{Context, Result};
use stiffstep::method::{Modes, Stages};
use stiffstep::prelude::*;
use stiffstep::step::Method;
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};
use stiffstep_plants::valley::Valley;

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

/// Orders of Radau IIA 2 and 3 on a pendulum at t = 5, without projection.
fn order_table<M, A, B>(model: M, exact: &State) -> Result<Grid, Error>
where
    M: Copy,
    Lean<RadauIIA<2>>: Method<M, A, Real = f64, Start = (Vector<f64, 2>, Vector<f64, 2>)>,
    <Lean<RadauIIA<2>> as Method<M, A>>::Stepper:
        Stepper<Real = f64, Model = M, State = Motion<f64, 2, 1>>,
    Lean<RadauIIA<3>>: Method<M, B, Real = f64, Start = (Vector<f64, 2>, Vector<f64, 2>)>,
    <Lean<RadauIIA<3>> as Method<M, B>>::Stepper:
        Stepper<Real = f64, Model = M, State = Motion<f64, 2, 1>>,
{
    let mut table = Grid::new("method", &["q", "v", "lambda"]);
    let mut row = |name: &str, both: [[f64; 3]; 2], expected: [f64; 3]| {
        let (within, compare) = (Tolerance::Within(0.05), Comparison::independent);
        table.push(
            name,
            order_row(name, orders(both), expected, within, compare),
        );
    };
    let two = |h, n| integrate(model, Lean(RadauIIA::<2>), h, n);
    row("Radau IIA 2", halved(two, exact, 800)?, [3.0, 1.99, 1.0]);
    let three = |h, n| integrate(model, Lean(RadauIIA::<3>), h, n);
    row("Radau IIA 3", halved(three, exact, 200)?, [5.0, 2.99, 2.01]);
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

/// Theorem 2.2: the smooth motion at t = 5 less the first terms of its expansion, largest of positions and velocities.
pub fn smooth_motion() -> Vec<Comparison> {
    let left = |eps: f64, exact: &State, count: usize| {
        let terms = terms_5();
        let cut = |x: Series<3>| -> f64 {
            let terms = x.0.iter().take(count).enumerate();
            terms.map(|(l, x)| x * eps.powi(2 * l as i32)).sum()
        };
        let all = [terms.y[0], terms.y[1], terms.v[0], terms.v[1]];
        let apart = all
            .iter()
            .zip(exact)
            .map(|(&x, exact)| (cut(x) - exact).abs());
        apart.fold(0.0, f64::max)
    };
    let order = |count| (left(1e-2, &SOFT_5, count) / left(1e-3, &SOFTER_5, count)).log10() / 2.0;
    let (eps, at) = AT_1[0];
    let start = (at[0].hypot(at[1]) - 1.0) / (eps * eps * at[4]);
    vec![
        Comparison::theory(
            "order in eps² of the smooth motion less the rigid one",
            order(1),
            1.0,
            Tolerance::Within(0.01),
        ),
        Comparison::theory(
            "less the term in eps², too",
            order(2),
            2.0,
            Tolerance::Within(0.01),
        ),
        Comparison::theory(
            "distance from the circle at t = 1 over eps² λ, eps = 1e-3",
            start,
            1.0,
            Tolerance::Within(1e-3),
        ),
    ]
}

/// The terms of the smooth motion in `eps^0`, `eps^2` and `eps^4` at t = 5: position, then velocity. Those beyond the rigid
/// pendulum's own are extrapolated from motions with eps = 1e-2 .. 1e-5 that were computed with 22 digits.
fn terms_5() -> laboratory::State<3> {
    let term = |n: usize, first: f64, second: f64| Series([RIGID_5[n], first, second]);
    laboratory::State {
        y: [
            term(0, -8.198_917_872_98, 70.5268),
            term(1, 4.716_207_607_03, 21.8784),
        ],
        v: [
            term(2, -13.597_940_898_2, 28.747),
            term(3, -5.861_226_745_4, 131.642),
        ],
        lambda: Series([f64::NAN; 3]),
    }
}

/// The Runge-Kutta solution of the systems (2.25.0) to (2.25.2) at time t, by Radau IIA from a level start.
fn terms(stages: usize, t: f64, steps: usize) -> Result<laboratory::State<3>> {
    let lab = Laboratory::new(Tableau::radau_iia(stages), 0.0, t / steps as f64);
    let end = lab.run(&laboratory::State::level(), steps);
    end.context("the laboratory's iteration did not end")
}

/// Theorem 4.2: the systems of index 5 (k = 1) and 7 (k = 2) lose two orders each, to `q - 2 k`.
///
/// That is what velocities do; positions do one better. With five stages both do better at steps that leave some digits: index 7
/// has rounding over `h^5` in its velocities.
pub fn higher_index() -> Result<Grid> {
    let mut table = Grid::new("method, system", &["y^k", "y'^k"]);
    for (stages, k, steps) in [
        (2, 1, 200),
        (3, 1, 800),
        (4, 1, 100),
        (5, 1, 50),
        (4, 2, 100),
        (5, 2, 50),
    ] {
        let at = |steps| terms(stages, 5.0, steps).map(|end| end.distance(&terms_5(), k));
        let (coarse, fine) = (at(steps)?, at(2 * steps)?);
        let name = format!("Radau IIA {stages}, index {}", 2 * k + 3);
        let cell = |n: usize| {
            let what = format!("{name}, order of {}", ["y^k", "y'^k"][n]);
            let order = (coarse[n] / fine[n]).log2();
            let theorem = stages as f64 - 2.0 * k as f64;
            let rule = match n {
                1 if stages < 5 => Tolerance::Within(0.2),
                _ => Tolerance::AtLeast(0.2),
            };
            Comparison::theory(what, order, theorem, rule)
        };
        table.push(name.clone(), [0, 1].map(cell));
    }
    Ok(table)
}

/// Theorem 6.1: what the first k terms of the expansion leave of a step with `eps = h / 2`, k = [q / 2], is of the order
/// `eps^2k`, and `h eps^2k` for odd q: of the order q in h.
pub fn remainder() -> Result<Grid> {
    let left = |stages: usize, steps: usize| -> Result<f64> {
        let h = 2.0 / steps as f64;
        let eps = 0.5 * h;
        let expanded = terms(stages, 2.0, steps)?;
        let lab = Laboratory::new(Tableau::radau_iia(stages), eps, h);
        let stiff = lab.run(&laboratory::State::<1>::level_with(eps, 0.0), steps);
        let stiff = stiff.context("a stiff step did not end")?;
        let cut = |x: Series<3>| -> f64 {
            let terms = x.0.iter().take(stages / 2 + 1).enumerate();
            terms.map(|(l, x)| x * eps.powi(2 * l as i32)).sum()
        };
        let apart = |n: usize| {
            (stiff.y[n].0[0] - cut(expanded.y[n])).abs()
                + (stiff.v[n].0[0] - cut(expanded.v[n])).abs()
        };
        Ok(apart(0).max(apart(1)))
    };
    let mut table = Grid::new("method", &["order of |r| + |r'|"]);
    for (stages, steps) in [(2, 160), (3, 160), (4, 160), (5, 80)] {
        let order = (left(stages, steps)? / left(stages, 2 * steps)?).log2();
        let name = format!("Radau IIA {stages}");
        let what = format!("{name}, order of the remainder");
        let cell = Comparison::theory(what, order, stages as f64, Tolerance::Within(0.2));
        table.push(name, [cell]);
    }
    Ok(table)
}

/// Every state of so many steps.
fn path(
    lab: &Laboratory,
    start: laboratory::State<1>,
    steps: usize,
) -> Result<Vec<laboratory::State<1>>> {
    let mut path = vec![start];
    for k in 0..steps {
        let next = lab.step(&path[k], laboratory::Iteration::Full);
        path.push(next.context("a stiff step did not end")?.0);
    }
    Ok(path)
}

/// A point of the manifold of smooth motion up to `eps^4`, by its angle and its speed along the circle.
fn smooth(eps: f64, [angle, speed]: [f64; 2]) -> laboratory::State<1> {
    let (sin, cos) = angle.sin_cos();
    let tension = speed * speed - sin;
    let (r, out) = (1.0 + eps * eps * tension, -3.0 * eps * eps * speed * cos);
    laboratory::State::at(
        [r * cos, r * sin],
        [out * cos - speed * sin, out * sin + speed * cos],
        tension,
    )
}

/// How far a run from `h^2 / 4` and `h / 4` off the manifold is, step by step, from that run from a point on the manifold which
/// it ends up with: after `STEPS` steps both are at the same angle with the same speed.
fn to_its_shadow(stages: usize, eps: f64, h: f64) -> Result<Vec<f64>> {
    const STEPS: usize = 40;
    let lab = Laboratory::new(Tableau::radau_iia(stages), eps, h);
    let mut at = [-0.5, 0.8];
    let mut start = smooth(eps, at);
    let out = [at[0].cos(), at[0].sin()];
    for n in 0..2 {
        start.y[n].0[0] += 0.25 * h * h * out[n];
        start.v[n].0[0] += 0.25 * h * out[n];
    }
    let run = path(&lab, start, STEPS)?;
    let apart = |at: [f64; 2]| -> Result<[f64; 2]> {
        let (end, other) = (run[STEPS], path(&lab, smooth(eps, at), STEPS)?[STEPS]);
        let along = |a: [Series<1>; 2], b: [Series<1>; 2]| {
            end.y[0].0[0] * (a[1].0[0] - b[1].0[0]) - end.y[1].0[0] * (a[0].0[0] - b[0].0[0])
        };
        Ok([along(other.y, end.y), along(other.v, end.v)])
    };
    // Newton's iteration for the two numbers, with difference quotients.
    for _ in 0..5 {
        let d = 1e-6;
        let f = apart(at)?;
        let (a, b) = (apart([at[0] + d, at[1]])?, apart([at[0], at[1] + d])?);
        let column = |x: [f64; 2]| [(x[0] - f[0]) / d, (x[1] - f[1]) / d];
        let ([a0, a1], [b0, b1]) = (column(a), column(b));
        let determinant = a0 * b1 - b0 * a1;
        at[0] -= (b1 * f[0] - b0 * f[1]) / determinant;
        at[1] -= (a0 * f[1] - a1 * f[0]) / determinant;
    }
    let shadow = path(&lab, smooth(eps, at), STEPS)?;
    let distance = |(a, b): (&laboratory::State<1>, &laboratory::State<1>)| {
        let [y, v] = a.distance(b, 0);
        y + v
    };
    Ok(run.iter().zip(&shadow).map(distance).collect())
}

/// (3.8): the distance falls like `h rho^n` with `rho = |R(i h / eps)|`, and not below `eps^2k` for all that the theorem says. It
/// does fall below: after forty steps rounding is left.
pub fn floor() -> Result<Grid> {
    let h: f64 = 0.05;
    let mut table = Grid::new("method, eps", &["n = 5", "n = 10", "n = 20", "n = 40"]);
    for stages in [2, 3] {
        let function = StabilityFunction::new(Tableau::radau_iia(stages));
        for eps in [5e-3, 1e-3, 1e-4] {
            let run = to_its_shadow(stages, eps, h)?;
            let floor = eps * eps * if stages == 3 { h } else { 1.0 };
            let name = format!("Radau IIA {stages}, {eps:e}");
            let cell = |n: usize| {
                let what = format!("{name}, distance after {n} steps");
                if n == 40 {
                    return Comparison::ours(what, run[n], 1e-12, Tolerance::AtMost(0.0));
                }
                let bound = h * function.kept(h / eps).powi(n as i32) + floor;
                Comparison::theory(what, run[n], bound, Tolerance::Excess(1.0))
            };
            table.push(name.clone(), [5, 10, 20, 40].map(cell));
        }
    }
    Ok(table)
}

/// The error of the stiff pendulum is that of the rigid one and a term in eps^2, in v of first order for Radau IIA 3. With
/// eps = 1e-4 the term is four digits above rounding even for the smallest step. The term of q is that of the system of index 5.
pub fn eps_squared() -> Result<Vec<Comparison>> {
    let eps = 1e-4;
    let term = |steps: usize, part: usize| -> Result<f64, Error> {
        let h = 5.0 / steps as f64;
        let stiff = integrate(
            StiffPendulum::<f64>::new(eps),
            Lean(RadauIIA::<3>),
            h,
            steps,
        )?;
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
            Some(published) => Comparison::independent(what, ours, published, Tolerance::Figure),
            None => {
                let [y, _] = terms(3, 5.0, steps)?.distance(&terms_5(), 1);
                Comparison::theory(what, ours, y, Tolerance::Figure)
            }
        });
    }
    let order = |at: usize| (all[at].measured / all[at + 1].measured).log2();
    let (v, q) = (order(1), order(4));
    all.push(Comparison::theory(
        "the order of v's",
        v,
        1.0,
        Tolerance::Within(0.2),
    ));
    all.push(Comparison::theory(
        "the order of q's",
        q,
        1.0,
        Tolerance::AtLeast(0.0),
    ));
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

/// A state of the rigid pendulum, at the bottom of the valley and moving along it.
const VALLEY: [[f64; 2]; 2] = [
    [0.8795481324118892, -0.4758099229427208],
    [-0.464157358850994, -0.8580080373224432],
];

/// The acceleration of a step with the correction (8.7), or without it if C is zero, twenty damping steps on from [`VALLEY`].
fn acceleration<const C: u8>(eps: f64, h: f64) -> Result<Vector<f64, 2>, Error> {
    let [q, v] = VALLEY.map(Vector::from);
    let budget = Until {
        tolerance: 1e-13,
        max: 40,
    };
    let slow = Simulation::new(Valley::<f64, 1>::new(eps), RadauIIA::<3>, h, (q, v))?;
    let mut slow = slow.with_budget(budget);
    for _ in 0..20 {
        slow.step()?;
    }
    let start = (slow.state().q, slow.state().v);
    let plant = Simulation::new(Valley::<f64, C>::new(eps), RadauIIA::<3>, h, start)?;
    let mut plant = plant.with_budget(budget);
    plant.step()?;
    Ok(plant.state().a)
}

/// Lemma 8.2 in a valley that has no constraint function: the outer iteration is off by 0.21 to 0.27 eps^2 before the first
/// correction (a fifth more or less, because it depends on where the pendulum is). The library corrects in every iteration, so that
/// nothing is left after the last one. The inner iteration contracts with 0.6 to 1.2 h where the spring is much faster than the
/// step, and with no more where it is not.
pub fn potential() -> Result<Vec<Comparison>, Error> {
    let (eps, h) = (1e-2, 1e-2);
    let exact = acceleration::<1>(eps, h)?;
    let off = |a: Vector<f64, 2>| (a - exact).norm() / (eps * eps);
    let mut all = vec![Comparison::independent(
        "|Y''(0) − Y''| / eps²",
        off(acceleration::<0>(eps, h)?),
        0.25,
        Tolerance::Within(0.08),
    )];
    for eps in [1e-2, 1e-4, 1e-6] {
        for h in [0.02, 0.01, 0.005] {
            let [q, v] = VALLEY.map(Vector::from);
            let plant = Simulation::new(Valley::<f64, 0>::new(eps), RadauIIA::<3>, h, (q, v))?;
            let rate = plant.with_budget(Fixed(3)).step()?.contraction() / h;
            let what = format!("contraction over h, eps = {eps:e}, h = {h}");
            all.push(if eps < 1e-2 {
                Comparison::independent(what, rate, 0.9, Tolerance::Within(0.3))
            } else {
                Comparison::independent(what, rate, 1.2, Tolerance::AtMost(0.0))
            });
        }
    }
    Ok(all)
}
