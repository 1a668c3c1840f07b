//! A problem of the benchmark by numeris' RODAS4, its tolerance 1e-6: prints steps, evaluations and the end.
//!
//! `stiffstep-peer-numeris PROBLEM`, where a counter of instructions finds everything within the function `solve`.

use numeris::Vector;
use numeris::ode::{AdaptiveSettings, RODAS4, Rosenbrock};

#[inline(never)]
fn solve<const S: usize>(
    start: [f64; S],
    end: f64,
    rhs: impl FnMut(f64, &Vector<f64, S>) -> Vector<f64, S>,
) -> Result<(), String> {
    let settings = AdaptiveSettings {
        rel_tol: 1e-6,
        abs_tol: 1e-6,
        max_steps: 1_000_000,
        ..AdaptiveSettings::default()
    };
    let start = Vector::from_array(start);
    let found = RODAS4::integrate_auto(0.0, end, &start, rhs, &settings);
    let found = found.map_err(|error| format!("{error:?}"))?;
    print!("{} {}", found.accepted + found.rejected, found.evals);
    for k in 0..S {
        print!(" {:e}", found.y[k]);
    }
    println!();
    Ok(())
}

/// Unit mass on a spring of unit length: positions, velocities.
fn pendulum(stiffness: f64) -> impl FnMut(f64, &Vector<f64, 4>) -> Vector<f64, 4> {
    move |_, x| {
        let r = (x[0] * x[0] + x[1] * x[1]).sqrt();
        let pull = stiffness * (r - 1.0) / r;
        Vector::from_array([x[2], x[3], -pull * x[0], -pull * x[1] - 1.0])
    }
}

/// A capacitor, an inductor and a resistor at one volt.
fn circuit(resistance: f64) -> impl FnMut(f64, &Vector<f64, 2>) -> Vector<f64, 2> {
    move |_, x| Vector::from_array([x[1], (1.0 - x[0] - resistance * x[1]) / 0.5])
}

/// Two links on elastic joints: positions of links and motors, velocities.
fn arm(stiffness: f64) -> impl FnMut(f64, &Vector<f64, 8>) -> Vector<f64, 8> {
    let (a, b, d, g1, g2) = (0.6, 0.125, 1.0 / 12.0, 7.3575, 2.4525);
    move |_, x| {
        let [q1, q2, p1, p2, w1, w2, v1, v2] = [0, 1, 2, 3, 4, 5, 6, 7].map(|k| x[k]);
        let e1 = stiffness * (p1 - q1) + (v1 - w1);
        let e2 = stiffness * (p2 - q2) + (v2 - w2);
        let (s, c) = q2.sin_cos();
        let both = g2 * (q1 + q2).cos();
        let f1 = e1 - g1 * q1.cos() - both + b * s * (2.0 * w1 * w2 + w2 * w2);
        let f2 = e2 - both - b * s * w1 * w1;
        let (m11, m12, m22) = (a + 2.0 * b * c, d + b * c, d);
        let det = m11 * m22 - m12 * m12;
        let links = [(m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det];
        let motors = [(12.0 - e1) / 0.01, (3.0 - e2) / 0.01];
        Vector::from_array([w1, w2, v1, v2, links[0], links[1], motors[0], motors[1]])
    }
}

/// Van der Pol's with mu = 1000.
fn oscillator(_: f64, x: &Vector<f64, 2>) -> Vector<f64, 2> {
    Vector::from_array([x[1], 1000.0 * (1.0 - x[0] * x[0]) * x[1] - x[0]])
}

fn main() -> Result<(), String> {
    let problem = std::env::args().nth(1).unwrap_or_default();
    match problem.as_str() {
        "P1 eps 1e-3" => solve([1.0, 0.0, 0.0, 0.0], 1.0, pendulum(1e6)),
        "P1 eps 1e-5" => solve([1.0, 0.0, 0.0, 0.0], 1.0, pendulum(1e10)),
        "P3 stiff ODE" => solve([0.0, 0.0], 7.0, circuit(2121.320343559643)),
        "P4 K 1e5" => solve([0.0; 8], 0.1, arm(1e5)),
        "adaptive van der Pol" => solve([2.0, 0.0], 2000.0, oscillator),
        _ => Err(format!("there is no problem `{problem}`")),
    }
}
