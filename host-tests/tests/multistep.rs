//! Backward differentiation formulas for second-order systems: Wunderlich's tables, and multipliers that no change of step
//! or order disturbs.
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

use stiffstep::prelude::*;
use stiffstep::step::{Method, MultistepStepper};
use stiffstep_host_tests::figures::{assert_at_most, assert_error, assert_figure};
use stiffstep_host_tests::second_order::{Chance, TIGHT, states};
use stiffstep_plants::rlc::Rlc;
use stiffstep_plants::second_order::{Bob, Circle, Track, Voltages};

/// The errors of the multiplier of Example 1.3 from t = 1 on.
fn track(states: &[Course<f64, 3>], steps: &[f64]) -> Vec<f64> {
    let mut t = 1.0;
    let error = |(state, h): (&Course<f64, 3>, &f64)| {
        t += h;
        (state.x[2] + 4.0 * t * t).abs()
    };
    states.iter().zip(steps).map(error).collect()
}

fn assert_decimals(what: &str, found: &[f64], printed: &[f64], decimals: i32) {
    println!("{what}: {found:.5?}");
    for (found, printed) in found.iter().zip(printed) {
        // One unit: whoever made the table may have cut off instead of rounding.
        let unit = 10_f64.powi(-decimals);
        assert!((found - printed).abs() < unit, "{what}: {found}, {printed}");
    }
}

#[test]
fn table_1() {
    let steps = [
        1.0, 1.0, 0.2, 0.04, 0.008, 0.008, 0.016, 0.032, 0.064, 0.064,
    ]
    .map(|h| h * 1e-3);
    let ordinary = states(Track, OrdinaryBdf::<1>, Track::at(1.0), &steps).unwrap();
    let printed = [
        2.0080, 0.0080, 8.0303, 8.0348, 8.0357, 0.0001, 1.0047, 1.0048, 1.0052, 0.0006,
    ];
    assert_decimals("BDF 1", &track(&ordinary, &steps), &printed, 4);
    let modified = states(Track, Bdf::<1>, Track::at(1.0), &steps).unwrap();
    let expected = [
        0.0080, 0.0120, 0.0057, 0.0012, 0.0003, 0.00015, 0.0002, 0.0004, 0.0007, 0.0008,
    ];
    assert_decimals("modified", &track(&modified, &steps), &expected, 4);
}

#[test]
fn table_2() {
    let printed: [(f64, &[f64], &[f64]); 2] = [
        (
            0.005,
            &[2.0402, 4.0188, 1.0119, 0.0012, 0.0013, 0.0013],
            &[0.040, 0.001, 0.001, 0.001, 0.001, 0.001],
        ),
        (
            0.01,
            &[2.0808, 4.0352, 1.0278, 0.0052, 0.0054],
            &[0.081, 0.004, 0.004, 0.004, 0.004],
        ),
    ];
    for (h, ordinary, modified) in printed {
        let steps = [h; 6];
        let run = states(Track, OrdinaryBdf::<2>, Track::at(1.0), &steps).unwrap();
        assert_decimals("BDF 1, 2", &track(&run, &steps), ordinary, 3);
        let run = states(Track, Bdf::<2>, Track::at(1.0), &steps).unwrap();
        assert_decimals("modified", &track(&run, &steps), modified, 3);
    }
}

/// (62), the order rising from 1 to 4 in the first steps.
#[test]
fn multipliers_do_not_notice_a_rising_order() {
    let (h, steps) = (1e-3, [1e-3; 100]);
    let errors = |states: Vec<Course<f64, 3>>| -> Vec<f64> {
        let exact = |n: usize| Circle::at((n + 1) as f64 * h).0[2];
        let states = states.iter().enumerate();
        states.map(|(n, s)| (s.x[2] - exact(n)).abs()).collect()
    };
    let start = Circle::at(0.0);
    let ordinary = errors(states(Circle, OrdinaryBdf::<4>, start, &steps).unwrap());
    for (found, published) in ordinary.iter().zip([0.25, 0.50, 0.375, 0.333, 0.0625]) {
        assert_figure("ordinary", *found, published);
    }
    assert_error("ordinary", ordinary[5], 6e-8);
    let modified = errors(states(Circle, Bdf::<4>, start, &steps).unwrap());
    let worst = modified.iter().copied().fold(0.0, f64::max);
    assert_error("modified", worst, 7.1e-7);
}

/// (67) at t = 7.
#[test]
fn the_rlc_circuit_has_wunderlichs_errors() {
    let run = states(
        Voltages(Rlc::mild()),
        Bdf::<2>,
        Voltages::at(0.0),
        &[0.01; 700],
    );
    let (end, exact) = (run.unwrap()[699].x, Voltages::at(7.0).0);
    let published = [("v_L", 3.2e-9), ("v_C", 5.2e-8), ("v_R", 5.5e-8)];
    for (n, (what, published)) in published.into_iter().enumerate() {
        assert_figure(what, (end[n] - exact[n]).abs(), published);
    }
}

/// The largest error of the multiplier after the first `skip` steps: of Example 1.3 from t = 1 on, and of the pendulum, whose
/// tension is -3 y2.
type Worst = fn(&[f64], usize) -> f64;

fn worst(errors: impl Iterator<Item = f64>, skip: usize) -> f64 {
    errors.skip(skip).fold(0.0, f64::max)
}

/// A method on both.
macro_rules! plants {
    ($method:expr) => {{
        let on_track: Worst = |steps, skip| {
            let run = states(Track, $method, Track::at(1.0), steps).unwrap();
            worst(track(&run, steps).into_iter(), skip)
        };
        let on_bob: Worst = |steps, skip| {
            let run = states(Bob, $method, Bob::level(), steps).unwrap();
            worst(run.iter().map(|s| (s.x[2] + 3.0 * s.x[1]).abs()), skip)
        };
        [on_track, on_bob]
    }};
}

/// Steps of random ratios, and steps of one size which is the largest of them.
fn random_steps<const K: usize>() {
    const SEQUENCES: u64 = 10;
    let methods = [
        plants!(Bdf::<K>),
        plants!(Started(Bdf::<K>)),
        plants!(OrdinaryBdf::<K>),
    ];
    for (plant, h, end) in [(0, 0.02, 0.5), (1, 0.05, 2.0)] {
        let mut orders = [0.0; 2];
        for seed in 1..=SEQUENCES {
            let random = |h: f64| {
                let steps = Chance(seed).steps(h, end);
                [0, 1, 2].map(|way| methods[way][plant](&steps, 2 * K))
            };
            let even = vec![h; (end / h) as usize];
            let even = [0, 1].map(|way| methods[way][plant](&even, 2 * K));
            let (coarse, fine) = (random(h), random(0.25 * h));
            println!(
                "order {K}, plant {plant}: rising, started, ordinary {coarse:?}, even {even:?}"
            );
            for way in 0..2 {
                // No spikes: with steps that are never larger, no error is much larger.
                assert!(coarse[way] <= 4.0 * even[way], "{coarse:?} {even:?}");
                let observed = (coarse[way] / fine[way]).log2() / 2.0;
                orders[way] += observed / SEQUENCES as f64;
            }
            assert!(coarse[2] >= 2.0 * coarse[1], "{coarse:?}");
        }
        // The order is the formula's, or 2 if it had to rise to it.
        println!("order {K}, plant {plant}: on the average {orders:.2?}");
        assert!(orders[0] >= K.min(2) as f64 - 0.3);
        assert!(orders[1] >= K as f64 - 0.3);
    }
}

#[test]
fn random_steps_leave_order_1() {
    random_steps::<1>();
}

#[test]
fn random_steps_leave_order_2() {
    random_steps::<2>();
}

#[test]
fn random_steps_leave_order_3() {
    random_steps::<3>();
}

#[test]
fn random_steps_leave_order_4() {
    random_steps::<4>();
}

/// Orders that change every few steps, together with the steps: what the lowest of them leaves.
#[test]
fn random_orders_leave_the_lowest() {
    let run = |h: f64, seed: u64, lowest: usize| {
        let mut chance = Chance(seed);
        let steps = chance.steps(h, 0.5);
        let mut run: MultistepStepper<f64, Track, Started<Bdf<4>>, 3, 0> = Started(Bdf::<4>)
            .stepper(Track, steps[0], Track::at(1.0))
            .unwrap();
        let (mut t, mut worst): (f64, f64) = (1.0, 0.0);
        for (n, &h) in steps.iter().enumerate() {
            if n % 3 == 2 {
                run.set_order(lowest + (chance.draw() * (5 - lowest) as f64) as usize);
            }
            run.set_h(h).unwrap();
            run.advance(t, &[].into(), &mut TIGHT.clone()).unwrap();
            t += h;
            if n >= 8 {
                worst = worst.max((run.state().x[2] + 4.0 * t * t).abs());
            }
        }
        worst
    };
    let even: [Worst; 3] = [
        plants!(Bdf::<1>)[0],
        plants!(Started(Bdf::<2>))[0],
        plants!(Started(Bdf::<3>))[0],
    ];
    for lowest in [1, 2, 3] {
        let even = even[lowest - 1](&[0.01; 50], 8);
        let mut mean = 0.0;
        for seed in 1..17 {
            let (coarse, fine) = (run(0.01, seed, lowest), run(0.0025, seed, lowest));
            let order = (coarse / fine).log2() / 2.0;
            println!(
                "orders {lowest} to 4: {coarse:.1e}, {fine:.1e}, order {order:.2}; even {even:.1e}"
            );
            assert!(coarse <= 4.0 * even, "{coarse:e}, {even:e}");
            mean += order / 16.0;
        }
        println!("orders {lowest} to 4: on the average {mean:.2}");
        // The worst of four times as many steps and orders is drawn from a longer tail.
        assert!(mean >= lowest as f64 - 0.5);
    }
}

/// Order 6, and all others, in even steps and on a long run.
#[test]
fn even_steps_converge_with_every_order() {
    fn errors<const K: usize>(steps: usize) -> f64 {
        let run = states(
            Circle,
            Started(Bdf::<K>),
            Circle::at(0.0),
            &vec![2.0 / steps as f64; steps],
        );
        let (end, exact) = (run.unwrap()[steps - 1], Circle::at(2.0));
        (end.x - exact.0)
            .amax()
            .max((end.v - exact.1).fixed_rows::<2>(0).amax())
    }
    fn check<const K: usize>(n: usize) {
        let (coarse, fine) = (errors::<K>(n), errors::<K>(2 * n));
        let order = (coarse / fine).log2();
        println!("BDF {K}: {coarse:.1e}, {fine:.1e}, order {order:.2}");
        assert!(order >= K as f64 - 0.2, "BDF {K}: order {order}");
    }
    check::<1>(200);
    check::<2>(200);
    check::<3>(200);
    check::<4>(200);
    check::<5>(40);
    check::<6>(40);
}

/// In single precision a multiplier carries the rounding of positions over h^2, and not much more.
#[test]
fn single_precision_is_good_to_what_two_derivatives_leave() {
    for h in [0.01_f32, 0.02, 0.04] {
        let mut bob = Simulation::new(Bob, Bdf::<3>, h, Bob::level()).unwrap();
        let mut worst: f64 = 0.0;
        for n in 0..(2.0 / h) as usize {
            bob.step().unwrap();
            let x = bob.state().x.map(f64::from);
            if n > 10 {
                worst = worst.max((x[2] + 3.0 * x[1]).abs());
            }
        }
        let h = f64::from(h);
        let noise = f64::from(f32::EPSILON) / (h * h);
        assert_at_most("f32 multiplier", worst, 10.0 * noise + 100.0 * h * h * h);
    }
}
