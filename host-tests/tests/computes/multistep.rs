//! Backward differentiation formulas for second-order systems: multipliers that no change of step or order disturbs.

use stiffstep::prelude::*;
use stiffstep::step::{Method, MultistepStepper};
use stiffstep_host_tests::experiments::wunderlich::track;
use stiffstep_host_tests::figures::assert_at_most;
use stiffstep_host_tests::second_order::{Chance, TIGHT, states};
use stiffstep_plants::papers::OrdinaryBdf;
use stiffstep_plants::second_order::{Bob, Circle, Track};

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
            // From the first step on, and so with those in which the order rises.
            let all = |steps: &[f64]| [0, 1].map(|way| methods[way][plant](steps, 0));
            let [coarse_all, fine_all] = [h, 0.25 * h].map(|h| all(&Chance(seed).steps(h, end)));
            let even_all = all(&even);
            let even = [0, 1].map(|way| methods[way][plant](&even, 2 * K));
            let (coarse, fine) = (random(h), random(0.25 * h));
            let errors = format!("rising, started, ordinary {coarse:?}, even {even:?}");
            println!("order {K}, plant {plant}: {errors}");
            let of_all = format!("{coarse_all:?} {fine_all:?}, even {even_all:?}");
            for way in 0..2 {
                // No spikes: with steps that are never larger, no error is much larger.
                assert!(coarse[way] <= 4.0 * even[way], "{errors}");
                assert!(coarse_all[way] <= 4.0 * even_all[way], "{of_all}");
                // And they all shrink with the step, where the ordinary formulas' do not.
                assert!(fine_all[way] <= 0.5 * coarse_all[way], "{of_all}");
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
            let errors = format!("{coarse:.1e}, {fine:.1e}, order {order:.2}");
            println!("orders {lowest} to 4: {errors}; even {even:.1e}");
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
        let even = vec![2.0 / steps as f64; steps];
        let run = states(Circle, Started(Bdf::<K>), Circle::at(0.0), &even);
        let (end, (x, v)) = (run.unwrap()[steps - 1], Circle::at(2.0));
        let speed = (end.v - v).fixed_rows::<2>(0).amax();
        speed.max((end.x - x).amax())
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
