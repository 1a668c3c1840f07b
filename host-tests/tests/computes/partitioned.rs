//! The partitioned Lobatto IIIA-IIIB pair: Verlet, RATTLE and their three-stage cousin.

use stiffstep::prelude::*;
use stiffstep_host_tests::pendulum::{RIGID_5, level};
use stiffstep_host_tests::{Go, until};
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};

const TIGHT: Until<f64> = until(1e-13, 40);

fn error<const S: usize>(steps: u32) -> f64 {
    let h = 5.0 / f64::from(steps);
    let mut plant = Simulation::new(RigidPendulum, LobattoPair::<S>, h, level())
        .unwrap()
        .with_budget(TIGHT);
    plant.go(steps).unwrap();
    let at: &Motion<f64, 2, 1> = plant.state();
    [at.q[0], at.q[1], at.v[0], at.v[1]]
        .iter()
        .zip(RIGID_5)
        .map(|(found, exact)| (found - exact).abs())
        .fold(0.0, f64::max)
}

#[test]
fn orders_on_the_rigid_pendulum() {
    let two = (error::<2>(200) / error::<2>(400)).log2();
    let three = (error::<3>(200) / error::<3>(400)).log2();
    assert!((two - 2.0).abs() < 0.1, "{two}");
    assert!((three - 4.0).abs() < 0.1, "{three}");
}

/// What somebody counts in the state is theirs.
#[test]
fn a_restart_keeps_the_turns() {
    let mut plant = Simulation::new(RigidPendulum, LobattoPair::<2>, 0.01, level()).unwrap();
    plant
        .restart(|_, now: &mut Motion<f64, 2, 1>| now.turns = 5)
        .unwrap();
    plant.step().unwrap();
    assert_eq!(plant.state().turns, 5);
}

/// A million steps of RATTLE: on the manifold to rounding, and no drift of the energy.
#[test]
fn rattle_holds_for_a_million_steps() {
    let mut plant = Simulation::new(RigidPendulum, LobattoPair::<2>, 0.01, level())
        .unwrap()
        .with_budget(TIGHT);
    let (mut position, mut velocity) = (0.0_f64, 0.0_f64);
    let (mut early, mut late) = (0.0_f64, 0.0_f64);
    for step in 0..1_000_000 {
        plant.step().unwrap();
        let at: &Motion<f64, 2, 1> = plant.state();
        position = position.max((at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0).abs());
        velocity = velocity.max((at.q[0] * at.v[0] + at.q[1] * at.v[1]).abs());
        let energy = RigidPendulum.energy(at).abs();
        if step < 100_000 {
            early = early.max(energy);
        }
        if step >= 900_000 {
            late = late.max(energy);
        }
    }
    println!("|g| {position:e}, |G v| {velocity:e}, energy {early:e} then {late:e}");
    assert!(position < 5e-15 && velocity < 2e-15);
    assert!(early < 4e-5 && (late / early - 1.0).abs() < 1e-3);
}

/// Within its interval of periodicity it keeps the energy, beyond it it does not: h omega = 2 divides them.
#[test]
fn verlet_is_stable_up_to_two() {
    let worst = |h_omega: f64| {
        let (omega, h) = (100.0, h_omega / 100.0);
        let model = StiffPendulum::<f64>::new(1.0 / omega);
        let strained = ([1.001, 0.0].into(), [0.0, 0.0].into());
        let mut plant = Simulation::new(model, LobattoPair::<2>, h, strained).unwrap();
        let mut worst = 0.0_f64;
        for _ in 0..2000 {
            if plant.step().is_err() {
                return f64::INFINITY;
            }
            worst = worst.max(model.energy(plant.state()).abs());
        }
        worst
    };
    assert!(worst(1.8) < 0.1, "{}", worst(1.8));
    assert!(worst(2.1) > 1e3, "{}", worst(2.1));
}

#[test]
fn bad_input_changes_nothing() {
    for h in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let made = Simulation::new(RigidPendulum, LobattoPair::<2>, h, level());
        assert_eq!(made.map(|_| ()), Err(Error::StepSize));
    }
    let nowhere = ([f64::NAN, 0.0].into(), [0.0, 0.0].into());
    let made = Simulation::new(RigidPendulum, LobattoPair::<3>, 0.01, nowhere);
    assert_eq!(made.map(|_| ()), Err(Error::Start { index: 0 }));
    let mut plant = Simulation::new(RigidPendulum, LobattoPair::<2>, 0.01, level()).unwrap();
    plant.step().unwrap();
    let before: Motion<f64, 2, 1> = *plant.state();
    plant.set_h(50.0).unwrap();
    assert!(plant.step().is_err());
    assert_eq!(*plant.state(), before);
}
