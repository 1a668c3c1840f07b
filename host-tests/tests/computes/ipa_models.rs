//! The iterated projection on models beyond the paper's: moving constraints, masses, forces of the velocity, joints of several
//! kinds; simulations put back onto their slow manifold, and stepped along it.

use super::plants::{Places, Point};
use stiffstep::manifold::{Ending, Ipa, Kernel};
use stiffstep::prelude::*;
use stiffstep_host_tests::figures::{assert_at_most, assert_order_at_least};
use stiffstep_host_tests::{Go, until};
use stiffstep_plants::double_spring::{DoubleSpring, OFF, ON, start};

fn none<R: Real>() -> Vector<R, 0> {
    Vector::from([])
}

/// (5): a point on a spring whose other end moves, and beside it one that falls and is held by nothing (section 4.2). The slow
/// solution is `A cos t`, `A = omega^2 / (omega^2 - 1)`.
struct Dragged {
    omega: f64,
    /// Of the one that falls.
    friction: f64,
}

mechanical! {
    impl [] Mechanical<f64, 2, 1, 0> for Dragged;
    joints(self) -> Elastic<f64, 1> { Elastic { stiffness: [self.omega * self.omega] } }
    force(self, _t, _q, v, _u) { [T::constant(0.0), v[1] * -self.friction - 1.0] }
    constraint(self, t, q) { [q[0] - t.cos()] }
}

/// Positions converge with mu + 1 = 4 powers of omega. Velocities are Verlet's, of a slow motion v + h^2 v'' / 6.
#[test]
fn moving_constraints_are_followed() {
    let t = 0.7_f64;
    for kernel in [Kernel::CUBIC, Kernel::SMOOTH] {
        let errors = |omega: f64| {
            let (q, v) = ([t.cos() + 0.1, 5.0].into(), [0.3, -2.0].into());
            let ipa = Ipa::<f64, 18>::with(&kernel, 18.0 / omega).tolerance(1e-13);
            let friction = 0.0;
            let model = Dragged { omega, friction };
            let slow = ipa.project(&model, t, &q, &v, &none()).unwrap().motion;
            // What no spring holds stays where it is: gravity's parabola has two moments that vanish.
            assert_at_most("free", (slow.q[1] - 5.0).abs(), 1e-12);
            assert_at_most("free", (slow.v[1] + 2.0).abs(), 1e-12);
            let a = omega * omega / (omega * omega - 1.0);
            let verlet = 1.0 - (ipa.half_width / 18.0).powi(2) / 6.0;
            [
                (slow.q[0] - a * t.cos()).abs(),
                (slow.v[0] + a * t.sin() * verlet).abs(),
            ]
        };
        let (coarse, fine) = (errors(40.0), errors(80.0));
        assert_order_at_least("q", coarse[0], fine[0], 3.8);
        assert_order_at_least("v", coarse[1], fine[1], 3.8);
        assert_at_most("omega = 1e3", errors(1e3)[0], 1e-9);
    }
}

/// Forces of the velocity are told one that is right to second order: an error of the first is even in time, and no filter takes
/// it away.
#[test]
fn friction_does_not_push_what_no_spring_holds() {
    let (omega, friction) = (1e3, 5.0);
    let model = Dragged { omega, friction };
    let (q, v) = ([1.1, 5.0].into(), [0.3, -2.0].into());
    let slow = Ipa::new(1e3).project(&model, 0.0, &q, &v, &none()).unwrap();
    assert_at_most("q", (slow.motion.q[1] - 5.0).abs(), 2e-6);
    assert_at_most("v", (slow.motion.v[1] + 2.0).abs(), 2e-6);
}

/// Section 2.3: a mass that circles on a spring without gravity. Slow is `omega^2 r^3 (r - 1) = (r^2 phi')^2`, `r' = 0`.
#[test]
fn circling_mass_stretches_its_spring_by_what_the_centrifugal_force_asks_for() {
    for omega in [1e2, 1e3, 1e4] {
        let stiffness = [omega * omega];
        let circling = Point::<f64, _> {
            weight: 0.0,
            ..Point::on(Elastic { stiffness })
        };
        let (q, v) = ([0.6, 0.82].into(), [-0.7, 0.55].into());
        let slow = Ipa::new(omega)
            .force(1e-7)
            .project(&circling, 0.0, &q, &v, &none())
            .unwrap();
        let (q, v) = (slow.motion.q, slow.motion.v);
        let (r, moment) = (q.norm(), q[0] * v[1] - q[1] * v[0]);
        let stretch = omega * omega * r.powi(3) * (r - 1.0) - moment * moment;
        // A radius that is off by omega^-4.
        assert_at_most("stretch", stretch.abs(), 100.0 / (omega * omega) + 1e-7);
        assert_at_most("radial velocity", (q.dot(&v) / r).abs(), 1e-7);
        // The spring's pull and the centrifugal acceleration are one.
        let difference = slow.motion.lambda[0] - moment * moment / r.powi(3);
        assert_at_most("lambda", difference.abs(), 1e-2);
    }
}

/// A sledge and a pendulum of unequal masses on a spring with friction, gravity and a drive, in several kinds of mass and joint.
#[derive(Clone, Copy)]
struct Crane<J> {
    joints: J,
}

fn elastic() -> Crane<Elastic<f64, 2>> {
    let stiffness = [1e6, 4e6];
    let joints = Elastic { stiffness };
    Crane { joints }
}

const FRICTION: f64 = 0.4;

mechanical! {
    impl [J: Joints<f64, 2>] Mechanical<f64, 3, 2, 1> for Crane<J>;
    joints(self) -> J { self.joints }
    mass(self, _q) -> Matrix<T, 3, 3> {
        let m = [[3.0, 0.2, 0.0], [0.2, 0.5, 0.1], [0.0, 0.1, 0.8]];
        Matrix::from(m.map(|column| column.map(T::constant)))
    }
    force(self, _t, _q, v, u) {
        let drive = T::constant(u[0]) - v[0] * FRICTION;
        [drive, T::constant(-5.0) - v[1] * v[0], v[2] * -FRICTION]
    }
    constraint(self, t, q) {
        let across = q[0] - q[2];
        [(q[1] * q[1] + across * across).sqrt() - 1.0, q[2] - t.sin() * 0.1]
    }
}

/// The energy, per unit of K, that the joints' forces still oscillate with: two thousand micro steps against their own trend.
fn ripple<J: Joints<f64, 2>>(crane: Crane<J>, start: Places<f64, 3>, h: f64) -> f64 {
    let plant = Simulation::new(crane, LobattoPair::<2>, h, start).unwrap();
    let mut plant = plant.with_budget(until(1e-12, 20));
    plant.input = [1.0].into();
    let mut curve: Vec<f64> = Vec::new();
    for _ in 0..300 {
        plant.step().unwrap();
        curve.push(plant.state().lambda[0]);
    }
    // Against a parabola through three means would be finer; second differences over a period are enough.
    let bends = curve.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).abs());
    bends.fold(0.0, f64::max)
}

/// Joints whose stiffnesses differ a hundredfold, a full mass matrix, friction, a moving constraint and an input.
#[test]
fn several_stiffnesses_and_masses_fit_one_window() {
    let crane = elastic();
    let u = [1.0].into();
    let (q, v) = ([0.02, -1.01, 0.03].into(), [0.5, 0.05, -0.1].into());
    for kernel in [Kernel::CUBIC, Kernel::SMOOTH] {
        let ipa = Ipa::<f64, 40>::fitted(&kernel, &crane, 0.0, &q).unwrap();
        let slow = ipa.project(&crane, 0.0, &q, &v, &u).unwrap();
        println!("{:?} {:?}", slow.report, slow.motion.lambda);
        assert_eq!(slow.ending, Ending::Settled);
        let h = ipa.half_width / 400.0;
        let before = ripple(crane, (q, v), h);
        let after = ripple(crane, (slow.motion.q, slow.motion.v), h);
        println!("{before:e} {after:e}");
        assert_at_most("ripple", after, 1e-6 * before);
        // The forces are those of rigid joints, up to the compliance.
        let at = &slow.motion;
        let rigid = stiffstep::manifold::free_motion(&crane, 0.0, &at.q, &at.v, &u).unwrap();
        assert_at_most("lambda", (rigid.lambda - at.lambda).amax(), 1e-3);
        assert_at_most("a", (rigid.a - at.a).amax(), 1e-3);
    }
}

/// Dampers do not take part in the micro-integration, which would go back in time with them; what that costs is of the order of
/// the projection's own error.
#[test]
fn damped_joints_have_a_slow_motion_too() {
    let (q, v) = ([0.02, -1.01, 0.03].into(), [0.5, 0.05, -0.1].into());
    let (stiffness, damping, u) = ([1e6, 4e6], [50.0, 100.0], [1.0].into());
    let joints = Damped { stiffness, damping };
    let crane = Crane { joints };
    let ipa = Ipa::<f64, 40>::fitted(&Kernel::SMOOTH, &crane, 0.0, &q).unwrap();
    let slow = ipa.project(&crane, 0.0, &q, &v, &u).unwrap();
    let h = ipa.half_width / 400.0;
    let before = ripple(crane, (q, v), h);
    let after = ripple(crane, (slow.motion.q, slow.motion.v), h);
    println!("{before:e} {after:e}");
    assert_at_most("ripple", after, 1e-6 * before);
}

/// Verlet keeps what rings; a projection now and then takes it away, and goes on at the same time with the same inputs.
#[test]
fn simulations_are_put_back_onto_their_slow_manifold() {
    let (omega, springs) = (1e3, DoubleSpring::new(1e3));
    // Both springs as long as rods, and 50 ppm more.
    let (mut q, v) = ON;
    q[1] = 0.01;
    let mut plant = Simulation::new(springs, LobattoPair::<2>, 5e-4, start((q, v))).unwrap();
    let swing = |plant: &mut Simulation<_>| {
        let mut force = || {
            plant.step().unwrap();
            let state: &Motion<f64, 4, 2> = plant.state();
            state.lambda[0]
        };
        let forces: Vec<f64> = (0..40).map(|_| force()).collect();
        let most = |sign: f64| forces.iter().map(|f| sign * f).fold(f64::MIN, f64::max);
        most(1.0) + most(-1.0)
    };
    let before = swing(&mut plant);
    let time = plant.time();
    let slow = Ipa::new(omega).reproject(&mut plant).unwrap();
    assert_eq!((plant.time(), plant.state().q), (time, slow.motion.q));
    let after = swing(&mut plant);
    println!("{before:e} {after:e} {:?} {:?}", slow.ending, slow.report);
    assert_at_most("swing", after, 1e-3 * before);
    // The same for an implicit method, and for the explicit one along the manifold.
    let mut gauss = Simulation::new(springs, Lean(Gauss::<4>), 1e-2, start((q, v))).unwrap();
    gauss.step().unwrap();
    let slow = Ipa::new(omega).reproject(&mut gauss).unwrap();
    let difference = gauss.state().lambda - slow.motion.lambda;
    assert_at_most("lambda", difference.amax(), 1e-6);
    gauss.step().unwrap();
    let method = RungeKutta4Ipa(Ipa::new(omega));
    let mut along = Simulation::new(DoubleSpring::new(omega), method, 1e-2, start(ON)).unwrap();
    let (q, v) = start(OFF);
    along.restart(|_, at| (at.q, at.v) = (q, v)).unwrap();
    let found = Ipa::new(omega).project(&DoubleSpring::new(omega), 0.0, &q, &v, &none());
    assert_eq!(along.state(), &found.unwrap().motion);
}

/// Steps along the manifold: bad input is told and changes nothing; inputs and parameters move the manifold.
#[test]
fn steps_along_the_manifold_keep_the_rules_of_steps() {
    let crane = elastic();
    let (q, v) = ([0.0, -1.0, 0.0].into(), [0.0, 0.0, 0.1].into());
    let ipa = Ipa::<f64, 40>::fitted(&Kernel::CUBIC, &crane, 0.0, &q).unwrap();
    let method = RungeKutta4Ipa(ipa);
    for h in [0.0, -1.0, f64::NAN] {
        let error = Simulation::new(crane, method, h, (q, v)).err().unwrap();
        assert_eq!(error, Error::StepSize);
    }
    let mut plant = Simulation::new(crane, method, 0.01, (q, v)).unwrap();
    // Rigid, because a jump of the input makes springs ring.
    let rigid = Crane { joints: Rigid };
    let reference = Simulation::new(rigid, RadauIIA::<5>, 0.001, (q, v)).unwrap();
    let mut reference = reference.with_budget(until(1e-12, 20));
    // Four stages, each with an iteration at least.
    assert!(plant.step().unwrap().iterations >= 4);
    let mut plant = Simulation::new(crane, method, 0.01, (q, v)).unwrap();
    let before = *plant.state();
    plant.input = [f64::NAN].into();
    assert_eq!(plant.step().unwrap_err(), Error::Input);
    assert_eq!((plant.state(), plant.time()), (&before, 0.0));
    for n in 0..100 {
        let u = [if n < 50 { 1.0 } else { -3.0 }].into();
        (plant.input, reference.input) = (u, u);
        let report = plant.step().unwrap();
        assert_eq!(report.outcome, Outcome::Converged);
        reference.go(10).unwrap();
    }
    let (found, expected) = (*plant.state(), *reference.state());
    println!("{found:?}\n{expected:?}");
    assert_at_most("q", (found.q - expected.q).amax(), 1e-5);
    assert_at_most("v", (found.v - expected.v).amax(), 1e-4);
    assert_at_most("lambda", (found.lambda - expected.lambda).amax(), 1e-2);
    let refused = plant.change(|crane| crane.joints.stiffness[0] = -1.0);
    assert_eq!(refused.unwrap_err(), Error::Joint { index: 0 });
    assert_eq!(plant.state(), &found);
    let changed = plant.change(|crane| crane.joints.stiffness[0] = 2e6);
    changed.unwrap();
    assert_at_most("lambda", (plant.state().lambda - found.lambda).amax(), 0.05);
}
