//! A half-wave rectifier with an LC filter and a resistive load: a circuit that switches.

use stiffstep::drive::{After, Crossing, Events};
use stiffstep::prelude::*;

/// The circuit. The diode is ideal: it conducts, or no current flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectifier<R> {
    /// Amplitude of the source.
    pub amplitude: R,
    /// Its angular frequency.
    pub omega: R,
    /// The inductance.
    pub inductance: R,
    /// The capacitance.
    pub capacitance: R,
    /// The load.
    pub resistance: R,
    /// Whether the diode conducts.
    pub conducting: bool,
}

impl<R: Real> Rectifier<R> {
    /// 20 V at 50 Hz, 10 mH, 1 mF, 20 ohms, switched on as the source rises.
    pub fn mains() -> Self {
        Rectifier {
            amplitude: R::from_f64(20.0),
            omega: R::from_f64(core::f64::consts::TAU * 50.0),
            inductance: R::from_f64(10e-3),
            capacitance: R::from_f64(1e-3),
            resistance: R::from_f64(20.0),
            conducting: true,
        }
    }

    /// The voltage of the source.
    #[inline(always)]
    pub fn source<T: Scalar<R>>(&self, t: T) -> T {
        (t * self.omega).sin() * self.amplitude
    }
}

/// Current and output voltage.
impl<R: Real> FirstOrder<R, 2, 0> for Rectifier<R> {
    type Mass = Diagonal<R, 2>;
    const AFFINE: bool = true;

    #[inline(always)]
    fn mass(&self) -> Diagonal<R, 2> {
        Diagonal([self.inductance, self.capacitance].into())
    }

    #[inline(always)]
    fn rhs<T: Scalar<R>>(&self, t: T, x: &Vector<T, 2>, _u: &Vector<R, 0>) -> Vector<T, 2> {
        let (current, voltage) = (x[0], x[1]);
        let along = if self.conducting {
            self.source(t) - voltage
        } else {
            T::constant(R::ZERO)
        };
        [along, current - voltage / self.resistance].into()
    }
}

/// Turns off when its current ends, on when the source exceeds the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Diode {
    /// How often it has switched.
    pub switched: u32,
}

impl<R: Real, U> Events<R, Rectifier<R>, Vector<R, 2>, U, 1> for Diode {
    const CROSSINGS: [Crossing; 1] = [Crossing::Falling];

    #[inline(always)]
    fn values(&self, t: R, circuit: &Rectifier<R>, x: &Vector<R, 2>, _u: &U) -> [R; 1] {
        [if circuit.conducting {
            x[0]
        } else {
            x[1] - circuit.source(t)
        }]
    }

    #[inline(always)]
    fn happen(
        &mut self,
        _index: usize,
        _t: R,
        circuit: &mut Rectifier<R>,
        x: &mut Vector<R, 2>,
    ) -> After {
        circuit.conducting = !circuit.conducting;
        x[0] = R::ZERO;
        self.switched += 1;
        After::GoOn
    }
}
