//! The double spring along its slow manifold: projections, and the explicit method that is made of them.

use super::{Bits, Probe, Record, Workload, run};
use crate::double_spring::{DoubleSpring, OFF, ON, start};
use core::hint::black_box;
use stiffstep::manifold::{Ending, Ipa, Slow};
use stiffstep::prelude::*;

/// Ten to the power of `E`.
fn omega<const E: i32>() -> f64 {
    (0..E).fold(1.0, |omega, _| omega * 10.0)
}

/// A projection, kept out of line so that its cost can be seen.
#[inline(never)]
fn project<R: Real>(
    ipa: &Ipa<R>,
    model: &DoubleSpring<R>,
    (q, v): &(Vector<R, 4>, Vector<R, 4>),
) -> Result<Slow<R, 4, 2>, Error> {
    ipa.project(model, R::ZERO, q, v, &Vector::from([]))
}

/// What a projection says, as numbers of which every bit counts.
struct Said<'a, R: Real>(&'a Slow<R, 4, 2>);

impl<R: Real> Bits for Said<'_, R> {
    fn each(&self, see: &mut dyn FnMut(u64)) {
        self.0.motion.each(see);
        see(match self.0.ending {
            Ending::Settled => 0,
            Ending::Stagnant => 1,
            Ending::Exhausted => 2,
        });
        see(self.0.report.iterations.into());
        see(self.0.report.increment().bits());
        self.0.low.each(see);
    }
}

/// Projections from starts that are off the manifold by up to 3 %, one a step, of springs with omega = 10^E.
fn projections<R: Real, const E: i32>(ipa: Ipa<R>, steps: u32, probe: &mut dyn Probe) -> Record {
    let mut record = Record::EMPTY;
    let (model, ipa) = (black_box(DoubleSpring::new(omega::<E>())), black_box(ipa));
    for n in 0..steps {
        let (mut q, v) = OFF;
        q[1] -= f64::from(n) * 1e-3;
        let from = black_box(start((q, v)));
        probe.begin();
        let slow = project(&ipa, &model, &from);
        probe.end();
        match black_box(slow) {
            Ok(slow) => record.absorb(&Said(&slow)),
            Err(_) => break,
        }
    }
    record
}

/// Always four iterations, to see that the stiffness costs nothing.
fn four<R: Real, const E: i32>(steps: u32, probe: &mut dyn Probe) -> Record {
    let ipa = Ipa::new(R::from_f64(omega::<E>()));
    projections::<R, E>(ipa.tolerance(R::ZERO).iterations(4), steps, probe)
}

/// To the tolerance that the number type can meet.
fn settled<R: Real, const E: i32>(steps: u32, probe: &mut dyn Probe) -> Record {
    let ipa = Ipa::new(R::from_f64(omega::<E>()));
    projections::<R, E>(ipa, steps, probe)
}

/// To one that it cannot.
fn stagnant<R: Real, const E: i32>(steps: u32, probe: &mut dyn Probe) -> Record {
    let ipa = Ipa::new(R::from_f64(omega::<E>()));
    projections::<R, E>(ipa.tolerance(R::from_f64(1e-12)), steps, probe)
}

/// The explicit method along the slow manifold, from (31)-(32), H = 1/32.
fn along<R: Real, const E: i32>(steps: u32, probe: &mut dyn Probe) -> Record {
    let ipa = Ipa::new(R::from_f64(omega::<E>()));
    let method = RungeKutta4Ipa(ipa.force(R::from_f64(1e-3)));
    let model = DoubleSpring::new(omega::<E>());
    let h = R::from_f64(1.0 / 32.0);
    let plant = Simulation::new(model, method, h, start(ON));
    run(plant, steps, |_| Vector::from([]), probe)
}

/// A row of projections, 20 of them.
const fn projected<R: Real>(
    plant: &'static str,
    run: fn(u32, &mut dyn Probe) -> Record,
) -> Workload {
    Workload::of::<R, 1>(plant, 20, run).by("iterated projection")
}

/// Projections, and ten seconds along the manifold.
pub const TABLE: [Workload; 9] = [
    projected::<f32>("slow 1e3, 4 iterations", four::<f32, 3>),
    projected::<f32>("slow 1e4, 4 iterations", four::<f32, 4>),
    projected::<f32>("slow 1e5, 4 iterations", four::<f32, 5>),
    projected::<f32>("slow 1e3, settled", settled::<f32, 3>),
    projected::<f32>("slow 1e4, settled", settled::<f32, 4>),
    projected::<f32>("slow 1e5, settled", settled::<f32, 5>),
    projected::<f32>("slow 1e3, stagnant", stagnant::<f32, 3>),
    projected::<f64>("slow 1e4, settled", settled::<f64, 4>),
    Workload::of::<f32, 1>("slow 1e4, along", 320, along::<f32, 4>).by("RK4 with projections"),
];
