//! Steps and orders chosen by the error.

use super::plants::{Spring, falling};
use core::f64::consts::FRAC_PI_2;
use stiffstep::drive::{After, Paced, Statistics};
use stiffstep::prelude::*;
use stiffstep::step::{Dense, EachOfCourse, Method, Restart};
use stiffstep_host_tests::figures::assert_at_most;
use stiffstep_plants::papers::{OrdinaryBdf, Wright, Wunderlich};
use stiffstep_plants::second_order::Circle;

/// The largest errors of y, y' and lambda on the way to `end`, and what it took.
struct Outcome {
    y: f64,
    v: f64,
    lambda: f64,
    statistics: Statistics,
    smallest: f64,
    largest: f64,
}

/// (62) with a tolerance for y and y', and a hundred times that for lambda, as in the paper; the first `skip` steps' velocities
/// and multipliers do not count.
fn run<K, Kind, P>(
    name: &str,
    method: K,
    tolerance: f64,
    end: f64,
    skip: u32,
) -> Result<Outcome, Error>
where
    K: Method<Circle, Kind, Real = f64, Start = (Vector<f64, 3>, Vector<f64, 3>), Stepper = P>,
    P: Paced<Absolute = EachOfCourse<f64, 3>> + Stepper<Real = f64, State = Course<f64, 3>>,
{
    let absolute = EachOfCourse {
        x: [tolerance, tolerance, 100.0 * tolerance],
        v: [tolerance; 3],
    };
    let mut plant =
        Adaptive::new(Circle, method, tolerance, 1e-3, Circle::at(0.0))?.with_absolute(absolute)?;
    let (mut y, mut v, mut lambda): (f64, f64, f64) = (0.0, 0.0, 0.0);
    let (mut smallest, mut largest) = (f64::INFINITY, 0.0_f64);
    while plant.time() < end {
        let taken = plant.step()?;
        smallest = smallest.min(taken.h);
        largest = largest.max(taken.h);
        let (x, slope) = Circle::at(plant.time());
        let state = plant.state();
        y = y.max((state.x - x).fixed_rows::<2>(0).amax());
        if plant.statistics().steps > skip {
            v = v.max((state.v - slope).fixed_rows::<2>(0).amax());
            lambda = lambda.max((state.x[2] - x[2]).abs());
        }
    }
    let statistics = plant.statistics();
    println!(
        "{name}, tolerance {tolerance:e}: y {y:.1e}, y' {v:.1e}, lambda {lambda:.1e}, h {smallest:.1e} to {largest:.1e}, {statistics:?}"
    );
    Ok(Outcome {
        y,
        v,
        lambda,
        statistics,
        smallest,
        largest,
    })
}

/// Every method keeps the paper's tolerances, 1e-4 and 1e-2 for lambda, and tighter ones, with steps that vary.
#[test]
fn tolerances_are_kept() -> Result<(), Error> {
    for tolerance in [1e-4, 1e-5, 1e-6] {
        let outcomes = [
            ("BDF 5", run("BDF 5", Bdf::<5>, tolerance, 1.0, 5)?),
            ("BDF 3", run("BDF 3", Bdf::<3>, tolerance, 1.0, 3)?),
            ("BDF 2", run("BDF 2", Bdf::<2>, tolerance, 1.0, 2)?),
            ("Radau 2", run("Radau 2", RadauIIA::<2>, tolerance, 1.0, 0)?),
            ("Radau 3", run("Radau 3", RadauIIA::<3>, tolerance, 1.0, 0)?),
            (
                "Wunderlich",
                run("Wunderlich", Wunderlich, tolerance, 1.0, 0)?,
            ),
            ("Wright", run("Wright", Wright, tolerance, 1.0, 0)?),
        ];
        for (name, outcome) in outcomes {
            // The errors of steps add up.
            assert_at_most(name, outcome.y, 10.0 * tolerance);
            assert_at_most(name, outcome.v, 10.0 * tolerance);
            assert_at_most(name, outcome.lambda, 1000.0 * tolerance);
            assert!(outcome.largest > 2.0 * outcome.smallest, "{name}");
        }
    }
    Ok(())
}

/// Tighter tolerances give smaller errors, and high orders make them cheap.
#[test]
fn high_orders_pay() -> Result<(), Error> {
    let loose = run("BDF 5", Bdf::<5>, 1e-4, 5.0, 5)?;
    let tight = run("BDF 5", Bdf::<5>, 1e-8, 5.0, 5)?;
    assert!(tight.y < 1e-3 * loose.y.max(1e-4));
    assert!(tight.statistics.steps < 10 * loose.statistics.steps);
    let second = run("BDF 2", Bdf::<2>, 1e-6, 5.0, 2)?;
    let fifth = run("BDF 5", Bdf::<5>, 1e-6, 5.0, 5)?;
    assert!(10 * fifth.statistics.steps < second.statistics.steps);
    // A matrix for each attempt, a system for each evaluation: what is counted adds up.
    let done = fifth.statistics;
    assert_eq!(done.jacobians, done.steps + done.rejected);
    assert_eq!(done.factorisations, done.jacobians);
    assert_eq!(done.solves, done.evaluations);
    assert!(done.solves >= done.steps);
    Ok(())
}

/// The error control cannot cure the ordinary formulas: smaller steps do not make their jumps smaller.
#[test]
fn ordinary_formulas_defeat_the_error_control() {
    let modified = run("BDF 2", Bdf::<2>, 1e-5, 0.2, 2);
    let ordinary = run("ordinary", OrdinaryBdf::<2>, 1e-5, 0.2, 2);
    assert!(modified.is_ok_and(|outcome| outcome.lambda < 1e-3));
    assert!(ordinary.is_err() || ordinary.is_ok_and(|outcome| outcome.lambda > 1e-2));
}

#[test]
fn tolerances_that_make_no_sense_are_refused() -> Result<(), Error> {
    for relative in [0.0, -1.0, 1.0, f64::NAN, f64::INFINITY] {
        let made = Adaptive::new(Circle, Bdf::<2>, relative, 1e-3, Circle::at(0.0));
        assert_eq!(made.err(), Some(Error::Tolerance));
    }
    for absolute in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let made = Adaptive::new(Circle, Bdf::<2>, 1e-3, 1e-3, Circle::at(0.0))?;
        let each = EachOfCourse {
            x: [1.0, absolute, 1.0],
            v: [1.0; 3],
        };
        assert_eq!(made.with_absolute(each).err(), Some(Error::Tolerance));
    }
    let made = Adaptive::new(Circle, Bdf::<2>, 1e-3, f64::NAN, Circle::at(0.0));
    assert_eq!(made.err(), Some(Error::StepSize));
    Ok(())
}

/// An end is met exactly, without a crumb of a step.
#[test]
fn the_end_is_met() -> Result<(), Error> {
    let mut plant = Adaptive::new(Circle, Bdf::<5>, 1e-5, 1e-3, Circle::at(0.0))?;
    for end in [0.3, 0.7, 1.1, 2.0] {
        plant.run_to(end)?;
        assert!((plant.time() - end).abs() < 1e-14);
    }
    assert!((plant.state().x - Circle::at(2.0).0).amax() < 1e-2);
    Ok(())
}

/// A run that would take for ever ends.
#[test]
fn a_run_has_a_limit_of_steps() -> Result<(), Error> {
    let method = Bdf::<5>;
    let mut plant = Adaptive::new(Circle, method, 1e-6, 1e-3, Circle::at(0.0))?;
    plant.most_steps = 100;
    assert_eq!(plant.run_to(1e9), Err(Error::TooManySteps));
    assert_eq!(plant.statistics().steps, 100);
    // It can go on from there.
    plant.most_steps = 1000;
    let soon = plant.time() + 1e-3;
    plant.run_to(soon)
}

const FREE: Spring = Spring {
    k: 1.0,
    c: 0.0,
    push: 0.0,
};

fn spring<K, Kind>(method: K) -> Result<Adaptive<K::Stepper>, Error>
where
    K: Method<Spring, Kind, Real = f64, Start = (Vector<f64, 1>, Vector<f64, 1>)>,
    K::Stepper: Paced<Real = f64, Absolute = EachOfCourse<f64, 1>>,
{
    Adaptive::new(FREE, method, 1e-8, 1e-3, ([1.0].into(), [0.0].into()))
}

/// What the driver does for one family it does for all: events, samples, changes, restarts, start times.
fn driven<K, Kind, P>(method: K) -> Result<(), Error>
where
    K: Method<Spring, Kind, Real = f64, Start = (Vector<f64, 1>, Vector<f64, 1>), Stepper = P>
        + Copy,
    P: Paced<Absolute = EachOfCourse<f64, 1>>
        + Stepper<Real = f64, Model = Spring, Input = Vector<f64, 0>, State = Course<f64, 1>>
        + Dense
        + Restart
        + Clone,
{
    // An event, where the solution has it.
    let mut plant = spring(method)?;
    let mut middle = falling(
        |_, _: &Spring, at: &Course<f64, 1>| at.x[0],
        |_, _, _| After::Stop,
    );
    assert_eq!(plant.run_with(&mut middle, 3.0)?, Some(0));
    assert_at_most("event", (plant.time() - FRAC_PI_2).abs(), 1e-5);
    assert_at_most("there", plant.state().x[0].abs(), 1e-5);
    // Samples in between.
    let (mut plant, mut most, mut count) = (spring(method)?, 0.0_f64, 0);
    plant.sample(0.25, 2.0, |t, at| {
        most = most.max((at.x[0] - t.cos()).abs());
        count += 1;
    })?;
    assert_eq!(count, 9);
    assert_at_most("samples", most, 1e-4);
    // A stiffer spring from t = 2 on, from where it is.
    let before = *plant.state();
    plant.change(|spring| spring.k = 4.0)?;
    let after = plant.state();
    assert_eq!((after.x, after.v), (before.x, before.v));
    plant.run_to(3.0)?;
    let (x, v) = (before.x[0], before.v[0]);
    let exact = x * 2.0_f64.cos() + v / 2.0 * 2.0_f64.sin();
    assert_at_most("changed", (plant.state().x[0] - exact).abs(), 1e-5);
    // Let go again from one.
    plant.restart(|_, state| (state.x[0], state.v[0]) = (1.0, 0.0))?;
    plant.run_to(4.0)?;
    assert_at_most(
        "restarted",
        (plant.state().x[0] - 2.0_f64.cos()).abs(),
        1e-5,
    );
    // From another time, which the model sees: x'' = t - x, with x = t + sin(t - 5).
    let mut plant = spring(method)?;
    plant.change(|spring| spring.push = 1.0)?;
    let mut plant = plant.starting_at(5.0)?;
    assert_eq!(plant.time(), 5.0);
    plant.restart(|_, state| (state.x[0], state.v[0]) = (5.0, 2.0))?;
    plant.run_to(6.0)?;
    let exact = 6.0 + 1.0_f64.sin();
    assert_at_most("late", (plant.state().x[0] - exact).abs(), 1e-5);
    Ok(())
}

/// A change that the start of a method refuses leaves no trace: the run goes on as one without it, to the last bit.
fn refused<K, Kind, P>(method: K) -> Result<(), Error>
where
    K: Method<Spring, Kind, Real = f64, Start = (Vector<f64, 1>, Vector<f64, 1>), Stepper = P>
        + Copy,
    P: Paced<Absolute = EachOfCourse<f64, 1>> + Clone,
    P: Stepper<Real = f64, Model = Spring, State = Course<f64, 1>>,
{
    let (mut plant, mut other) = (spring(method)?, spring(method)?);
    plant.run_to(1.0)?;
    other.run_to(1.0)?;
    plant.change(|spring| spring.k = f64::NAN).unwrap_err();
    plant.run_to(2.0)?;
    other.run_to(2.0)?;
    assert_eq!(plant.state(), other.state());
    assert_eq!(plant.statistics(), other.statistics());
    Ok(())
}

#[test]
fn a_change_that_is_refused_leaves_no_trace() -> Result<(), Error> {
    refused(RadauIIA::<3>)?;
    refused(Wunderlich)
}

#[test]
fn the_driver_does_for_second_order_systems_what_it_does_for_all() -> Result<(), Error> {
    driven(Bdf::<5>)?;
    driven(RadauIIA::<3>)?;
    driven(Wunderlich)
}

/// An end that is no number is refused.
#[test]
fn an_end_that_is_no_number_is_refused() -> Result<(), Error> {
    let mut plant = spring(Bdf::<3>)?;
    assert_eq!(plant.run_to(f64::NAN), Err(Error::StepSize));
    assert_eq!(plant.time(), 0.0);
    Ok(())
}
