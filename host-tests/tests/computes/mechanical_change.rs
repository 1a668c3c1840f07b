//! Mechanisms whose parameters change while they run, and what their state says about itself.

use super::plants::{Line, Moves, Moving, Point};
use stiffstep::manifold::Diagnostics;
use stiffstep::prelude::*;
use stiffstep_host_tests::Go;
use stiffstep_host_tests::pendulum::level;
use stiffstep_plants::pendulum::StiffPendulum;

/// A pendulum in single precision.
fn stiff(eps: f64) -> Simulation<impl Moving<StiffPendulum<f32>, f32, 2, 1, 0>> {
    let (model, method) = (StiffPendulum::<f32>::new(eps), Lean(RadauIIA::<3>));
    Simulation::new(model, method, 1e-2, level()).unwrap()
}

/// A rod on a joint, level and at rest.
fn rod<J: Joints<f64, 1>>(joint: J) -> Simulation<impl Moving<Point<f64, J>, f64, 2, 1, 0>> {
    Simulation::new(Point::on(joint), Lean(RadauIIA::<3>), 1e-2, level()).unwrap()
}

#[test]
fn an_elastic_joint_takes_up_its_new_force() {
    let mut plant = rod(Elastic { stiffness: [1e4] });
    plant.go(100).unwrap();
    let before = *plant.state();
    plant.change(|rod| rod.joint.stiffness = [2e4]).unwrap();
    let after = *plant.state();
    assert_eq!((after.q, after.v), (before.q, before.v));
    let ratio = after.lambda[0] / before.lambda[0];
    assert!((ratio - 2.0).abs() < 1e-6, "{ratio}");
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
    let stiffness = [f64::INFINITY];
    let (mut limit, mut rigid) = (rod(Elastic { stiffness }), rod(Rigid));
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
    let mut plant = rod(Rigid);
    plant.go(100).unwrap();
    let before = *plant.state();
    plant.change(|rod| rod.length = 1.01).unwrap();
    let after = *plant.state();
    assert!((after.q.norm() - 1.01).abs() < 1e-14);
    // Along the rod, and with a velocity that is still tangential.
    assert!((after.q / 1.01 - before.q).norm() < 1e-10);
    assert!(after.q.dot(&after.v).abs() < 1e-14);
    plant.step().unwrap();
    let jump = (plant.state().v - after.v).norm();
    assert!(jump < 0.02, "the velocity jumps by {jump}");
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
    let mut plant = rod(Elastic { stiffness: [1e4] });
    plant.step().unwrap();
    let before = *plant.state();
    for bad in [0.0, -1.0, f64::NAN] {
        let refused = plant.change(|rod| rod.joint.stiffness = [bad]);
        assert_eq!(refused, Err(Error::Joint { index: 0 }));
        assert_eq!(*plant.state(), before);
        assert_eq!(plant.model().joint.stiffness, [1e4]);
    }
    let mut plant = rod(Rigid);
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
    let mut plant = Simulation::new(model, Lean(RadauIIA::<3>), 1e-2, level()).unwrap();
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
    fn fits<Kind>(method: impl Moves<Point<f64, Rigid>, Kind, f64, 2, 1, 0>) -> Result<(), Error> {
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
