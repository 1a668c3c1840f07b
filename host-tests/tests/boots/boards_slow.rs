//! The iterated projection in single precision on a board: the host's bits, a cost that does not know the stiffness, and an answer
//! where rounding ends it.

use std::sync::OnceLock;
use stiffstep_host_tests::emulator::bench::counted;
use stiffstep_host_tests::emulator::board;
use stiffstep_host_tests::emulator::record::{Name, Run, difference, number};
use stiffstep_plants::workload::workloads;

fn m4f() -> &'static [Run] {
    static RUNS: OnceLock<Vec<Run>> = OnceLock::new();
    RUNS.get_or_init(|| counted(board("m4f").unwrap(), "slow").unwrap())
}

fn find(plant: &str, scalar: &str) -> &'static Run {
    let named = |run: &&Run| run.name.plant == plant && run.name.scalar == scalar;
    m4f().iter().find(named).expect("no such workload")
}

#[test]
fn projections_give_the_same_bits_as_on_the_host() {
    let mut compared = 0;
    for workload in workloads().filter(|w| w.plant.starts_with("slow")) {
        let run = find(workload.plant, workload.scalar);
        assert_eq!(run.name, Name::from(workload));
        let host = workload.run(&mut ());
        assert_eq!(host.steps, workload.steps, "{}", run.name);
        assert_eq!(difference(&host, &run.record), None, "{}", run.name);
        compared += 1;
    }
    assert_eq!((compared, m4f().len()), (9, 9));
}

/// omega = 1e3, 1e4, 1e5 with four iterations each.
#[test]
fn stiffness_does_not_change_what_a_projection_costs() {
    let runs = ["1e3", "1e4", "1e5"].map(|e| find(&format!("slow {e}, 4 iterations"), "f32"));
    let first = f64::from(runs[0].instructions.most);
    for run in runs {
        println!("{}: {:?}, stack {}", run.name, run.instructions, run.stack);
        assert_eq!(run.record.final_state()[15], 4, "{}", run.name);
        for cost in [run.instructions.least, run.instructions.most] {
            let ratio = f64::from(cost) / first;
            assert!((ratio - 1.0).abs() <= 0.02, "{}: {ratio}", run.name);
        }
    }
}

/// The default tolerance is met; one that single precision cannot meet ends where it stops helping, and says so.
#[test]
fn single_precision_settles_or_says_that_it_cannot() {
    for e in ["1e3", "1e4", "1e5"] {
        let run = find(&format!("slow {e}, settled"), "f32");
        println!("{}: {:?}", run.name, run.instructions);
        assert_eq!(run.record.final_state()[14], 0, "{}", run.name);
    }
    let run = find("slow 1e3, stagnant", "f32");
    let said = &run.record.final_state()[14..];
    println!("{}: ending {}, {} iterations", run.name, said[0], said[1]);
    assert_eq!(said[0], 1);
    assert!(said[1] < 10);
}

/// Ten seconds along the slow manifold, omega = 1e4, in steps of 1/32, end where double precision ends them but for rounding.
#[test]
fn runge_kutta_along_the_slow_manifold_fits_a_board() {
    let end = [
        9.993_437_609_913_126e-1,
        -3.622_216_633_401_947e-2,
        6.615_241_981_186_774e-1,
        9.049_887_284_509_047e-1,
    ];
    let run = find("slow 1e4, along", "f32");
    println!("{}: {:?}, stack {}", run.name, run.instructions, run.stack);
    // An implicit step of a pendulum is within 950.
    assert!(run.instructions.typical() > 20.0 * 950.0);
    for (&bits, end) in run.record.final_state().iter().zip(end) {
        let error = (number(bits, "f32") - end).abs();
        println!("{error:e}");
        // What the step size leaves in double precision is 2.8e-6.
        assert!(error < 1e-5, "{error:e}");
    }
}
