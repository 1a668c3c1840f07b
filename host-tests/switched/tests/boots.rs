//! Converters and drives on emulated boards: the bits of this machine, few instructions, no panic path.
#![allow(clippy::unwrap_used)]

use stiffstep_emulator::{BOARDS, board};
use stiffstep_switched_tests::board::{
    Build, Record, desk, desk_drive, prove, run, run_on_pico, run_with_estimates,
};
use stiffstep_switched_tests::cases::cases;
use stiffstep_switched_tests::{flash, servo};

/// Instructions without edges and commutations, in the mean, and at most: what was promised for the Cortex-M4F in single precision.
const PROMISED: &[(&str, [u32; 3])] = &[
    ("buck CCM", [350, u32::MAX, 3500]),
    ("buck DCM", [350, u32::MAX, 3500]),
    ("inverter", [650, u32::MAX, 4500]),
    ("rectifier, overlap", [2100, 1000, 3000]),
    ("rectifier, discontinuous", [2100, 1000, 8000]),
    ("LCL inverter", [1600, u32::MAX, 13_000]),
    ("drive, soft shaft", [900, 900, 900]),
    ("drive, hard shaft", [900, 900, 900]),
    ("small drive, soft shaft", [900, 900, 900]),
    ("small drive, hard shaft", [900, 900, 900]),
    ("drive, soft shaft, RK4", [900, 900, 900]),
    ("small drive, soft shaft, RK4", [900, 900, 900]),
    ("drive, hard shaft, RK4", [900, 900, 900]),
    ("small drive, hard shaft, RK4", [900, 900, 900]),
    ("drive, soft shaft, Radau 3 dense", [6500, 6500, 6500]),
    ("drive, hard shaft, Radau 3 dense", [6500, 6500, 6500]),
    ("small drive, soft shaft, Radau 3 dense", [6500, 6500, 6500]),
    ("small drive, hard shaft, Radau 3 dense", [6500, 6500, 6500]),
    ("drive, soft shaft, Radau 3", [4500, 4500, 4500]),
    ("drive, hard shaft, Radau 3", [4500, 4500, 4500]),
    ("small drive, soft shaft, Radau 3", [4500, 4500, 4500]),
    ("small drive, hard shaft, Radau 3", [4500, 4500, 4500]),
];

/// Every converter and drive took all its steps, and its states are this machine's.
fn compare(records: &[Record]) {
    let find = |name: &str| records.iter().find(|record| record.name == name).unwrap();
    for case in cases() {
        let record = find(case.name);
        assert_eq!(record.steps, flash::STEPS, "{}", case.name);
        assert_eq!(record.digest, desk(&case).unwrap(), "{}", case.name);
    }
    for plant in servo::plants() {
        for (name, digest) in desk_drive(&plant).unwrap() {
            let record = find(&name);
            assert_eq!(record.steps, flash::DRIVE_STEPS, "{name}");
            assert_eq!(record.digest, digest, "{name}");
        }
    }
}

#[test]
fn steps_cost_what_was_promised_and_have_the_bits_of_this_machine() {
    let records = run_with_estimates(board("m4f").unwrap()).unwrap();
    compare(&records);
    for record in &records {
        println!("{}: {:?}", record.name, record.estimate);
        if let Ok(estimate) = record.estimate.as_ref().unwrap() {
            let most = record.instructions[3].into();
            assert!(estimate.instructions >= most, "{record:?}");
        }
    }
    let estimated = |record: &&Record| matches!(record.estimate, Some(Ok(_)));
    assert_eq!(records.iter().filter(estimated).count(), cases().len());
    for (name, [plain, mean, most]) in PROMISED {
        let record = records.iter().find(|record| record.name == *name).unwrap();
        let [_, a, b, c] = record.instructions;
        assert!(a <= *plain && b <= *mean && c <= *most, "{record:?}");
    }
    for case in cases() {
        let record = records.iter().find(|record| record.name == case.name);
        let [mode, state] = record.unwrap().bytes;
        let limit = if case.keep.len() > 4 { 1100 } else { 500 };
        assert!(mode <= limit && state < 200, "{record:?}");
    }
}

/// Four fifths of the time, so that the link has some.
#[test]
fn a_pico_has_time_for_a_drive() {
    let [instructions, cycles] = run_on_pico(flash::DRIVE_STEPS).unwrap();
    println!("{instructions} instructions, {cycles} cycles");
    assert!(cycles as f64 <= 0.8 * 125e6 / servo::PICO, "{cycles}");
    assert!(cycles > 20_000);
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn every_board_has_the_bits_of_this_machine() {
    for board in BOARDS {
        compare(&run(board, Build::Quick).unwrap());
    }
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn a_step_has_no_panic_path() {
    for name in ["m0", "m4f"] {
        prove(board(name).unwrap()).unwrap();
    }
}
