//! Adaptive runs, under RADAU5's own control, which other codes are compared with, and fixed steps with events.

use super::{Bits, Probe, Record};
use crate::pendulum::{RigidPendulum, StiffPendulum};
use crate::rectifier::{Diode, Rectifier};
use crate::van_der_pol::{self, VanDerPol};
use core::hint::black_box;
use stiffstep::drive::{Controlled, Switched, Taken, Watch};
use stiffstep::prelude::*;
use stiffstep::step::{Control, Dense, Method, Restart};

/// One adaptive step, kept out of line so that its size and cost can be seen.
#[inline(never)]
fn step_adaptively<P: Controlled>(plant: &mut Adaptive<P>) -> Result<Taken<P::Real>, Error> {
    plant.step()
}

/// Steps to the time `end`, or until a step fails.
fn run_to<P>(plant: Result<Adaptive<P>, Error>, end: f64, probe: &mut dyn Probe) -> Record
where
    P: Controlled<State: Bits>,
{
    let mut record = Record::EMPTY;
    let Ok(mut plant) = plant else {
        return record;
    };
    let end = P::Real::from_f64(end);
    while plant.time() < end {
        plant.longest = end - plant.time();
        probe.begin();
        let taken = step_adaptively(black_box(&mut plant));
        probe.end();
        if black_box(taken).is_err() {
            break;
        }
        record.absorb(plant.state());
    }
    record.time = plant.time().bits();
    record
}

/// Van der Pol's oscillator to t = 2000, to a tolerance of 10^-E.
pub fn oscillator<R: Real, const E: i32>(_steps: u32, probe: &mut dyn Probe) -> Record {
    let model = VanDerPol::<R> {
        mu: R::from_f64(1000.0),
    };
    let start = van_der_pol::START.map(R::from_f64).into();
    let (tolerance, first) = (R::from_f64(tolerance::<E>()), R::from_f64(1e-6));
    let plant = Adaptive::new(model, RadauIIA::<3>, tolerance, first, start);
    let plant = plant.map(|plant| plant.with_control(Control::Radau5));
    run_to(plant, van_der_pol::END_TIME, probe)
}

fn tolerance<const E: i32>() -> f64 {
    (0..E).fold(1.0, |tolerance, _| tolerance / 10.0)
}

/// A pendulum from a level start to t = 1.
fn pendulum<R: Real, M, Kind, K>(
    model: M,
    method: K,
    tolerance: f64,
    probe: &mut dyn Probe,
) -> Record
where
    K: Method<M, Kind, Real = R, Start = (Vector<R, 2>, Vector<R, 2>)>,
    K::Stepper: Controlled<Real = R, State: Bits>,
{
    let start = ([R::ONE, R::ZERO].into(), [R::ZERO; 2].into());
    let (tolerance, first) = (R::from_f64(tolerance), R::from_f64(1e-3));
    let plant = Adaptive::new(model, method, tolerance, first, start);
    let plant = plant.map(|plant| plant.with_control(Control::Radau5));
    run_to(plant, 1.0, probe)
}

/// P2 of the benchmark, to a tolerance of 10^-E.
pub fn p2<R: Real, const E: i32>(_steps: u32, probe: &mut dyn Probe) -> Record {
    pendulum::<R, _, _, _>(RigidPendulum, Lean(RadauIIA::<3>), tolerance::<E>(), probe)
}

/// The same, projected.
pub fn p2_projected<R: Real, const E: i32>(_steps: u32, probe: &mut dyn Probe) -> Record {
    let method = Projected(Lean(RadauIIA::<3>));
    pendulum::<R, _, _, _>(RigidPendulum, method, tolerance::<E>(), probe)
}

/// P1 of the benchmark with eps = 1e-3, five stages.
pub fn p1<R: Real, const E: i32>(_steps: u32, probe: &mut dyn Probe) -> Record {
    let model = StiffPendulum::<R>::new(1e-3);
    pendulum(model, Lean(RadauIIA::<5>), tolerance::<E>(), probe)
}

/// One fixed step with events, kept out of line.
#[inline(never)]
fn step_with_events<P>(
    plant: &mut Simulation<P>,
    watch: &mut Watch<P::Real, Diode, 1>,
) -> Result<Switched<P::Real>, Error>
where
    P: Dense + Restart + Clone,
    P::Model: Clone,
    Diode: stiffstep::drive::Events<P::Real, P::Model, P::State, P::Input, 1>,
{
    plant.step_with(watch)
}

/// The rectifier in steps of 10 us.
pub fn rectifier<R: Real>(steps: u32, probe: &mut dyn Probe) -> Record {
    let mut record = Record::EMPTY;
    let (model, h) = (Rectifier::<R>::mains(), R::from_f64(1e-5));
    let Ok(mut plant) = Simulation::new(model, RadauIIA::<3>, h, [R::ZERO; 2].into()) else {
        return record;
    };
    let mut watch = Watch::new(Diode::default());
    for _ in 0..steps {
        probe.begin();
        let taken = step_with_events(black_box(&mut plant), &mut watch);
        probe.end();
        if black_box(taken).is_err() {
            break;
        }
        record.absorb(plant.state());
    }
    record.time = plant.time().bits();
    record
}
