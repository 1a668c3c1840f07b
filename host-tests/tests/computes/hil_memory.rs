//! What a plant keeps between steps: set aside, put back, compared to the last bit.

use stiffstep::hil::protocol::Change;
use stiffstep::hil::{Allowance, Fault, Rig, Snapshot};
use stiffstep_host_tests::hil::reference::by_name;
use stiffstep_plants::rigs::{ITERATIONS, NAMES};

/// Inputs that keep a plant busy, the same for the same step.
fn inputs(rig: &dyn Rig, step: u32) -> Vec<f32> {
    let wave = |k: u32| {
        let phase = (step / 50 + k) % 5;
        [0.4, 0.9, 0.0, 0.6, 0.2][phase as usize]
    };
    (0..rig.about().counts[0]).map(|k| wave(k.into())).collect()
}

fn run(rig: &mut dyn Rig, steps: u32) -> Vec<u32> {
    let mut digests = Vec::new();
    for _ in 0..steps {
        let u = inputs(rig, rig.steps());
        let mut never = || false;
        rig.step(&u, &mut Allowance::new(ITERATIONS, &mut never))
            .unwrap();
        assert!(rig.outputs().iter().all(|y| y.is_finite()));
        digests.push(rig.digest());
    }
    digests
}

/// Compensated sums, predictions, kept factors, parameters, faults: whatever a snapshot forgot would show.
#[test]
fn a_restored_snapshot_goes_on_with_the_same_bits() {
    for name in NAMES {
        let mut rig = by_name(name, 1e-3).unwrap();
        run(&mut *rig, 300);
        rig.apply(&Change::Fault(Fault::Offset { output: 1, by: 0.5 }))
            .unwrap();
        let now = rig
            .describe(stiffstep::hil::protocol::Kind::Parameter, 0)
            .unwrap();
        let value = now.value * 1.01;
        rig.apply(&Change::Fault(Fault::Jump { index: 0, value }))
            .unwrap();
        run(&mut *rig, 100);
        let mut snapshot = Snapshot::default();
        rig.save(&mut snapshot);
        assert_eq!(snapshot.step, 400);
        let first = run(&mut *rig, 1000);
        rig.apply(&Change::Heal).unwrap();
        run(&mut *rig, 77);
        assert!(rig.load(&snapshot), "{name}");
        rig.join(snapshot.step);
        assert_eq!(first, run(&mut *rig, 1000), "{name}");
        // The same on another rig, which has never been there: a board's snapshot on the desk.
        let mut other = by_name(name, 1e-3).unwrap();
        assert!(other.load(&snapshot), "{name}");
        other.join(snapshot.step);
        assert_eq!(first, run(&mut *other, 1000), "{name}");
    }
}

#[test]
fn every_word_of_a_snapshot_counts() {
    for name in NAMES {
        let mut rig = by_name(name, 1e-3).unwrap();
        run(&mut *rig, 20);
        let mut snapshot = Snapshot::default();
        rig.save(&mut snapshot);
        let digest = rig.digest();
        for k in 0..snapshot.words.len() {
            let mut wrong = snapshot.clone();
            // Flags are one bit.
            wrong.words[k] ^= 1;
            if rig.load(&wrong) {
                assert_ne!(rig.digest(), digest, "{name}, word {k}");
            }
            assert!(rig.load(&snapshot));
            assert_eq!(rig.digest(), digest, "{name}, word {k}");
        }
    }
}

/// How many words each plant keeps: its state, what rounding took from it, its stages, of linear plants the factors, the
/// Jacobian and what checks a step, parameters.
#[test]
fn plants_keep_what_they_kept() {
    let words = NAMES.map(|name| by_name(name, 1e-3).unwrap().about().words);
    assert_eq!(words, [63, 67, 136, 111, 89, 60]);
}

/// A snapshot of another length is not this plant's: nothing changes.
#[test]
fn a_snapshot_of_another_plant_is_refused() {
    let mut arm = by_name("arm", 1e-3).unwrap();
    let mut motor = by_name("dc-motor", 1e-3).unwrap();
    run(&mut *arm, 10);
    run(&mut *motor, 10);
    let mut snapshot = Snapshot::default();
    arm.save(&mut snapshot);
    let before = motor.digest();
    assert!(!motor.load(&snapshot));
    assert_eq!(motor.digest(), before);
    assert!(!motor.load(&Snapshot::default()));
    assert_eq!(motor.digest(), before);
}

/// Reset goes back to the start, parameters and all; only the count of steps goes on.
#[test]
fn reset_is_the_start() {
    for name in NAMES {
        let mut rig = by_name(name, 1e-3).unwrap();
        let start = rig.digest();
        let first = run(&mut *rig, 100);
        let now = rig
            .describe(stiffstep::hil::protocol::Kind::Parameter, 0)
            .unwrap();
        let value = now.value * 1.01;
        rig.apply(&Change::Parameter { index: 0, value }).unwrap();
        run(&mut *rig, 10);
        rig.apply(&Change::Reset).unwrap();
        assert_eq!(rig.steps(), 110);
        assert_eq!(rig.digest(), start, "{name}");
        rig.join(0);
        assert_eq!(first, run(&mut *rig, 100), "{name}");
    }
}
