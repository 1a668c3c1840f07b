//! Runge-Kutta and general linear methods for second-order systems: orders, starts, variable steps, and what is
//! wrong with the method of Example 2.11.

use super::plants::Spring;
use nalgebra::DMatrix;
use stiffstep::method::general_linear::Nordsieck;
use stiffstep::method::{GeneralLinear, Modes, OneStep, Stages};
use stiffstep::prelude::*;
use stiffstep::step::{GeneralLinearStepper, Method};
use stiffstep_host_tests::Go;
use stiffstep_host_tests::figures::{assert_figure, assert_order};
use stiffstep_host_tests::second_order::{Chance, TIGHT, states};
use stiffstep_plants::papers::{RadauIA, Wright, Wunderlich};
use stiffstep_plants::rlc::Rlc;
use stiffstep_plants::second_order::{Circle, Voltages};

/// The errors of y, y' and lambda.
fn errors(at: &Course<f64, 3>, t: f64) -> [f64; 3] {
    let (x, v) = Circle::at(t);
    [
        (at.x - x).fixed_rows::<2>(0).amax(),
        (at.v - v).fixed_rows::<2>(0).amax(),
        (at.x[2] - x[2]).abs(),
    ]
}

/// Every tableau steps a circuit with a leading matrix of rank one: the order is the tableau's.
#[test]
fn every_tableau_steps_a_singular_leading_matrix() {
    fn check<K: stiffstep::method::Collocation<S>, const S: usize>(method: K, h: f64)
    where
        Stages<S>: Modes,
    {
        let error = |h: f64| {
            let steps = vec![h; (2.0 / h).round() as usize];
            let run = states(Voltages(Rlc::mild()), method, Voltages::at(0.0), &steps).unwrap();
            (run[steps.len() - 1].x - Voltages::at(2.0).0).amax()
        };
        assert_order(K::NAME, error(h), error(0.5 * h), K::ORDER as f64, 0.3);
    }
    check(RadauIIA::<1>, 0.01);
    check(RadauIIA::<2>, 0.1);
    check(RadauIIA::<3>, 0.5);
    check(RadauIA::<3>, 0.5);
    check(Gauss::<1>, 0.1);
    check(Gauss::<2>, 0.25);
    check(Gauss::<3>, 1.0);
    check(LobattoIIIA::<2>, 0.1);
    check(LobattoIIIA::<3>, 0.25);
    check(LobattoIIIA::<4>, 1.0);
}

/// x and its first three derivatives on the circle.
fn circle_derivatives() -> [Vector<f64, 3>; 4] {
    // lambda = sin 2t / 2.
    [
        [0.0, 1.0, 0.0].into(),
        [1.0, 0.0, 1.0].into(),
        [0.0, -1.0, 0.0].into(),
        [-1.0, 0.0, -4.0].into(),
    ]
}

fn finish<G, const S: usize, const K: usize>(
    mut stepper: GeneralLinearStepper<f64, Circle, G, 3, 0, S, K>,
    n: usize,
) -> [f64; 3]
where
    G: GeneralLinear<S, K>,
    Stages<S>: Modes,
{
    let h = stepper.h();
    for k in 0..n {
        stepper
            .advance(k as f64 * h, &[].into(), &mut TIGHT.clone())
            .unwrap();
    }
    errors(stepper.state(), n as f64 * h)
}

/// The starting procedure's result has the errors of the exact start, and so its order.
#[test]
fn starts_are_as_good_as_exact_ones() {
    let [x, v, a, j] = circle_derivatives();
    let run = |n: usize| {
        let h = 0.5 / n as f64;
        let start = Circle::at(0.0);
        let own = Wunderlich.stepper(Circle, h, start).unwrap();
        let given = GeneralLinearStepper::from_values(Circle, Wunderlich, h, [x, v, a]).unwrap();
        let wunderlich = (finish(own, n), finish(given, n));
        let (own, values) = (Wright.stepper(Circle, h, start).unwrap(), [x, v, a, a, j]);
        let given = GeneralLinearStepper::from_values(Circle, Wright, h, values).unwrap();
        [wunderlich, (finish(own, n), finish(given, n))]
    };
    let (coarse, fine) = (run(20), run(40));
    // Of y, y' and lambda.
    let expected = [[3.0, 3.0, 2.0], [2.0, 2.0, 2.0]];
    for method in 0..2 {
        for n in 0..3 {
            let ((own, exact), (own_fine, exact_fine)) = (coarse[method], fine[method]);
            let order = |coarse: f64, fine: f64| (coarse / fine).log2();
            let (mine, theirs) = (order(own[n], own_fine[n]), order(exact[n], exact_fine[n]));
            println!(
                "method {method}, component {n}: {:.2e} {:.2e}, order {mine:.2} (exact start {theirs:.2})",
                own[n], exact[n]
            );
            assert!((own[n] / exact[n] - 1.0).abs() < 0.02);
            assert!((mine - theirs).abs() < 0.05);
            assert!(mine >= expected[method][n] - 0.2);
        }
    }
}

/// A start that is wrong along the circle shows.
#[test]
fn a_wrong_start_costs_the_order() {
    let [x, v, a, j] = circle_derivatives();
    let error = |n: usize| {
        let h = 0.5 / n as f64;
        let wrong = a + Vector::from([0.1, 0.0, 0.0]);
        let values = [x, v, wrong, wrong, j];
        let given = GeneralLinearStepper::from_values(Circle, Wright, h, values).unwrap();
        finish(given, n)
    };
    let (coarse, fine) = (error(20)[0], error(40)[0]);
    assert!((coarse / fine).log2() < 1.5, "{coarse:e} {fine:e}");
}

/// Random steps leave the order of multipliers: values are rescaled rightly.
#[test]
fn random_steps_leave_the_order() {
    fn check<K, Kind>(name: &str, method: K, order: f64)
    where
        K: Method<Circle, Kind, Real = f64, Start = (Vector<f64, 3>, Vector<f64, 3>)> + Copy,
        K::Stepper:
            Stepper<Real = f64, Model = Circle, State = Course<f64, 3>, Input = Vector<f64, 0>>,
    {
        let worst = |h: f64, seed: u64| {
            let steps = Chance(seed).steps(h, 1.0);
            let run = states(Circle, method, Circle::at(0.0), &steps).unwrap();
            let mut t = 0.0;
            run.iter().zip(&steps).fold(0.0, |worst: f64, (state, h)| {
                t += h;
                worst.max(errors(state, t)[2])
            })
        };
        let mut mean = 0.0;
        for seed in 1..9 {
            mean += (worst(0.1, seed) / worst(0.025, seed)).log2() / 16.0;
        }
        let even = states(Circle, method, Circle::at(0.0), &[0.05; 20]).unwrap()[19];
        let (random, even) = (worst(0.05, 3), errors(&even, 1.0)[2]);
        println!("{name}: order {mean:.2} in lambda; random {random:.1e}, even {even:.1e}");
        assert!(mean >= order - 0.3, "{name}: {mean}");
    }
    check("Radau 2", RadauIIA::<2>, 1.0);
    check("Radau 3", RadauIIA::<3>, 2.0);
    check("Wunderlich", Wunderlich, 2.0);
    check("Wright", Wright, 1.0);
}

/// What one step does to the values of `x'' = -mu^2 x` with h = 1; the largest eigenvalue's size.
fn growth<const S: usize, const K: usize>(method: &Nordsieck<f64, S, K>, mu: f64) -> f64 {
    let a2 = DMatrix::from_fn(S, S, |i, j| method.a2[i][j]);
    let u2 = DMatrix::from_fn(S, K, |i, j| method.u2[i][j]);
    let b2 = DMatrix::from_fn(K, S, |i, j| method.b2[i][j]);
    let v2 = DMatrix::from_fn(K, K, |i, j| method.v2[i][j]);
    let stages = (DMatrix::identity(S, S) + a2 * (mu * mu))
        .lu()
        .solve(&(u2 * (-mu * mu)))
        .unwrap();
    let eigenvalues = (v2 + b2 * stages).complex_eigenvalues();
    eigenvalues.iter().map(|z| z.norm()).fold(0.0, f64::max)
}

/// Example 2.11 is not A-stable: oscillations grow by up to 8 % a step. Radau's never do, nor do Wright's.
#[test]
fn wunderlichs_method_is_not_a_stable() {
    let wunderlich = Wunderlich::matrices::<f64>();
    let (mut most, mut at) = (0.0, 0.0);
    for k in 1..=2000 {
        let mu = 0.01 * f64::from(k);
        let growth = growth(&wunderlich, mu);
        if growth > most {
            (most, at) = (growth, mu);
        }
    }
    println!("grows by {most} at {at}");
    assert!((most - 1.079).abs() < 5e-4 && (at - 3.04).abs() < 0.02);
    let radau = <OneStep<RadauIIA<3>> as GeneralLinear<3, 3>>::matrices::<f64>();
    let wright = Wright::matrices::<f64>();
    for k in 1..=2000 {
        let mu = 0.01 * f64::from(k);
        assert!(growth(&radau, mu) <= 1.0 + 1e-12);
        let wright = growth(&wright, mu);
        assert!(wright <= 1.0 + 1e-9, "{mu}: {wright}");
    }
    // And in a run: a thousand steps of an oscillator at that frequency.
    let (k, c, push) = (3.04 * 3.04, 0.0, 0.0);
    let oscillator = Spring { k, c, push };
    let start = ([1.0].into(), [0.0].into());
    let end = states(oscillator, Wunderlich, start, &[1.0; 200]).unwrap()[199];
    assert!(end.x.amax().max(end.v.amax()) > 1e5);
    let end = states(oscillator, RadauIIA::<3>, start, &[1.0; 200]).unwrap()[199];
    assert!(end.x.amax() < 1.0);
}

/// Runge-Kutta in second-order form and the first-order form of the same circuit are the same method.
#[test]
fn second_order_form_is_first_order_form() {
    let rlc = Rlc::mild();
    let (x, v) = Voltages::at(0.0);
    let steps = [0.05; 40];
    let second = states(Voltages(rlc), RadauIIA::<3>, (x, v), &steps).unwrap()[39];
    let start = Vector::from([x[1], v[1]]);
    let mut first = Simulation::new(rlc, RadauIIA::<3>, 0.05, start).unwrap();
    first.go(40).unwrap();
    assert_figure("v_C", second.x[1], first.state()[0]);
    assert!((second.x[1] - first.state()[0]).abs() < 1e-15);
}

/// With the matrix that belongs to a method a linear system is solved by the first iteration; the second has rounding to do.
#[test]
fn a_linear_system_takes_one_iteration() {
    fn check<K, Kind>(method: K)
    where
        K: Method<Spring, Kind, Real = f64, Start = (Vector<f64, 1>, Vector<f64, 1>)>,
        K::Stepper: Stepper<Real = f64, Model = Spring>,
    {
        // Damped, and linear without saying so.
        let (k, c, push) = (25.0, 2.0, 0.0);
        let start = ([1.0].into(), [0.5].into());
        let plant = Simulation::new(Spring { k, c, push }, method, 0.3, start).unwrap();
        let mut plant = plant.with_budget(Fixed(2));
        for _ in 0..5 {
            let report = plant.step().unwrap();
            assert!(report.contraction() < 1e-6, "{}", report.contraction());
        }
    }
    check(Wunderlich);
    check(Wright);
    check(RadauIIA::<3>);
}
