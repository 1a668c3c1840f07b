//! The iterated projection on the experiments of Ariel, Sanz-Serna & Tsai: kernels, slow points, multipliers, RK4.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use stiffstep::manifold::{Ending, Ipa, Kernel, Slow, Sprung, rigid_limit};
use stiffstep::prelude::*;
use stiffstep_host_tests::figures::{assert_at_most, assert_error};
use stiffstep_plants::double_spring::{DoubleRod, DoubleSpring, OFF, ON, start};

const KERNELS: [Kernel; 2] = [Kernel::CUBIC, Kernel::SMOOTH];

fn none() -> Vector<f64, 0> {
    Vector::from([])
}

/// The integral of a polynomial times t^j from `from` to `to`.
fn integral(piece: &[f64], j: i32, from: f64, to: f64) -> f64 {
    let term = |(k, c): (usize, &f64)| {
        let n = k as i32 + j + 1;
        c * (to.powi(n) - from.powi(n)) / f64::from(n)
    };
    piece.iter().enumerate().map(term).sum()
}

#[test]
fn kernels_have_unit_mass_and_the_moments_they_say() {
    for kernel in KERNELS {
        // Odd moments vanish, because a kernel is even.
        let moment =
            |j| 2.0 * (integral(&kernel.inner, j, 0.0, 0.5) + integral(&kernel.outer, j, 0.5, 1.0));
        assert_at_most("mass", (moment(0) - 1.0).abs(), 1e-14);
        let last = i32::from(kernel.moments);
        assert_eq!(last % 2, 1);
        for j in (2..=last).step_by(2) {
            assert_at_most("vanishing moment", moment(j).abs(), 1e-14);
        }
        assert!(moment(last + 1).abs() > 1e-3, "one more moment vanishes");
        assert_eq!(kernel.at(0.3), kernel.at(-0.3));
        assert_eq!((kernel.at(1.0), kernel.at(-1.5)), (0.0, 0.0));
    }
}

/// All derivatives of a polynomial at t.
fn derivatives(piece: &[f64], t: f64) -> Vec<f64> {
    let mut piece = piece.to_vec();
    let mut all = Vec::new();
    while !piece.is_empty() {
        all.push(piece.iter().rev().fold(0.0, |sum, c| sum * t + c));
        piece = piece
            .iter()
            .enumerate()
            .skip(1)
            .map(|(k, c)| c * k as f64)
            .collect();
    }
    all
}

/// Lemma 3.2: derivatives up to nu - 2 are continuous everywhere, and the next one is not.
#[test]
fn kernels_are_as_smooth_as_they_say() {
    for kernel in KERNELS {
        let (inner, outer) = (
            derivatives(&kernel.inner, 0.0),
            derivatives(&kernel.outer, 1.0),
        );
        let (left, right) = (
            derivatives(&kernel.inner, 0.5),
            derivatives(&kernel.outer, 0.5),
        );
        let jump = |k: usize| {
            // An even function's odd derivatives change sign at zero.
            let middle = if k % 2 == 1 { 2.0 * inner[k] } else { 0.0 };
            middle
                .abs()
                .max((left[k] - right[k]).abs())
                .max(outer[k].abs())
        };
        let last = usize::from(kernel.smoothness) - 2;
        for k in 0..=last {
            assert_at_most("jump", jump(k), 1e-9);
        }
        assert!(jump(last + 1) > 0.1, "smoother than it says");
    }
}

/// What the smoother kernel is for: less of an oscillation in a wide window.
#[test]
fn filters_leave_as_little_of_an_oscillation_as_the_lemma_says() {
    let left = |kernel: &Kernel, x: f64| {
        let weights = kernel.weights::<400>();
        let term = |(k, w): (usize, &f64)| w * (x * k as f64 / 400.0).cos();
        let sum: f64 = weights.iter().enumerate().skip(1).map(term).sum();
        (weights[0] + 2.0 * sum).abs()
    };
    for kernel in KERNELS {
        let worst = |from: f64| {
            (0..100).fold(0.0, |most: f64, k| {
                most.max(left(&kernel, from * (1.0 + 0.01 * f64::from(k))))
            })
        };
        let order = (worst(20.0) / worst(40.0)).log2();
        println!("{} {:e} {:e}", kernel.smoothness, worst(20.0), worst(40.0));
        assert!(order > f64::from(kernel.smoothness) - 0.3, "order {order}");
    }
    assert_at_most("cubic in 30 rad", left(&Kernel::CUBIC, 30.5), 1.2e-2);
    assert_at_most("smooth in 30 rad", left(&Kernel::SMOOTH, 30.5), 4e-5);
}

/// The constraints and their rates.
fn constraints<R: Real>(at: &Motion<R, 4, 2>) -> [f64; 4] {
    let at = [at.q, at.v].map(|x| x.data.0[0].map(R::to_f64));
    let [[x1, y1, x2, y2], [u1, w1, u2, w2]] = at;
    let (r1, r2) = (x1.hypot(y1), (x1 - x2).hypot(y1 - y2));
    [
        r1 - 1.0,
        r2 - 1.0,
        (x1 * u1 + y1 * w1) / r1,
        ((x1 - x2) * (u1 - u2) + (y1 - y2) * (w1 - w2)) / r2,
    ]
}

fn project(omega: f64, iterations: u8, from: ([f64; 4], [f64; 4])) -> Slow<f64, 4, 2> {
    let (q, v) = start(from);
    let ipa = Ipa::new(omega).tolerance(1e-9).iterations(iterations);
    ipa.project(&DoubleSpring::new(omega), 0.0, &q, &v, &none())
        .unwrap()
}

/// Table 1, with 5 iterations for both omega. One of its 40 numbers is not what the algorithm gives in any of its readings: the
/// rate 2.36e-3 in row 1 of omega = 1e3 comes out as 2.33e-3. And g2 in row 2 of omega = 1e4 has lost its sign in print.
#[test]
fn table_1_is_reproduced_to_the_printed_digits() {
    let tables = [
        (
            1e3,
            [
                [-3.40e-4, -2.41e-4, 2.36e-3, 5.25e-3],
                [9.71e-7, 8.11e-7, 2.01e-5, 1.18e-5],
                [1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6],
                [1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6],
                [1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6],
            ],
        ),
        (
            1e4,
            [
                [-3.40e-4, -2.41e-4, 2.34e-3, 5.28e-3],
                [-3.00e-8, -7.49e-8, 1.75e-5, 1.02e-5],
                [1.01e-8, 8.91e-9, 3.00e-8, 1.45e-8],
                [1.01e-8, 8.95e-9, 2.43e-8, 1.61e-8],
                [1.01e-8, 8.95e-9, 2.43e-8, 1.62e-8],
            ],
        ),
    ];
    for (omega, rows) in tables {
        let settled = project(omega, 10, OFF);
        assert_eq!(
            (settled.ending, settled.report.iterations),
            (Ending::Settled, 5)
        );
        for (k, row) in (1..).zip(rows) {
            let found = constraints(&project(omega, k, OFF).motion);
            println!("omega {omega:e}, iteration {k}: {found:?}");
            for (found, printed) in found.iter().zip(row) {
                // One unit of the third digit: the paper cuts off here and rounds there.
                let unit = 10_f64.powi(f64::log10(printed.abs()).floor() as i32 - 2);
                let units = if printed == 2.36e-3 { 3.5 } else { 1.01 };
                assert!(
                    (found - printed).abs() <= units * unit,
                    "omega {omega:e}, iteration {k}: {found:e} is not {printed:e}"
                );
            }
        }
    }
}

/// (33)-(36).
#[test]
fn slow_points_near_the_constraints_take_two_iterations() {
    let expected = [
        (
            1e3,
            [
                1.000_001_499_566_132_8,
                0.0,
                2.000_002_748_383_088_7,
                0.0,
                0.0,
                -0.499_995_133_458_303_15,
                0.0,
                0.499_997_254_223_809_8,
            ],
        ),
        (
            1e4,
            [
                1.000_000_014_999_956_2,
                0.0,
                2.000_000_027_499_838,
                0.0,
                0.0,
                -0.499_999_951_516_162_9,
                0.0,
                0.499_999_972_650_396_03,
            ],
        ),
    ];
    for (omega, expected) in expected {
        let slow = project(omega, 10, ON);
        assert_eq!(slow.report.iterations, 2);
        let found = slow.motion.q.iter().chain(slow.motion.v.iter());
        for (found, expected) in found.zip(expected) {
            assert!((found - expected).abs() < 2e-15, "{found:e} {expected:e}");
        }
    }
}

/// Section 5.4: the pull of springs is the multiplier of rods, up to omega^-2, and without that by Richardson's extrapolation.
#[test]
fn springs_tell_the_multipliers_of_rods() {
    let exact = [1.5, 1.25];
    let at = |omega| project(omega, 10, ON).motion.lambda;
    let (soft, stiff) = (at(1e3), at(1e4));
    println!("{soft:?} {stiff:?}");
    for (found, printed) in soft.iter().zip([1.4996, 1.2488]) {
        assert_at_most("omega 1e3", (found - printed).abs(), 5e-5);
    }
    for (found, printed) in stiff.iter().zip(exact) {
        assert_at_most("omega 1e4", (found - printed).abs(), 5e-4);
    }
    for (j, exact) in exact.iter().enumerate() {
        let extrapolated = (100.0 * stiff[j] - soft[j]) / 99.0;
        assert_at_most("Richardson", (extrapolated - exact).abs(), 1e-6);
    }
    let (q, v) = start(ON);
    let rods = rigid_limit(&DoubleRod, 1e3, 0.0, (&q, &v), &none()).unwrap();
    println!("{rods:?}");
    for (found, exact) in rods.lambda.iter().zip(exact) {
        assert_at_most("rods", (found - exact).abs(), 1e-6);
    }
}

/// A start for rods, from a guess that is 3 % off, without an algebraic equation.
#[test]
fn rods_get_a_consistent_start() {
    let (q, v) = start(OFF);
    let rods = rigid_limit(&DoubleRod, 1e3, 0.0, (&q, &v), &none()).unwrap();
    for lack in constraints(&rods) {
        assert_at_most("lack", lack.abs(), 1e-9);
    }
    let there =
        stiffstep::manifold::consistent(&DoubleRod, 0.0, &rods.q, &rods.v, &none()).unwrap();
    assert_at_most("lambda", (there.lambda - rods.lambda).amax(), 1e-6);
    assert_at_most("a", (there.a - rods.a).amax(), 1e-6);
    // Springs of any stiffness can be put in by hand, too.
    let sprung = Sprung {
        model: &DoubleRod,
        stiffness: [1e8; 2],
    };
    let slow = Ipa::new(1e4)
        .project(&sprung, 0.0, &q, &v, &none())
        .unwrap();
    assert_eq!(slow.motion, project(1e4, 10, OFF).motion);
}

/// The slow solution of [0, 10] from the slow point of (31)-(32), omega = 1e4.
const END: [f64; 8] = [
    9.993_437_609_913_126e-1,
    -3.622_216_633_401_947e-2,
    6.615_241_981_186_774e-1,
    9.049_887_284_509_047e-1,
    1.098_815_097_985_317e-3,
    3.031_558_428_189_141e-2,
    -6.739_090_314_995_446e-1,
    -2.119_583_370_475_536e-1,
];

/// Fig. 6: steps of the classical Runge-Kutta method as if the springs were not there.
#[test]
fn runge_kutta_steps_along_the_slow_manifold() {
    let figures = [
        (8, 4.08e-4, 1.82e-4),
        (16, 3.04e-5, 1.36e-5),
        (32, 2.76e-6, 1.32e-6),
        (64, 5.8e-7, 2.5e-7),
    ];
    for (steps, in_q, in_v) in figures {
        let method = RungeKutta4Ipa(Ipa::new(1e4).tolerance(1e-9));
        let h = 1.0 / f64::from(steps);
        let mut plant = Simulation::new(DoubleSpring::new(1e4), method, h, start(ON)).unwrap();
        let mut iterations = 0;
        for _ in 0..10 * steps {
            let report = plant.step().unwrap();
            assert_eq!(report.outcome, Outcome::Converged);
            iterations += u32::from(report.iterations);
        }
        let (q, v) = (plant.state().q, plant.state().v);
        let error = |x: Vector<f64, 4>, from: usize| {
            (0..4)
                .map(|n| (x[n] - END[from + n]).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        println!(
            "{} iterations a projection",
            f64::from(iterations) / f64::from(40 * steps)
        );
        assert_error(&format!("q, H = 1/{steps}"), error(q, 0), in_q);
        assert_error(&format!("v, H = 1/{steps}"), error(v, 4), in_v);
    }
}
