//! The iterated projection of Ariel, Sanz-Serna & Tsai: kernels, slow points to the last digit, starts for rods.

use stiffstep::manifold::{Ending, Ipa, Kernel};
use stiffstep::prelude::*;
use stiffstep_host_tests::experiments::ariel::{Sprung, constraints, project, rigid_limit};
use stiffstep_host_tests::figures::assert_at_most;
use stiffstep_plants::double_spring::{DoubleRod, OFF, ON, start};

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
        let terms = piece.iter().enumerate().skip(1);
        piece = terms.map(|(k, c)| c * k as f64).collect();
    }
    all
}

/// Lemma 3.2: derivatives up to nu - 2 are continuous everywhere, and the next one is not.
#[test]
fn kernels_are_as_smooth_as_they_say() {
    for kernel in KERNELS {
        let [inner, left] = [0.0, 0.5].map(|t| derivatives(&kernel.inner, t));
        let [right, outer] = [0.5, 1.0].map(|t| derivatives(&kernel.outer, t));
        let jump = |k: usize| {
            // An even function's odd derivatives change sign at zero.
            let middle = if k % 2 == 1 { 2.0 * inner[k] } else { 0.0 };
            let jumps = [middle, left[k] - right[k], outer[k]];
            jumps.map(f64::abs).into_iter().fold(0.0, f64::max)
        };
        let last = usize::from(kernel.smoothness) - 2;
        for k in 0..=last {
            assert_at_most("jump", jump(k), 1e-9);
        }
        assert!(jump(last + 1) > 0.1, "smoother than it says");
    }
}

/// (33)-(36).
#[test]
fn slow_points_near_the_constraints_take_two_iterations() {
    let expected = [
        // Omega, the masses' distances, and their speeds across.
        (
            1e3,
            [1.000_001_499_566_132_8, 2.000_002_748_383_088_7],
            [-0.499_995_133_458_303_15, 0.499_997_254_223_809_8],
        ),
        (
            1e4,
            [1.000_000_014_999_956_2, 2.000_000_027_499_838],
            [-0.499_999_951_516_162_9, 0.499_999_972_650_396_03],
        ),
    ];
    for (omega, [q1, q2], [v1, v2]) in expected {
        let expected = [q1, 0.0, q2, 0.0, 0.0, v1, 0.0, v2];
        let slow = project(omega, 10, ON).unwrap();
        assert_eq!((slow.ending, slow.report.iterations), (Ending::Settled, 2));
        let found = slow.motion.q.iter().chain(slow.motion.v.iter());
        for (found, expected) in found.zip(expected) {
            assert!((found - expected).abs() < 2e-15, "{found:e} {expected:e}");
        }
    }
}

/// A start for rods, from a guess that is 3 % off, without an algebraic equation.
#[test]
fn rods_get_a_consistent_start() {
    let (q, v) = start(OFF);
    let rods = rigid_limit(&DoubleRod, 1e3, 0.0, (&q, &v), &none()).unwrap();
    for lack in constraints((&rods.q, &rods.v)) {
        assert_at_most("lack", lack.abs(), 1e-9);
    }
    let there =
        stiffstep::manifold::consistent(&DoubleRod, 0.0, &rods.q, &rods.v, &none()).unwrap();
    assert_at_most("lambda", (there.lambda - rods.lambda).amax(), 1e-6);
    assert_at_most("a", (there.a - rods.a).amax(), 1e-6);
    // Springs of any stiffness can be put in by hand, too.
    let (model, stiffness) = (&DoubleRod, [1e8; 2]);
    let slow = Ipa::new(1e4).project(&Sprung { model, stiffness }, 0.0, &q, &v, &none());
    assert_eq!(slow.unwrap().motion, project(1e4, 10, OFF).unwrap().motion);
}
