//! Planning a fixed step: what is found keeps the accuracy, what is a little larger does not.

use stiffstep_host_tests::plan::{Course, Found, Judged, Tried, planned};
use stiffstep_plants::course::Sample;
use stiffstep_plants::workload::plan::{Choice, PLANNED};
use stiffstep_plants::workload::workloads;

/// The plant's course and what is found for an accuracy.
fn plan(course: &Course, accuracy: f64) -> Vec<Found> {
    let mut told = Vec::new();
    let all = course.plan(accuracy, Judged::Positions, &mut |done| told.push(done));
    assert_eq!(told.last(), Some(&1.0));
    all.unwrap()
}

fn course(name: &str) -> Course {
    let plant = planned(name).unwrap();
    Course::new(plant, plant.seconds).unwrap()
}

/// What was found, tried again: it and everything down to half of it keeps the accuracy, the next larger one does not.
#[test]
fn the_step_found_keeps_the_accuracy_and_a_larger_one_does_not() {
    let accuracy = 1e-5;
    for plant in PLANNED {
        let course = Course::new(plant, plant.seconds).unwrap();
        let mut found = 0;
        for each in plan(&course, accuracy) {
            let name = format!("{}, {}", each.choice.workload, each.choice.method);
            let error = |n| course.error(&each.choice, n, Judged::Positions);
            for tried in &each.tried {
                assert!(tried.error <= tried.nearby, "{name}: {tried:?}");
                assert_eq!(tried.error, error(tried.per_period), "{name}: {tried:?}");
            }
            let Some(largest) = each.largest else {
                assert!(each.attainable() > accuracy, "{name}");
                continue;
            };
            found += 1;
            println!("{name}: {largest:?}");
            let h = plant.period / f64::from(largest.per_period);
            assert_eq!(largest.h, h, "{name}");
            let half = largest.per_period..=2 * largest.per_period;
            let near = |tried: &&Tried| half.contains(&tried.per_period);
            for tried in each.tried.iter().filter(near) {
                assert!(tried.error <= accuracy, "{name}: {tried:?}");
            }
            match each.larger_than(&largest) {
                Some(larger) => {
                    assert_eq!(larger.per_period, largest.per_period - 1, "{name}");
                    assert!(larger.nearby > accuracy, "{name}: {larger:?}");
                }
                None => assert_eq!(largest.per_period, 1, "{name}"),
            }
        }
        assert!(found > 0, "{}: nothing was found", plant.name);
    }
}

#[test]
fn a_tighter_accuracy_never_gives_a_larger_step() {
    for plant in PLANNED {
        let course = Course::new(plant, plant.seconds).unwrap();
        let mut before: Option<Vec<Found>> = None;
        for accuracy in [1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 3e-6, 1e-6, 1e-7] {
            let all = plan(&course, accuracy);
            for (loose, tight) in before.iter().flatten().zip(&all) {
                let step = |found: &Found| found.largest.map_or(0.0, |largest| largest.h);
                let name = format!("{}, {}", tight.choice.workload, tight.choice.method);
                assert!(step(tight) <= step(loose), "{name}: {accuracy:e}");
            }
            before = Some(all);
        }
    }
}

/// Single precision has 7 digits.
#[test]
fn an_impossible_accuracy_is_not_found() {
    for each in plan(&course("rigid-pendulum"), 1e-10) {
        assert_eq!(each.largest, None);
        let best = each.attainable();
        assert!((1e-8..1e-6).contains(&best), "{best:e}");
    }
}

/// Velocities can only ask for more.
#[test]
fn velocities_cost_steps() {
    let course = course("rigid-pendulum");
    let plan = |judged| course.plan(1e-5, judged, &mut |_| ()).unwrap();
    let (positions, both) = (plan(Judged::Positions), plan(Judged::Velocities));
    let mut smaller = 0;
    for (position, both) in positions.iter().zip(&both) {
        let steps = [position, both].map(|found| found.largest.map_or(0.0, |largest| largest.h));
        assert!(steps[1] <= steps[0], "{steps:?}");
        smaller += u32::from(steps[1] < steps[0]);
    }
    assert!(smaller > 0);
}

/// The order of the methods shows in the steps that are found: 1000 times the accuracy for 10 times the steps of Radau IIA 2,
/// and for 4 times those of Radau IIA 3.
#[test]
fn the_circuit_s_steps_follow_the_order() {
    let course = course("rlc");
    let (coarse, fine) = (plan(&course, 1e-3), plan(&course, 1e-6));
    for ((coarse, fine), order) in coarse.iter().zip(&fine).zip([3.0, 5.0]) {
        let ratio = coarse.largest.unwrap().h / fine.largest.unwrap().h;
        let expected = 1e3_f64.powf(1.0 / order);
        // Steps are whole fractions of a period, and the largest of them are few.
        let off = ratio / expected;
        assert!((0.6..1.6).contains(&off), "{ratio}, {expected}");
    }
}

#[test]
fn bad_wishes_are_refused() {
    let said = format!("{}", planned("bicycle").err().unwrap());
    for plant in PLANNED {
        assert!(said.contains(plant.name), "{said}");
    }
    let plant = planned("rlc").unwrap();
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        assert!(Course::new(plant, seconds).is_err(), "{seconds}");
    }
    let course = Course::new(plant, 1.5).unwrap();
    assert_eq!(course.seconds(), 2.0);
    for accuracy in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let plan = course.plan(accuracy, Judged::Positions, &mut |_| ());
        assert!(plan.is_err(), "{accuracy}");
    }
}

/// A number that is none is no small error, wherever it stands.
#[test]
fn nan_is_far_from_everything() {
    let exact = Sample::default();
    for index in 0..4 {
        let mut sample = exact;
        sample.positions[index] = f64::NAN;
        assert_eq!(sample.distance(&exact), [f64::INFINITY, 0.0]);
        assert_eq!(exact.distance(&sample), [f64::INFINITY, 0.0]);
    }
}

/// Whatever can be chosen has a workload of its own by which boards say what it costs.
#[test]
fn every_choice_has_a_workload() {
    let choices = PLANNED.iter().flat_map(|plant| {
        let choices = plant.methods.iter().copied().flatten();
        choices.map(move |choice| (plant.group, choice))
    });
    let mut count = 0;
    for (group, choice) in choices {
        let &Choice {
            workload, method, ..
        } = choice;
        assert!(workload.starts_with(group), "{workload}");
        let named =
            workloads().filter(|w| (w.plant, w.method, w.scalar) == (workload, method, "f32"));
        assert_eq!(named.count(), 1, "{workload}, {method}");
        count += 1;
    }
    let plans = workloads().filter(|w| w.plant.starts_with("plan/"));
    assert_eq!(count, plans.count());
}
