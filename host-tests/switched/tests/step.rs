//! One step: errors leave the state, edges at the ends, memory.
#![allow(clippy::unwrap_used)]

use stiffstep::memory::{Load, Memory, Save};
use stiffstep::switched::{Circuit, Edge, Input, Switched, SwitchedError};
use stiffstep_switched_tests::cases::{ON, SCALE};
use stiffstep_switched_tests::library::half_bridge;

const HALF: [Edge<f32>; 2] = [Edge { at: 0.0, gates: 1 }, Edge { at: 0.5, gates: 2 }];

#[test]
fn errors_leave_the_state() {
    let tables = half_bridge().unwrap();
    let mut plant = Switched::new(tables.view(), [1.0, 5.0], [24.0]).unwrap();
    plant.step(&Input::held([24.0]), &HALF).unwrap();
    let before = *plant.state();
    let late = [Edge { at: 0.5, gates: 1 }, Edge { at: 0.25, gates: 2 }];
    let edge = |at: f32| [Edge { at, gates: 1 }];
    let both = [Edge { at: 0.5, gates: 3 }];
    let held = Input::held([24.0]);
    for (input, edges, error) in [
        (held, late.as_slice(), SwitchedError::Edge { index: 1 }),
        (held, &edge(1.1), SwitchedError::Edge { index: 0 }),
        (held, &edge(-0.1), SwitchedError::Edge { index: 0 }),
        (held, &edge(f32::NAN), SwitchedError::Edge { index: 0 }),
        (held, &both, SwitchedError::ShootThrough { device: 0 }),
        (Input::held([f32::NAN]), &HALF, SwitchedError::Input),
        (Input::held([f32::INFINITY]), &HALF, SwitchedError::Input),
    ] {
        assert_eq!(plant.step(&input, edges), Err(error));
        assert_eq!(*plant.state(), before);
    }
    assert!(plant.set_gates(3, &[24.0]).is_err());
    assert_eq!(*plant.state(), before);
    let start = Switched::new(tables.view(), [f32::NAN, 0.0], [24.0]);
    assert_eq!(start.err(), Some(SwitchedError::NonFinite));
}

/// An edge at the end of a step is one at the beginning of the next.
#[test]
fn edges_at_both_ends_are_the_same() {
    let tables = half_bridge().unwrap();
    let start = Switched::new(tables.view(), [1.0, 5.0], [24.0]).unwrap();
    let (mut end, mut beginning) = (start, start);
    let held = Input::held([24.0]);
    end.step(&held, &[Edge { at: 1.0, gates: 1 }]).unwrap();
    end.step(&held, &[]).unwrap();
    beginning.step(&held, &[]).unwrap();
    beginning
        .step(&held, &[Edge { at: 0.0, gates: 1 }])
        .unwrap();
    assert_eq!(end.state().x, beginning.state().x);
}

/// Pulses that are as long as a step, or commensurate with it, are no accumulation of events.
#[test]
fn any_number_of_edges_is_allowed() {
    let tables = half_bridge().unwrap();
    let mut plant = Switched::new(tables.view(), [0.0; 2], [24.0]).unwrap();
    let edge = |k: u32| Edge {
        at: k as f32 / 32.0,
        gates: 1 + k % 2,
    };
    let edges: Vec<Edge<f32>> = (0..=32).map(edge).collect();
    for _ in 0..3000 {
        plant.step(&Input::held([24.0]), &edges).unwrap();
    }
    let [current, voltage] = plant.state().x;
    assert!((voltage - 12.0).abs() < 0.3, "{current} {voltage}");
}

#[test]
fn a_kept_state_goes_on_as_if_nothing_had_happened() {
    let tables = half_bridge().unwrap();
    let mut plant = Switched::new(tables.view(), [1.0, 5.0], [24.0]).unwrap();
    let held = Input::held([24.0]);
    plant.step(&held, &HALF).unwrap();
    let mut words = [0; 16];
    let mut save = Save::new(&mut words);
    plant.visit(&mut save);
    let count = save.complete().unwrap();
    let mut other = Switched::new(tables.view(), [0.0; 2], [24.0]).unwrap();
    let mut load = Load::new(&words[..count]);
    other.visit(&mut load);
    assert!(load.complete());
    for _ in 0..10 {
        plant.step(&held, &HALF).unwrap();
        other.step(&held, &HALF).unwrap();
        assert_eq!(plant.state(), other.state());
    }
}

/// Two transistors that are no leg model the short circuit: the supply drives a current through both.
#[test]
fn a_short_circuit_is_modelled_by_choice() {
    let circuit = Circuit::<16>::new()
        .source("in", "0")
        .resistor("in", "rail", 0.1)
        .capacitor("rail", "0", 10e-6)
        .transistor("rail", "sw", 0, ON)
        .transistor("sw", "0", 1, ON)
        .coil("sw", "out", 100e-6)
        .capacitor("out", "0", 100e-6)
        .resistor("out", "0", 3.0);
    let tables = circuit.build::<f32, 3, 1, 2, 9, 0, 8, 0>(SCALE);
    let sizes = circuit.sizes(SCALE, 8).unwrap();
    assert_eq!((sizes.states, sizes.modes), (3, 9));
    // The rail's capacitor is fast then: maps are needed.
    assert!(sizes.maps > 0 && tables.is_err());
}
