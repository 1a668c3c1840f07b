//! What a step costs on the boards: instructions by QEMU's `-icount`, the error that they buy, stack and code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::OnceLock;
use stiffstep_host_tests::benchmark;
use stiffstep_host_tests::emulator::bench::{counted, image};
use stiffstep_host_tests::emulator::board;
use stiffstep_host_tests::emulator::boot::{Boot, boot};
use stiffstep_host_tests::emulator::image::size;
use stiffstep_host_tests::emulator::record::{Run, costs, number, runs};

/// The benchmark on M4F.
fn m4f() -> &'static [Run] {
    static RUNS: OnceLock<Vec<Run>> = OnceLock::new();
    RUNS.get_or_init(|| counted(board("m4f").unwrap(), "P").unwrap())
}

fn find<'a>(runs: &'a [Run], plant: &str, scalar: &str, method: &str) -> &'a Run {
    let named = |run: &&Run| {
        (&*run.name.plant, &*run.name.scalar, &*run.name.method) == (plant, scalar, method)
    };
    runs.iter().find(named).expect("no such workload")
}

/// P3 of the benchmark in f32 on M4F with Radau IIA 2, the cheapest whose error is at rounding level, factors kept.
#[test]
fn p3_keeps_its_budget_of_instructions() {
    let runs = m4f();
    let cases = [
        (
            "P3 DAE",
            800.0,
            [0.910_627_280_618_087_1, 0.031_660_168_667_634_9],
        ),
        (
            "P3 stiff ODE",
            500.0,
            [0.003_294_282_805_074_924, 0.000_469_851_633_19],
        ),
    ];
    for (plant, budget, exact) in cases {
        let run = find(runs, plant, "f32", "Radau IIA 2");
        assert_eq!(run.record.steps, 700);
        for (&bits, exact) in run.record.final_state().iter().zip(exact) {
            let error = (number(bits, "f32") - exact).abs();
            assert!(error < 1e-6, "{plant}: error {error:e}");
        }
        let typical = run.instructions.typical();
        assert!(typical <= budget, "{plant}: {typical} instructions a step");
    }
}

/// A plant and a method of the benchmark, with the most instructions a step and the largest error that it may have.
type Limit = (&'static str, &'static str, f64, f64);

const FINE: &str = "Radau IIA 3";
const FAST: &str = "projected Radau IIA 2";

fn assert_limits(runs: &[Run], scalar: &str, limits: &[Limit]) {
    let mut excess = Vec::new();
    for &(plant, method, instructions, error) in limits {
        let run = find(runs, plant, scalar, method);
        let found = (
            run.instructions.typical(),
            benchmark::error(plant, scalar, &run.record),
        );
        println!(
            "{}: {:.0} instructions a step ({} to {}), error {:.1e}, stack {}",
            run.name, found.0, run.instructions.least, run.instructions.most, found.1, run.stack
        );
        // False for NaN, too.
        if !(found.0 <= instructions && found.1 <= error) {
            excess.push(format!(
                "{}: {found:?} exceeds {:?}",
                run.name,
                (instructions, error)
            ));
        }
    }
    assert!(excess.is_empty(), "{}", excess.join("\n"));
}

#[test]
fn mechanisms_keep_their_budget_of_instructions() {
    let limits = [
        ("P1 eps 1e-3", FINE, 950.0, 2e-7),
        ("P1 eps 1e-3", FAST, 650.0, 5e-6),
        ("P1 eps 1e-5", FINE, 950.0, 2e-7),
        ("P1 eps 1e-5", FAST, 650.0, 5e-6),
        ("P2", FINE, 950.0, 2e-7),
        ("P2", FAST, 650.0, 5e-6),
        ("P4 K 1e5 lean", FINE, 4_000.0, 7e-7),
        ("P4 K 1e5 full", FINE, 5_500.0, 7e-7),
        ("P4 K 1e6 lean", FINE, 4_000.0, 7e-7),
        ("P4 K 1e6 full", FINE, 5_500.0, 7e-7),
    ];
    assert_limits(m4f(), "f32", &limits);
}

/// Double precision, which M4F does not have.
#[test]
fn mechanisms_keep_their_budget_in_emulated_arithmetic() {
    let limits = [
        ("P1 eps 1e-3", FINE, 70_000.0, 1e-7),
        ("P1 eps 1e-5", FINE, 70_000.0, 1e-7),
        ("P2", FINE, 70_000.0, 1e-6),
        ("P4 K 1e5 lean", FINE, 250_000.0, 6.5e-7),
        ("P4 K 1e6 lean", FINE, 250_000.0, 6.5e-7),
    ];
    assert_limits(m4f(), "f64", &limits);
}

/// Single precision on M0, which has no floating point at all.
#[test]
fn mechanisms_keep_their_budget_on_the_smallest_board() {
    let m0 = board("m0").unwrap();
    let runs: Vec<Run> = ["P1", "P2", "P4"]
        .into_iter()
        .flat_map(|group| counted(m0, group).unwrap())
        .collect();
    let limits = [
        ("P1 eps 1e-3", FINE, 85_000.0, 2e-7),
        ("P1 eps 1e-5", FINE, 85_000.0, 2e-7),
        ("P2", FINE, 85_000.0, 2e-7),
        ("P4 K 1e5 lean", FINE, 240_000.0, 7e-7),
        ("P4 K 1e6 lean", FINE, 240_000.0, 7e-7),
    ];
    assert_limits(&runs, "f32", &limits);
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
