//! Arbitrary inputs, edges and gates: a step answers an error and leaves everything as it was, or a state of numbers. The seed is
//! new every day in `--full`, and the same in the ordinary test.
#![allow(clippy::unwrap_used)]

use fastrand::Rng;
use std::time::{SystemTime, UNIX_EPOCH};
use stiffstep::electric::Voltage;
use stiffstep::memory::Digest;
use stiffstep_switched_tests::cases::{Case, cases};
use stiffstep_switched_tests::library::{Stepped, stepped};
use stiffstep_switched_tests::scenario::Given;
use stiffstep_switched_tests::servo::{drive, plants};

/// A number of usual size, or once in a while any bits.
fn number(random: &mut Rng, usual: f32) -> f32 {
    match random.u8(..) {
        0 => f32::from_bits(random.u32(..)),
        1 => usual * 1e6 * (random.f32() - 0.5),
        _ => usual * (2.0 * random.f32() - 1.0),
    }
}

/// Edges, mostly in order and within the step.
fn edges(random: &mut Rng) -> Vec<(f32, u32)> {
    let mut edges: Vec<(f32, u32)> = (0..random.usize(..6))
        .map(|_| (random.f32(), random.u32(..64)))
        .collect();
    if random.u8(..) > 8 {
        edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    if random.u8(..) < 8
        && let Some(edge) = edges.first_mut()
    {
        edge.0 = f32::from_bits(random.u32(..));
    }
    edges
}

fn digest(plant: &mut dyn Stepped) -> Digest {
    let mut digest = Digest::EMPTY;
    plant.digest(&mut digest);
    digest
}

/// Steps with arbitrary inputs; how many were refused.
fn soak(case: &Case, steps: usize, seed: u64) -> usize {
    let mut random = Rng::with_seed(seed);
    let mut plant = stepped::<f32>(case).unwrap();
    let inputs = case.given(1)[0].start.len();
    let usual = case.scale.voltage as f32;
    let mut refused = 0;
    for step in 0..steps {
        let given = Given {
            start: (0..inputs).map(|_| number(&mut random, usual)).collect(),
            change: (0..inputs)
                .map(|_| number(&mut random, 0.1 * usual))
                .collect(),
            edges: edges(&mut random),
        };
        let before = digest(&mut *plant);
        let place = || format!("{} seed {seed} step {step}: {given:?}", case.name);
        match plant.step(&given) {
            Ok(_) => assert!(plant.x().iter().all(|x| x.is_finite()), "{}", place()),
            Err(_) => {
                assert_eq!(digest(&mut *plant), before, "{}", place());
                refused += 1;
            }
        }
        // From a state that nothing leads back from, another beginning.
        if step % 200 == 199 {
            plant.restart();
        }
    }
    refused
}

#[test]
fn a_refused_step_leaves_the_converter() {
    for case in cases() {
        let refused = soak(&case, 4000, 1);
        // Neither all nor none: both ways were seen.
        assert!(refused > 20 && refused < 3900, "{}: {refused}", case.name);
    }
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn a_million_arbitrary_steps_leave_no_trace() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = now.as_secs() / 86_400;
    for case in cases() {
        soak(&case, 1_000_000, seed);
    }
}

#[test]
fn a_refused_step_leaves_the_drive() {
    let mut random = Rng::with_seed(2);
    for plant in plants() {
        let mut servo = drive::<f32>(&plant).unwrap();
        let usual = plant.supply as f32;
        let mut refused = 0;
        for step in 0..20_000 {
            let mut voltage = Voltage::default();
            let axes = voltage.axes.iter_mut().flatten();
            axes.for_each(|v| *v = number(&mut random, usual));
            let load = number(&mut random, plant.load as f32);
            let before = Digest::of(&mut servo);
            if servo.step(&voltage, load).is_err() {
                assert_eq!(Digest::of(&mut servo), before);
                refused += 1;
            }
            let out = servo.outputs();
            assert!(
                out.currents.iter().all(|x| x.is_finite()) && out.load_speed.is_finite(),
                "{} step {step}: {voltage:?} {load}",
                plant.name
            );
            if step % 200 == 199 {
                servo = drive::<f32>(&plant).unwrap();
            }
        }
        assert!(refused > 20 && refused < 19_900, "{refused}");
    }
}
