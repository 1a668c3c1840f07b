//! The boards against the host: the same bits, and no panic path.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::OnceLock;
use std::time::Duration;
use stiffstep_host_tests::emulator::bench::{bits_image, image, soft_image};
use stiffstep_host_tests::emulator::board;
use stiffstep_host_tests::emulator::boot::{Boot, boot};
use stiffstep_host_tests::emulator::firmware::{Features, build, cargo};
use stiffstep_host_tests::emulator::record::{Name, difference, number, runs};
use stiffstep_plants::workload::{Probe, Record, Workload, common};

/// What every workload gives on the host.
fn host() -> &'static [(Name, Record)] {
    static HOST: OnceLock<Vec<(Name, Record)>> = OnceLock::new();
    let record = |workload: &Workload| (Name::from(workload), workload.run(&mut ()));
    HOST.get_or_init(|| common().map(record).collect())
}

/// Every state of every step of every workload on a board is the host's.
fn same_bits(name: &str) {
    let board = board(name).unwrap();
    // A minute on an idle machine; all boards run at once, and others may be at work, too.
    let patient = Boot {
        limit: Duration::from_secs(900),
        ..Boot::default()
    };
    // One as it would be flashed, one with floating point of our own, the others with the compiler's, compiled in another way.
    let image = match name {
        "m4f" => image(board, "workloads"),
        "m0" => soft_image(board, "workloads"),
        _ => bits_image(board, "workloads"),
    };
    let log = boot(board, &image.unwrap(), patient).unwrap();
    let runs = runs(&log).unwrap();
    assert_eq!(runs.len(), common().count(), "a workload is missing");
    for (run, (name, record)) in runs.iter().zip(host()) {
        assert_eq!(&run.name, name);
        if let Some(difference) = difference(record, &run.record) {
            panic!("{name} on {}: {difference}", board.core);
        }
    }
}

#[test]
fn m0_gives_the_same_bits() {
    same_bits("m0");
}

#[test]
fn m3_gives_the_same_bits() {
    same_bits("m3");
}

#[test]
fn m4f_gives_the_same_bits() {
    same_bits("m4f");
}

#[test]
fn m7_gives_the_same_bits() {
    same_bits("m7");
}

#[test]
fn m33_gives_the_same_bits() {
    same_bits("m33");
}

/// Ten thousand steps of every mechanism in double precision on boards whose images above are compiled in another way: here as they
/// would be flashed.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn long_runs_of_what_is_flashed_give_the_same_bits() {
    const LONG: u32 = 10_000;
    for name in ["m3", "m4f", "m7", "m33"] {
        let board = board(name).unwrap();
        let image = image(board, "workloads").unwrap();
        for group in ["spring", "rigid", "lean", "full"] {
            let how = Boot {
                argument: &format!("{group};f64;{LONG}"),
                limit: Duration::from_secs(900),
                ..Boot::default()
            };
            let runs = runs(&boot(board, &image, how).unwrap()).unwrap();
            assert!(!runs.is_empty(), "no {group}");
            for run in &runs {
                let workload = common().find(|workload| Name::from(*workload) == run.name);
                let host = (workload.unwrap().run)(LONG, &mut ());
                assert_eq!(host.steps, LONG, "{}", run.name);
                let apart = difference(&host, &run.record);
                assert!(apart.is_none(), "{} on {}: {apart:?}", run.name, board.core);
            }
        }
    }
}

#[test]
fn workloads_run_to_their_end() {
    for (workload, (name, record)) in common().zip(host()) {
        let steps = workload.steps;
        assert!(record.steps == steps || steps == 0, "{name}");
        assert!(record.steps > 0, "{name}");
        for &bits in record.final_state() {
            assert!(number(bits, workload.scalar).is_finite(), "{name}");
        }
    }
}

/// The host's own builds agree with each other: without any optimisation, and with all of it.
#[test]
fn debug_and_release_builds_give_the_same_bits() {
    let bits = |arguments: &[&str]| {
        let mut cargo = cargo();
        cargo.args(["run", "--quiet", "--package", "stiffstep-plants"]);
        cargo.args(["--example", "bits"]).args(arguments);
        let output = cargo.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        String::from_utf8(output.stdout).unwrap()
    };
    let debug = bits(&["--config", "profile.dev.opt-level=0"]);
    let lto = "profile.release.lto=false";
    let release = bits(&["--release", "--config", lto]);
    assert_eq!(debug, release);
    for (name, record) in host() {
        let hash = format!("{:016x}", record.hash);
        let mut lines = debug.lines().filter(|line| line.starts_with(&name.plant));
        let same = lines.any(|line| line.contains(&hash));
        assert!(
            same,
            "{name}: this build gives another hash than the others"
        );
    }
}

/// Does to a record what one wrong bit in one step would do.
#[test]
fn one_changed_ulp_is_caught() {
    let state = |step: u32| {
        let x = f64::from(step) * 0.37;
        stiffstep::model::Vector::from([x, x + 1.0, x - 7.0])
    };
    let record = |wrong: Option<(u32, usize)>| {
        let mut record = Record::EMPTY;
        for step in 0..1_000 {
            let mut state = state(step);
            if let Some((_, index)) = wrong.filter(|&(wrong, _)| wrong == step) {
                state[index] = f64::from_bits(state[index].to_bits() ^ 1);
            }
            record.absorb(&state);
        }
        record
    };
    let right = record(None);
    assert_eq!(difference(&right, &record(None)), None);
    for step in [0, 1, 500, 998, 999] {
        for index in 0..3 {
            let wrong = record(Some((step, index)));
            let said = difference(&right, &wrong).expect("a wrong bit went unnoticed");
            // In the last step it shows in the final state, before that only in the hash.
            let expected = match step {
                999 => "final state",
                _ => "the way there",
            };
            assert!(said.contains(expected), "{said}");
        }
    }
}

/// One ulp in the initial state of a real workload shows, too: the contraction of the plant does not hide it.
#[test]
fn one_ulp_in_the_start_of_a_plant_is_caught() {
    use stiffstep::prelude::*;
    use stiffstep_plants::nonlinear::Galvanometer;
    let run = |angle: f32| {
        let model = Galvanometer::<f32>::nominal_design();
        let start = Vector::from([angle, 0.0, 0.0]);
        let mut plant = Simulation::new(model, RadauIIA::<3>, 1e-2, start).unwrap();
        let mut record = Record::EMPTY;
        for _ in 0..10_000 {
            plant.step().unwrap();
            record.absorb(plant.state());
        }
        record
    };
    assert!(difference(&run(0.5), &run(0.5_f32.next_up())).is_some());
}

/// The proof image links, so no panic path is left in a step; with one put in it does not, so the proof can fail.
#[test]
fn a_step_has_no_panic_path() {
    build(board("m4f").unwrap(), &["proof"], Features::Proof).unwrap();
    let error = build(board("m4f").unwrap(), &["proof"], Features::DeliberatePanic).unwrap_err();
    let said = format!("{error:#}");
    assert!(said.contains("at least one panicking branch"), "{said}");
}

/// The same where all arithmetic is software.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn a_step_has_no_panic_path_on_the_smallest_board() {
    build(board("m0").unwrap(), &["proof"], Features::Proof).unwrap();
}

/// A probe is called around every step, which is what instruction counts rest on.
#[test]
fn probes_stand_around_every_step() {
    #[derive(Default)]
    struct Count {
        begun: u32,
        ended: u32,
    }
    impl Probe for Count {
        fn begin(&mut self) {
            assert_eq!(self.begun, self.ended);
            self.begun += 1;
        }
        fn end(&mut self) {
            self.ended += 1;
        }
    }
    let mut count = Count::default();
    let workload = common().find(|w| w.plant == "P3 DAE").unwrap();
    workload.run(&mut count);
    assert_eq!((count.begun, count.ended), (700, 700));
}
