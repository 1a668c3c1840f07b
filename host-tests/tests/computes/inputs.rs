//! Inputs that jump: what belongs to the old ones has no part in the next step, whatever the method.

use super::plants::Moves;
use stiffstep::prelude::*;
use stiffstep::step::Outcome;
use stiffstep_plants::papers::Wright;

/// `x'' = u`.
#[derive(Clone, Copy)]
struct Free;

impl SecondOrder<f64, 1, 1> for Free {
    fn residual<T: Scalar<f64>>(
        &self,
        _t: T,
        _x: &Vector<T, 1>,
        _v: &Vector<T, 1>,
        a: &Vector<T, 1>,
        u: &Vector<f64, 1>,
    ) -> Vector<T, 1> {
        [a[0] - u[0]].into()
    }
}

/// The velocity after a second under a force of one that came with the first step.
macro_rules! pushed {
    ($method:expr) => {{
        let rest = ([0.0].into(), [0.0].into());
        let mut plant = Simulation::new(Free, $method, 0.1, rest).unwrap();
        plant.input = [1.0].into();
        for _ in 0..10 {
            assert_eq!(plant.step().unwrap().outcome, Outcome::Converged);
        }
        plant.state().v[0]
    }};
}

/// With an explicit first stage, or with derivatives that go from step to step, half a step's push was lost for good: 0.950 m/s with two
/// stages, 0.983 with three, 0.992 with four and with Wright's method.
#[test]
fn a_push_counts_from_where_it_comes() {
    let found = [
        pushed!(LobattoIIIA::<2>),
        pushed!(LobattoIIIA::<3>),
        pushed!(LobattoIIIA::<4>),
        pushed!(Wright),
        pushed!(RadauIIA::<3>),
    ];
    for v in found {
        assert!((v - 1.0).abs() < 1e-9, "{found:?}");
    }
}

/// A pendulum on a rod, which its input pulls down.
#[derive(Clone, Copy)]
struct Rod;

mechanical! {
    impl [] Mechanical<f64, 2, 1, 1> for Rod;
    joints(self) -> Rigid { Rigid }
    force(self, _t, _q, _v, u) { [T::constant(0.0), T::constant(-1.0 - u[0])] }
    constraint(self, _t, q) { [(q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0] }
}

/// The force in the rod over a thousand steps, after the pull on it has doubled.
fn pulled<Kind>(method: impl Moves<Rod, Kind, f64, 2, 1, 1>) -> Vec<f64> {
    let hanging = ([0.0, -1.0].into(), [0.0; 2].into());
    let mut rod = Simulation::new(Rod, method, 0.02, hanging).unwrap();
    rod.input = [1.0].into();
    let force = |_| {
        assert_eq!(rod.step().unwrap().outcome, Outcome::Converged);
        rod.state().lambda[0]
    };
    (0..1000).map(force).collect()
}

/// The force in a rod jumps as its load does. With Lobatto IIIA it stayed what it was, with a projected Gauss it was 3 and 1 by turns
/// for ever, all of it Converged.
#[test]
fn a_rod_s_force_follows_its_load() {
    let found = [
        pulled(RadauIIA::<3>),
        pulled(LobattoPair::<2>),
        pulled(LobattoIIIA::<3>),
        pulled(Projected(LobattoIIIA::<3>)),
        pulled(Projected(Gauss::<2>)),
        pulled(Projected(Gauss::<3>)),
    ];
    for (method, forces) in found.iter().enumerate() {
        let worst = forces.iter().fold(0.0_f64, |w, f| w.max((f - 2.0).abs()));
        assert!(worst < 1e-6, "method {method} is off by {worst}");
    }
}

/// The same with the force as an unknown.
#[derive(Clone, Copy)]
struct Bob;

impl SecondOrder<f64, 3, 1> for Bob {
    const ALGEBRAIC: [bool; 3] = [false, false, true];
    fn residual<T: Scalar<f64>>(
        &self,
        _t: T,
        x: &Vector<T, 3>,
        _v: &Vector<T, 3>,
        a: &Vector<T, 3>,
        u: &Vector<f64, 1>,
    ) -> Vector<T, 3> {
        [
            a[0] + x[0] * x[2],
            a[1] + x[1] * x[2] + 1.0 + u[0],
            (x[0] * x[0] + x[1] * x[1] - 1.0) * 0.5,
        ]
        .into()
    }
}

/// The unknown force of a method over 20 steps, after the pull on it has doubled.
macro_rules! unknown {
    ($method:expr) => {{
        let hanging = ([0.0, -1.0, 1.0].into(), [0.0; 3].into());
        let mut bob = Simulation::new(Bob, $method, 0.02, hanging).unwrap();
        bob.step().unwrap();
        bob.input = [1.0].into();
        let mut worst = 0.0_f64;
        for _ in 0..20 {
            bob.step().unwrap();
            worst = worst.max((bob.state().x[2] - 2.0).abs());
        }
        worst
    }};
}

/// An unknown without a derivative jumps as inputs do. With Gauss it stayed 1, or was 3 and 1 by turns.
#[test]
fn an_unknown_force_follows_its_load() {
    let found = [
        unknown!(Gauss::<2>),
        unknown!(Gauss::<3>),
        unknown!(LobattoIIIA::<3>),
        unknown!(RadauIIA::<3>),
        unknown!(Bdf::<3>),
    ];
    assert!(found.iter().all(|off| *off < 1e-6), "{found:?}");
}

/// A mass on a spring, pushed.
#[derive(Clone, Copy)]
struct Mass;

mechanical! {
    impl [] Mechanical<f64, 1, 1, 1> for Mass;
    joints(self) -> Elastic<f64, 1> { Elastic { stiffness: [100.0] } }
    force(self, _t, _q, _v, u) { [T::constant(u[0])] }
    constraint(self, _t, q) { [q[0]] }
}

fn balanced<Kind>(method: impl Moves<Mass, Kind, f64, 1, 1, 1>) {
    let mut mass = Simulation::new(Mass, method, 0.02, ([0.01].into(), [0.0].into())).unwrap();
    for step in 0..1000 {
        let at = *mass.state();
        let lack = at.a[0] + at.lambda[0] - mass.input[0];
        assert!(lack.abs() < 1e-6, "{lack} before step {step}");
        if step == 500 {
            mass.input = [3.0].into();
        }
        assert_eq!(mass.step().unwrap().outcome, Outcome::Converged);
    }
}

/// An acceleration is that of the forces at hand: at a start with a strained spring, and after a jump. It was that of the slow motion, and with
/// Gauss, which forgets nothing, 1 and -1 off by turns for ever.
#[test]
fn accelerations_are_those_of_the_forces() {
    balanced(RadauIIA::<3>);
    balanced(Gauss::<2>);
    balanced(Gauss::<3>);
    balanced(LobattoIIIA::<3>);
}

/// A snapshot knows which inputs its forces belong to.
#[test]
fn a_snapshot_of_a_jump_goes_on_alike() {
    let hanging = || ([0.0, -1.0].into(), [0.0; 2].into());
    let made = || Simulation::new(Rod, Projected(Gauss::<3>), 0.02, hanging()).unwrap();
    let (mut rod, mut other) = (made(), made());
    rod.input = [1.0].into();
    rod.step().unwrap();
    let mut words = [0; 256];
    let mut save = stiffstep::memory::Save::new(&mut words);
    rod.remember(&mut save, |_, _| ());
    other.remember(&mut stiffstep::memory::Load::new(&words), |_, _| ());
    for plant in [&mut rod, &mut other] {
        plant.input = [2.5].into();
        plant.step().unwrap();
    }
    assert_eq!(rod.state(), other.state());
}
