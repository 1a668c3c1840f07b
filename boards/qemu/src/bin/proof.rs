//! The proof that a step cannot panic: the panic handler of this image is a symbol that does not exist, so that it links
//! only if the compiler has removed every panic path. Everything that a step depends on comes through `black_box`, lest it
//! be computed away.
#![no_std]
#![no_main]
#![cfg_attr(feature = "deliberate-panic", allow(dead_code))]

use core::hint::black_box;
use cortex_m_rt::entry;
use stiffstep::drive::{Controlled, Paced, Watch};
use stiffstep::manifold::{Ipa, Kernel};
use stiffstep::method::{Collocation, LobattoPair, Modes, Stages};
use stiffstep::prelude::*;
use stiffstep::step::{Dense, Method, OfMechanical};
use stiffstep_plants::arm::Arm;
use stiffstep_plants::chain::Chain;
use stiffstep_plants::double_spring::{DoubleSpring, OFF, start};
use stiffstep_plants::drive::Drive;
use stiffstep_plants::exponentials::Exponentials;
use stiffstep_plants::nonlinear::Galvanometer;
use stiffstep_plants::papers::{RadauIA, Wright, Wunderlich};
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};
use stiffstep_plants::rectifier::{Diode, Rectifier};
use stiffstep_plants::rlc::Rlc;
use stiffstep_plants::second_order::{Bob, Voltages};
use stiffstep_plants::valley::Valley;
use stiffstep_plants::van_der_pol::VanDerPol;
use stiffstep_qemu as _;

/// A few steps under a budget, a new input and a new step size among them.
fn exercise<P: Stepper, B: Budget<P::Real>>(
    simulation: Result<Simulation<P>, Error>,
    budget: B,
    input: P::Input,
    h: P::Real,
) where
    P::Model: Clone,
{
    if let Ok(plant) = simulation {
        let mut plant = plant.with_budget(budget);
        while black_box(true) {
            plant.input = black_box(input);
            let _ = black_box(plant.step());
            let _ = black_box(plant.set_h(black_box(h)));
            let _ = black_box(plant.change(|model| {
                black_box(model);
            }));
            black_box(plant.state());
            black_box(plant.time());
        }
    }
}

/// Every kind of plant and budget with one method in one precision.
fn all<R: Real, const S: usize>()
where
    Stages<S>: Modes,
{
    let h = black_box(R::from_f64(1e-2));
    let u = black_box([R::ONE]).into();
    let fixed = Fixed(black_box(2));
    let until = Until {
        tolerance: black_box(R::EPSILON),
        max: black_box(10),
    };
    let deadline = Deadline {
        max: black_box(3),
        expired: || black_box(false),
    };
    let rlc = black_box(Rlc::<R>::mild());
    let x = black_box([R::ZERO; 4]).into();
    exercise(Simulation::new(rlc.dae(), RadauIIA::<S>, h, x), fixed, u, h);
    let x = black_box([R::ZERO; 2]).into();
    exercise(Simulation::new(rlc, RadauIIA::<S>, h, x), until, u, h);
    let meter = black_box(Galvanometer::<R>::nominal_design());
    let x = black_box([R::ZERO; 3]).into();
    let simulation = || Simulation::new(meter, RadauIIA::<S>, h, x);
    exercise(simulation(), fixed, u, h);
    exercise(simulation(), until, u, h);
    exercise(simulation(), deadline, u, h);
}

/// A mechanism from a start that may be anywhere, under two kinds of budget.
fn mechanism<R: Real, M, Kind, K, const Q: usize>(model: M, method: K)
where
    M: Clone,
    K: Method<M, Kind, Real = R, Start = (Vector<R, Q>, Vector<R, Q>)> + Copy,
    K::Stepper: Stepper<Real = R, Model = M>,
{
    let until = Until {
        tolerance: black_box(R::EPSILON),
        max: black_box(10),
    };
    within(model.clone(), method, Fixed(black_box(2)));
    within(model, method, until);
}

/// The same under one budget.
fn within<R: Real, M, Kind, K, const Q: usize>(model: M, method: K, budget: impl Budget<R>)
where
    M: Clone,
    K: Method<M, Kind, Real = R, Start = (Vector<R, Q>, Vector<R, Q>)>,
    K::Stepper: Stepper<Real = R, Model = M>,
{
    let h = black_box(R::from_f64(1e-3));
    let [q, v] = black_box([[R::ONE; Q], [R::ZERO; Q]]).map(Vector::from);
    let plant = Simulation::new(black_box(model), method, h, (q, v));
    exercise(plant, budget, K::Stepper::no_input(), h);
}

/// Every kind of joint and of Newton matrix with one method.
fn mechanisms<R: Real, const S: usize>()
where
    Stages<S>: Modes,
{
    let (full, lean) = (RadauIIA::<S>, Lean(RadauIIA::<S>));
    mechanism::<R, _, _, _, 2>(RigidPendulum, lean);
    mechanism::<R, _, _, _, 2>(RigidPendulum, Projected(lean));
    mechanism(StiffPendulum::<R>::new(1e-3), lean);
    mechanism(StiffPendulum::<R>::new(1e-3), Projected(lean));
    mechanism(Drive::<R>::servo(), lean);
    mechanism(Arm::<R>::new(1e5), lean);
    mechanism(Arm::<R>::new(1e5), full);
    mechanism(Arm::<R>::new(1e5), Projected(full));
}

/// The methods beside Radau IIA: with two kinds of joints, projected and not, and on a circuit.
fn family<R: Real, K, const S: usize>(method: K)
where
    K: Collocation<S> + Copy,
    Stages<S>: Modes,
{
    let until = Until {
        tolerance: black_box(R::EPSILON),
        max: black_box(10),
    };
    within::<R, _, _, _, 2>(RigidPendulum, Projected(Lean(method)), until);
    within(StiffPendulum::<R>::new(1e-3), Direct(Lean(method)), until);
    let h = black_box(R::from_f64(1e-2));
    let x = black_box([R::ZERO; 3]).into();
    let meter = black_box(Galvanometer::<R>::nominal_design());
    let meter = Simulation::new(meter, method, h, x);
    exercise(meter, Fixed(black_box(2)), black_box([R::ONE]).into(), h);
}

/// All of them.
fn families<R: Real>() {
    family::<R, _, 3>(RadauIA::<3>);
    family::<R, _, 1>(Gauss::<1>);
    family::<R, _, 2>(Gauss::<2>);
    family::<R, _, 3>(Gauss::<3>);
    family::<R, _, 4>(Gauss::<4>);
    family::<R, _, 5>(Gauss::<5>);
    family::<R, _, 6>(Gauss::<6>);
    family::<R, _, 1>(LobattoIIIA::<2>);
    family::<R, _, 2>(LobattoIIIA::<3>);
    family::<R, _, 3>(LobattoIIIA::<4>);
    family::<R, _, 4>(LobattoIIIA::<5>);
    mechanism::<R, _, _, _, 2>(RigidPendulum, LobattoPair::<2>);
    mechanism::<R, _, _, _, 2>(RigidPendulum, LobattoPair::<3>);
    mechanism(StiffPendulum::<R>::new(1e-1), LobattoPair::<2>);
}

/// What is not a mechanism of coordinates and joints.
fn others<R: Real, const S: usize>()
where
    Stages<S>: Modes,
{
    mechanism::<R, _, _, _, 2>(Exponentials, RadauIIA::<S>);
    mechanism::<R, _, _, _, 2>(Exponentials, Projected(RadauIIA::<S>));
    mechanism(Valley::<R, 1>::new(1e-3), RadauIIA::<S>);
}

/// An adaptive run.
fn adapt<R: Real, M, Kind, K>(model: M, method: K, start: K::Start)
where
    M: Clone,
    K: Method<M, Kind, Real = R>,
    K::Stepper: Controlled<Real = R, Model = M> + Dense + Clone,
{
    let (tolerance, first) = black_box((R::from_f64(1e-4), R::from_f64(1e-6)));
    if let Ok(mut plant) = Adaptive::new(model, method, tolerance, first, start) {
        while black_box(true) {
            let _ = black_box(plant.step());
            let _ = black_box(plant.run_to(black_box(R::ONE)));
            let _ = black_box(plant.sample(black_box(R::ONE), black_box(R::ONE), |_, at| {
                black_box(at);
            }));
            let _ = black_box(plant.change(|model| {
                black_box(model);
            }));
            black_box(plant.statistics());
        }
    }
}

/// Adaptive runs of both kinds of model, and events with fixed and adaptive steps.
fn adaptive<R: Real>() {
    let motion = || {
        let [q, v] = black_box([[R::ONE; 2], [R::ZERO; 2]]).map(Vector::from);
        (q, v)
    };
    let x = || black_box([R::ONE, R::ZERO]).into();
    adapt(RigidPendulum, Lean(RadauIIA::<3>), motion());
    adapt(RigidPendulum, Projected(Lean(RadauIIA::<3>)), motion());
    adapt(StiffPendulum::<R>::new(1e-3), Lean(RadauIIA::<5>), motion());
    adapt(black_box(VanDerPol { mu: R::ONE }), RadauIIA::<3>, x());
    adapt(black_box(VanDerPol { mu: R::ONE }), RadauIIA::<5>, x());
    let (tolerance, first) = black_box((R::from_f64(1e-4), R::from_f64(1e-6)));
    let circuit = black_box(Rectifier::<R>::mains());
    let mut diode = Watch::new(Diode::default());
    if let Ok(mut plant) = Adaptive::new(circuit, RadauIIA::<3>, tolerance, first, x()) {
        let _ = black_box(plant.run_with(&mut diode, black_box(R::ONE)));
    }
    if let Ok(mut plant) = Simulation::new(circuit, RadauIIA::<3>, first, x()) {
        while black_box(true) {
            let _ = black_box(plant.step_with(&mut diode));
        }
    }
}

/// Projections onto slow manifolds, and the method that is made of them.
fn slow<R: Real>() {
    let (q, v) = start::<R>(black_box(OFF));
    let (t, none) = (black_box(R::ZERO), Vector::from([]));
    let springs = black_box(DoubleSpring::<R>::new(1e3));
    let kernel = black_box(Kernel::SMOOTH);
    if let Ok(ipa) = Ipa::<R, 24>::fitted(&kernel, &springs, t, &q) {
        let _ = black_box(ipa.project(&springs, t, &q, &v, &none));
        let verlet = Simulation::new(springs, LobattoPair::<2>, black_box(R::EPSILON), (q, v));
        if let Ok(mut plant) = verlet {
            let _ = black_box(ipa.reproject(&mut plant));
        }
        mechanism(springs, RungeKutta4Ipa(ipa));
    }
    let arm = black_box(Arm::<R>::new(1e5));
    let rest = black_box([R::ZERO; 4]).into();
    if let Ok(ipa) = Ipa::<R, 40>::fitted(&kernel, &arm, t, &rest) {
        mechanism(arm, RungeKutta4Ipa(ipa));
    }
}

/// Second-order systems by one method.
fn second<R: Real, K, A, B>(method: K)
where
    K: Copy
        + Method<Bob, A, Real = R, Start = (Vector<R, 3>, Vector<R, 3>)>
        + Method<Voltages<R>, B, Real = R, Start = (Vector<R, 3>, Vector<R, 3>)>,
    <K as Method<Voltages<R>, B>>::Stepper: Stepper<Real = R, Model = Voltages<R>>,
    <K as Method<Bob, A>>::Stepper: Stepper<Real = R, Model = Bob>,
{
    mechanism::<R, _, A, _, 3>(Bob, method);
    mechanism::<R, _, B, _, 3>(Voltages(Rlc::<R>::mild()), method);
}

/// Steps and orders as large as tolerances allow.
fn variable<R: Real, Kind, K>(method: K)
where
    K: Method<Bob, Kind, Real = R, Start = (Vector<R, 3>, Vector<R, 3>)>,
    K::Stepper: Paced<Real = R>,
{
    let (relative, first) = black_box((R::from_f64(1e-3), R::from_f64(1e-2)));
    if let Ok(mut plant) = Adaptive::new(Bob, method, relative, first, black_box(Bob::level())) {
        while black_box(true) {
            let _ = black_box(plant.step());
            let _ = black_box(plant.run_to(black_box(R::ONE)));
        }
    }
}

/// Each kind of method of second-order systems: the orders and stages of one kind share all code that could fail.
fn second_order<R: Real>() {
    second::<R, _, _, _>(Started(Bdf::<5>));
    second::<R, _, _, _>(RadauIIA::<2>);
    second::<R, _, _, _>(Wright);
    variable::<R, _, _>(Bdf::<5>);
}

/// All of it: in single precision every method, in double one of each kind.
fn everything() {
    all::<f32, 1>();
    all::<f32, 2>();
    all::<f32, 3>();
    all::<f32, 5>();
    all::<f64, 1>();
    all::<f64, 2>();
    all::<f64, 3>();
    all::<f64, 5>();
    mechanisms::<f32, 1>();
    mechanisms::<f32, 2>();
    mechanisms::<f32, 3>();
    mechanisms::<f64, 3>();
    // Constraints one by one: few, and so many that they are worked on where they are kept.
    let (chain, lean) = (Chain::<f32>::stiff(), Lean(RadauIIA::<3>));
    within::<f32, _, OfMechanical<f32, 8, 4, 0, 3>, _, 8>(chain, lean, Fixed(black_box(2)));
    within::<f32, _, OfMechanical<f32, 16, 8, 0, 3>, _, 16>(chain, lean, Fixed(black_box(2)));
    others::<f32, 3>();
    families::<f32>();
    family::<f64, _, 2>(Gauss::<2>);
    family::<f64, _, 3>(LobattoIIIA::<4>);
    second_order::<f32>();
    second_order::<f64>();
    second::<f32, _, _, _>(LobattoIIIA::<3>);
    second::<f32, _, _, _>(Wunderlich);
    variable::<f32, _, _>(RadauIIA::<2>);
    adaptive::<f32>();
    adaptive::<f64>();
    slow::<f32>();
}

#[entry]
fn main() -> ! {
    // With a panic path of its own the image need not carry the others.
    #[cfg(not(feature = "deliberate-panic"))]
    everything();
    #[cfg(feature = "deliberate-panic")]
    black_box([1_u8, 2, 3][black_box(3_usize)]);
    semihosting::process::exit(0)
}
