//! An hour of every shipped plant whose steps iterate, at every shipped rate, over the whole range of its inputs, with jumps from
//! end to end and no restart. Every step is taken again in double precision, to the end, from the same state. Converters and the
//! drive, whose steps solve nothing by iteration, are not in it: tests of their own compare them with an independent solution.

use crate::truth::equations::{Mechanism, States, radau};
use crate::truth::precise::Precise;
use crate::truth::solve::{Column, MOST, solve};
use crate::{Draw, Tally, pin_force};
use comfy_table::{CellAlignment, Table, presets};
use stiffstep::hil::Range;
use stiffstep::method::{Collocation, Modes, Stages};
use stiffstep::model::Joints;
use stiffstep::prelude::*;
use stiffstep::step::{FirstOrderStepper, Manner, MechanicalStepper};
use stiffstep_plants::rigs::{self, ITERATIONS, Wired};

/// How far a step may be from the same one in double precision: coordinates, velocities and states; forces in joints.
const BARS: [f64; 2] = [1e-4, 1e-2];

/// Of a thousand periods, so many may have an output beyond its pin's range.
const BEYOND: u64 = 10;

/// What an hour of a plant was like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hour {
    name: String,
    steps: u64,
    refused: u64,
    unconverged: u64,
    /// For each output, how often it was beyond its range, and its extremes.
    beyond: Vec<(u64, f32, f32)>,
    /// The largest distances of coordinates, velocities (or states) and forces from double precision, and how often they were
    /// too large.
    worst: [f64; 3],
    wrong: u64,
    unsolved: u64,
    /// The first step that was refused, and the first that was wrong.
    first: [Option<String>; 2],
    /// Of what a step says of itself: Converged, but beyond the bars.
    silent: u64,
}

/// Inputs that jump: each holds a value for up to a thousand periods, then takes an end of its range or anything in it.
struct Hands<const U: usize> {
    ranges: [Range; U],
    values: [f32; U],
    left: [u32; U],
}

impl<const U: usize> Hands<U> {
    fn new(ranges: [Range; U]) -> Self {
        Hands {
            ranges,
            values: [0.0; U],
            left: [0; U],
        }
    }

    fn next(&mut self, draw: &mut Draw) -> [f32; U] {
        for i in 0..U {
            if self.left[i] == 0 {
                self.left[i] = draw.log(0.0, 3.0) as u32;
                self.values[i] = self.ranges[i].at(match draw.below(4) {
                    0 => 0.0,
                    1 => 1.0,
                    _ => draw.part() as f32,
                });
            }
            self.left[i] -= 1;
        }
        self.values
    }
}

/// A stepper that can be judged.
trait Again: Stepper<Real = f32> {
    /// The same step from `before` in double precision: from which state to which, its distance, relative to the nominal magnitudes.
    fn apart(
        model: &Self::Model,
        h: f32,
        states: (&Self::State, &Self::State),
        u: &Self::Input,
        forces: &[f64],
    ) -> Option<[f64; 3]>;
}

pub(crate) fn plain<const N: usize>(x: &Vector<f32, N>) -> [f64; N] {
    x.data.0[0].map(f64::from)
}

fn largest(parts: impl Iterator<Item = f64>) -> f64 {
    // A NaN counts.
    parts.fold(0.0, |most, x| if x <= most { most } else { x })
}

impl<M, K, const Q: usize, const L: usize, const U: usize> Again
    for MechanicalStepper<f32, M, K, Q, L, U, 3>
where
    K: Manner<3, Of = RadauIIA<3>>,
    M: Mechanical<f32, Q, L, U> + Clone,
{
    fn apart(
        plant: &M,
        h: f32,
        (before, now): (&Self::State, &Self::State),
        u: &Vector<f32, U>,
        forces: &[f64],
    ) -> Option<[f64; 3]> {
        let (model, joints, nominal) = (Precise(plant.clone()), plant.joints(), plant.nominal());
        let lambda = plain(&before.lambda);
        let compliance = joints.compliance().map(f64::from);
        let forces: [f64; L] = core::array::from_fn(|j| forces[j]);
        let equations = Mechanism::<_, Q, L, U, 3>::new(
            &model,
            h.into(),
            (plain(&before.q), plain(&before.v)),
            plain(u).into(),
            (compliance, joints.relaxation().map(f64::from)),
            (nominal.v.map(f64::from), forces),
            Some(&lambda),
        );
        let start = Mechanism::<Precise<M>, Q, L, U, 3>::everywhere(&plain(&before.a), &lambda);
        let (x, _) = solve(&equations, &start, false)?;
        let (q, v) = equations.place(&x, 2);
        let (_, force) = Mechanism::<Precise<M>, Q, L, U, 3>::unknowns(&x, 2);
        let turns = f64::from(now.turns - before.turns);
        let turn = plant.turn();
        let place = |n: usize| f64::from(now.q[n]) + turns * f64::from(turn[n]);
        Some([
            largest((0..Q).map(|n| (place(n) - q[n]).abs() / f64::from(nominal.q[n]))),
            largest((0..Q).map(|n| (f64::from(now.v[n]) - v[n]).abs() / f64::from(nominal.v[n]))),
            largest((0..L).map(|j| (f64::from(now.lambda[j]) - force[j]).abs() / forces[j])),
        ])
    }
}

impl<M, const N: usize, const U: usize, const S: usize> Again
    for FirstOrderStepper<f32, M, RadauIIA<S>, N, U, S>
where
    M: FirstOrder<f32, N, U> + Clone,
    RadauIIA<S>: Collocation<S>,
    Stages<S>: Modes,
{
    fn apart(
        plant: &M,
        h: f32,
        (before, now): (&Self::State, &Self::State),
        u: &Vector<f32, U>,
        _forces: &[f64],
    ) -> Option<[f64; 3]> {
        let (model, nominal) = (Precise(plant.clone()), plain(&plant.nominal()));
        let h = f64::from(h);
        let mut units: Column = [0.0; MOST];
        for k in 0..S * N {
            units[k] = nominal[k % N] / h;
        }
        let equations = States {
            model: &model,
            tableau: radau::<S>(),
            h,
            x: plain(before),
            u: plain(u).into(),
            units,
        };
        let (x, _) = solve(&equations, &[0.0; MOST], false)?;
        let (end, _) = equations.place(&x, S - 1);
        let apart = |n: usize| (f64::from(now[n]) - end[n]).abs() / nominal[n];
        Some([0.0, largest((0..N).map(apart)), 0.0])
    }
}

/// Runs a plant for so many periods.
fn run<P, const U: usize, const Y: usize>(
    wired: Result<Wired<P, U, Y>, Error>,
    (name, forces): (&str, &[f64]),
    periods: u64,
    mut draw: Draw,
) -> Hour
where
    P: Again<Input = Vector<f32, U>>,
    P::State: Clone + core::fmt::Debug,
    P::Model: Plant<f32, U, Y, State = P::State>,
{
    let mut hour = Hour {
        name: name.to_owned(),
        beyond: vec![(0, f32::INFINITY, f32::NEG_INFINITY); Y],
        ..Hour::default()
    };
    let Ok(mut wired) = wired else {
        hour.refused = periods;
        return hour;
    };
    let plant = &mut wired.plant;
    let mut hands = Hands::new(wired.inputs);
    for _ in 0..periods {
        let u = hands.next(&mut draw).into();
        let before = plant.state().clone();
        plant.input = u;
        hour.steps += 1;
        let converged = match plant.step_within(&mut Fixed(ITERATIONS)) {
            Ok(report) => report.outcome == Outcome::Converged,
            Err(error) => {
                hour.refused += 1;
                let step = hour.steps;
                hour.first[0]
                    .get_or_insert_with(|| format!("step {step}: {error:?}, {before:?}, {u:?}"));
                continue;
            }
        };
        hour.unconverged += u64::from(!converged);
        let outputs = plant.model().outputs(0.0, plant.state(), &u);
        for (i, (count, least, most)) in hour.beyond.iter_mut().enumerate() {
            let (range, y) = (wired.outputs[i], outputs[i]);
            // False for NaN, too.
            *count += u64::from(!(y >= range.least && y <= range.most));
            (*least, *most) = (least.min(y), most.max(y));
        }
        let states = (&before, plant.state());
        let Some(apart) = P::apart(plant.model(), plant.h(), states, &u, forces) else {
            hour.unsolved += 1;
            continue;
        };
        let wrong = !(apart[0] <= BARS[0] && apart[1] <= BARS[0] && apart[2] <= BARS[1]);
        hour.wrong += u64::from(wrong);
        hour.silent += u64::from(wrong && converged);
        if wrong {
            let step = hour.steps;
            hour.first[1]
                .get_or_insert_with(|| format!("step {step}: {apart:?}, {before:?}, {u:?}"));
        }
        for k in 0..3 {
            hour.worst[k] = largest([hour.worst[k], apart[k]].into_iter());
        }
    }
    hour
}

/// A plant at a rate, for so many seconds.
type Row = fn(f64, Draw) -> Hour;

macro_rules! row {
    ($plant:ident, $h:expr, $name:expr, $forces:expr) => {
        |seconds, draw| {
            let h: f32 = $h;
            let periods = (seconds / f64::from(h)).round() as u64;
            run(rigs::$plant(h), ($name, &$forces), periods, draw)
        }
    };
}

/// What boards run, with the magnitude of the forces in the joints.
const ROWS: &[Row] = &[
    row!(wired_rlc, 1e-3, "rlc, 1 ms", []),
    row!(wired_half_bridge, 1e-3, "half-bridge, 1 ms", []),
    row!(wired_dc_motor, 1e-3, "dc-motor, 1 ms", []),
    row!(wired_arm, 1e-3, "arm, 1 ms", [40.0; 2]),
    row!(wired_arm, 2e-3, "arm, 2 ms", [40.0; 2]),
    row!(wired_slider_crank, 1e-3, "slider-crank, 1 ms", [500.0; 2]),
    row!(wired_slider_crank, 2e-3, "slider-crank, 2 ms", [500.0; 2]),
    row!(wired_pendulum, 1e-3, "pendulum, 1 ms", [50.0]),
];

/// Runs every row for its part of the cases, on all cores.
pub fn hour(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    let seconds = cases as f64 / ROWS.len() as f64;
    let draws: Vec<Draw> = ROWS.iter().map(|_| draw.split()).collect();
    let hours = std::thread::scope(|scope| {
        let threads: Vec<_> = ROWS
            .iter()
            .zip(draws)
            .map(|(row, draw)| scope.spawn(move || row(seconds, draw)))
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.collect::<Result<Vec<Hour>, _>>()
    });
    tally.hours = hours.map_err(|_| "panicked".to_owned())?;
    tally.cases += cases;
    Ok(())
}

/// The table, and what is not as it should be.
pub fn settle(tally: &Tally, chance: f64) -> (String, Vec<String>) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let header = "plant,steps,refused,unconverged %,beyond %,q,v or x,lambda,wrong,silent,unsolved";
    table.set_header(header.split(','));
    let (mut broken, mut extremes) = (Vec::new(), String::new());
    for hour in &tally.hours {
        let beyond = hour.beyond.iter().map(|(count, ..)| *count);
        let most = beyond.max().unwrap_or(0);
        let percent = |count: u64| format!("{:.2}", 100.0 * count as f64 / hour.steps as f64);
        let mut row = vec![
            hour.name.clone(),
            hour.steps.to_string(),
            hour.refused.to_string(),
            percent(hour.unconverged),
            percent(most),
        ];
        row.extend(hour.worst.map(|worst| format!("{worst:.1e}")));
        row.extend([hour.wrong, hour.silent, hour.unsolved].map(|count| count.to_string()));
        table.add_row(row);
        extremes += &hour.name;
        for (count, least, most) in &hour.beyond {
            extremes += &format!("  {least:.3}..{most:.3} ({} %)", percent(*count));
        }
        extremes += "\n";
        if hour.refused + hour.wrong + hour.unsolved > 0 || 1000 * most > BEYOND * hour.steps {
            broken.push(format!("{hour:?}"));
        }
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut text = format!("{table}\n{extremes}");
    for h in [1e-3, 2e-3] {
        let worst = pin_force::worst(h, if chance > 0.0 { 0.5 } else { 5.0 });
        text +=
            &format!("slider-crank at {h} s, pin force in a period and after a run: {worst:.5?}\n");
        if !worst.is_some_and(|worst| worst.iter().all(|error| *error <= 0.01)) {
            broken.push(format!("slider-crank at {h} s: pin force off by {worst:?}"));
        }
    }
    (text, broken)
}
