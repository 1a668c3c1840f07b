//! Runs one plant and judges every step of it.

use super::cell::{Judged, Said};
use super::equations::{Mechanism, States, radau};
use super::input::Input;
use super::models::{Numbers, OfNumbers};
use super::rates::Rates;
use super::solve::{Column, Equations, MOST, solve};
use crate::Draw;
use stiffstep::model::Joints;
use stiffstep::prelude::*;
use stiffstep::step::{Convergence, FirstOrderStepper, Manner, MechanicalStepper};

/// How a plant is run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Its numbers.
    pub numbers: Numbers,
    /// The step.
    pub h: f64,
    /// How many steps.
    pub steps: usize,
    /// Iterations a step.
    pub n: u8,
    /// Full, Lean, first order.
    pub kind: u8,
    /// The swing of its input.
    pub swing: f64,
}

/// So many iterations, and accepted whatever comes out: to see what a refused step had arrived at.
struct Forced(u8);

impl<R: Real> Budget<R> for Forced {
    fn another(&mut self, so_far: &Convergence<R>) -> bool {
        so_far.iterations() < self.0
    }
    fn tolerance(&self) -> R {
        R::from_f64(f64::INFINITY)
    }
}

/// The tolerance of a budget that was given none.
fn tolerance<R: Real>() -> f64 {
    Budget::<R>::tolerance(&Fixed(1)).to_f64()
}

/// Takes a step. One that is refused is taken all the same; none if there is nothing to judge.
fn take<S: Stepper>(stepper: &mut S, u: &S::Input, n: u8) -> Option<(Said, Report<S::Real>)> {
    let zero = S::Real::from_f64(0.0);
    match stepper.advance(zero, u, &mut Fixed(n)) {
        Ok(report) if report.outcome == Outcome::Converged => Some((Said::Converged, report)),
        Ok(report) => Some((Said::Unconverged, report)),
        Err(Error::Diverged) => {
            let report = stepper.advance(zero, u, &mut Forced(n)).ok()?;
            Some((Said::Diverged, report))
        }
        Err(_) => None,
    }
}

/// Takes it with as many iterations as it takes to arrive at rounding, and says whether it did.
fn settled<S: Stepper>(stepper: &mut S, u: &S::Input) -> bool {
    let zero = S::Real::from_f64(0.0);
    let Ok(report) = stepper.advance(zero, u, &mut Forced(30)) else {
        return false;
    };
    let (last, theta) = (report.increment().to_f64(), report.contraction().to_f64());
    let small = S::Real::EPSILON.sqrt().to_f64();
    last < 0.5 * tolerance::<S::Real>() || last < small && theta > 0.7
}

/// The largest increment of n iterations; without bound if they did not contract by two all the time.
fn increments<S: Stepper + Clone>(before: &S, u: &S::Input, n: u8) -> f64 {
    let size = |k| {
        let mut again = before.clone();
        let report = again.advance(S::Real::from_f64(0.0), u, &mut Forced(k));
        report.map_or(f64::INFINITY, |report| report.increment().to_f64())
    };
    let sizes: Vec<f64> = (1..=n).map(size).collect();
    if sizes.windows(2).all(|pair| pair[1] <= 0.5 * pair[0]) {
        sizes.iter().copied().fold(0.0, f64::max)
    } else {
        f64::INFINITY
    }
}

/// A stepper whose stages can be compared with the truth.
trait Staged: Stepper + Clone {
    /// All unknowns in the order of the equations.
    fn unknowns(&self) -> Column;
}

impl<R, M, K, const Q: usize, const L: usize> Staged for MechanicalStepper<R, M, K, Q, L, 1, 3>
where
    R: Real,
    K: Manner<3, Of = RadauIIA<3>>,
    M: Mechanical<R, Q, L, 1> + Clone,
{
    fn unknowns(&self) -> Column {
        let (w, lambda) = self.stages();
        let all = w.iter().flatten().chain(lambda.iter().flatten());
        column(all.map(|x| x.to_f64()))
    }
}

impl<R, M, const N: usize> Staged for FirstOrderStepper<R, M, RadauIIA<3>, N, 1, 3>
where
    R: Real,
    M: FirstOrder<R, N, 1> + Clone,
{
    fn unknowns(&self) -> Column {
        column(self.stages().iter().flatten().map(|x| x.to_f64()))
    }
}

fn column(values: impl Iterator<Item = f64>) -> Column {
    let mut all = [0.0; MOST];
    for (slot, x) in all.iter_mut().zip(values) {
        *slot = x;
    }
    all
}

fn minus(a: &Column, b: &Column) -> Column {
    core::array::from_fn(|i| a[i] - b[i])
}

/// A vector in another number type.
fn vector<R: Real, const N: usize>(x: [f64; N]) -> Vector<R, N> {
    x.map(R::from_f64).into()
}

fn plain<R: Real, const N: usize>(x: &Vector<R, N>) -> [f64; N] {
    x.data.0[0].map(|x| x.to_f64())
}

/// What was seen of a step.
struct Seen<R> {
    said: Said,
    report: Report<R>,
    jump: u8,
}

/// Compares a step with its equations' solution. None if that was not found.
fn compare<S: Staged, E: Equations>(
    (before, after): (&S, &S),
    u: &S::Input,
    seen: &Seen<S::Real>,
    (equations, from_rest): (&E, &Column),
    run: &Run,
    rates: &mut Rates,
) -> Option<(Judged, Column)> {
    let found = after.unknowns();
    let wide = S::Real::EXACT_ENOUGH;
    let solved = solve(equations, &found, wide).or_else(|| solve(equations, from_rest, wide));
    let (mut truth, rounding) = solved?;
    let mut judged = Judged {
        n: run.n,
        jump: seen.jump,
        kind: run.kind,
        single: size_of::<S::Real>() == 4,
        tolerance: tolerance::<S::Real>(),
        said: seen.said,
        claim: seen.report.defect().to_f64(),
        increment: (
            seen.report.increment().to_f64(),
            seen.report.contraction().to_f64(),
        ),
        truth: equations.norm(&minus(&found, &truth)),
        floor: rounding,
        lambda: None,
        largest: 0.0,
    };
    // Where it decides, and now and then to know it: where more iterations lead to, and how near they get.
    let decides = judged.needs_floor();
    if decides || rates.judged.is_multiple_of(64) {
        let mut again = before.clone();
        if settled(&mut again, u) {
            let settled = again.unknowns();
            if let Some((there, rounding)) = solve(equations, &settled, wide) {
                truth = there;
                judged.truth = equations.norm(&minus(&found, &truth));
                judged.floor = rounding.max(equations.norm(&minus(&settled, &truth)));
                if !decides {
                    rates.floor(judged.single, judged.floor);
                }
            }
        }
    }
    let dx = minus(&found, &truth);
    if judged.above_increment() {
        judged.largest = increments::<S>(before, u, run.n);
    }
    let ratio = judged.too_little();
    if ratio > 10.0 && run.kind < 3 {
        let name = core::any::type_name::<E>();
        let text = format!("{judged:?} {run:?} {name} {dx:?}");
        rates.remember(judged.said, ratio, &text);
    }
    Some((judged, dx))
}

/// Runs a mechanism.
pub fn mechanism<R, M, K, const Q: usize, const L: usize>(
    draw: &mut Draw,
    run: &Run,
    (q, v): ([f64; Q], [f64; Q]),
    rates: &mut Rates,
) where
    R: Real,
    K: Manner<3, Of = RadauIIA<3>>,
    M: OfNumbers + Mechanical<R, Q, L, 1> + Mechanical<f64, Q, L, 1>,
{
    let model = M::of(run.numbers);
    let start = (vector(q), vector(v));
    let Ok(mut stepper) =
        MechanicalStepper::<R, M, K, Q, L, 1, 3>::new(model, R::from_f64(run.h), start)
    else {
        return;
    };
    rates.plants += 1;
    let joints = Mechanical::<R, Q, L, 1>::joints(&model);
    let joints = (
        joints.compliance().map(|c| c.to_f64()),
        joints.relaxation().map(|c| c.to_f64()),
    );
    let mut input = Input::new(draw, run.swing);
    for k in 0..run.steps {
        let (force, jump) = input.at(k, draw);
        let u = vector([force]);
        let before = stepper.clone();
        let Some((said, report)) = take(&mut stepper, &u, run.n) else {
            rates.failed += 1;
            return;
        };
        let old = before.state();
        let lambda = plain(&old.lambda);
        let nominal = core::array::from_fn(|j| run.numbers.lambda[j]);
        let equations = Mechanism::<M, Q, L, 1, 3>::new(
            &model,
            before.h().to_f64(),
            (plain(&old.q), plain(&old.v)),
            vector([force]),
            joints,
            ([run.numbers.v; Q], nominal),
            (!R::EXACT_ENOUGH).then_some(&lambda),
        );
        let from_rest = Mechanism::<M, Q, L, 1, 3>::everywhere(&[0.0; Q], &lambda);
        let seen = Seen { said, report, jump };
        let steps = (&before, &stepper);
        let Some((mut judged, dx)) =
            compare(steps, &u, &seen, (&equations, &from_rest), run, rates)
        else {
            rates.unsolved += 1;
            return;
        };
        if L > 0 {
            let claim = report.force_defect().to_f64();
            judged.lambda = Some((equations.forces(&dx), claim));
        }
        rates.add(&judged);
        let now = stepper.state();
        let far = (0..Q).any(|n| {
            let (q, v) = (now.q[n].to_f64().abs(), now.v[n].to_f64().abs());
            !(v < 20.0 * run.numbers.v && q < 1000.0)
        });
        if far || judged.truth > 1.0 {
            return;
        }
    }
}

/// The largest forces in the joints of a mechanism that is run as well as it can be: their nominal magnitudes.
pub fn rehearsed<M, const Q: usize, const L: usize>(
    mut draw: Draw,
    run: &Run,
    (q, v): ([f64; Q], [f64; Q]),
) -> [f64; 2]
where
    M: OfNumbers + Mechanical<f64, Q, L, 1>,
{
    let mut largest = [0.0; 2];
    let start = (vector(q), vector(v));
    let stepper =
        MechanicalStepper::<f64, M, RadauIIA<3>, Q, L, 1, 3>::new(M::of(run.numbers), run.h, start);
    if let Ok(mut stepper) = stepper {
        let mut input = Input::new(&mut draw, run.swing);
        for k in 0..run.steps {
            let (force, _) = input.at(k, &mut draw);
            let stepped = stepper.advance(0.0, &[force].into(), &mut Fixed(4));
            if stepped.is_err() {
                break;
            }
            for j in 0..L {
                largest[j] = f64::max(largest[j], stepper.state().lambda[j].abs());
            }
        }
    }
    let all = largest[0].max(largest[1]);
    // A joint that carries nothing is judged by the others, or by one.
    largest.map(|x| {
        if x > 1e-6 * all {
            x
        } else if all > 0.0 {
            all
        } else {
            1.0
        }
    })
}

/// Runs a model of first order, judged by `truth`: the same physics in double precision.
pub fn states<R, M, T, const N: usize>(
    draw: &mut Draw,
    run: &Run,
    (model, truth): (M, &T),
    x: [f64; N],
    rates: &mut Rates,
) where
    R: Real,
    M: FirstOrder<R, N, 1> + Clone,
    T: FirstOrder<f64, N, 1>,
{
    let h = R::from_f64(run.h);
    let stepper = FirstOrderStepper::<R, M, RadauIIA<3>, N, 1, 3>::new(model, h, vector(x));
    let Ok(mut stepper) = stepper else {
        return;
    };
    rates.plants += 1;
    let nominal = plain(&truth.nominal());
    let h = h.to_f64();
    let mut input = Input::new(draw, run.swing);
    for k in 0..run.steps {
        let (force, jump) = input.at(k, draw);
        let u = vector([force]);
        let before = stepper.clone();
        let Some((said, report)) = take(&mut stepper, &u, run.n) else {
            rates.failed += 1;
            return;
        };
        let equations = States {
            model: truth,
            tableau: radau::<3>(),
            h,
            x: plain(before.state()),
            u: vector([force]),
            units: column((0..3 * N).map(|k| nominal[k % N] / h)),
        };
        let seen = Seen { said, report, jump };
        let steps = (&before, &stepper);
        let solved = compare(steps, &u, &seen, (&equations, &[0.0; MOST]), run, rates);
        let Some((judged, _)) = solved else {
            rates.unsolved += 1;
            return;
        };
        rates.add(&judged);
        let near = (0..N).all(|n| stepper.state()[n].to_f64().abs() < 20.0 * nominal[n]);
        if !near || judged.truth > 1.0 {
            return;
        }
    }
}
