//! An inverter whose gates are off, on a machine that turns: its diodes are a rectifier.
//!
//! The machine has a round rotor, so that it is a coil, a resistance and a voltage of its rotor in each phase, as in the case "inverter".
//! The rotor turns with the currents of the library, another one with those of the independent solution.
#![allow(clippy::unwrap_used)]

use std::f64::consts::TAU;
use stiffstep_switched_tests::cases::{Case, cases};
use stiffstep_switched_tests::library::stepped;
use stiffstep_switched_tests::reference::Reference;
use stiffstep_switched_tests::scenario::Given;

const SUPPLY: f64 = 600.0;
/// Of a diode.
const FORWARD: f64 = 0.8;
const PAIRS: f64 = 4.0;
/// Of the magnets, in V s.
const FLUX: f64 = 0.5;
const INERTIA: f64 = 0.02;
const LOAD: f64 = 5.0;
/// The gates of the lower three devices: a short circuit that brakes, until they are off within a step.
const LOWERS: u32 = 0b11_1000;
const BRAKED: usize = 20;
const OFF_AT: f32 = 0.375;

/// The turning part of a machine.
#[derive(Clone, Copy)]
struct Rotor {
    angle: f64,
    /// Of the shaft, in rad/s.
    speed: f64,
}

impl Rotor {
    /// The voltages of the phases, and what they are after a time at this speed.
    fn voltages(&self, time: f64) -> [f64; 3] {
        let electrical = PAIRS * self.speed;
        let angle = self.angle + electrical * time;
        [0.0, 1.0, 2.0].map(|k| FLUX * electrical * (angle - TAU * k / 3.0).sin())
    }

    /// The largest voltage between two phases.
    fn peak(&self) -> f64 {
        3.0_f64.sqrt() * FLUX * PAIRS * self.speed
    }

    fn given(&self, h: f64, n: usize) -> Given {
        let (start, end) = (self.voltages(0.0), self.voltages(h));
        let change = |k: usize| (end[k] - start[k]) as f32;
        let edges = match n {
            0 => vec![(0.0, LOWERS)],
            BRAKED => vec![(OFF_AT, 0)],
            _ => vec![],
        };
        Given {
            start: [SUPPLY, start[0], start[1], start[2]]
                .map(|u| u as f32)
                .to_vec(),
            change: vec![0.0, change(0), change(1), change(2)],
            edges,
        }
    }

    /// A step with currents of two phases at its beginning and at its end.
    fn turn(&mut self, h: f64, currents: [&[f64]; 2]) {
        let power = |voltages: [f64; 3], i: &[f64]| {
            let [a, b, c] = voltages;
            a * i[0] + b * i[1] - c * (i[0] + i[1])
        };
        let mean =
            0.5 * (power(self.voltages(0.0), currents[0]) + power(self.voltages(h), currents[1]));
        self.angle = (self.angle + PAIRS * self.speed * h) % TAU;
        self.speed += h * (mean / self.speed - LOAD) / INERTIA;
    }
}

/// Every step's currents, and the largest voltage of the rotor between two phases.
type Course = Vec<(Vec<f64>, f64)>;

/// The course of a machine whose currents `step` gives.
fn course(speed: f64, steps: usize, h: f64, mut step: impl FnMut(&Given) -> Vec<f64>) -> Course {
    let mut rotor = Rotor { angle: 0.2, speed };
    let mut before = vec![0.0; 2];
    let take = |n: usize| {
        let given = rotor.given(h, n);
        let (after, peak) = (step(&given), rotor.peak());
        rotor.turn(h, [&before, &after]);
        before.clone_from(&after);
        (after, peak)
    };
    (0..steps).map(take).collect()
}

/// The library's course, which is that of the independent solution.
fn compared(speed: f64, steps: usize) -> Course {
    let mut all = cases().into_iter();
    let case: Case = all.find(|case| case.name == "inverter").unwrap();
    let h = case.scale.step;
    let mut plant = stepped::<f32>(&case).unwrap();
    let found = course(speed, steps, h, |given| {
        plant.step(given).unwrap();
        plant.x()
    });
    let mut reference = Reference::new(&case.net, case.look);
    let exact = course(speed, steps, h, |given| {
        reference.step(h, &given.start, &given.change, &given.edges);
        case.keep.iter().map(|k| reference.x[*k]).collect()
    });
    let (mut error, mut largest) = (0.0_f64, 0.0_f64);
    for ((found, _), (exact, _)) in found.iter().zip(&exact) {
        for (found, exact) in found.iter().zip(exact) {
            error = error.max((found - exact).abs());
            largest = largest.max(exact.abs());
        }
    }
    println!(
        "{speed} rad/s: {} commutations, error {:e} of {largest} A",
        reference.events,
        error / largest
    );
    assert!(error <= case.limit * largest, "{error} of {largest} A");
    found
}

fn at_rest(currents: &[f64]) -> bool {
    currents.iter().all(|i| *i == 0.0)
}

/// Below the speed at which the rotor's voltage is the supply's, currents go back into the supply and are exactly zero then.
#[test]
fn currents_of_a_slow_machine_end() {
    let course = compared(75.0, 400);
    assert!(!at_rest(&course[BRAKED].0));
    let ended = course.iter().skip(BRAKED).position(|of| at_rest(&of.0));
    let ended = BRAKED + ended.unwrap();
    assert!(ended > BRAKED + 1, "{ended}");
    assert!(course[ended..].iter().all(|of| at_rest(&of.0)));
}

/// Above it the machine is a generator that brakes itself. With a load on its shaft it gets below it, and nothing flows any more, exactly:
/// where the two highest or lowest voltages of the rotor cross, the diode that holds what floats lets go as the other one takes over.
#[test]
fn a_fast_machine_brakes_until_its_voltage_is_the_supplys() {
    let course = compared(250.0, 12_000);
    let above = course.iter().take_while(|(_, peak)| *peak > SUPPLY).count();
    let (fast, slow) = course.split_at(above);
    let flows = fast.iter().filter(|of| !at_rest(&of.0)).count();
    assert!(flows > 1000 && slow.len() > 5000, "{flows}, {above}");
    // Two diodes conduct.
    let last = fast.iter().rfind(|of| !at_rest(&of.0)).unwrap();
    assert!(last.1 > SUPPLY + 2.0 * FORWARD, "{last:?}");
    let late: Vec<_> = slow.iter().filter(|of| !at_rest(&of.0)).collect();
    println!("{flows} of {above} steps, at last {last:?}; then {late:?}");
    assert!(late.is_empty(), "{}", late.len());
}
