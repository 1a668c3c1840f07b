//! Mechanisms whose parameters change while they run, and what their state says about itself.
#![allow(clippy::unwrap_used)]

use super::plants::{Line, Point};
use stiffstep::manifold::Diagnostics;
use stiffstep::prelude::*;
use stiffstep::step::Method;
use stiffstep_host_tests::Go;
use stiffstep_host_tests::pendulum::level;
use stiffstep_plants::pendulum::StiffPendulum;

/// A pendulum in single precision.
fn stiff(
    eps: f64,
) -> Simulation<impl Stepper<Real = f32, Model = StiffPendulum<f32>, State = Motion<f32, 2, 1>>> {
    let (model, method) = (StiffPendulum::<f32>::new(eps), Lean(RadauIIA::<3>));
    Simulation::new(model, method, 1e-2, level()).unwrap()
}

fn start() -> (Vector<f64, 2>, Vector<f64, 2>) {
    ([1.0, 0.0].into(), [0.0, 0.0].into())
}

#[test]
fn an_elastic_joint_takes_up_its_new_force() {
    let rod = Point::on(Elastic { stiffness: [1e4] });
    let mut plant = Simulation::new(rod, Lean(RadauIIA::<3>), 1e-2, start()).unwrap();
    plant.go(100).unwrap();
    let before = *plant.state();
    plant.change(|rod| rod.joint.stiffness = [2e4]).unwrap();
    let after = *plant.state();
    assert_eq!((after.q, after.v), (before.q, before.v));
    assert!(
        (after.lambda[0] / before.lambda[0] - 2.0).abs() < 1e-6,
        "{}",
        after.lambda[0] / before.lambda[0]
    );
    // Half as much stretched, twice as stiff: after the ringing has died down the force is what gravity asks for.
    plant.go(50).unwrap();
    let rigid = plant.state().v.norm_squared() - plant.state().q[1];
    assert!((plant.state().lambda[0] - rigid).abs() < 1e-2);
}

/// The same in single precision, where the step works with increments and would otherwise never notice.
#[test]
fn single_precision_notices_a_changed_spring() {
    let mut plant = stiff(1e-2);
    plant.go(100).unwrap();
    let stretch = plant.state().lambda[0] / plant.model().stiffness;
    plant.change(|spring| spring.stiffness *= 4.0).unwrap();
    assert!((plant.state().lambda[0] / plant.model().stiffness / stretch - 1.0).abs() < 1e-3);
    plant.go(100).unwrap();
    let at = plant.state();
    let deflection = at.q.norm() - 1.0;
    assert!((deflection * plant.model().stiffness / at.lambda[0] - 1.0).abs() < 2e-2);
}

/// An infinite stiffness is a rigid rod, decided at run time: the same motion as that of a model with rigid joints.
#[test]
fn an_infinite_stiffness_is_rigid() {
    let rod = Point::on(Elastic {
        stiffness: [f64::INFINITY],
    });
    let mut limit = Simulation::new(rod, Lean(RadauIIA::<3>), 1e-2, start()).unwrap();
    let mut rigid = Simulation::new(Point::on(Rigid), Lean(RadauIIA::<3>), 1e-2, start()).unwrap();
    for _ in 0..200 {
        limit.step().unwrap();
        rigid.step().unwrap();
        assert!((limit.state().q - rigid.state().q).norm() < 1e-13);
        assert!((limit.state().lambda - rigid.state().lambda).norm() < 1e-9);
    }
    limit.change(|rod| rod.length = 1.01).unwrap();
    assert!((limit.state().q.norm() - 1.01).abs() < 1e-14);
}

#[test]
fn a_rigid_mechanism_moves_to_where_it_fits() {
    let mut plant = Simulation::new(Point::on(Rigid), Lean(RadauIIA::<3>), 1e-2, start()).unwrap();
    plant.go(100).unwrap();
    let before = *plant.state();
    plant.change(|rod| rod.length = 1.01).unwrap();
    let after = *plant.state();
    assert!((after.q.norm() - 1.01).abs() < 1e-14);
    // Along the rod, and with a velocity that is still tangential.
    assert!((after.q / 1.01 - before.q).norm() < 1e-10);
    assert!(after.q.dot(&after.v).abs() < 1e-14);
    plant.step().unwrap();
    assert!(
        (plant.state().v - after.v).norm() < 0.02,
        "no jump of the velocity"
    );
}

/// What nothing depends on changes nothing, to the bit.
#[test]
fn a_change_without_consequence_has_none() {
    let (mut touched, mut untouched) = (stiff(1e-3), stiff(1e-3));
    for _ in 0..200 {
        touched.change(|_| ()).unwrap();
        assert_eq!(touched.step(), untouched.step());
        assert_eq!(touched.state(), untouched.state());
    }
}

#[test]
fn a_change_that_makes_no_sense_is_refused() {
    let rod = Point::on(Elastic { stiffness: [1e4] });
    let mut plant = Simulation::new(rod, Lean(RadauIIA::<3>), 1e-2, start()).unwrap();
    plant.step().unwrap();
    let before = *plant.state();
    for bad in [0.0, -1.0, f64::NAN] {
        assert_eq!(
            plant.change(|rod| rod.joint.stiffness = [bad]),
            Err(Error::Joint { index: 0 })
        );
        assert_eq!(*plant.state(), before);
        assert_eq!(plant.model().joint.stiffness, [1e4]);
    }
    let mut plant = Simulation::new(Point::on(Rigid), Lean(RadauIIA::<3>), 1e-2, start()).unwrap();
    plant.step().unwrap();
    let before = *plant.state();
    // No position has a negative distance from the origin.
    assert!(plant.change(|rod| rod.length = -1.0).is_err());
    assert_eq!(*plant.state(), before);
    assert_eq!(plant.model().length, 1.0);
}

#[test]
fn diagnostics_add_up() {
    let model = StiffPendulum::<f64>::new(1e-2);
    let mut plant = Simulation::new(model, Lean(RadauIIA::<3>), 1e-2, start()).unwrap();
    for _ in 0..300 {
        plant.step().unwrap();
        let at = plant.state();
        let seen = Diagnostics::of(plant.model(), plant.time(), at);
        assert!((seen.energy() - plant.model().energy(at)).abs() < 1e-9);
        assert!((seen.constraint[0] - (at.q.norm() - 1.0)).abs() < 1e-15);
        assert!((seen.rate[0] - at.q.dot(&at.v) / at.q.norm()).abs() < 1e-15);
        assert!(seen.strain > 0.0);
    }
}

/// What is projected fits the end of the step, not its beginning.
#[test]
fn a_projected_step_ends_on_the_constraints_of_its_end() -> Result<(), Error> {
    type Growing = Point<f64, Rigid>;
    fn fits<K, Kind, P>(method: K) -> Result<(), Error>
    where
        K: Method<Growing, Kind, Real = f64, Stepper = P, Start = (Vector<f64, 2>, Vector<f64, 2>)>,
        P: Stepper<Real = f64, State = Motion<f64, 2, 1>>,
    {
        let growing = Point {
            growth: 1.0,
            ..Point::on(Rigid)
        };
        let start = ([1.0, 0.0].into(), [1.0, 0.0].into());
        let mut rod = Simulation::new(growing, method, 0.01, start)?.with_budget(Fixed(6));
        rod.go(100)?;
        let (q, v) = (rod.state().q, rod.state().v);
        let length = q.norm();
        assert!((length - 2.0).abs() < 1e-9, "{length}");
        let speed = q.dot(&v) / length;
        assert!((speed - 1.0).abs() < 1e-9, "{speed}");
        Ok(())
    }
    fits(Projected(Gauss::<3>))?;
    fits(LobattoPair::<2>)?;
    fits(LobattoPair::<3>)
}

#[test]
fn a_turn_that_strains_a_joint_is_refused() -> Result<(), Error> {
    // Two wheels, one of which turns twice as fast, by a belt; with the turn that somebody takes for neutral.
    let belt = |turn| Line::<f64, Rigid, 2, 1, 0> {
        constraint: [[2.0, -1.0]],
        turn,
        ..Line::of(Rigid)
    };
    let start = ([0.1, 0.2].into(), [1.0, 2.0].into());
    let tau = std::f64::consts::TAU;
    for wrong in [[tau, tau], [-tau, 2.0 * tau], [tau, 0.0]] {
        let refused = Simulation::new(belt(wrong), Lean(RadauIIA::<3>), 0.1, start).err();
        assert_eq!(refused, Some(Error::Turn), "{wrong:?}");
    }
    for right in [[tau, 2.0 * tau], [-tau, -2.0 * tau]] {
        let mut belt = Simulation::new(belt(right), Lean(RadauIIA::<3>), 0.1, start)?;
        belt.go(100)?;
        assert_eq!(belt.state().turns, right[0].signum() as i32);
        assert!((belt.state().q[0] - (10.1 - tau)).abs() < 1e-9);
    }
    Ok(())
}
