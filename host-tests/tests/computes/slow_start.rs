//! Ways onto the slow manifold compared, and slow solutions by explicit solvers (Ariel, Sanz-Serna & Tsai, sections 6.1 to 6.5).

use stiffstep_host_tests::experiments::ariel::adaptive;
use stiffstep_host_tests::figures::assert_at_most;
use stiffstep_host_tests::slow_start::{Ringing, Way};
use stiffstep_plants::double_spring::{OFF, ON, start};

fn ringing(omega: f64, way: Way, from: ([f64; 4], [f64; 4])) -> f64 {
    let energy = Ringing::of(omega, way.from(omega, start(from)).unwrap())
        .unwrap()
        .energy;
    println!("omega {omega:e}, {way:?}: ringing energy {energy:.2e}");
    energy
}

/// From a start that is 3 % off. The projection onto the constraints leaves springs that are as long as rods and have to be
/// longer; damping takes its time, and what it takes away is not only what rings.
#[test]
fn iterated_projection_ends_the_ringing_of_a_start_off_the_manifold() {
    for omega in [1e3, 1e4] {
        let given = ringing(omega, Way::AsGiven, OFF);
        // Both springs are 3.08 % too long: K g^2, and a little more that comes from the velocities.
        assert!((given / (omega * omega * 0.0308 * 0.0308) - 1.0).abs() < 0.2);
        let constraints = ringing(omega, Way::Constraints, OFF);
        // The constraint force is about 1: that is how much the springs are off.
        assert_at_most("constraints", constraints, 1.0 / (omega * omega));
        assert!(constraints > 0.1 / (omega * omega));
        let iterated = ringing(omega, Way::Iterated, OFF);
        assert_at_most("iterated", iterated, 1e-6 * constraints);
    }
}

/// The same from (31)-(32), which the constraints do not object to.
#[test]
fn iterated_projection_stretches_springs_that_are_as_long_as_rods() {
    for omega in [1e3, 1e4] {
        let given = ringing(omega, Way::AsGiven, ON);
        let constraints = ringing(omega, Way::Constraints, ON);
        assert_at_most("no difference", (given / constraints - 1.0).abs(), 1e-3);
        let iterated = ringing(omega, Way::Iterated, ON);
        assert_at_most("iterated", iterated, 1e-5 * given);
    }
}

/// Radau damps with h omega: at once where that is large, not at all where it is small.
#[test]
fn damping_takes_steps_and_energy() {
    let stiff = [1, 2, 5, 10].map(|n| ringing(1e4, Way::Damped(n), OFF));
    assert!(stiff.is_sorted_by(|a, b| a > b));
    assert_at_most("h omega = 100, ten steps", stiff[3], 1e-12);
    let softer = ringing(1e3, Way::Damped(10), OFF);
    assert!(softer > 1e-4, "h omega = 10, ten steps: {softer:e}");
    let soft = ringing(1e2, Way::Damped(10), OFF);
    assert!(soft > 1.0, "h omega = 1, ten steps: {soft:e}");
    // And the ringing leaves a push: the energy of the slow motion that it dies into is not the one that was there.
    let energy = |way: Way| way.from(1e3, start(OFF)).unwrap().1.norm_squared() / 2.0;
    let (given, iterated, damped) = (
        energy(Way::AsGiven),
        energy(Way::Iterated),
        energy(Way::Damped(10)),
    );
    println!("kinetic energy {given:.3}, iterated {iterated:.3}, damped {damped:.3}");
    assert_at_most("iterated", (iterated - given).abs(), 0.01);
    assert!(damped > 10.0 * given);
}

/// What the stiffness dictates: an explicit solver pays for it, whatever the start.
#[test]
fn explicit_solvers_pay_for_stiffness() {
    let evaluations = |omega| adaptive(omega, true, 6).unwrap().evaluations;
    assert!(evaluations(1e3) > 5.0 * evaluations(1e2));
}
