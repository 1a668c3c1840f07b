//! Mechanisms: the pendulum on a spring and on a rod, and the two-link arm.

use super::{Bits, Probe, Record, run};
use crate::arm::{Arm, TORQUES};
use crate::pendulum::{RigidPendulum, SpringLimit, StiffPendulum};
use stiffstep::method::{Modes, Stages};
use stiffstep::prelude::*;
use stiffstep::step::Method;

/// A pendulum, level and at rest, at the benchmark's step.
pub fn pendulum<R: Real, M, Kind, K>(
    model: M,
    method: K,
    budget: Fixed,
    steps: u32,
    probe: &mut dyn Probe,
) -> Record
where
    K: Method<M, Kind, Real = R, Start = (Vector<R, 2>, Vector<R, 2>)>,
    K::Stepper: Stepper<Real = R, State: Bits>,
{
    let start = ([R::ONE, R::ZERO].into(), [R::ZERO; 2].into());
    let pendulum = Simulation::new(model, method, R::from_f64(1e-2), start);
    let pendulum = pendulum.map(|pendulum| pendulum.with_budget(budget));
    run(pendulum, steps, |_| K::Stepper::no_input(), probe)
}

/// The arm, stretched out level and at rest, at the benchmark's step.
fn stretched<R: Real, Kind, K>(
    stiffness: f64,
    torques: impl Fn(u32) -> [f64; 2],
    steps: u32,
    probe: &mut dyn Probe,
) -> Record
where
    K: Method<Arm<R>, Kind, Real = R, Start = (Vector<R, 4>, Vector<R, 4>)> + Default,
    K::Stepper: Stepper<Real = R, Input = Vector<R, 2>, State: Bits>,
{
    let start = ([R::ZERO; 4].into(), [R::ZERO; 4].into());
    let arm = Simulation::new(Arm::new(stiffness), K::default(), R::from_f64(1e-3), start);
    run(arm, steps, |n| torques(n).map(R::from_f64).into(), probe)
}

/// The pendulum on a stiff spring with eps = 10^-E.
pub fn spring<R: Real, const S: usize, const E: i32>(steps: u32, probe: &mut dyn Probe) -> Record
where
    Stages<S>: Modes,
{
    let model = StiffPendulum::<R>::new(eps::<E>());
    pendulum(model, Lean(RadauIIA::<S>), Fixed(2), steps, probe)
}

/// The pendulum on a rod.
pub fn rigid<R: Real, const S: usize>(steps: u32, probe: &mut dyn Probe) -> Record
where
    Stages<S>: Modes,
{
    pendulum::<R, _, _, _>(RigidPendulum, Lean(RadauIIA::<S>), Fixed(2), steps, probe)
}

/// The arm with torques that jump to and fro: steady ones would only make it turn faster and faster.
pub fn arm<R: Real, Kind, K>(steps: u32, probe: &mut dyn Probe) -> Record
where
    K: Method<Arm<R>, Kind, Real = R, Start = (Vector<R, 4>, Vector<R, 4>)> + Default,
    K::Stepper: Stepper<Real = R, Input = Vector<R, 2>, State: Bits>,
{
    let torques = |n| {
        if n / 250 % 2 == 0 {
            TORQUES
        } else {
            [-12.0, -3.0]
        }
    };
    stretched::<R, Kind, K>(1e5, torques, steps, probe)
}

/// Ten to the power of minus `E`.
pub fn eps<const E: i32>() -> f64 {
    (0..E).fold(1.0, |eps, _| eps / 10.0)
}

/// P1 of the benchmark, a spring with eps = 10^-E.
pub fn p1<R: Real, const E: i32>(steps: u32, probe: &mut dyn Probe) -> Record {
    let model = StiffPendulum::<R>::new(eps::<E>());
    pendulum(model, Lean(RadauIIA::<3>), iterations::<R>(), steps, probe)
}

/// P1 at a lower price.
pub fn p1_fast<R: Real, const E: i32>(steps: u32, probe: &mut dyn Probe) -> Record {
    let model = StiffPendulum::<R>::new(eps::<E>());
    let method = Projected(Lean(RadauIIA::<2>));
    pendulum(model, method, iterations::<R>(), steps, probe)
}

/// P1 and P2 need one iteration a step in single precision, and two in double.
fn iterations<R: Real>() -> Fixed {
    Fixed(if R::EXACT_ENOUGH { 2 } else { 1 })
}

/// P2 of the benchmark, the rigid pendulum.
pub fn p2<R: Real>(steps: u32, probe: &mut dyn Probe) -> Record {
    pendulum::<R, _, _, _>(
        RigidPendulum,
        Lean(RadauIIA::<3>),
        iterations::<R>(),
        steps,
        probe,
    )
}

/// P2 at a lower price.
pub fn p2_fast<R: Real>(steps: u32, probe: &mut dyn Probe) -> Record {
    let method = Projected(Lean(RadauIIA::<2>));
    pendulum::<R, _, _, _>(RigidPendulum, method, iterations::<R>(), steps, probe)
}

/// P4 of the benchmark, the arm on joints of stiffness 10^E.
pub fn p4<R: Real, Kind, K, const E: i32>(steps: u32, probe: &mut dyn Probe) -> Record
where
    K: Method<Arm<R>, Kind, Real = R, Start = (Vector<R, 4>, Vector<R, 4>)> + Default,
    K::Stepper: Stepper<Real = R, Input = Vector<R, 2>, State: Bits>,
{
    let stiffness = (0..E).fold(1.0, |stiffness, _| stiffness * 10.0);
    stretched::<R, Kind, K>(stiffness, |_| TORQUES, steps, probe)
}

/// P1 with eps = 10^-E and always the same two iterations, to see that the stiffness costs nothing.
pub fn stiff<const E: i32>(steps: u32, probe: &mut dyn Probe) -> Record {
    let model = StiffPendulum::<f32>::new(eps::<E>());
    pendulum(model, Lean(RadauIIA::<3>), Fixed(2), steps, probe)
}

/// And on a rigid joint, which has no stiffness at all.
pub fn stiff_rigid(steps: u32, probe: &mut dyn Probe) -> Record {
    pendulum::<f32, _, _, _>(SpringLimit, Lean(RadauIIA::<3>), Fixed(2), steps, probe)
}

/// The limit of that for eps = 0.
pub fn stiff_limit(steps: u32, probe: &mut dyn Probe) -> Record {
    let rigid = StiffPendulum {
        stiffness: f32::INFINITY,
    };
    pendulum::<f32, _, _, _>(rigid, Lean(RadauIIA::<3>), Fixed(2), steps, probe)
}
