//! What steps claim beside what is true.
//!
//! Plants are drawn, every step of theirs is taken as a user would, and where its iteration tends to is found by other
//! means: the same equations from the same state, in double precision, by Newton's method to the end. The norm is that of
//! [`Report::defect`](stiffstep::step::Report::defect): increments of a stage over nominal magnitudes, summed over the stages.
//!
//! Stage equations begin at the rounded state: what its compensated sum keeps besides enters the end of a step only, on both
//! sides alike. In single precision they are equations of increments of the constraints, and so are those of the judge. Where
//! rounding decides a verdict, the step is iterated until it settles, which is how its floor is measured, and the solution next
//! to where it settled is the truth.

mod affine;
mod bars;
mod cell;
pub(crate) mod equations;
mod input;
mod judge;
mod models;
mod passive;
pub(crate) mod precise;
mod rates;
pub(crate) mod solve;
mod wide;

pub use rates::Rates;

use crate::{Draw, Tally};
use judge::{Run, mechanism, rehearsed, states};
use models::{AsDrawn, Chain, Crank, Double, Numbers, OfNumbers, Rod, States};
use stiffstep::prelude::*;

/// Steps a plant.
const STEPS: usize = 12;

/// Judges steps of random plants.
pub fn truth(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    let mut rates = Rates::default();
    while rates.judged < cases {
        plant(draw, &mut rates);
    }
    tally.cases += rates.judged;
    tally.add("plants", rates.plants);
    tally.add("failed", rates.failed);
    tally.add("without a known truth", rates.unsolved);
    tally.rates.merge(&rates);
    Ok(())
}

/// Friction: none in one draw of ten.
fn friction(draw: &mut Draw) -> f64 {
    if draw.one_in(10) {
        0.0
    } else {
        draw.log(-4.0, 4.0)
    }
}

/// Numbers that all mechanisms share.
fn numbers(draw: &mut Draw) -> Numbers {
    let mut p = Numbers {
        sharp: draw.log(0.0, 3.0),
        r: 0.2 + 0.6 * draw.part(),
        v: 1.0,
        lambda: [1.0; 2],
        ..Numbers::default()
    };
    for i in 0..3 {
        p.m[i] = draw.log(-3.0, 3.0);
        p.c[i] = friction(draw);
    }
    for i in 0..2 {
        p.k[i] = draw.log(0.0, 10.0);
        if draw.one_in(3) {
            p.k[i] = f64::INFINITY;
        } else if draw.one_in(2) {
            p.d[i] = draw.log(-4.0, 4.0);
        }
    }
    if draw.one_in(2) {
        p.spring = draw.log(0.0, 10.0);
    }
    p
}

/// Runs a mechanism in one of both precisions with one of both Jacobians.
fn joined<M, const Q: usize, const L: usize>(
    draw: &mut Draw,
    mut run: Run,
    single: bool,
    start: ([f64; Q], [f64; Q]),
    rates: &mut Rates,
) where
    M: OfNumbers + Mechanical<f32, Q, L, 1> + Mechanical<f64, Q, L, 1>,
{
    run.numbers.lambda = rehearsed::<M, Q, L>(draw.clone(), &run, start);
    run.numbers = run.numbers.rounded();
    match (single, run.kind == LEAN) {
        (true, true) => mechanism::<f32, M, Lean<RadauIIA<3>>, Q, L>(draw, &run, start, rates),
        (true, false) => mechanism::<f32, M, RadauIIA<3>, Q, L>(draw, &run, start, rates),
        (false, true) => mechanism::<f64, M, Lean<RadauIIA<3>>, Q, L>(draw, &run, start, rates),
        (false, false) => mechanism::<f64, M, RadauIIA<3>, Q, L>(draw, &run, start, rates),
    }
}

/// The kind of steps whose Newton matrix is lean.
const LEAN: u8 = 1;

/// Runs a mechanism whose joints are rigid by their type, or as drawn.
macro_rules! run {
    ($model:ident, $draw:expr, $run:expr, $start:expr, $rates:expr) => {{
        let (draw, mut run): (&mut Draw, Run) = ($draw, $run);
        run.numbers = run.numbers.rounded();
        let (single, lean, rigid) = (draw.one_in(2), draw.one_in(2), draw.one_in(5));
        run.kind = if lean { LEAN } else { 0 };
        if rigid {
            joined::<$model<Rigid>, _, _>(draw, run, single, $start, $rates);
        } else {
            joined::<$model<AsDrawn>, _, _>(draw, run, single, $start, $rates);
        }
    }};
}

/// A plant by chance.
fn plant(draw: &mut Draw, rates: &mut Rates) {
    let mut p = numbers(draw);
    let h = f64::from(draw.log(-4.0, -1.7) as f32);
    // The velocity that the input gives in a step.
    let push = draw.log(-4.0, 1.0);
    let mut run = Run {
        numbers: p,
        h,
        steps: STEPS,
        n: 1 + draw.below(4) as u8,
        kind: 2,
        swing: push,
    };
    let which = draw.below(13);
    if which < 8 {
        let mass = if which < 3 { p.m[0] + p.m[1] } else { p.m[0] };
        run.swing = push * mass / h;
        for i in 0..3 {
            if draw.part() < 0.4 {
                p.dry[i] = run.swing * draw.log(-2.0, 0.5);
            }
        }
    }
    match which {
        0..3 => {
            let (v, w) = (draw.signed() * draw.log(-2.0, 0.0), draw.signed());
            run.numbers = p;
            run!(Chain, draw, run, ([0.0; 3], [v, v, w]), rates)
        }
        3..5 => {
            let (speed, angle) = (draw.signed() * draw.log(-1.0, 1.3), 6.3 * draw.part());
            p.m = [p.m[0]; 3];
            p.weight[0] = 9.81 * p.m[0];
            p.v = speed.abs().max(1.0);
            run.numbers = p;
            let (sin, cos) = angle.sin_cos();
            let start = ([cos, sin], [-sin * speed, cos * speed]);
            run!(Rod, draw, run, start, rates)
        }
        5..7 => {
            let w = draw.signed() * draw.log(-1.0, 1.5);
            p.v = w.abs().max(1.0);
            run.numbers = p;
            let a = 6.3 * draw.part();
            let b = (-p.r * a.sin()).asin();
            let rod = -p.r * a.cos() * w / b.cos();
            let slider = -p.r * a.sin() * w - b.sin() * rod;
            let q = [a, b, p.r * a.cos() + b.cos()];
            run!(Crank, draw, run, (q, [w, rod, slider]), rates)
        }
        7 => {
            let speed = |draw: &mut Draw| draw.signed() * draw.log(-1.0, 1.3);
            let v = [speed(draw), speed(draw)];
            p.v = v[0].abs().max(v[1].abs()).max(1.0);
            p.weight = [9.81 * (p.m[0] + p.m[1]), 9.81 * p.m[1], 0.0];
            run.numbers = p;
            let q = [3.0 * draw.signed(), 3.0 * draw.signed()];
            run!(Double, draw, run, (q, v), rates)
        }
        8..12 => first_order(draw, run, rates),
        _ => affine::random(draw, run, rates),
    }
}

/// A model of first order by chance.
fn first_order(draw: &mut Draw, mut run: Run, rates: &mut Rates) {
    let mut p = run.numbers;
    p.form = [0, 0, 1, 1, 2, 2, 3][draw.below(7)];
    p.dry = [0.0; 3];
    let push = run.swing;
    let mut x = [0.0; 3];
    match p.form {
        0 => {
            p.m = [draw.log(-6.0, -2.0), draw.log(-6.0, -2.0), 1.0];
            p.c = [draw.log(-3.0, 2.0), draw.log(-4.0, 0.0), draw.log(0.0, 4.0)];
            p.sharp = draw.log(0.0, 1.5);
            p.dry[0] = draw.log(-9.0, -2.0);
        }
        1 => {
            p.m = [draw.log(-4.0, 0.0), draw.log(-4.0, 0.0), draw.log(0.0, 2.0)];
            p.c = [draw.log(-2.0, 1.0), friction(draw), draw.log(-1.0, 2.0)];
            p.spring = draw.log(-2.0, 1.0);
            run.swing = push * (p.c[0] + p.m[0] / run.h);
            p.dry[1] = run.swing * draw.log(-3.0, 0.0);
        }
        2 => {
            p.m = [1.0; 3];
            (p.c[1], p.c[2]) = (draw.log(-1.0, 6.0), draw.log(0.0, 6.0));
            run.swing = push * p.c[1];
            let a = 2.0 * draw.signed();
            x = [a, 0.0, a * a];
        }
        _ => network(draw, &mut p),
    }
    run.numbers = p.rounded();
    let model = States(run.numbers);
    if draw.one_in(2) {
        states::<f32, _, _, 3>(draw, &run, (model, &model), x, rates);
    } else {
        states::<f64, _, _, 3>(draw, &run, (model, &model), x, rates);
    }
}

/// Capacitors and conductances that are far apart.
fn network(draw: &mut Draw, p: &mut Numbers) {
    for i in 0..3 {
        p.m[i] = draw.log(-6.0, -1.0);
        p.c[i] = draw.log(-3.0, 7.0);
    }
    p.dry[0] = draw.log(-3.0, 3.0);
}

/// What the run as a whole must keep: tables of rates, and every bar that is not kept. Where chance is allowed for, the run
/// is a short one, and so is what else is looked at here.
pub fn settle(tally: &Tally, chance: f64) -> (String, Vec<String>) {
    let mut text = format!("{}\n{}", tally.rates.table(), tally.rates.remarks());
    let mut broken = tally.rates.broken(chance);
    let (table, gained) = passive::passive(if chance > 0.0 { 300 } else { 3_000 });
    text += &format!("{table}\n");
    broken.extend(gained);
    (text, broken)
}
