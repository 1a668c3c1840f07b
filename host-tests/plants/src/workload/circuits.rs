//! First-order plants: circuits and a galvanometer.

use super::{Probe, Record, run};
use crate::nonlinear::Galvanometer;
use crate::rlc::{Rlc, ladder, wunderlich};
use stiffstep::method::{Modes, Stages};
use stiffstep::prelude::*;

/// The step of all circuits.
fn h<R: Real>() -> R {
    R::from_f64(1e-2)
}

/// The mild RLC circuit with its algebraic equations, driven by a lopsided square wave.
pub fn linear<R: Real, const S: usize>(steps: u32, probe: &mut dyn Probe) -> Record
where
    Stages<S>: Modes,
{
    let start = [R::ZERO; 4].into();
    let circuit = Simulation::new(Rlc::<R>::mild().dae(), RadauIIA::<S>, h(), start);
    let wave = |n| R::from_f64(if n / 100 % 3 == 0 { 1.0 } else { -0.25 });
    run(circuit, steps, |n| [wave(n)].into(), probe)
}

/// The galvanometer, with an amplitude that changes every second.
pub fn nonlinear<R: Real, const S: usize>(steps: u32, probe: &mut dyn Probe) -> Record
where
    Stages<S>: Modes,
{
    let start = [R::ZERO; 3].into();
    let plant = Simulation::new(
        Galvanometer::<R>::nominal_design(),
        RadauIIA::<S>,
        h(),
        start,
    );
    let amplitude = |n| R::from_f64(if n / 100 % 2 == 0 { 1.0 } else { 1.25 });
    run(plant, steps, |n| [amplitude(n)].into(), probe)
}

/// P3 of the benchmark: the mild circuit as a descriptor system, switched on at time zero.
pub fn p3_dae<R: Real, const S: usize>(steps: u32, probe: &mut dyn Probe) -> Record
where
    Stages<S>: Modes,
{
    let start = [R::ZERO, R::ZERO, R::ONE, R::ZERO].into();
    let circuit = Simulation::new(Rlc::<R>::mild().dae(), RadauIIA::<S>, h(), start);
    run(circuit, steps, |_| [R::ONE].into(), probe)
}

/// The same by the method's map.
pub fn p3_map<R: Real, const S: usize>(steps: u32, probe: &mut dyn Probe) -> Record
where
    Stages<S>: Modes,
{
    let start = [R::ZERO, R::ZERO, R::ONE, R::ZERO].into();
    let circuit = Simulation::new(Rlc::<R>::mild().dae(), Mapped(RadauIIA::<S>), h(), start);
    run(circuit, steps, |_| [R::ONE].into(), probe)
}

/// A ladder of `N` coils and capacitors by its map, switched on at time zero.
pub fn ladder_map<const N: usize>(steps: u32, probe: &mut dyn Probe) -> Record {
    let ladder = Simulation::new(
        ladder::<f32, N>(),
        Mapped(RadauIIA::<2>),
        h(),
        [0.0; N].into(),
    );
    run(ladder, steps, |_| [1.0].into(), probe)
}

/// P3 of the benchmark: the stiff circuit as an ordinary differential equation, switched on at time zero.
pub fn p3_stiff<R: Real, const S: usize>(steps: u32, probe: &mut dyn Probe) -> Record
where
    Stages<S>: Modes,
{
    let start = [R::ZERO; 2].into();
    let circuit = Simulation::new(Rlc::<R>::stiff(), RadauIIA::<S>, h(), start);
    run(circuit, steps, |_| [R::ONE].into(), probe)
}

/// (67): the mild circuit left alone, from a start on its slower mode.
pub fn demo(steps: u32, probe: &mut dyn Probe) -> Record {
    let start = wunderlich(0.0);
    let circuit = Simulation::new(Rlc::<f32>::mild().dae(), RadauIIA::<3>, h(), start);
    run(circuit, steps, |_| [0.0].into(), probe)
}
