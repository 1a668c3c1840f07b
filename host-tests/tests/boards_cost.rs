//! What a step costs on the boards: instructions by QEMU's `-icount`, the error that they buy, stack and code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use stiffstep_host_tests::benchmark;
use stiffstep_host_tests::benchmark::limits::LIMITS;
use stiffstep_host_tests::benchmark::rows::{Row, on_board};
use stiffstep_host_tests::emulator::bench::{counted, image};
use stiffstep_host_tests::emulator::board;
use stiffstep_host_tests::emulator::boot::{Boot, boot};
use stiffstep_host_tests::emulator::image::size;
use stiffstep_host_tests::emulator::record::{Run, costs, runs};

const FINE: &str = "Radau IIA 3";

fn find<'a>(runs: &'a [Run], plant: &str, scalar: &str, method: &str) -> &'a Run {
    let named = |run: &&Run| {
        (&*run.name.plant, &*run.name.scalar, &*run.name.method) == (plant, scalar, method)
    };
    runs.iter().find(named).expect("no such workload")
}

/// Every limit of a board's benchmark, in instructions and error.
fn keeps_its_limits(name: &str) {
    let rows = on_board(board(name).unwrap()).unwrap();
    let limits = LIMITS.iter().filter(|limit| limit.target == name).count();
    let limited = rows.iter().filter(|row| row.instructions_limit.is_some());
    assert_eq!(limited.count(), limits, "a problem is missing");
    for row in &rows {
        println!("{row:?}");
    }
    let excess: Vec<String> = rows.iter().filter_map(Row::excess).collect();
    assert!(excess.is_empty(), "{}", excess.join("\n"));
}

#[test]
fn m4f_keeps_its_limits() {
    keeps_its_limits("m4f");
}

#[test]
fn m0_keeps_its_limits() {
    keeps_its_limits("m0");
}

/// P1 from soft to rigid on M4F. The spring's stiffness changes no step's cost by a single instruction; a rigid joint is a
/// type of its own that has no compliance to compute with, and is never dearer.
#[test]
fn stiffness_costs_nothing() {
    let runs = counted(board("m4f").unwrap(), "stiffness").unwrap();
    assert_eq!(runs.len(), 7);
    let cost = |run: &Run| f64::from(run.instructions.most);
    let first = cost(&runs[0]);
    for run in &runs {
        assert_eq!(run.record.steps, 100, "{}", run.name);
        println!("{}: {:?}", run.name, run.instructions);
        let jitter = run.instructions.most - run.instructions.least;
        assert!(f64::from(jitter) <= 0.02 * first, "{}", run.name);
        let ratio = cost(run) / first;
        assert!((ratio - 1.0).abs() <= 0.02, "{}: {ratio}", run.name);
    }
}

/// Every method on P1, on M4F in both precisions: what swapping one for another costs. Gauss with one complex block (two
/// stages), and with one real and one complex (three), against Radau IIA with the same blocks.
#[test]
fn methods_with_the_same_blocks_cost_the_same() {
    let runs = counted(board("m4f").unwrap(), "method").unwrap();
    assert_eq!(runs.len(), 34);
    for run in &runs {
        let error = benchmark::error(&run.name.plant, &run.name.scalar, &run.record);
        let cost = run.instructions.typical();
        println!(
            "{}: {cost:.0} instructions a step, error {error:.1e}",
            run.name
        );
    }
    for scalar in ["f32", "f64"] {
        for stages in [2, 3] {
            let cost = |family: &str| {
                find(&runs, "method P1", scalar, &format!("{family} {stages}"))
                    .instructions
                    .typical()
            };
            let (gauss, radau) = (cost("Gauss"), cost("Radau IIA"));
            assert!(
                gauss <= 1.1 * radau,
                "{scalar}, {stages} stages: Gauss {gauss}, Radau {radau}"
            );
        }
    }
}

/// The rectifier in steps of 10 us on M4F: a step with a switching diode costs more than one without, but not without bound.
#[test]
fn a_switching_circuit_has_a_bounded_cost() {
    let runs = counted(board("m4f").unwrap(), "rectifier").unwrap();
    let run = find(&runs, "rectifier", "f32", FINE);
    let (usual, most) = (run.instructions.typical(), run.instructions.most);
    println!("{usual:.0} instructions a step, at most {most}");
    assert_eq!(run.record.steps, 10_000);
    // Nothing but a step and four looks at it.
    assert!(usual <= 1_500.0, "{usual} instructions a step");
    // One event: two steps more, two factorisations, the search for the event. 10 us at 168 MHz are 1680 cycles: this plant is
    // for a step of 60 us there, or for a faster board.
    assert!(
        most <= 10_000,
        "{most} instructions in a step with an event"
    );
}

/// The arm's solver in single precision on M4F: the code of its step, of its start and of what they call of ours, and all RAM
/// of a run, which holds the simulation itself, too.
#[test]
fn the_arm_fits_a_small_controller() {
    let board = board("m4f").unwrap();
    let image = image(board, "arm").unwrap();
    let log = boot(board, &image, Boot::default()).unwrap();
    let (size, stack) = (size(&image).unwrap(), runs(&log).unwrap()[0].stack);
    println!("{size:?}, stack {stack}");
    assert!(size.step <= 12 * 1024, "{} bytes of code", size.step);
    let ram = size.ram + u64::from(stack);
    assert!(ram <= 3 * 1024, "{ram} bytes of RAM");
}

/// Our f32 sine, cosine, and both at once.
#[test]
fn sine_keeps_its_budget_of_instructions() {
    let board = board("m4f").unwrap();
    let counted = Boot {
        counted: true,
        ..Boot::default()
    };
    let costs = costs(&boot(board, &image(board, "sine").unwrap(), counted).unwrap()).unwrap();
    assert_eq!(costs.len(), 3);
    for (function, least, most) in costs {
        println!("{function}: {least} to {most} instructions");
        if function != "sin_cos" {
            assert!(most <= 80, "{function}: {most} instructions");
        }
    }
}
