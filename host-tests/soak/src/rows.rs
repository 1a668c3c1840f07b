//! Which plants are stepped by which methods: every kind of stepper, every shipped plant, both precisions.

use crate::steps::{self, Recipe};
use crate::{Draw, Tally, models};
use stiffstep::manifold::Ipa;
use stiffstep::prelude::*;
use stiffstep_plants::andrews::{self, Andrews};
use stiffstep_plants::arm::Arm;
use stiffstep_plants::car_axis::{self, CarAxis};
use stiffstep_plants::dc_motor::DcMotor;
use stiffstep_plants::double_spring::{DoubleSpring, ON, start};
use stiffstep_plants::drive::Drive;
use stiffstep_plants::driven_pendulum::DrivenPendulum;
use stiffstep_plants::exponentials::Exponentials;
use stiffstep_plants::half_bridge::HalfBridge;
use stiffstep_plants::nonlinear::Galvanometer;
use stiffstep_plants::papers::{RadauIA, Wright, Wunderlich};
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};
use stiffstep_plants::rectifier::Rectifier;
use stiffstep_plants::rlc::Rlc;
use stiffstep_plants::second_order::{Bob, Voltages};
use stiffstep_plants::slider_crank::SliderCrank;
use stiffstep_plants::transistor_amplifier::{self, TransistorAmplifier};
use stiffstep_plants::valley::Valley;
use stiffstep_plants::van_der_pol::VanDerPol;

/// One plant by one method.
struct Row {
    name: &'static str,
    run: fn(&mut Draw, u64, &mut Tally) -> Result<(), String>,
}

/// Coordinates and velocities.
type Pair<R, const N: usize> = (Vector<R, N>, Vector<R, N>);

fn pair<R: Real, const N: usize>(q: [f64; N], v: [f64; N]) -> Pair<R, N> {
    (q.map(R::from_f64).into(), v.map(R::from_f64).into())
}

fn level<R: Real, M, K>(model: M, method: K) -> Recipe<R, M, K, Pair<R, 2>> {
    let start = pair([1.0, 0.0], [0.0; 2]);
    (model, method, R::from_f64(0.01), start)
}

fn resting<R: Real, M, K, const N: usize>(model: M, method: K) -> Recipe<R, M, K, Pair<R, N>> {
    let start = pair([0.0; N], [0.0; N]);
    (model, method, R::from_f64(1e-3), start)
}

fn states<R: Real, M, K, const N: usize>(
    model: M,
    method: K,
    x: [f64; N],
) -> Recipe<R, M, K, Vector<R, N>> {
    (model, method, R::from_f64(0.01), x.map(R::from_f64).into())
}

fn crank<K>(method: K) -> Recipe<f32, SliderCrank, K, Pair<f32, 3>> {
    let start = pair([1.0, 0.28, 0.17], [0.0; 3]);
    (SliderCrank::COMPRESSOR, method, 1e-3, start)
}

macro_rules! rows {
    ($how:path: $($name:literal => $recipe:expr,)*) => {
        &[$(Row { name: $name, run: |draw, cases, tally| $how(draw, cases, tally, || $recipe) }),*]
    };
}

const STEPS: &[Row] = rows! {
    steps::fixed:
    "rlc, Radau 3, f32" => states(Rlc::<f32>::mild(), RadauIIA::<3>, [0.0; 2]),
    "rlc, Radau 1, f64" => states(Rlc::<f64>::stiff(), RadauIIA::<1>, [0.0; 2]),
    "rlc as a descriptor system, Radau 2, f32" => states(Rlc::<f32>::mild().dae(), RadauIIA::<2>, [0.0; 4]),
    "rlc as a descriptor system, Lobatto 3, f64" => states(Rlc::<f64>::mild().dae(), LobattoIIIA::<3>, [0.0; 4]),
    "half bridge, Radau 3, f32" => states(HalfBridge::SMALL, RadauIIA::<3>, [0.0; 2]),
    "dc motor, Radau 2, f32" => states(DcMotor::SERVO, RadauIIA::<2>, [0.0; 4]),
    "galvanometer, Radau 3, f32" => states(Galvanometer::<f32>::nominal_design(), RadauIIA::<3>, [0.0; 3]),
    "galvanometer, Radau 5, f64" => states(Galvanometer::<f64>::nominal_design(), RadauIIA::<5>, [0.0; 3]),
    "galvanometer, Gauss 4, f32" => states(Galvanometer::<f32>::nominal_design(), Gauss::<4>, [0.0; 3]),
    "van der Pol, Radau 3, f64" => states(VanDerPol::<f64>::published(), RadauIIA::<3>, [2.0, 0.0]),
    "transistor amplifier, Radau 3, f32" => states::<f32, _, _, 8>(TransistorAmplifier, RadauIIA::<3>, transistor_amplifier::START),
    "arm, Radau 3, lean, f32" => resting(Arm::<f32>::new(1e5), Lean(RadauIIA::<3>)),
    "arm, projected Radau 2, full, f32" => resting(Arm::<f32>::new(1e5), Projected(RadauIIA::<2>)),
    "arm, Radau 3, full, f64" => resting(Arm::<f64>::new(1e5), RadauIIA::<3>),
    "slider-crank, Radau 3, f32" => crank(Lean(RadauIIA::<3>)),
    "slider-crank, projected Gauss 3, f32" => crank(Projected(Lean(Gauss::<3>))),
    "driven pendulum, Radau 3, f32" => level(DrivenPendulum::STIFF, Lean(RadauIIA::<3>)),
    "drive, Radau 3, f32" => resting(Drive::<f32>::servo(), Lean(RadauIIA::<3>)),
    "drive, Gauss 2, f64" => resting(Drive::<f64>::servo(), Lean(Gauss::<2>)),
    "rigid pendulum, Radau 3, f32" => level::<f32, _, _>(RigidPendulum, Lean(RadauIIA::<3>)),
    "rigid pendulum, projected Radau 2, f64" => level::<f64, _, _>(RigidPendulum, Projected(Lean(RadauIIA::<2>))),
    "rigid pendulum, projected Radau IA, f32" => level::<f32, _, _>(RigidPendulum, Projected(Lean(RadauIA::<3>))),
    "rigid pendulum, direct Gauss 2, f32" => level::<f32, _, _>(RigidPendulum, Direct(Lean(Gauss::<2>))),
    "rigid pendulum, RATTLE, f32" => level::<f32, _, _>(RigidPendulum, LobattoPair::<2>),
    "spring pendulum, Radau 3, f32" => level(StiffPendulum::<f32>::new(1e-5), Lean(RadauIIA::<3>)),
    "spring pendulum, Radau 5, f64" => level(StiffPendulum::<f64>::new(1e-3), Lean(RadauIIA::<5>)),
    "spring pendulum, Gauss 5, f32" => level(StiffPendulum::<f32>::new(1e-3), Lean(Gauss::<5>)),
    "spring pendulum, Lobatto 4, f32" => level(StiffPendulum::<f32>::new(1e-3), Lean(LobattoIIIA::<4>)),
    "spring pendulum, Verlet 3, f64" => level(StiffPendulum::<f64>::new(1e-1), LobattoPair::<3>),
    "car axis, Radau 3, f64" => (CarAxis::<f64>::default(), RadauIIA::<3>, 1e-3, pair(car_axis::START.0, car_axis::START.1)),
    "squeezer, Radau 3, f64" => (Andrews::<f64>::default(), RadauIIA::<3>, 1e-5, pair(andrews::START, [0.0; 7])),
    "Hessenberg, Radau 3, f32" => level::<f32, _, _>(Exponentials, RadauIIA::<3>),
    "Hessenberg, projected Radau 2, f64" => level::<f64, _, _>(Exponentials, Projected(RadauIIA::<2>)),
    "potential, Radau 3, f32" => level(Valley::<f32, 1>::new(1e-3), RadauIIA::<3>),
    "second order, BDF 5, f32" => (Bob, Bdf::<5>, 0.01_f32, Bob::level()),
    "second order, BDF 3 started, f64" => (Bob, Started(Bdf::<3>), 0.01_f64, Bob::level()),
    "second order, Radau 2, f32" => (Bob, RadauIIA::<2>, 0.01_f32, Bob::level()),
    "second order circuit, Wright, f32" => (Voltages(Rlc::<f32>::mild()), Wright, 0.01, Voltages::at(0.0)),
    "second order circuit, Wunderlich, f64" => (Voltages(Rlc::<f64>::mild()), Wunderlich, 0.01, Voltages::at(0.0)),
    "double spring, Runge-Kutta along the slow manifold, f32" => (
        DoubleSpring::<f32>::new(1e3), RungeKutta4Ipa(Ipa::new(1e3)), 1.0 / 32.0, start(ON)
    ),
};

const ADAPTIVE: &[Row] = rows! {
    steps::adaptive:
    "rlc, Radau 3, f32" => states(Rlc::<f32>::mild(), RadauIIA::<3>, [0.0; 2]),
    "van der Pol, Radau 3, f64" => states(VanDerPol::<f64>::published(), RadauIIA::<3>, [2.0, 0.0]),
    "galvanometer, Radau 5, f32" => states(Galvanometer::<f32>::nominal_design(), RadauIIA::<5>, [0.0; 3]),
    "rigid pendulum, Radau 3, f32" => level::<f32, _, _>(RigidPendulum, Lean(RadauIIA::<3>)),
    "rigid pendulum, projected Radau 3, f64" => level::<f64, _, _>(RigidPendulum, Projected(Lean(RadauIIA::<3>))),
    "spring pendulum, Radau 5, f64" => level(StiffPendulum::<f64>::new(1e-3), Lean(RadauIIA::<5>)),
    "arm, Radau 3, f32" => resting(Arm::<f32>::new(1e5), RadauIIA::<3>),
};

const EVENTS: &[Row] = rows! {
    steps::events:
    "rectifier, Radau 3, f32" => states(Rectifier::<f32>::mains(), RadauIIA::<3>, [0.0; 2]),
    "galvanometer, Radau 3, f64" => states(Galvanometer::<f64>::nominal_design(), RadauIIA::<3>, [0.0; 3]),
    "rigid pendulum, Radau 3, f32" => level::<f32, _, _>(RigidPendulum, Lean(RadauIIA::<3>)),
    "spring pendulum, Radau 3, f64" => level(StiffPendulum::<f64>::new(1e-3), Lean(RadauIIA::<3>)),
};

const MODELS: &[Row] = rows! {
    models::beside:
    "galvanometer, Radau 3" => states(Galvanometer::<f32>::nominal_design(), RadauIIA::<3>, [0.0; 3]),
    "rigid pendulum, Radau 3, f32" => level::<f32, _, _>(RigidPendulum, Lean(RadauIIA::<3>)),
    "rigid pendulum, projected Radau 2, f64" => level::<f64, _, _>(RigidPendulum, Projected(Lean(RadauIIA::<2>))),
    "spring pendulum, Gauss 4" => level(StiffPendulum::<f32>::new(1e-3), Lean(Gauss::<4>)),
    "arm, Radau 3, full" => resting(Arm::<f32>::new(1e5), RadauIIA::<3>),
    "slider-crank, Radau 3" => crank(Lean(RadauIIA::<3>)),
    "rigid pendulum, RATTLE" => level::<f32, _, _>(RigidPendulum, LobattoPair::<2>),
    "Hessenberg, Radau 3" => (Exponentials, RadauIIA::<3>, 0.01_f32, pair([1.0; 2], [1.0; 2])),
    "potential, Radau 3" => level(Valley::<f32, 1>::new(1e-3), RadauIIA::<3>),
    "second order, BDF 3" => (Bob, Bdf::<3>, 0.01_f32, Bob::level()),
};

/// One row of a table by chance: many chunks get to all of them.
fn any(table: &[Row], draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    let row = &table[draw.below(table.len())];
    (row.run)(draw, cases, tally).map_err(|error| format!("{}: {error}", row.name))
}

/// Fixed steps.
pub fn steps(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    any(STEPS, draw, cases, tally)
}

/// Adaptive ones.
pub fn adaptive(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    if draw.one_in(8) {
        return variable(draw, cases, tally).map_err(|error| format!("variable BDF: {error}"));
    }
    any(ADAPTIVE, draw, cases, tally)
}

/// A lie in one of the plants, one for each kind of stepper.
pub fn models(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    any(MODELS, draw, cases, tally)
}

/// With events.
pub fn events(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    any(EVENTS, draw, cases, tally)
}

/// Variable steps and orders of multistep methods.
fn variable(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    use crate::numbers::{Numbers, Picture};
    while tally.cases < cases {
        let (mut relative, mut first, mut start) = (1e-3, 1e-2, Bob::level::<f32>());
        draw.temper();
        draw.spoil(&mut relative);
        draw.spoil(&mut first);
        start.each(&mut |x| draw.spoil(x));
        let Ok(mut plant) = Adaptive::new(Bob, Bdf::<5>, relative, first, start) else {
            tally.note("starts refused");
            continue;
        };
        for _ in 0..1 + draw.below(12) {
            let before = Picture::of(plant.state(), plant.time());
            let result = plant.step();
            tally.cases += 1;
            let after = Picture::of(plant.state(), plant.time());
            steps::judge(&result, &before, &after, tally)?;
        }
    }
    Ok(())
}
