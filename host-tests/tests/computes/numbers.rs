//! The number types: every function that physics may use, with its derivatives and its increments.

use stiffstep::number::{Compensated, Dual, Increment, Real, Scalar};

/// Every operation of [`Scalar`], as a function of two variables.
const OPERATIONS: [&str; 38] = [
    "x + y", "x - y", "x * y", "x / y", "-x", "x + c", "x - c", "x * c", "x / c", "x += y",
    "x -= y", "x *= y", "x /= y", "sqrt", "sin", "cos", "sin_cos", "tan", "exp", "ln", "tanh",
    "atan2", "abs", "square", "min", "max", "atan", "asin", "acos", "log10", "cbrt", "x^1.75",
    "x^-0.5", "x^3.0", "x^3", "x^-2", "hypot", "clamp",
];

fn apply<R: Real, T: Scalar<R>>(operation: &str, x: T, y: T) -> T {
    let c = R::from_f64(1.75);
    let mut z = x;
    match operation {
        "x + y" => z = x + y,
        "x - y" => z = x - y,
        "x * y" => z = x * y,
        "x / y" => z = x / y,
        "-x" => z = -x,
        "x + c" => z = x + c,
        "x - c" => z = x - c,
        "x * c" => z = x * c,
        "x / c" => z = x / c,
        "x += y" => z += y,
        "x -= y" => z -= y,
        "x *= y" => z *= y,
        "x /= y" => z /= y,
        "sqrt" => z = x.abs().sqrt(),
        "sin" => z = x.sin(),
        "cos" => z = x.cos(),
        "sin_cos" => z = x.sin_cos().0 * y.sin_cos().1,
        "tan" => z = x.tan(),
        "exp" => z = x.exp(),
        "ln" => z = x.abs().ln(),
        "tanh" => z = x.tanh(),
        "atan2" => z = x.atan2(y),
        "abs" => z = x.abs(),
        "square" => z = x.square(),
        "min" => z = x.min(y),
        "max" => z = x.max(y),
        "atan" => z = x.atan(),
        // Within the unit circle.
        "asin" => z = (x * R::from_f64(0.25)).asin(),
        "acos" => z = (x * R::from_f64(0.25)).acos(),
        "log10" => z = x.abs().log10(),
        "cbrt" => z = x.cbrt(),
        "x^1.75" => z = x.abs().powf(c),
        "x^-0.5" => z = x.abs().powf(R::from_f64(-0.5)),
        "x^3.0" => z = x.powf(R::from_f64(3.0)),
        "x^3" => z = x.powi(3),
        "x^-2" => z = x.powi(-2),
        "hypot" => z = x.hypot(y),
        "clamp" => z = x.clamp(R::from_f64(-1.0), R::ONE),
        other => assert_eq!(other, "known", "an operation without a definition"),
    }
    z
}

/// With its slopes by x and by y.
fn with_slopes<R: Real>(operation: &str, x: R, y: R) -> Dual<R, 2> {
    apply(operation, Dual::variable(x, 0), Dual::variable(y, 1))
}

/// Away from poles and corners, in all four quadrants.
const POINTS: [(f64, f64); 8] = [
    (0.3, 1.2),
    (1.1, -0.7),
    (-0.4, 0.9),
    (-1.3, -2.1),
    (2.6, 0.25),
    (0.11, 0.4),
    (-3.7, 5.5),
    (0.8, -4.0),
];

/// The derivative of a function of one variable, by central differences with two extrapolations: good to 1e-10.
fn difference(f: impl Fn(f64) -> f64) -> f64 {
    let quotient = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    let h = 2e-3;
    let (a, b, c) = (quotient(h), quotient(h / 2.0), quotient(h / 4.0));
    let (ab, bc) = ((4.0 * b - a) / 3.0, (4.0 * c - b) / 3.0);
    (16.0 * bc - ab) / 15.0
}

fn assert_close(actual: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (actual - expected).abs() / expected.abs().max(1.0);
    assert!(
        error <= tolerance,
        "{what}: {actual} instead of {expected}, off by {error:e}"
    );
}

#[test]
fn dual_slopes_are_derivatives() {
    for operation in OPERATIONS {
        for (x, y) in POINTS {
            let what = format!("{operation} at {x}, {y}");
            let dual = with_slopes(operation, x, y);
            // The value is the plain one, to the bit.
            let plain = apply(operation, x, y);
            assert_eq!(dual.value.to_bits(), plain.to_bits(), "{what}");
            let by_x = difference(|h| apply(operation, x + h, y));
            let by_y = difference(|h| apply(operation, x, y + h));
            assert_close(dual.slope()[0], by_x, 1e-8, &what);
            assert_close(dual.slope()[1], by_y, 1e-8, &what);
        }
    }
}

/// The same in single precision, against double: to a few units in the last place of the largest term.
#[test]
fn dual_slopes_are_rounded_once_or_twice() {
    for operation in OPERATIONS {
        for (x, y) in POINTS {
            let (x, y) = (x as f32, y as f32);
            let what = format!("{operation} at {x}, {y}");
            let single = with_slopes(operation, x, y);
            let (x, y) = (f64::from(x), f64::from(y));
            let double = with_slopes(operation, x, y);
            for direction in 0..2 {
                let (slope, expected) = (single.slope()[direction], double.slope()[direction]);
                assert_close(slope.into(), expected, 8.0 * f64::from(f32::EPSILON), &what);
            }
        }
    }
}

/// A variable with two slopes.
fn nested(value: f64, direction: usize) -> Dual<Dual<f64, 2>, 2> {
    Dual::variable(Dual::variable(value, direction), direction)
}

/// Dual numbers of dual numbers: second derivatives are derivatives of first ones, and mixed ones agree.
#[test]
fn nested_slopes_are_second_derivatives() {
    let slope = |operation: &str, x: f64, y: f64| with_slopes(operation, x, y).slope();
    for operation in OPERATIONS {
        for (x, y) in POINTS {
            let what = format!("{operation} at {x}, {y}");
            let z = apply(operation, nested(x, 0), nested(y, 1));
            for i in 0..2 {
                let by_x = difference(|h| slope(operation, x + h, y)[i]);
                let by_y = difference(|h| slope(operation, x, y + h)[i]);
                assert_close(z.slope()[i].slope()[0], by_x, 1e-7, &what);
                assert_close(z.slope()[i].slope()[1], by_y, 1e-7, &what);
            }
            let [one, other] = [z.slope()[0].slope()[1], z.slope()[1].slope()[0]];
            assert_close(one, other, 1e-15, &what);
        }
    }
}

/// A corner has two derivatives; which one is taken is part of the contract.
#[test]
fn corners_take_the_documented_side() {
    let zero = Dual::<f64, 1>::variable(0.0, 0);
    assert_eq!(zero.abs().slope(), [1.0]);
    let (one, other) = (Dual::<f64, 1>::variable(2.0, 0), Dual::constant(1.0));
    assert_eq!(one.max(other).slope(), [1.0]);
    assert_eq!(one.min(other).slope(), [0.0]);
    assert_eq!(Dual::<f64, 3>::variable(5.0, 1).slope(), [0.0, 1.0, 0.0]);
    assert_eq!(Dual::<f64, 3>::constant(5.0).slope(), [0.0; 3]);
}

/// An increment in single precision, for a motion of the arguments too small to be seen in their difference: as good as
/// the difference in double precision, relative to itself.
#[test]
fn increments_do_not_cancel() {
    let motion = |x: f64, p: f64, r: f64| {
        (
            Increment {
                x: x as f32,
                p: p as f32,
                r: r as f32,
            },
            f64::from(x as f32),
            f64::from(p as f32) + f64::from(r as f32),
        )
    };
    for operation in OPERATIONS {
        for (x, y) in POINTS {
            for size in [0.2, 1e-2, 1e-4, 1e-6] {
                let what = format!("{operation} at {x}, {y} moved by {size}");
                let (x_moves, x, dx) = motion(x, size, 0.3 * size * size);
                let (y_moves, y, dy) = motion(y, -0.6 * size, 0.2 * size * size);
                let moved = apply(operation, x_moves, y_moves);
                let exact = apply(operation, x + dx, y + dy) - apply(operation, x, y);
                let slope = with_slopes(operation, x, y).slope();
                // In units of the motion, amplified or not: terms may cancel one another, and the slope of a tanh near its
                // ends is itself what a difference leaves.
                let unit = slope[0].abs().max(1.0) * dx.abs() + slope[1].abs().max(1.0) * dy.abs();
                let error = (f64::from(moved.d()) - exact).abs() / unit;
                let off = format!("{:e} instead of {exact:e}, off by {error:e}", moved.d());
                assert!(error < 5e-7, "{what}: {off}");
                // The linear part is linear, and the rest is of second order with its own relative accuracy.
                let linear = slope[0] * f64::from(x_moves.p) + slope[1] * f64::from(y_moves.p);
                let error = (f64::from(moved.p) - linear).abs() / unit;
                assert!(error < 5e-7, "{what}: linear part off by {error:e}");
            }
        }
    }
}

/// The remainder of second order keeps its digits: that is what an increment is for.
#[test]
fn remainders_keep_their_digits() {
    let step = 1e-4f32;
    for operation in [
        "x * y", "x / y", "sqrt", "sin", "cos", "tan", "exp", "ln", "tanh", "atan2", "square",
        "atan", "asin", "acos", "log10", "cbrt", "x^1.75", "x^-0.5", "x^3.0", "x^3", "x^-2",
        "hypot",
    ] {
        for (x, y) in POINTS {
            let what = format!("{operation} at {x}, {y}");
            let still = |x: f64, p: f32| Increment {
                x: x as f32,
                p,
                r: 0.0,
            };
            let moved = apply(operation, still(x, step), still(y, -step));
            // With p exact, r is the second-order term of Taylor's series, to leading order.
            let (x, y) = (f64::from(x as f32), f64::from(y as f32));
            let z = apply(operation, nested(x, 0), nested(y, 1)).slope();
            let terms = [z[0].slope()[0], -2.0 * z[0].slope()[1], z[1].slope()[1]];
            let half = 0.5 * f64::from(step) * f64::from(step);
            let (sum, sizes) = terms
                .iter()
                .fold((0.0, 0.0), |(s, a), t| (s + half * t, a + half * t.abs()));
            let error = (f64::from(moved.r) - sum).abs() / sizes.max(1e-30);
            assert!(error < 3e-2, "{what}: r = {:e} instead of {sum:e}", moved.r);
        }
    }
}

/// A constant shifts the value and leaves the motion as it is.
#[test]
fn constants_shift_increments() {
    let a = Increment {
        x: 3.0,
        p: 0.5,
        r: 0.25,
    };
    assert_eq!(a + 2.0, Increment { x: 5.0, ..a });
    assert_eq!(a - 2.0, Increment { x: 1.0, ..a });
}

/// Motions that are too large for a series.
#[test]
fn increments_may_be_large() {
    let moved = |p: f64| Increment { x: 0.4, p, r: 0.0 };
    for by in [-3.0, -1.5, 1.5, 3.0] {
        let end = 0.4 + by;
        let exact = libm::exp(end) - libm::exp(0.4);
        let rounding = 1e-13 * libm::exp(end).max(1.0);
        assert_close(moved(by).exp().d(), exact, rounding, "exp");
        let exact = libm::tanh(end) - libm::tanh(0.4);
        assert_close(moved(by).tanh().d(), exact, 1e-14, "tanh");
        let (sin, cos) = moved(by).sin_cos();
        assert_close(sin.d(), libm::sin(end) - libm::sin(0.4), 1e-14, "sin");
        assert_close(cos.d(), libm::cos(end) - libm::cos(0.4), 1e-14, "cos");
    }
}

/// A motion across a corner is the difference of both sides.
#[test]
fn increments_cross_corners() {
    let across = |x: f64| Increment {
        x,
        p: -0.3,
        r: -0.1,
    };
    let still = Increment::<f64>::constant(0.0);
    let clamped = |x: f64| across(x).clamp(-0.1, 0.2).d();
    // A cube root and a whole power pass through zero.
    let (from, to) = (0.1_f64, -0.3_f64);
    let cubes = to.powi(3) - from.powi(3);
    for (what, found, expected) in [
        ("abs down", across(0.1).abs().d(), 0.3 - 0.1),
        ("abs up", (-across(0.1)).abs().d(), 0.3 - 0.1),
        ("max", across(0.1).max(still).d(), -0.1),
        ("min", across(0.1).min(still).d(), -0.3),
        ("max, exchanged", still.max(across(0.1)).d(), -0.1),
        ("min, exchanged", still.min(across(0.1)).d(), -0.3),
        ("clamp, out below", clamped(0.1), -0.2),
        ("clamp, in from above", clamped(0.4), -0.2),
        ("clamp, right across", clamped(0.25), -0.3),
        ("clamp, from above to inside", clamped(0.5), -0.1),
        ("cbrt", across(0.1).cbrt().d(), to.cbrt() - from.cbrt()),
        ("x^3.0", across(0.1).powf(3.0).d(), cubes),
        ("to zero", across(0.4).powf(1.5).d(), -(0.4_f64.powf(1.5))),
    ] {
        assert_close(found, expected, 1e-15, what);
    }
    let up = (-across(0.25)).clamp(-0.1, 0.2).d();
    assert_close(up, 0.25, 1e-15, "clamp, in from below");
    assert_close(clamped(9.0), 0.0, 0.0, "clamp, beyond");
}

/// Values in single precision against the standard library's in double: within 1.5 units in the last place, for arguments of all
/// magnitudes; a whole power within one more for each of its roundings.
#[test]
fn values_are_as_good_as_their_type() {
    type Pair = (&'static str, fn(f32) -> f32, fn(f64) -> f64, f64);
    let functions: [Pair; 10] = [
        ("atan", |x| Scalar::atan(x), f64::atan, 1.5),
        ("asin", |x| Scalar::asin(x), f64::asin, 1.5),
        ("acos", |x| Scalar::acos(x), f64::acos, 1.5),
        ("log10", |x| Scalar::log10(x), f64::log10, 1.5),
        ("ln", |x| Scalar::ln(x), f64::ln, 1.5),
        ("cbrt", |x| Scalar::cbrt(x), f64::cbrt, 1.5),
        ("x^1.75", |x| Scalar::powf(x, 1.75), |x| x.powf(1.75), 1.5),
        ("x^-0.5", |x| Scalar::powf(x, -0.5), |x| x.powf(-0.5), 1.5),
        ("x^5", |x| Scalar::powi(x, 5), |x| x.powi(5), 3.0),
        ("hypot", |x| Scalar::hypot(x, 0.75), |x| x.hypot(0.75), 1.5),
    ];
    for (name, single, double, bar) in functions {
        let mut bits = 0_u32;
        let mut compared = 0;
        while let Some(next) = bits.checked_add(104_729) {
            bits = next;
            let x = f32::from_bits(bits);
            let exact = double(f64::from(x));
            let value = f64::from(single(x));
            if exact.is_nan() {
                assert!(value.is_nan(), "{name} at {x:e}: {value}");
            } else if exact.abs() > f64::from(f32::MAX) {
                let infinite = value.abs() >= f64::from(f32::MAX);
                assert!(infinite, "{name} at {x:e}: {value}");
            } else if exact.abs() >= f64::from(f32::MIN_POSITIVE) {
                let magnitude = (exact as f32).abs();
                let ulp = f64::from(magnitude.next_up()) - f64::from(magnitude);
                let error = (value - exact).abs() / ulp;
                let off = || format!("{value} for {exact}, {error} ulp");
                assert!(error < bar, "{name} at {x:e}: {}", off());
                compared += 1;
            }
        }
        assert!(compared > 5_000, "{name}: {compared} values");
    }
}

/// At the edges: zero, infinity, NaN, and numbers whose squares leave the range.
#[test]
fn functions_keep_their_edges() {
    assert!(Scalar::clamp(f32::NAN, -1.0, 1.0).is_nan());
    assert_eq!(Scalar::clamp(-3.0_f32, -1.0, 1.0), -1.0);
    assert_eq!(Scalar::hypot(3e30_f32, 4e30), 5e30);
    assert_eq!(Scalar::powi(2.0_f32, i32::MIN), 0.0);
    assert_eq!(Scalar::powi(0.0_f32, 0), 1.0);
    let zero = Dual::<f32, 1>::variable(0.0, 0);
    assert_eq!(
        [0.0, 1.0, 2.0].map(|e| zero.powf(e).slope()[0]),
        [0.0, 1.0, 0.0]
    );
    assert_eq!(zero.powi(2).slope(), [0.0]);
    let edge = Dual::<f32, 1>::variable(1.0, 0);
    assert_eq!(edge.clamp(-1.0, 1.0).slope(), [1.0]);
    assert_eq!((edge * 1.5).clamp(-1.0, 1.0).slope(), [0.0]);
    // Far out, where squares overflow, a motion is still a motion.
    let far = |x: f32| Increment { x, p: 1e24, r: 0.0 };
    let moved = far(3e30).hypot(far(4e30));
    assert_eq!(moved.x, 5e30);
    assert_close(moved.d().into(), 1.4e24, 1e-6, "hypot of large numbers");
}

/// A million small increments in single precision: the sum is right to its last place where a plain one has lost three.
#[test]
fn compensated_sums_do_not_drift() {
    let (mut plain, mut compensated, mut exact) = (1.0f32, Compensated::new(1.0f32), 1.0f64);
    for k in 0..1_000_000 {
        let increment = 1e-6f32 * (1.0 + (k % 7) as f32);
        plain += increment;
        compensated = compensated.plus(increment);
        exact += f64::from(increment);
    }
    let spacing = f64::from(f32::EPSILON) * exact;
    assert!((f64::from(plain) - exact).abs() > 100.0 * spacing);
    assert!((f64::from(compensated.high) - exact).abs() <= 0.5 * spacing);
    // Together the two parts hold more digits than one number can.
    let both = f64::from(compensated.high) + f64::from(compensated.low);
    assert!((both - exact).abs() < 0.1 * spacing, "{:e}", both - exact);
}

#[test]
fn counts_and_bits_are_exact() {
    assert_eq!(f32::from_count(16_777_216), 16_777_216.0);
    assert_eq!(f64::from_count(1 << 53), 9_007_199_254_740_992.0);
    assert_ne!(Real::bits(0.0f64), Real::bits(-0.0f64));
    assert!(!f32::NAN.finite() && !f64::INFINITY.finite() && f32::LARGEST.finite());
}
