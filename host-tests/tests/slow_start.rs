//! Ways onto the slow manifold compared, and slow solutions by explicit solvers (Ariel, Sanz-Serna & Tsai, sections 6.1 to 6.5).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use stiffstep::manifold::Ipa;
use stiffstep::prelude::*;
use stiffstep_host_tests::figures::{assert_at_most, assert_order};
use stiffstep_host_tests::slow_start::{Ringing, Start, Way, explicit, slow_start, tolerance};
use stiffstep_plants::double_spring::{DoubleRod, DoubleSpring, OFF, ON, start};

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

fn distance(a: Start, b: Start) -> [f64; 2] {
    [(a.0 - b.0).norm(), (a.1 - b.1).norm()]
}

/// The slow solution at t = 10.
fn reference(omega: f64) -> Start {
    let end = match omega {
        1e3 => [
            9.993_441_459_016_28e-1,
            -3.620_876_555_624_597e-2,
            6.615_574_171_953_693e-1,
            9.050_142_037_848_636e-1,
            1.097_570_903_484_566e-3,
            3.029_828_260_948_288e-2,
            -6.739_099_755_716_5e-1,
            -2.119_487_288_128_946e-1,
        ],
        1e4 => [
            9.993_437_609_913_126e-1,
            -3.622_216_633_401_947e-2,
            6.615_241_981_186_774e-1,
            9.049_887_284_509_047e-1,
            1.098_815_097_985_317e-3,
            3.031_558_428_189_141e-2,
            -6.739_090_314_995_446e-1,
            -2.119_583_370_475_536e-1,
        ],
        _ => {
            let slow = slow_start(omega).unwrap();
            return explicit(omega, slow, 10.0, [1e-11, 1e-13]).unwrap().end;
        }
    };
    let [q, v] = [0, 4].map(|from| Vector::from_iterator(end.iter().skip(from).copied()));
    (q, v)
}

/// The pair of relative and absolute tolerance 10^-k and 10^-(k+3).
fn tolerances(k: i32) -> [f64; 2] {
    [10_f64.powi(-k), 10_f64.powi(-k - 3)]
}

/// Figs. 3 and 4: from the constraints the error saturates, at about 1e-5 in q and 1e-3 in p for omega = 1e3, and 1e-7 and
/// 1e-4 for 1e4, whatever the tolerance; from the slow manifold it does not. Both cost what the stiffness dictates.
#[test]
fn a_slow_start_takes_the_ripples_away() {
    for (omega, in_q, in_p) in [(1e2, 3e-3, 1e-2), (1e3, 1e-5, 1e-3), (1e4, 1e-7, 1e-4)] {
        let reference = reference(omega);
        let run = |from, k| {
            let run = explicit(omega, from, 10.0, tolerances(k)).unwrap();
            let error = distance(run.end, reference);
            println!(
                "omega {omega:e}, tolerance 1e-{k}: {error:?}, {} evaluations",
                run.evaluations
            );
            (error, run.evaluations)
        };
        let slow = slow_start(omega).unwrap();
        for k in [7, 8] {
            let (rippled, _) = run(start(ON), k);
            assert!((0.5..2.0).contains(&(rippled[0] / in_q)), "{rippled:?}");
            assert!((0.3..3.0).contains(&(rippled[1] / in_p)), "{rippled:?}");
            let (smooth, _) = run(slow, k);
            assert_at_most("q", smooth[0], 1e-3 * rippled[0]);
            assert_at_most("p", smooth[1], 5e-2 * rippled[1]);
        }
    }
    let evaluations = |omega| {
        let slow = slow_start(omega).unwrap();
        explicit(omega, slow, 10.0, tolerances(6))
            .unwrap()
            .evaluations
    };
    assert!(evaluations(1e3) > 5 * evaluations(1e2));
}

/// Fig. 5: projected back at t = 1, 2, .. 9. What the projections themselves leave, of the order omega^-4, is then the error: the
/// same for every tolerance, 5e-8 in q and 5e-7 in p for omega = 1e3.
#[test]
fn projecting_back_now_and_then_leaves_the_projections_error() {
    for (omega, in_q, in_p) in [(1e2, 5.3e-4, 7.8e-4), (1e3, 5e-8, 5e-7)] {
        let reference = reference(omega);
        for k in [6, 7, 8] {
            let mut at = slow_start(omega).unwrap();
            for second in 0..10 {
                if second > 0 {
                    at = Way::Iterated.from(omega, at).unwrap();
                }
                at = explicit(omega, at, 1.0, tolerances(k)).unwrap().end;
            }
            let error = distance(at, reference);
            println!("omega {omega:e}, tolerance 1e-{k}: {error:?}");
            assert!((0.5..1.5).contains(&(error[0] / in_q)), "{error:?}");
            assert_at_most("p", error[1], 1.5 * in_p);
        }
    }
}

/// Fig. 2 beside Fig. 6: RATTLE on rods is of order 2 and ends at omega^-2; the explicit method along the slow manifold is of
/// order 4, and ends where its projections do.
#[test]
fn rods_and_slow_springs_differ_by_the_compliance() {
    let run = |omega: f64, steps: u32| {
        let (slow, h) = (slow_start(omega).unwrap(), 1.0 / f64::from(steps));
        let mut rods = Simulation::new(DoubleRod, LobattoPair::<2>, h, slow)
            .unwrap()
            .with_budget(Until {
                tolerance: 1e-13,
                max: 30,
            });
        let method = RungeKutta4Ipa(Ipa::new(omega).tolerance(tolerance(omega)));
        let mut springs = Simulation::new(DoubleSpring::new(omega), method, h, slow).unwrap();
        for _ in 0..10 * steps {
            rods.step().unwrap();
            springs.step().unwrap();
        }
        let reference = reference(omega);
        let (rods, springs) = (rods.state(), springs.state());
        let errors = [
            distance((rods.q, rods.v), reference)[0],
            distance((springs.q, springs.v), reference)[0],
        ];
        println!("omega {omega:e}, H = 1/{steps}: {errors:?}");
        errors
    };
    let (coarse, fine) = (run(1e4, 8), run(1e4, 16));
    assert_order("RATTLE", coarse[0], fine[0], 2.0, 0.1);
    assert_order("RK4 + IPA", coarse[1], fine[1], 4.0, 0.4);
    // omega = 1e2: neither gets better any more.
    let (coarse, fine) = (run(1e2, 32), run(1e2, 64));
    assert!(fine[0] > 1e-4 && fine[1] > 0.5 * coarse[1]);
}
