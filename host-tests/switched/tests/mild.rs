//! Cheap methods: order conditions, orders that are observed, stability, inputs within a step, errors that leave the state.
#![allow(clippy::unwrap_used)]

use nalgebra::{Matrix4, Vector4};
use stiffstep::memory::Digest;
use stiffstep::mild::{Coefficients, Course, MildError, RODAS3, ROS4, Rosenbrock, RungeKutta4};
use stiffstep::model::{FirstOrder, Unit, Vector};
use stiffstep::number::Scalar;
use stiffstep_switched_tests::monolithic::{ALL, error};
use stiffstep_switched_tests::servo::plants;

/// Alpha, beta and b of the untransformed method: `C = 1 / gamma - Gamma^-1`, `a = alpha Gamma^-1`, `m = b Gamma^-1`.
fn untransformed(method: &Coefficients) -> (Matrix4<f64>, Matrix4<f64>, Vector4<f64>) {
    let rows = |rows: [[f64; 4]; 4]| Matrix4::from_fn(|i, j| rows[i][j]);
    let inverse = Matrix4::identity() / method.gamma - rows(method.c);
    let gamma = inverse.try_inverse().unwrap();
    let alpha = rows(method.a) * gamma;
    let b = gamma.transpose() * Vector4::from(method.m);
    (alpha, alpha + gamma, b)
}

/// What is left of the conditions up to order 4, and of those that tie times of stages to their states.
fn conditions(method: &Coefficients) -> [f64; 9] {
    let (alpha, beta, b) = untransformed(method);
    let one = Vector4::repeat(1.0);
    let (at, by) = (alpha * one, beta * one);
    let times = Vector4::from(method.at) - at;
    let derivatives = Vector4::from(method.by_time) - (by - at);
    let square = at.component_mul(&at);
    [
        b.dot(&one) - 1.0,
        b.dot(&by) - 1.0 / 2.0,
        b.dot(&square) - 1.0 / 3.0,
        b.dot(&(beta * by)) - 1.0 / 6.0,
        b.dot(&square.component_mul(&at)) - 1.0 / 4.0,
        b.dot(&at.component_mul(&(alpha * by))) - 1.0 / 8.0,
        b.dot(&(beta * square)) - 1.0 / 12.0,
        b.dot(&(beta * (beta * by))) - 1.0 / 24.0,
        times.amax().max(derivatives.amax()),
    ]
}

#[test]
fn coefficients_satisfy_the_conditions_of_their_orders() {
    let left = conditions(&ROS4);
    assert!(left.iter().all(|x| x.abs() < 1e-12), "{left:?}");
    let left = conditions(&RODAS3);
    let (third, rest) = left.split_at(4);
    assert!(third.iter().all(|x| x.abs() < 1e-14), "{left:?}");
    // Not of order 4.
    assert!(rest[..4].iter().any(|x| x.abs() > 1e-3), "{left:?}");
    assert!(rest[4].abs() < 1e-14, "{left:?}");
    let mut wrong = ROS4;
    wrong.c[3][2] += 1e-3;
    assert!(conditions(&wrong).iter().any(|x| x.abs() > 1e-5));
}

/// What an infinitely fast decay leaves after a step: `1 - b beta^-1 1`.
#[test]
fn fast_decays_are_gone_after_a_step() {
    for method in [ROS4, RODAS3] {
        let (_, beta, b) = untransformed(&method);
        let left = 1.0 - b.dot(&(beta.try_inverse().unwrap() * Vector4::repeat(1.0)));
        // The five digits of ROS4's gamma leave 1.5e-5.
        let limit = if method == ROS4 { 1.6e-5 } else { 1e-14 };
        assert!(left.abs() < limit, "{left:e}");
    }
}

/// x' = -x^2 cos t + y, y' = -x y + sin t: nonlinear, and with the time in it.
#[derive(Clone, Copy)]
struct Swing;

impl FirstOrder<f64, 2, 0> for Swing {
    type Mass = Unit;
    fn rhs<T: Scalar<f64>>(&self, t: T, x: &Vector<T, 2>, _u: &Vector<f64, 0>) -> Vector<T, 2> {
        let (sin, cos) = t.sin_cos();
        [x[1] - x[0] * x[0] * cos, sin - x[0] * x[1]].into()
    }
}

const START: [f64; 2] = [1.0, 0.3];

fn explicit(steps: u32) -> [f64; 2] {
    let mut stepper = RungeKutta4::new(Swing, 2.0 / f64::from(steps), START).unwrap();
    for _ in 0..steps {
        stepper.step(&Course::held([].into())).unwrap();
    }
    *stepper.state()
}

fn rosenbrock(method: Coefficients, steps: u32) -> [f64; 2] {
    let mut stepper = Rosenbrock::new(Swing, method, 2.0 / f64::from(steps), START).unwrap();
    for _ in 0..steps {
        stepper.step(&[].into()).unwrap();
    }
    *stepper.state()
}

fn order(solution: impl Fn(u32) -> [f64; 2]) -> f64 {
    let exact = explicit(20_000);
    let error = |steps: u32| {
        let x = solution(steps);
        (x[0] - exact[0]).abs().max((x[1] - exact[1]).abs())
    };
    (error(40) / error(80)).log2()
}

#[test]
fn orders_are_what_they_are_said_to_be() {
    let found = [
        order(explicit),
        order(|steps| rosenbrock(ROS4, steps)),
        order(|steps| rosenbrock(RODAS3, steps)),
    ];
    assert!((found[0] - 4.0).abs() < 0.3, "{found:?}");
    assert!((found[1] - 4.0).abs() < 0.4, "{found:?}");
    assert!((found[2] - 3.0).abs() < 0.4, "{found:?}");
}

/// An integrator, x' = u, and the integral of it.
struct Integrator;

impl FirstOrder<f64, 2, 1> for Integrator {
    type Mass = Unit;
    fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 2>, u: &Vector<f64, 1>) -> Vector<T, 2> {
        [x[0] * 0.0 + u[0], x[0]].into()
    }
}

/// Wherever a pulse is, its integral and the integral of that are exact.
#[test]
fn pulses_within_a_step_are_integrated_exactly() {
    for (begin, end) in [(0.0, 1.0), (0.1, 0.2), (0.6, 0.95)] {
        let mut stepper = RungeKutta4::new(Integrator, 0.5, [0.0; 2]).unwrap();
        let course = Course::held([2.0].into()).with_pulse(0, 3.0, begin, end);
        stepper.step(&course).unwrap();
        let [x, y] = *stepper.state();
        let on = end - begin;
        let twice = 0.5 * 0.5 * (0.5 * 2.0 + 3.0 * on * (1.0 - 0.5 * (begin + end)));
        assert!((x - 0.5 * (2.0 + 3.0 * on)).abs() < 1e-15, "{x}");
        assert!((y - twice).abs() < 1e-15, "{y} {twice}");
    }
}

#[test]
fn errors_leave_the_state() {
    let mut stepper = RungeKutta4::new(Integrator, 0.5, [0.0; 2]).unwrap();
    stepper.step(&Course::held([1.0].into())).unwrap();
    let before = Digest::of(&mut stepper);
    for input in [f64::NAN, f64::INFINITY] {
        let answer = stepper.step(&Course::held([input].into()));
        assert_eq!(answer, Err(MildError::NonFinite));
        assert_eq!(Digest::of(&mut stepper), before);
    }
    let mut stepper = Rosenbrock::new(Integrator, RODAS3, 0.5, [0.0; 2]).unwrap();
    let before = Digest::of(&mut stepper);
    assert_eq!(stepper.step(&[f64::NAN].into()), Err(MildError::NonFinite));
    assert_eq!(Digest::of(&mut stepper), before);
    let bad = RungeKutta4::new(Integrator, -0.5, [0.0; 2]);
    assert_eq!(bad.err(), Some(MildError::StepSize));
    let bad = Rosenbrock::new(Integrator, ROS4, 0.5, [f64::NAN, 0.0]);
    assert_eq!(bad.err(), Some(MildError::NonFinite));
}

/// The drive as one model, in single precision.
#[test]
fn a_drive_as_one_model_is_within_its_limit() {
    for plant in plants() {
        for how in ALL {
            for shift in [0.0, 0.3] {
                let (error, largest) = error::<f32>(&plant, how, 6000, shift).unwrap();
                let limit = how.limit(&plant);
                let name = plant.name;
                assert!(error <= limit && largest > 0.8, "{name} {how:?}: {error:e}");
            }
        }
    }
}
