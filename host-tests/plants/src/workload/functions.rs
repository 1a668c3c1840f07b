//! Every function that physics may use, with its derivative and its increment, and a model with a period late in its run.

use super::{Bits, Probe, Record, Workload, run};
use core::hint::black_box;
use stiffstep::number::{Dual, Increment};
use stiffstep::prelude::*;

/// Each function at a number of its own domain.
#[inline(never)]
fn all<R: Real, T: Scalar<R>>(x: T, y: T) -> [T; 22] {
    let (positive, unit) = (x * x + R::from_f64(0.125), x * R::from_f64(0.25));
    let (sin, cos) = x.sin_cos();
    [
        positive.sqrt(),
        sin,
        cos,
        x.tan(),
        x.exp(),
        positive.ln(),
        positive.log10(),
        x.tanh(),
        x.atan2(y),
        x.atan(),
        unit.asin(),
        unit.acos(),
        x.cbrt(),
        positive.powf(R::from_f64(1.75)),
        positive.powf(R::from_f64(-0.5)),
        x.powi(5),
        x.powi(-3),
        x.hypot(y),
        x.abs(),
        x.min(y),
        x.max(y),
        x.clamp(-R::ONE, R::ONE),
    ]
}

/// A value, its slope, and its increment.
struct Three<'a, R: Real>(&'a [R; 22], &'a [Dual<R, 1>; 22], &'a [Increment<R>; 22]);

impl<R: Real> Bits for Three<'_, R> {
    fn each(&self, see: &mut dyn FnMut(u64)) {
        for x in self.0 {
            see(x.bits());
        }
        for x in self.1 {
            see(x.value.bits());
            see(x.slope()[0].bits());
        }
        for x in self.2 {
            see(x.x.bits());
            see(x.p.bits());
            see(x.r.bits());
        }
    }
}

/// All functions at arguments from -3.9 to 3.9, zero not among them.
fn functions<R: Real>(steps: u32, probe: &mut dyn Probe) -> Record {
    let mut record = Record::EMPTY;
    for n in 0..steps {
        let x = R::from_f64((f64::from(n) + 0.5) / f64::from(steps) * 7.8 - 3.9);
        let (x, y) = black_box((x, R::from_f64(0.75) - x * x));
        let moving = |x| Increment {
            x,
            p: R::from_f64(1e-3),
            r: R::from_f64(-1e-6),
        };
        probe.begin();
        let values = all(x, y);
        let slopes = all(Dual::variable(x, 0), Dual::constant(y));
        let increments = all(moving(x), moving(y));
        probe.end();
        record.absorb(&Three(&values, &slopes, &increments));
    }
    record
}

/// A pendulum whose pivot moves sideways, twice a second.
struct Pivot;

impl<R: Real> Mechanical<R, 2, 1, 0> for Pivot {
    type Joints = Rigid;
    type Mass<T: Scalar<R>> = Unit;
    fn joints(&self) -> Rigid {
        Rigid
    }
    fn force<T: Scalar<R>>(
        &self,
        _t: T,
        _q: &Vector<T, 2>,
        v: &Vector<T, 2>,
        _u: &Vector<R, 0>,
    ) -> Vector<T, 2> {
        [-v[0], -v[1] - R::from_f64(9.81)].into()
    }
    fn constraint<T: Scalar<R>>(&self, t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        let angle = t * R::from_f64(2.0 * core::f64::consts::TAU);
        let x = q[0] - angle.sin() * R::from_f64(0.1);
        [x.hypot(q[1]) - R::ONE].into()
    }
    fn period(&self) -> Option<R> {
        Some(R::from_f64(0.5))
    }
}

/// After 2^24 steps: a whole number of periods, as at the start.
fn late<R: Real>(steps: u32, probe: &mut dyn Probe) -> Record {
    let speed = R::from_f64(0.2 * core::f64::consts::TAU);
    let start = ([R::ZERO, -R::ONE].into(), [speed, R::ZERO].into());
    let plant = Simulation::new(Pivot, Lean(RadauIIA::<3>), R::from_f64(1.0 / 1024.0), start);
    let plant = plant.map(|plant| plant.with_steps(1 << 24));
    run(plant, steps, |_| Vector::from([]), probe)
}

/// Functions in both precisions, and two seconds of a period.
pub const TABLE: [Workload; 4] = [
    Workload::of::<f32, 1>("numbers, functions", 100, functions::<f32>).by("no step"),
    Workload::of::<f64, 1>("numbers, functions", 100, functions::<f64>).by("no step"),
    Workload::of::<f32, 3>("numbers, late pivot", 2048, late::<f32>),
    Workload::of::<f64, 3>("numbers, late pivot", 512, late::<f64>),
];
