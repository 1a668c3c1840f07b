//! What other solvers need for the benchmark, measured in the same way: instructions a step, or of a whole adaptive run.
//!
//! Measured with gcc 12 -O2 for C and Fortran: CasADi 3.8.2 (generated collocation code), acados 21376cb with BLASFEO 0ab5db3,
//! SUNDIALS 7.5.0, RADAU5 of 2002, numeris 0.6.0. On Cortex-M4F under QEMU's `-icount`, on the host under callgrind.

use serde::Serialize;

/// One figure of a peer.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Peer {
    /// The problem, as ours are called; the variants of a problem share a prefix.
    pub problem: &'static str,
    /// Where it ran.
    pub target: &'static str,
    /// The number type.
    pub scalar: &'static str,
    /// The solver.
    pub solver: &'static str,
    /// Instructions a step, or of the whole run if it is adaptive; `None` if it fails.
    pub instructions: Option<u32>,
    /// Whether it is a whole run.
    pub whole_run: bool,
    /// Its error, where it is known.
    pub error: Option<f64>,
}

const fn step(
    problem: &'static str,
    target: &'static str,
    scalar: &'static str,
    solver: &'static str,
    instructions: u32,
    error: Option<f64>,
) -> Peer {
    Peer {
        problem,
        target,
        scalar,
        solver,
        instructions: Some(instructions),
        whole_run: false,
        error,
    }
}

const fn run(peer: Peer) -> Peer {
    Peer {
        whole_run: true,
        ..peer
    }
}

const fn fails(
    problem: &'static str,
    target: &'static str,
    scalar: &'static str,
    solver: &'static str,
) -> Peer {
    Peer {
        instructions: None,
        ..step(problem, target, scalar, solver, 0, None)
    }
}

/// All figures.
pub const PEERS: [Peer; 29] = [
    step(
        "P1 eps 1e-3",
        "m4f",
        "f32",
        "CasADi collocation",
        54_127,
        Some(6.3e-5),
    ),
    run(step(
        "P1 eps 1e-3",
        "m4f",
        "f32",
        "SUNDIALS IDA",
        1_170_000,
        Some(1.4e-2),
    )),
    run(step(
        "P1 eps 1e-3",
        "m4f",
        "f32",
        "numeris RODAS4",
        381_000,
        Some(2.1e-4),
    )),
    fails("P1 eps 1e-5", "m4f", "f32", "CasADi collocation"),
    fails("P1 eps 1e-5", "m4f", "f32", "numeris RODAS4"),
    step(
        "P2",
        "m4f",
        "f32",
        "CasADi collocation",
        66_142,
        Some(2.7e-5),
    ),
    run(step(
        "P2",
        "m4f",
        "f32",
        "SUNDIALS IDA",
        143_000,
        Some(3.2e-4),
    )),
    fails("P2", "m4f", "f32", "numeris RODAS4"),
    step(
        "P3 DAE",
        "m4f",
        "f32",
        "CasADi collocation",
        23_640,
        Some(1.3e-5),
    ),
    run(step("P3 DAE", "m4f", "f32", "SUNDIALS IDA", 206_000, None)),
    fails("P3 DAE", "m4f", "f32", "numeris RODAS4"),
    step(
        "P3 stiff ODE",
        "m4f",
        "f32",
        "CasADi collocation",
        11_737,
        None,
    ),
    step(
        "P4 K 1e5",
        "m4f",
        "f32",
        "CasADi collocation",
        246_093,
        Some(6.6e-7),
    ),
    step(
        "P4 K 1e5",
        "m4f",
        "f32",
        "SUNDIALS ARKODE",
        25_524,
        Some(6.6e-7),
    ),
    step("P4 K 1e5", "m4f", "f32", "numeris RODAS4", 32_334, None),
    step("P1 eps 1e-3", "host", "f64", "RADAU5", 4_993, None),
    step("P1 eps 1e-3", "host", "f64", "acados", 14_035, None),
    step(
        "P1 eps 1e-3",
        "host",
        "f64",
        "CasADi collocation",
        41_448,
        None,
    ),
    step("P2", "host", "f64", "RADAU5", 7_300, None),
    step("P2", "host", "f64", "acados", 18_585, None),
    step("P4 K 1e5", "host", "f64", "RADAU5", 9_575, None),
    step("P4 K 1e5", "host", "f64", "acados", 28_560, None),
    step("P1 eps 1e-3", "m4f", "f64", "acados", 152_020, None),
    step("P2", "m4f", "f64", "acados", 197_747, None),
    step("P4 K 1e5", "m4f", "f64", "acados", 757_389, None),
    run(step(
        "adaptive van der Pol",
        "host",
        "f64",
        "RADAU5",
        1_490_000,
        Some(8.6e-7),
    )),
    run(step(
        "adaptive van der Pol",
        "host",
        "f64",
        "numeris",
        1_120_000,
        Some(3.8e-6),
    )),
    run(step(
        "adaptive van der Pol",
        "host",
        "f64",
        "SUNDIALS CVODE",
        3_490_000,
        Some(1.9e-4),
    )),
    run(step(
        "adaptive P2",
        "host",
        "f64",
        "RADAU5",
        217_000,
        Some(4.3e-6),
    )),
];
