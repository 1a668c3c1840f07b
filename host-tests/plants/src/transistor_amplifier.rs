//! The transistor amplifier (IVP Test Set; Hairer & Wanner II, section VI.1): two stages, eight node voltages, five
//! capacitors.
//!
//! A nonlinear circuit as nodal analysis writes it, `M y' = f(t, y)`. Three capacitors bridge nodes, so M has rank 5 and no
//! row of it is zero: the algebraic equations are hidden in sums of rows.

use stiffstep::prelude::*;

/// The circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransistorAmplifier;

/// The start, which is consistent.
pub const START: [f64; 8] = [0.0, 3.0, 3.0, 6.0, 3.0, 3.0, 6.0, 0.0];
/// The end of the interval, in seconds.
pub const END_TIME: f64 = 0.2;
/// The published solution there, in volts.
pub const END: [f64; 8] = [
    -5.562145012262709e-3,
    3.006522471903042,
    2.849958788608128,
    2.926422536206241,
    2.704617865010554,
    2.761837778393145,
    4.770927631616772,
    1.236995868091548,
];

/// The supply, in volts.
const UB: f64 = 6.0;
/// The temperature voltage, in volts.
const UF: f64 = 0.026;
/// The transistors' current gain.
const ALPHA: f64 = 0.99;
/// The transistors' saturation current, in amperes.
const BETA: f64 = 1e-6;
/// The source's resistance, in ohms.
const R0: f64 = 1000.0;
/// All other resistances, R1 to R9, in ohms.
const RK: f64 = 9000.0;
/// The unit of the capacitances: capacitor k has k of them, in farads.
const CAPACITANCE: f64 = 1e-6;

impl<R: Real> FirstOrder<R, 8, 0> for TransistorAmplifier {
    type Mass = Matrix<R, 8, 8>;

    #[inline]
    fn mass(&self) -> Self::Mass {
        let mut m = [[R::ZERO; 8]; 8];
        let c = |k: f64| R::from_f64(k * CAPACITANCE);
        // Capacitors to ground, then those between neighbouring nodes. M is symmetric.
        for (node, k) in [(2, 2.0), (5, 4.0)] {
            m[node][node] = -c(k);
        }
        for (node, k) in [(0, 1.0), (3, 3.0), (6, 5.0)] {
            m[node][node] = -c(k);
            m[node + 1][node + 1] = -c(k);
            m[node][node + 1] = c(k);
            m[node + 1][node] = c(k);
        }
        m.into()
    }

    #[inline]
    fn rhs<T: Scalar<R>>(&self, t: T, y: &Vector<T, 8>, _u: &Vector<R, 0>) -> Vector<T, 8> {
        let k = R::from_f64;
        let g = k(1.0 / RK);
        let supply = k(UB / RK);
        let source = (t * k(200.0 * core::f64::consts::PI)).sin() * k(0.1);
        // The current into a transistor's emitter, from the voltage between base and emitter.
        let emitter = |voltage: T| ((voltage / k(UF)).exp() - R::ONE) * k(BETA);
        let first = emitter(y[1] - y[2]);
        let second = emitter(y[4] - y[5]);
        [
            (y[0] - source) / k(R0),
            y[1] * (g + g) - supply + first * k(1.0 - ALPHA),
            y[2] * g - first,
            y[3] * g - supply + first * k(ALPHA),
            y[4] * (g + g) - supply + second * k(1.0 - ALPHA),
            y[5] * g - second,
            y[6] * g - supply + second * k(ALPHA),
            y[7] * g,
        ]
        .into()
    }

    #[inline]
    fn nominal(&self) -> Vector<R, 8> {
        [0.1, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 1.0]
            .map(R::from_f64)
            .into()
    }
}
