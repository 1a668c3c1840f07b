//! Second-order methods on a Cortex-M4F: the host's bits, and what each costs for the same accuracy.

use std::sync::OnceLock;
use stiffstep_host_tests::emulator::bench::counted;
use stiffstep_host_tests::emulator::board;
use stiffstep_host_tests::emulator::record::{Name, Run, difference, number};
use stiffstep_host_tests::guide;
use stiffstep_host_tests::pendulum::RIGID_5;
use stiffstep_plants::second_order::Voltages;
use stiffstep_plants::workload::workloads;

/// The plants, with the error that all methods are to stay below in either precision.
const PENDULUM: (&str, [f64; 2]) = ("second-order pendulum", [2.4e-4, 1.2e-5]);
const MECHANISM: (&str, [f64; 2]) = ("second-order mechanism", PENDULUM.1);
const CIRCUIT: (&str, [f64; 2]) = ("second-order circuit", [1.2e-6, 1.2e-6]);

fn m4f() -> &'static [Run] {
    static RUNS: OnceLock<Vec<Run>> = OnceLock::new();
    RUNS.get_or_init(|| {
        let board = board("m4f").unwrap();
        let groups = ["second-order", "ordinary", "variable"];
        groups.map(|group| counted(board, group).unwrap()).concat()
    })
}

#[test]
fn second_order_methods_give_the_hosts_bits() {
    assert_eq!(m4f().len(), 44);
    for run in m4f() {
        let workload = workloads().find(|workload| run.name == Name::from(*workload));
        let workload = workload.expect("no such workload");
        let host = workload.run(&mut ());
        assert_eq!(host.steps, workload.steps, "{}", run.name);
        assert_eq!(difference(&host, &run.record), None, "{}", run.name);
    }
}

/// The largest error at the end.
fn error(run: &Run) -> f64 {
    let state = run.record.final_state().iter();
    let state: Vec<f64> = state.map(|&bits| number(bits, &run.name.scalar)).collect();
    let largest = |errors: &[f64]| errors.iter().copied().fold(0.0, f64::max);
    if run.name.plant == PENDULUM.0 {
        // x = (y1, y2, lambda), then x'.
        largest(&[(0, 0), (1, 1), (3, 2), (4, 3)].map(|(i, j)| (state[i] - RIGID_5[j]).abs()))
    } else if run.name.plant == MECHANISM.0 {
        largest(&[0, 1, 2, 3].map(|i: usize| (state[i] - RIGID_5[i]).abs()))
    } else {
        let exact = Voltages::at(7.0).0;
        largest(&[0, 1, 2].map(|i: usize| (state[i] - exact[i]).abs()))
    }
}

/// Instructions of a settled step, and of a simulated second, at one accuracy.
#[test]
fn what_second_order_methods_cost_for_the_same_accuracy() {
    let mut wrong = Vec::new();
    let (mut table, mut compared) = (Vec::new(), 0);
    for (plant, limits) in [PENDULUM, MECHANISM, CIRCUIT] {
        let seconds = if plant == CIRCUIT.0 { 7 } else { 5 };
        for run in m4f().iter().filter(|run| run.name.plant == plant) {
            let limit = limits[usize::from(run.name.scalar == "f64")];
            let (error, cost) = (error(run), run.instructions);
            let settled = cost.least * run.record.steps / seconds;
            let start = cost.total - u64::from(cost.least) * u64::from(run.record.steps);
            println!(
                "{}: {} instructions a step, {} steps, error {error:.1e}: {settled} a second, {start} for the start; stack {}",
                run.name, cost.least, run.record.steps, run.stack
            );
            assert!(error <= limit, "{}: error {error:e}", run.name);
            table.push((run, settled));
            let written = match plant {
                "second-order pendulum" => "`SecondOrder`",
                "second-order mechanism" => "`Mechanical`",
                _ => continue,
            };
            // Of three figures each.
            let row = format!("{written}, {}", run.name.method);
            let Ok(printed) = guide::figures("methods.md", &row) else {
                continue;
            };
            let printed = printed.chunks(3).nth(usize::from(run.name.scalar == "f64"));
            let measured = [run.record.steps, cost.least, settled].map(f64::from);
            for (printed, measured) in printed.unwrap().iter().zip(measured) {
                compared += 1;
                if !guide::agrees(*printed, measured) {
                    wrong.push(format!(
                        "{row}, {}: guide::methods says {printed}, measured {measured}",
                        run.name.scalar
                    ));
                }
            }
            if run.name.method == "BDF 5" && run.name.scalar == "f64" {
                // Of the first three for each order.
                let each = start / 15;
                assert!((25_000..100_000).contains(&each), "{each} for a start");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(compared, 5 * 6, "rows of guide::methods");
    let find = |plant: &str, scalar: &str, method: &str| {
        let name = (plant, scalar, method);
        let found = table
            .iter()
            .find(|(run, _)| (&*run.name.plant, &*run.name.scalar, &*run.name.method) == name);
        let (run, settled) = found.expect("no such row");
        (f64::from(run.instructions.least), f64::from(*settled))
    };
    for scalar in ["f32", "f64"] {
        let (step, second) = find(PENDULUM.0, scalar, "BDF 5");
        let (radau_step, radau_second) = find(PENDULUM.0, scalar, "Radau IIA 3");
        // One system a step instead of three in two modes. It takes more steps, but on a smooth motion not as many.
        assert!(step < 0.5 * radau_step, "{step}, {radau_step}");
        assert!(second < radau_second, "{second}, {radau_second}");
        // Low orders do not pay.
        let (_, second) = find(PENDULUM.0, scalar, "BDF 2");
        assert!(second > radau_second, "{second}, {radau_second}");
    }
    // In double precision they pay even where the model is a mechanism, in single precision not.
    for (scalar, pays) in [("f64", true), ("f32", false)] {
        let (_, multistep) = find(PENDULUM.0, scalar, "BDF 5");
        let (_, mechanical) = find(MECHANISM.0, scalar, "Radau IIA 3");
        assert_eq!(multistep < mechanical, pays, "{multistep}, {mechanical}");
    }
}
