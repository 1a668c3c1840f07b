//! The workloads that host and boards run alike, to compare their bits and to count their instructions.
//!
//! A workload is a row of [`WORKLOADS`]; to add one, append a row. Running it gives a [`Record`], in which every bit of every
//! state after every step counts.

use crate::nonlinear::Galvanometer;
use crate::rlc::{Rlc, wunderlich};
use core::hint::black_box;
use stiffstep::method::{Collocation, Modes, Stages};
use stiffstep::prelude::*;

/// Stands around every step: counts instructions on a board, does nothing on the host.
pub trait Probe {
    /// Right before a step.
    fn begin(&mut self);
    /// Right after it.
    fn end(&mut self);
}

/// No probe.
impl Probe for () {
    fn begin(&mut self) {}
    fn end(&mut self) {}
}

/// The most states of which a record keeps the final bits; the hash covers all of them.
pub const MOST_STATES: usize = 16;

/// What a run leaves behind, to be compared bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// A hash over the bits of every state after every step.
    pub hash: u64,
    /// Steps done; fewer than asked for if one failed.
    pub steps: u32,
    /// The bits of the time reached.
    pub time: u64,
    /// How many of `state` count.
    pub states: usize,
    /// The bits of the final state.
    pub state: [u64; MOST_STATES],
}

impl Record {
    /// Before the first step.
    pub const EMPTY: Record = Record {
        hash: 0xcbf2_9ce4_8422_2325,
        steps: 0,
        time: 0,
        states: 0,
        state: [0; MOST_STATES],
    };

    /// The bits of the final state.
    pub fn final_state(&self) -> &[u64] {
        self.state.get(..self.states).unwrap_or(&[])
    }

    /// Takes in the state after a step.
    ///
    /// The hash is FNV-1a on words, rotated so that no bit keeps to itself. Each word goes in by a bijection: a single
    /// changed bit always changes the hash.
    pub fn absorb(&mut self, state: &(impl Bits + ?Sized)) {
        self.steps += 1;
        self.states = 0;
        state.each(&mut |bits| {
            self.hash = (self.hash ^ bits)
                .wrapping_mul(0x0000_0100_0000_01b3)
                .rotate_left(23);
            if let Some(slot) = self.state.get_mut(self.states) {
                *slot = bits;
                self.states += 1;
            }
        });
    }
}

/// A state whose bits can be looked at.
pub trait Bits {
    /// Calls `see` with the bits of each number.
    fn each(&self, see: &mut dyn FnMut(u64));
}

impl<R: Real, const N: usize> Bits for Vector<R, N> {
    fn each(&self, see: &mut dyn FnMut(u64)) {
        for value in self.data.0[0] {
            see(value.bits());
        }
    }
}

/// One plant, stepped by one method in one precision.
#[derive(Clone, Copy)]
pub struct Workload {
    /// The plant, and what is special about the run; a prefix of it selects a group of workloads.
    pub plant: &'static str,
    /// The number type, `f32` or `f64`.
    pub scalar: &'static str,
    /// The method's name.
    pub method: &'static str,
    /// How many steps a run takes.
    pub steps: u32,
    /// Takes the steps.
    pub run: fn(u32, &mut dyn Probe) -> Record,
}

impl Workload {
    const fn of<R: Real, const S: usize>(
        plant: &'static str,
        steps: u32,
        run: fn(u32, &mut dyn Probe) -> Record,
    ) -> Self
    where
        Stages<S>: Modes,
    {
        Workload {
            plant,
            scalar: if size_of::<R>() == 4 { "f32" } else { "f64" },
            method: <RadauIIA<S> as Collocation<S>>::NAME,
            steps,
            run,
        }
    }

    /// Runs it.
    pub fn run(&self, probe: &mut dyn Probe) -> Record {
        (self.run)(self.steps, probe)
    }
}

/// Long enough for a wrong bit anywhere to show.
const LONG: u32 = 10_000;
/// The benchmark's 7 seconds at h = 0.01.
const P3: u32 = 700;

/// Every workload.
pub const WORKLOADS: &[Workload] = &[
    Workload::of::<f32, 1>("linear", LONG, linear::<f32, 1>),
    Workload::of::<f32, 2>("linear", LONG, linear::<f32, 2>),
    Workload::of::<f32, 3>("linear", LONG, linear::<f32, 3>),
    Workload::of::<f64, 2>("linear", LONG, linear::<f64, 2>),
    Workload::of::<f64, 3>("linear", LONG, linear::<f64, 3>),
    Workload::of::<f64, 5>("linear", LONG, linear::<f64, 5>),
    Workload::of::<f32, 2>("nonlinear", LONG, nonlinear::<f32, 2>),
    Workload::of::<f32, 3>("nonlinear", LONG, nonlinear::<f32, 3>),
    Workload::of::<f32, 5>("nonlinear", LONG, nonlinear::<f32, 5>),
    Workload::of::<f64, 1>("nonlinear", LONG, nonlinear::<f64, 1>),
    Workload::of::<f64, 2>("nonlinear", LONG, nonlinear::<f64, 2>),
    Workload::of::<f64, 3>("nonlinear", LONG, nonlinear::<f64, 3>),
    Workload::of::<f32, 2>("P3 DAE", P3, p3_dae::<f32, 2>),
    Workload::of::<f32, 3>("P3 DAE", P3, p3_dae::<f32, 3>),
    Workload::of::<f64, 2>("P3 DAE", P3, p3_dae::<f64, 2>),
    Workload::of::<f64, 3>("P3 DAE", P3, p3_dae::<f64, 3>),
    Workload::of::<f32, 2>("P3 stiff ODE", P3, p3_stiff::<f32, 2>),
    Workload::of::<f32, 3>("P3 stiff ODE", P3, p3_stiff::<f32, 3>),
    Workload::of::<f64, 2>("P3 stiff ODE", P3, p3_stiff::<f64, 2>),
    Workload::of::<f64, 3>("P3 stiff ODE", P3, p3_stiff::<f64, 3>),
];

/// Example (67) of Wunderlich in single precision, which the demonstration shows alone.
pub const DEMO: Workload = Workload::of::<f32, 3>("RLC (67)", P3, demo);

/// One step, kept out of line so that its size and cost can be seen.
#[inline(never)]
fn step<P: Stepper>(plant: &mut Simulation<P>) -> Result<Report<P::Real>, Error> {
    plant.step()
}

/// Takes the steps with the inputs that `input` gives for each, until one fails.
fn run<P: Stepper>(
    simulation: Result<Simulation<P>, Error>,
    steps: u32,
    input: impl Fn(u32) -> P::Input,
    probe: &mut dyn Probe,
) -> Record
where
    P::State: Bits,
{
    let mut record = Record::EMPTY;
    let Ok(mut plant) = simulation else {
        return record;
    };
    for n in 0..steps {
        plant.input = input(n);
        probe.begin();
        let report = step(black_box(&mut plant));
        probe.end();
        if black_box(report).is_err() {
            break;
        }
        record.absorb(plant.state());
    }
    record.time = stiffstep::number::Real::bits(plant.time());
    record
}

/// The step of all workloads.
fn h<R: Real>() -> R {
    R::from_f64(1e-2)
}

/// The mild RLC circuit with its algebraic equations, driven by a lopsided square wave.
fn linear<R: Real, const S: usize>(steps: u32, probe: &mut dyn Probe) -> Record
where
    Stages<S>: Modes,
{
    let start = [R::ZERO; 4].into();
    let circuit = Simulation::new(Rlc::<R>::mild().dae(), RadauIIA::<S>, h(), start);
    let wave = |n| R::from_f64(if n / 100 % 3 == 0 { 1.0 } else { -0.25 });
    run(circuit, steps, |n| [wave(n)].into(), probe)
}

/// The galvanometer, with an amplitude that changes every second.
fn nonlinear<R: Real, const S: usize>(steps: u32, probe: &mut dyn Probe) -> Record
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
fn p3_dae<R: Real, const S: usize>(steps: u32, probe: &mut dyn Probe) -> Record
where
    Stages<S>: Modes,
{
    let start = [R::ZERO, R::ZERO, R::ONE, R::ZERO].into();
    let circuit = Simulation::new(Rlc::<R>::mild().dae(), RadauIIA::<S>, h(), start);
    run(circuit, steps, |_| [R::ONE].into(), probe)
}

/// P3 of the benchmark: the stiff circuit as an ordinary differential equation, switched on at time zero.
fn p3_stiff<R: Real, const S: usize>(steps: u32, probe: &mut dyn Probe) -> Record
where
    Stages<S>: Modes,
{
    let start = [R::ZERO; 2].into();
    let circuit = Simulation::new(Rlc::<R>::stiff(), RadauIIA::<S>, h(), start);
    run(circuit, steps, |_| [R::ONE].into(), probe)
}

/// (67): the mild circuit left alone, from a start on its slower mode.
fn demo(steps: u32, probe: &mut dyn Probe) -> Record {
    let start = wunderlich(0.0);
    let circuit = Simulation::new(Rlc::<f32>::mild().dae(), RadauIIA::<3>, h(), start);
    run(circuit, steps, |_| [0.0].into(), probe)
}
