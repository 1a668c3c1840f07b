//! Second-order systems by every method that there is for them: the rigid pendulum for five seconds, and Wunderlich's circuit (67)
//! for seven, each in so many steps that all methods are about as exact.

use super::{Probe, Record, Workload, run};
use crate::papers::{OrdinaryBdf, Wright, Wunderlich};
use crate::pendulum::RigidPendulum;
use crate::rlc::Rlc;
use crate::second_order::{Bob, Voltages};
use core::hint::black_box;
use stiffstep::method::{Backward, Collocation, GeneralLinear, Started};
use stiffstep::prelude::*;
use stiffstep::step::{EachOfCourse, Method};

/// What a second-order system starts from.
type Start<R> = (Vector<R, 3>, Vector<R, 3>);

/// The pendulum of P2, let go level, for five seconds.
fn pendulum<R: Real, Kind, K>(steps: u32, probe: &mut dyn Probe) -> Record
where
    K: Method<Bob, Kind, Real = R, Start = Start<R>> + Default,
    K::Stepper: Stepper<Real = R, State = Course<R, 3>>,
{
    let h = R::from_f64(5.0) / R::from_count(steps.into());
    let plant = Simulation::new(Bob, K::default(), h, Bob::level());
    run(plant, steps, |_| K::Stepper::no_input(), probe)
}

/// The circuit from its exact start, for seven seconds.
fn circuit<R: Real, Kind, K>(steps: u32, probe: &mut dyn Probe) -> Record
where
    K: Method<Voltages<R>, Kind, Real = R, Start = Start<R>> + Default,
    K::Stepper: Stepper<Real = R, State = Course<R, 3>>,
{
    let h = R::from_f64(7.0) / R::from_count(steps.into());
    let model = Voltages(Rlc::mild());
    let plant = Simulation::new(model, K::default(), h, Voltages::at(R::ZERO));
    run(plant, steps, |_| K::Stepper::no_input(), probe)
}

/// The pendulum in steps and orders of its own choice.
fn variable<R: Real>(steps: u32, probe: &mut dyn Probe) -> Record {
    let mut record = Record::EMPTY;
    let (relative, first) = (R::from_f64(1e-3), R::from_f64(1e-2));
    // The tension is known as well as rounding of positions, differentiated twice, lets it.
    let absolute = EachOfCourse {
        x: [relative, relative, R::from_f64(0.1)],
        v: [relative; 3],
    };
    let plant = Adaptive::new(Bob, Bdf::<5>, relative, first, Bob::level());
    let Ok(mut plant) = plant.and_then(|plant| plant.with_absolute(absolute)) else {
        return record;
    };
    for _ in 0..steps {
        probe.begin();
        let taken = black_box(&mut plant).step();
        probe.end();
        if black_box(taken).is_err() {
            break;
        }
        record.absorb(plant.state());
    }
    record.time = Real::bits(plant.time());
    record
}

/// The same pendulum as a mechanism.
fn mechanism<R: Real, Kind, K>(steps: u32, probe: &mut dyn Probe) -> Record
where
    K: Method<RigidPendulum, Kind, Real = R, Start = (Vector<R, 2>, Vector<R, 2>)> + Default,
    K::Stepper: Stepper<Real = R, State = Motion<R, 2, 1>>,
{
    let h = R::from_f64(5.0) / R::from_count(steps.into());
    let start = ([R::ONE, R::ZERO].into(), [R::ZERO; 2].into());
    let plant = Simulation::new(RigidPendulum, K::default(), h, start);
    run(plant, steps, |_| K::Stepper::no_input(), probe)
}

/// The plants' names.
const PENDULUM: &str = "second-order pendulum";
const CIRCUIT: &str = "second-order circuit";
const MECHANISM: &str = "second-order mechanism";

const fn on_pendulum<R: Real, Kind, K>(method: &'static str, steps: u32) -> Workload
where
    K: Method<Bob, Kind, Real = R, Start = Start<R>> + Default,
    K::Stepper: Stepper<Real = R, State = Course<R, 3>>,
{
    Workload::of::<R, 1>(PENDULUM, steps, pendulum::<R, Kind, K>).by(method)
}

const fn on_circuit<R: Real, Kind, K>(method: &'static str, steps: u32) -> Workload
where
    K: Method<Voltages<R>, Kind, Real = R, Start = Start<R>> + Default,
    K::Stepper: Stepper<Real = R, State = Course<R, 3>>,
{
    Workload::of::<R, 1>(CIRCUIT, steps, circuit::<R, Kind, K>).by(method)
}

/// All rows in one precision, with the steps that make the pendulum exact to 2e-4 in single and 1e-5 in double precision, and
/// the circuit to 1e-6 in both.
const fn rows<R: Real>() -> [Workload; 22] {
    const fn steps<R>(single: u32, double: u32) -> u32 {
        if size_of::<R>() == 4 { single } else { double }
    }
    let radau_2 = <RadauIIA<2> as Collocation<2>>::NAME;
    let radau_3 = <RadauIIA<3> as Collocation<3>>::NAME;
    [
        on_pendulum::<R, _, Bdf<2>>(Bdf::<2>::NAME, steps::<R>(1200, 4900)),
        on_pendulum::<R, _, Bdf<3>>(Bdf::<3>::NAME, steps::<R>(250, 650)),
        on_pendulum::<R, _, Bdf<4>>(Bdf::<4>::NAME, steps::<R>(80, 195)),
        on_pendulum::<R, _, Bdf<5>>(Bdf::<5>::NAME, steps::<R>(70, 125)),
        on_pendulum::<R, _, Bdf<6>>(Bdf::<6>::NAME, steps::<R>(60, 105)),
        on_pendulum::<R, _, Started<Bdf<4>>>("started BDF 4", steps::<R>(90, 200)),
        on_pendulum::<R, _, RadauIIA<2>>(radau_2, steps::<R>(170, 720)),
        on_pendulum::<R, _, RadauIIA<3>>(radau_3, steps::<R>(50, 80)),
        on_pendulum::<R, _, Wunderlich>(Wunderlich::NAME, steps::<R>(75, 160)),
        on_pendulum::<R, _, Wright>(Wright::NAME, steps::<R>(400, 1700)),
        on_circuit::<R, _, Bdf<2>>(Bdf::<2>::NAME, 200),
        on_circuit::<R, _, Started<Bdf<4>>>("started BDF 4", 40),
        on_circuit::<R, _, RadauIIA<2>>(radau_2, 40),
        on_circuit::<R, _, RadauIIA<3>>(radau_3, 10),
        on_circuit::<R, _, Gauss<2>>(<Gauss<2> as Collocation<2>>::NAME, 15),
        on_circuit::<R, _, LobattoIIIA<3>>(<LobattoIIIA<3> as Collocation<2>>::NAME, 15),
        on_circuit::<R, _, Wunderlich>(Wunderlich::NAME, 25),
        on_circuit::<R, _, Wright>(Wright::NAME, 230),
        Workload::of::<R, 3>(
            MECHANISM,
            steps::<R>(50, 80),
            mechanism::<R, _, Lean<RadauIIA<3>>>,
        ),
        Workload::of::<R, 2>(
            MECHANISM,
            steps::<R>(90, 225),
            mechanism::<R, _, Projected<Lean<RadauIIA<2>>>>,
        )
        .by(super::FAST),
        Workload::of::<R, 1>("ordinary", 200, pendulum::<R, _, OrdinaryBdf<2>>)
            .by(OrdinaryBdf::<2>::NAME),
        Workload::of::<R, 1>("variable steps and orders", 100, variable::<R>).by(Bdf::<5>::NAME),
    ]
}

/// The table in single precision.
pub const SINGLE: [Workload; 22] = rows::<f32>();
/// The table in double precision.
pub const DOUBLE: [Workload; 22] = rows::<f64>();
