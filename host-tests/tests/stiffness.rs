//! The Newton iteration does not notice the stiffness: the same count from a soft spring to a rigid rod.
#![allow(clippy::unwrap_used)]

use stiffstep::prelude::*;
use stiffstep::step::Method;
use stiffstep_host_tests::pendulum::level;
use stiffstep_plants::pendulum::{SpringLimit, StiffPendulum};

/// The iterations of each of the hundred steps of P1.
fn iterations<M, Kind, K>(model: M, method: K, tolerance: f64) -> Vec<u8>
where
    K: Method<M, Kind, Real = f64, Start = (Vector<f64, 2>, Vector<f64, 2>)>,
    K::Stepper: Stepper<Real = f64>,
{
    let budget = Until { tolerance, max: 20 };
    let mut pendulum = Simulation::new(model, method, 1e-2, level())
        .unwrap()
        .with_budget(budget);
    (0..100)
        .map(|_| pendulum.step().unwrap().iterations)
        .collect()
}

#[test]
fn iterations_do_not_depend_on_the_stiffness() {
    let total = |counts: &[u8]| counts.iter().map(|&n| u32::from(n)).sum::<u32>();
    let mut different = Vec::new();
    // Not at 1e-6, where one iteration is just enough or just not: there the rod and eps <= 1e-4 take 102 iterations, eps 1e-2
    // takes 140 and eps 1e-3 takes 191. Their first increments stay larger, and why is not yet known.
    for tolerance in [1e-8, 1e-9, 1e-10] {
        let rigid = iterations(SpringLimit, RadauIIA::<3>, tolerance);
        println!("{tolerance:e}, rigid: {} iterations", total(&rigid));
        for exponent in 2..=7 {
            let spring = StiffPendulum::new(0.1_f64.powi(exponent));
            let counts = iterations(spring, RadauIIA::<3>, tolerance);
            println!("{tolerance:e}, 1e-{exponent}: {}", total(&counts));
            if counts != rigid {
                different.push((tolerance, exponent, counts));
            }
        }
    }
    assert!(different.is_empty(), "unlike the rigid one: {different:?}");
}
