//! What the iterated projection says when it cannot do its work, and what single precision lets it do.

use super::plants::Line;
use core::array::from_fn;
use stiffstep::linear::eigenvalues;
use stiffstep::manifold::{Ending, Ipa, Kernel};
use stiffstep::prelude::*;
use stiffstep_host_tests::figures::assert_at_most;
use stiffstep_plants::double_spring::{DoubleSpring, OFF, ON, start};

fn none<R: Real>() -> Vector<R, 0> {
    Vector::from([])
}

/// Any deviation is a typed error, and nothing but an error.
#[test]
fn what_cannot_be_projected_is_told() {
    let (q, v) = start::<f64>(OFF);
    let model = DoubleSpring::new(1e3);
    let ipa = Ipa::new(1e3);
    let project = |ipa: &Ipa<f64>, q: &Vector<f64, 4>| ipa.project(&model, 0.0, q, &v, &none());
    // Windows that are too narrow, or whose steps are too long.
    for omega in [3e3, 8e2] {
        let error = project(&Ipa::new(omega), &q).unwrap_err();
        let narrow = matches!(error, Error::Window { steps } if steps <= 18);
        assert!(narrow, "{error}");
    }
    for half_width in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = project(&Ipa::with(&Kernel::CUBIC, half_width), &q).unwrap_err();
        assert_eq!(error, Error::StepSize);
    }
    // Springs so different that 18 steps are not enough for both.
    let stiffness = [1e4, 1e8];
    let uneven = DoubleSpring { stiffness };
    let fitted = Ipa::<f64, 18>::fitted(&Kernel::CUBIC, &uneven, 0.0, &q).unwrap_err();
    let Error::Window { steps } = fitted else {
        panic!("{fitted}")
    };
    assert!((400..1000).contains(&steps), "{steps}");
    assert!(Ipa::<f64, 1000>::fitted(&Kernel::CUBIC, &uneven, 0.0, &q).is_ok());
    for (stiffness, index) in [([1e6, -1.0], 1), ([f64::INFINITY, 1e6], 0)] {
        let model = DoubleSpring { stiffness };
        let error = ipa.project(&model, 0.0, &q, &v, &none()).unwrap_err();
        assert_eq!(error, Error::Joint { index });
    }
    let mut bad = q;
    bad[2] = f64::NAN;
    assert_eq!(project(&ipa, &bad).unwrap_err(), Error::Start { index: 2 });
    // Too few iterations are no error, but they are told.
    let short = project(&ipa.iterations(2), &q).unwrap();
    assert_eq!(short.ending, Ending::Exhausted);
    assert_eq!(short.report.outcome, Outcome::Unconverged);
}

/// A spring and a force that pushes harder than it pulls: nothing oscillates, everything runs away.
#[test]
fn what_runs_away_is_no_slow_motion() {
    let project = |push: f64| {
        let pushed = Line::<f64, _, 1, 1, 0> {
            spring: [[-push]],
            constraint: [[1.0]],
            ..Line::of(Elastic { stiffness: [1e6] })
        };
        Ipa::new(1e3)
            .project(&pushed, 0.0, &[1e-3].into(), &[0.0].into(), &none())
            .map(|slow| slow.ending)
    };
    assert_eq!(project(0.0), Ok(Ending::Settled));
    assert_eq!(project(2e6), Err(Error::Diverged));
    assert_eq!(project(f64::NAN), Err(Error::NonFinite));
    assert_eq!(project(1e300), Err(Error::NonFinite));
}

/// Single precision: forces as good as their own digits, although g itself is rounding.
#[test]
fn single_precision_finds_the_forces() {
    for (from, allowed) in [(ON, 1e-5), (OFF, 1e-3)] {
        for omega in [1e3, 1e4] {
            let (q, v) = start::<f64>(from);
            let double = Ipa::new(omega).project(&DoubleSpring::new(omega), 0.0, &q, &v, &none());
            let double = double.unwrap().motion;
            let (q, v) = start::<f32>(from);
            let ipa = Ipa::new(omega as f32).force(1e-3);
            let single = ipa.project(&DoubleSpring::new(omega), 0.0, &q, &v, &none());
            let single = single.unwrap();
            assert_eq!(single.ending, Ending::Settled);
            let at = single.motion;
            let error = (at.lambda.map(f64::from) - double.lambda).amax();
            assert_at_most("lambda", error, allowed);
            assert_at_most("q", (at.q.map(f64::from) - double.q).amax(), 1e-6);
            assert_at_most("v", (at.v.map(f64::from) - double.v).amax(), 2e-5);
        }
    }
}

#[test]
fn single_precision_says_what_it_cannot_do() {
    let (q, v) = start::<f32>(OFF);
    for omega in [1e3, 1e4, 1e5] {
        let ipa = Ipa::new(omega as f32).tolerance(1e-12);
        let slow = ipa.project(&DoubleSpring::new(omega), 0.0, &q, &v, &none());
        let slow = slow.unwrap();
        println!("{:?} {:?}", slow.ending, slow.report);
        assert_eq!(slow.ending, Ending::Stagnant);
        assert_eq!(slow.report.outcome, Outcome::Unconverged);
        assert!(slow.report.iterations < 10);
        // And it is where it should be, for all that.
        assert_at_most("change", f64::from(slow.report.increment()), 1e-6);
    }
}

#[test]
fn jacobi_finds_eigenvalues() {
    let mut found = eigenvalues([[1.0, -1.0], [-1.0, 2.0]]);
    found.sort_by(f64::total_cmp);
    let root = 5_f64.sqrt();
    assert_at_most("slow", (found[0] - (3.0 - root) / 2.0).abs(), 1e-15);
    assert_at_most("fast", (found[1] - (3.0 + root) / 2.0).abs(), 1e-15);
    // Q diag(1, 2, 5, 10) Q^T of a reflection Q = 1 - 2 w w^T.
    let (w, d) = ([0.1, 0.7, -0.5, 0.5], [1.0, 2.0, 5.0, 10.0]);
    let q = |i: usize, j: usize| f64::from(u8::from(i == j)) - 2.0 * w[i] * w[j];
    let a = |i, j| (0..4).map(|k| q(i, k) * d[k] * q(j, k)).sum();
    let a: [[f64; 4]; 4] = from_fn(|i| from_fn(|j| a(i, j)));
    let mut found = eigenvalues(a);
    found.sort_by(f64::total_cmp);
    for (found, d) in found.iter().zip(d) {
        assert_at_most("eigenvalue", (found - d).abs(), 1e-13);
    }
    assert_eq!(eigenvalues([[0.0_f32; 3]; 3]), [0.0; 3]);
}

/// A step of the classical method says of its four projections what the worst of them says: its change, and whether any did not
/// settle.
#[test]
fn a_step_tells_of_its_worst_stage() {
    let omega = 1e3;
    let model = DoubleSpring::<f64>::new(omega);
    let mut later = 0;
    // With three iterations some stages of the longest step settle and others do not; with nine all do.
    let mut outcomes = Vec::new();
    for (h, iterations) in [(0.25, 3), (0.25, 9), (0.1, 9), (0.05, 9)] {
        let ipa = Ipa::new(omega).tolerance(1e-8).iterations(iterations);
        let mut plant = Simulation::new(model, RungeKutta4Ipa(ipa), h, start(ON)).unwrap();
        plant.step().unwrap();
        let (q, v) = (plant.state().q, plant.state().v);
        let report = plant.step().unwrap();
        let mut reports = Vec::new();
        let mut stage = |h: f64, from: Option<(Vector<f64, 4>, Vector<f64, 4>)>| {
            let (dq, dv) = from.unwrap_or_default();
            let slow = ipa.project(&model, 0.0, &(q + dq * h), &(v + dv * h), &none());
            let slow = slow.unwrap();
            reports.push(slow.report);
            Some((slow.motion.v, slow.motion.a))
        };
        let first = stage(0.0, None);
        let second = stage(0.5 * h, first);
        let third = stage(0.5 * h, second);
        stage(h, third);
        let outcome = match reports.iter().any(|r| r.outcome == Outcome::Unconverged) {
            true => Outcome::Unconverged,
            false => Outcome::Converged,
        };
        outcomes.push(outcome);
        let worst = reports.iter().filter(|report| report.outcome == outcome);
        let worst: Vec<f64> = worst.map(|report| report.increment()).collect();
        let most = worst.iter().copied().fold(0.0, f64::max);
        println!("h = {h}, {iterations} iterations: {worst:?}");
        later += u32::from(worst[0] < 0.5 * most);
        assert_eq!(report.outcome, outcome, "{reports:?}");
        let off = (report.increment() / most - 1.0).abs();
        assert!(off < 1e-3, "{report:?} {reports:?}");
    }
    assert_eq!(outcomes[..2], [Outcome::Unconverged, Outcome::Converged]);
    // The first of a kind is not always the worst.
    assert!(later > 0);
}
