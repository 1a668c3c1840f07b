//! The workloads that host and boards run alike, to compare their bits and to count their instructions.
//!
//! A workload is a row of `WORKLOADS` or of a table beside it; to add one, append a row. Running it gives a [`Record`], in which every bit of every
//! state after every step counts.

#![cfg_attr(not(feature = "workloads"), allow(dead_code, unused_imports))]

mod adaptive;
mod chains;
mod circuits;
mod functions;
mod mechanisms;
mod methods;
#[cfg(feature = "plan")]
pub mod plan;
mod record;
mod second_order;
mod slow;

pub use chains::{CHAINS, CHAINS_ALONE, LINKS};
pub use record::{Bits, MOST_STATES, Record};

use adaptive::{oscillator, p2_projected, rectifier};
use circuits::{demo, ladder_map, linear, nonlinear, p3_dae, p3_map, p3_stiff};
use core::hint::black_box;
use mechanisms::{
    arm, p1, p1_fast, p2, p2_fast, p4, rigid, spring, stiff, stiff_limit, stiff_rigid,
};
use stiffstep::method::{Collocation, Modes, Stages};
use stiffstep::prelude::*;

/// Stands around every step: counts instructions on a board, does nothing on the host.
pub trait Probe {
    /// Right before a step.
    fn begin(&mut self);
    /// Right after it.
    fn end(&mut self);
    /// The step that just ended was refused, and may have been cheaper than any that counts.
    fn refused(&mut self) {}
}

/// No probe.
impl Probe for () {
    fn begin(&mut self) {}
    fn end(&mut self) {}
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
    /// How many steps a run takes; zero if an adaptive run takes as many as it needs.
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

    /// The same by a method of another name.
    const fn by(self, method: &'static str) -> Self {
        Workload { method, ..self }
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
/// The benchmark's second at h = 0.01 for the pendulums, and its 0.1 s at h = 0.001 for the arm.
const P124: u32 = 100;
/// The method of the cheaper rows of P1 and P2.
const FAST: &str = "projected Radau IIA 2";
/// Where a long run would keep the slowest board busy for a minute.
const SHORT: u32 = 1_000;

/// Every workload.
#[cfg_attr(not(feature = "workloads"), inline)]
pub fn workloads() -> impl Iterator<Item = &'static Workload> {
    common().chain(special()).chain(planned())
}

/// Those that every board runs: each kind of model, step and driver, and the functions that models are made of.
#[cfg_attr(not(feature = "workloads"), inline)]
pub fn common() -> impl Iterator<Item = &'static Workload> {
    let common = benchmark().chain(MAPS).chain(ADAPTIVE);
    #[cfg(feature = "workloads")]
    let common = WORKLOADS
        .iter()
        .chain(common)
        .chain(&methods::SINGLE)
        .chain(&methods::DOUBLE)
        .chain(&functions::TABLE);
    common
}

/// The benchmark.
#[cfg_attr(not(feature = "workloads"), inline)]
pub fn benchmark() -> impl Iterator<Item = &'static Workload> {
    COSTS.iter().chain(BENCHMARK)
}

/// The rows of the benchmark, of the maps and of some chains whose plant's name begins and ends so, whose number type is that, and whose method's
/// name ends so. A constant, so that an image that runs them has nothing of the others.
pub const fn alone(plant: (&str, &str), scalar: &str, method: &str) -> [Option<Workload>; 2] {
    let (mut rows, mut found, mut k) = ([None; 2], 0, 0);
    let (benchmark, maps) = (COSTS.len() + BENCHMARK.len(), MAPS.len());
    while k < benchmark + maps + CHAINS_ALONE.len() {
        let row = if k < COSTS.len() {
            COSTS[k]
        } else if k < benchmark {
            BENCHMARK[k - COSTS.len()]
        } else if k < benchmark + maps {
            MAPS[k - benchmark]
        } else {
            CHAINS_ALONE[k - benchmark - maps]
        };
        let named = begins(row.plant, plant.0) && ends(row.plant, plant.1);
        if named && ends(row.scalar, scalar) && ends(row.method, method) {
            rows[found] = Some(row);
            found += 1;
        }
        k += 1;
    }
    rows
}

const fn begins(text: &str, with: &str) -> bool {
    text.len() >= with.len() && same(text.as_bytes().split_at(with.len()).0, with.as_bytes())
}

const fn ends(text: &str, with: &str) -> bool {
    let cut = text.len().saturating_sub(with.len());
    text.len() >= with.len() && same(text.as_bytes().split_at(cut).1, with.as_bytes())
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut k = 0;
    while k < one.len() && one[k] == other[k] {
        k += 1;
    }
    k == one.len()
}

/// Those in an image of their own, for one board: slow manifolds and second-order methods.
#[cfg_attr(not(feature = "workloads"), inline)]
pub fn special() -> impl Iterator<Item = &'static Workload> {
    let special = [].iter();
    #[cfg(feature = "workloads")]
    let special = special
        .chain(&slow::TABLE)
        .chain(&second_order::SINGLE)
        .chain(&second_order::DOUBLE);
    special
}

/// What plans are made of, in another image.
#[cfg_attr(not(feature = "plan"), inline)]
pub fn planned() -> impl Iterator<Item = &'static Workload> {
    let planned = [].iter();
    #[cfg(feature = "plan")]
    let planned = planned
        .chain(plan::MECHANISMS.as_flattened().as_flattened())
        .chain(&plan::CIRCUITS);
    planned
}

/// As many steps as it takes.
const ADAPTIVELY: u32 = 0;

/// Adaptive runs, and a circuit that switches.
const ADAPTIVE: &[Workload] = &[
    Workload::of::<f32, 3>("adaptive van der Pol", ADAPTIVELY, oscillator::<f32, 4>),
    Workload::of::<f64, 3>("adaptive van der Pol", ADAPTIVELY, oscillator::<f64, 7>),
    Workload::of::<f32, 3>("adaptive P2", ADAPTIVELY, adaptive::p2::<f32, 4>),
    Workload::of::<f64, 3>("adaptive P2", ADAPTIVELY, adaptive::p2::<f64, 6>),
    Workload::of::<f32, 3>("adaptive P2", ADAPTIVELY, p2_projected::<f32, 4>)
        .by("projected Radau IIA 3"),
    Workload::of::<f64, 3>("adaptive P2", ADAPTIVELY, p2_projected::<f64, 6>)
        .by("projected Radau IIA 3"),
    Workload::of::<f32, 5>("adaptive P1", ADAPTIVELY, adaptive::p1::<f32, 4>),
    Workload::of::<f64, 5>("adaptive P1", ADAPTIVELY, adaptive::p1::<f64, 8>),
    Workload::of::<f32, 3>("rectifier", LONG, rectifier::<f32>),
    Workload::of::<f64, 3>("rectifier", SHORT, rectifier::<f64>),
];

/// One row of the benchmark for each of its problems, in both precisions: what is shown of every board.
pub const COSTS: &[Workload] = &[
    Workload::of::<f32, 2>("P3 DAE", P3, p3_dae::<f32, 2>),
    Workload::of::<f64, 2>("P3 DAE", P3, p3_dae::<f64, 2>),
    Workload::of::<f32, 3>("P1 eps 1e-5", P124, p1::<f32, 5>),
    Workload::of::<f32, 3>("P2", P124, p2::<f32>),
    Workload::of::<f32, 3>("P4 K 1e5 lean", P124, p4::<f32, _, Lean<RadauIIA<3>>, 5>),
    Workload::of::<f64, 3>("P1 eps 1e-5", P124, p1::<f64, 5>),
    Workload::of::<f64, 3>("P2", P124, p2::<f64>),
    Workload::of::<f64, 3>("P4 K 1e5 lean", P124, p4::<f64, _, Lean<RadauIIA<3>>, 5>),
];

/// Linear plants by their maps.
pub const MAPS: &[Workload] = &[
    Workload::of::<f32, 2>("P3 DAE map", P3, p3_map::<f32, 2>),
    Workload::of::<f64, 2>("P3 DAE map", P3, p3_map::<f64, 2>),
    Workload::of::<f32, 2>("P3 map 10", P3, ladder_map::<10>),
    Workload::of::<f32, 2>("P3 map 20", P3, ladder_map::<20>),
    Workload::of::<f32, 2>("P3 map 30", P3, ladder_map::<30>),
];

/// The rest of the benchmark.
const BENCHMARK: &[Workload] = &[
    Workload::of::<f32, 3>("P3 DAE", P3, p3_dae::<f32, 3>),
    Workload::of::<f64, 3>("P3 DAE", P3, p3_dae::<f64, 3>),
    Workload::of::<f32, 2>("P3 stiff ODE", P3, p3_stiff::<f32, 2>),
    Workload::of::<f32, 3>("P3 stiff ODE", P3, p3_stiff::<f32, 3>),
    Workload::of::<f64, 2>("P3 stiff ODE", P3, p3_stiff::<f64, 2>),
    Workload::of::<f64, 3>("P3 stiff ODE", P3, p3_stiff::<f64, 3>),
    Workload::of::<f32, 3>("P1 eps 1e-3", P124, p1::<f32, 3>),
    Workload::of::<f32, 2>("P1 eps 1e-3", P124, p1_fast::<f32, 3>).by(FAST),
    Workload::of::<f32, 2>("P1 eps 1e-5", P124, p1_fast::<f32, 5>).by(FAST),
    Workload::of::<f32, 2>("P2", P124, p2_fast::<f32>).by(FAST),
    Workload::of::<f32, 3>("P4 K 1e5 full", P124, p4::<f32, _, RadauIIA<3>, 5>),
    Workload::of::<f32, 3>("P4 K 1e6 lean", P124, p4::<f32, _, Lean<RadauIIA<3>>, 6>),
    Workload::of::<f32, 3>("P4 K 1e6 full", P124, p4::<f32, _, RadauIIA<3>, 6>),
    Workload::of::<f64, 3>("P1 eps 1e-3", P124, p1::<f64, 3>),
    Workload::of::<f64, 2>("P1 eps 1e-3", P124, p1_fast::<f64, 3>).by(FAST),
    Workload::of::<f64, 2>("P1 eps 1e-5", P124, p1_fast::<f64, 5>).by(FAST),
    Workload::of::<f64, 2>("P2", P124, p2_fast::<f64>).by(FAST),
    Workload::of::<f64, 3>("P4 K 1e5 full", P124, p4::<f64, _, RadauIIA<3>, 5>),
    Workload::of::<f64, 3>("P4 K 1e6 lean", P124, p4::<f64, _, Lean<RadauIIA<3>>, 6>),
    Workload::of::<f64, 3>("P4 K 1e6 full", P124, p4::<f64, _, RadauIIA<3>, 6>),
    Workload::of::<f64, 2>("P4 K 1e5 lean", P124, p4::<f64, _, Lean<RadauIIA<2>>, 5>),
];

/// The other workloads of Radau IIA.
const WORKLOADS: &[Workload] = &[
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
    Workload::of::<f32, 2>("spring pendulum 1e-3", LONG, spring::<f32, 2, 3>),
    Workload::of::<f32, 3>("spring pendulum 1e-5", LONG, spring::<f32, 3, 5>),
    Workload::of::<f32, 3>("rigid pendulum", LONG, rigid::<f32, 3>),
    Workload::of::<f32, 3>("lean arm", LONG, arm::<f32, _, Lean<RadauIIA<3>>>),
    Workload::of::<f32, 1>("spring pendulum 1e-3", SHORT, spring::<f32, 1, 3>),
    Workload::of::<f32, 5>("spring pendulum 1e-5", SHORT, spring::<f32, 5, 5>),
    Workload::of::<f32, 2>("rigid pendulum", SHORT, rigid::<f32, 2>),
    Workload::of::<f32, 3>("full arm", SHORT, arm::<f32, _, RadauIIA<3>>),
    Workload::of::<f64, 3>("spring pendulum 1e-3", SHORT, spring::<f64, 3, 3>),
    Workload::of::<f64, 2>("spring pendulum 1e-5", SHORT, spring::<f64, 2, 5>),
    Workload::of::<f64, 3>("rigid pendulum", SHORT, rigid::<f64, 3>),
    Workload::of::<f64, 3>("lean arm", SHORT, arm::<f64, _, Lean<RadauIIA<3>>>),
    Workload::of::<f64, 2>("full arm", SHORT, arm::<f64, _, RadauIIA<2>>),
    Workload::of::<f32, 3>("stiffness 1e-2", P124, stiff::<2>),
    Workload::of::<f32, 3>("stiffness 1e-3", P124, stiff::<3>),
    Workload::of::<f32, 3>("stiffness 1e-4", P124, stiff::<4>),
    Workload::of::<f32, 3>("stiffness 1e-5", P124, stiff::<5>),
    Workload::of::<f32, 3>("stiffness 1e-6", P124, stiff::<6>),
    Workload::of::<f32, 3>("stiffness 1e-7", P124, stiff::<7>),
    Workload::of::<f32, 3>("stiffness limit", P124, stiff_limit),
    Workload::of::<f32, 3>("stiffness rigid", P124, stiff_rigid),
];

/// Example (67) of Wunderlich in single precision, which the demonstration shows alone.
pub const DEMO: Workload = Workload::of::<f32, 3>("RLC (67)", P3, demo);

/// One step, kept out of line so that its size and cost can be seen.
#[inline(never)]
fn step<P: Stepper, B: Budget<P::Real>>(
    plant: &mut Simulation<P, B>,
) -> Result<Report<P::Real>, Error> {
    #[cfg(feature = "slower")]
    idle();
    plant.step()
}

/// Work that is of no use.
#[cfg(feature = "slower")]
#[inline(always)]
fn idle() {
    // About 3 % of the pendulum's step: a turn is two instructions on a Cortex-M4F and one on a PC.
    for k in 0..if cfg!(target_arch = "arm") {
        10_u32
    } else {
        40
    } {
        black_box(k);
    }
}

/// Takes the steps with the inputs that `input` gives for each, until one fails.
fn run<P: Stepper, B: Budget<P::Real>>(
    simulation: Result<Simulation<P, B>, Error>,
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
