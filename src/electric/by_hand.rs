//! Machines and a shaft for inline tests, with numbers by which one can compute.

use super::{Shaft, Synchronous};

pub const SHAFT: Shaft<f64> = Shaft {
    motor: 0.5,
    load: 2.0,
    stiffness: 24.0,
    damping: 0.75,
    friction: 0.25,
    fan: 0.125,
};

pub const SALIENT: Synchronous<f64> = Synchronous {
    resistance: 0.5,
    inductance: [0.25, 0.5],
    magnet: 2.0,
    pairs: 4.0,
};

/// The shaft turns at 5 and is ahead of its load, on which 1.5 act, by 2 and 0.5: what it carries, and the rates of motor's and relative speed.
pub fn turned_by(torque: f64) -> (f64, [f64; 2]) {
    let carried = 24.0 * 0.5 + 0.75 * 2.0;
    let motor = (torque - carried - 0.25 * 5.0) / 0.5;
    let load = (carried - 9.0 / 8.0 - 1.5) / 2.0;
    (carried, [motor, motor - load])
}

/// The same up to rounding.
pub fn assert_near(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{a} is not {b}");
    }
}

/// Whether something is valid with one of its numbers changed.
pub fn with<M: Copy>(of: M, change: fn(&mut M), valid: impl Fn(&M) -> bool) -> bool {
    let mut of = of;
    change(&mut of);
    valid(&of)
}
