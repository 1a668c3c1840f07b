//! What our own steps may cost and how far they may be off.

/// The most instructions a step, or of a whole adaptive run, and the largest error of a problem.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The problem.
    pub problem: &'static str,
    /// The board, or `host`.
    pub target: &'static str,
    /// The number type.
    pub scalar: &'static str,
    /// The method.
    pub method: &'static str,
    /// Instructions.
    pub instructions: f64,
    /// The error.
    pub error: f64,
}

const FINE: &str = "Radau IIA 3";
const TWO: &str = "Radau IIA 2";
const FAST: &str = "projected Radau IIA 2";

const fn limit(
    problem: &'static str,
    (target, scalar, method): (&'static str, &'static str, &'static str),
    instructions: f64,
    error: f64,
) -> Limit {
    Limit {
        problem,
        target,
        scalar,
        method,
        instructions,
        error,
    }
}

/// All limits.
pub const LIMITS: [Limit; 29] = [
    limit("P1 eps 1e-3", ("m4f", "f32", FINE), 950.0, 2e-7),
    limit("P1 eps 1e-3", ("m4f", "f32", FAST), 650.0, 5e-6),
    limit("P1 eps 1e-5", ("m4f", "f32", FINE), 950.0, 2e-7),
    limit("P1 eps 1e-5", ("m4f", "f32", FAST), 650.0, 5e-6),
    limit("P2", ("m4f", "f32", FINE), 950.0, 2e-7),
    limit("P2", ("m4f", "f32", FAST), 650.0, 5e-6),
    limit("P3 DAE", ("m4f", "f32", TWO), 800.0, 1e-6),
    limit("P3 stiff ODE", ("m4f", "f32", TWO), 500.0, 1e-6),
    limit("P4 K 1e5 lean", ("m4f", "f32", FINE), 4_000.0, 7e-7),
    limit("P4 K 1e5 full", ("m4f", "f32", FINE), 5_500.0, 7e-7),
    limit("P4 K 1e6 lean", ("m4f", "f32", FINE), 4_000.0, 7e-7),
    limit("P4 K 1e6 full", ("m4f", "f32", FINE), 5_500.0, 7e-7),
    limit("P1 eps 1e-3", ("m4f", "f64", FINE), 70_000.0, 1e-7),
    limit("P1 eps 1e-5", ("m4f", "f64", FINE), 70_000.0, 1e-7),
    limit("P2", ("m4f", "f64", FINE), 70_000.0, 1e-6),
    limit("P4 K 1e5 lean", ("m4f", "f64", FINE), 250_000.0, 6.5e-7),
    limit("P4 K 1e6 lean", ("m4f", "f64", FINE), 250_000.0, 6.5e-7),
    limit("P1 eps 1e-3", ("m0", "f32", FINE), 85_000.0, 2e-7),
    limit("P1 eps 1e-5", ("m0", "f32", FINE), 85_000.0, 2e-7),
    limit("P2", ("m0", "f32", FINE), 85_000.0, 2e-7),
    limit("P4 K 1e5 lean", ("m0", "f32", FINE), 240_000.0, 7e-7),
    limit("P4 K 1e6 lean", ("m0", "f32", FINE), 240_000.0, 7e-7),
    limit("P1 eps 1e-3", ("host", "f64", FINE), 1_000.0, 1.2e-8),
    limit("P1 eps 1e-5", ("host", "f64", FINE), 1_000.0, 1.2e-8),
    limit("P2", ("host", "f64", FINE), 1_000.0, 4.8e-7),
    limit("P4 K 1e5 lean", ("host", "f64", TWO), 3_600.0, 6.5e-7),
    limit(
        "adaptive van der Pol",
        ("host", "f64", FINE),
        1_490_000.0,
        8.6e-7,
    ),
    limit("adaptive P2", ("host", "f64", FINE), 217_000.0, 4.3e-6),
    limit(
        "adaptive P2",
        ("host", "f64", "projected Radau IIA 3"),
        217_000.0,
        4.3e-6,
    ),
];
