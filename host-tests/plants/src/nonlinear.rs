//! A smooth nonlinear plant that needs an exponential, a sine and a square root: a needle galvanometer behind a diode.
//!
//! An alternating source charges a capacitor through a diode; the voltage drives a needle that hangs like a pendulum and is
//! braked by air. With the diode conducting the capacitor is a few hundred times faster than the needle, which makes the
//! plant stiff.

use stiffstep::prelude::*;

/// The galvanometer. States: the needle's angle and rate, the capacitor's voltage. Input: the source's amplitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Galvanometer<R> {
    /// Stiffness of gravity's pull on the needle, in 1/s^2.
    pub pull: R,
    /// Air drag, in 1/s.
    pub drag: R,
    /// Angular acceleration for each volt, in 1/(V s^2).
    pub gain: R,
    /// The source's angular frequency, in rad/s.
    pub frequency: R,
    /// The diode's saturation current over the capacitance, in V/s.
    pub saturation: R,
    /// The diode's thermal voltage with its emission factor, in V.
    pub thermal: R,
    /// The rate at which the capacitor discharges through the coil, in 1/s.
    pub discharge: R,
}

impl<R: Real> Galvanometer<R> {
    /// Values that keep the needle swinging within its scale.
    pub fn nominal_design() -> Self {
        Galvanometer {
            pull: R::from_f64(4.0),
            drag: R::from_f64(0.3),
            gain: R::from_f64(2.5),
            frequency: R::from_f64(2.0),
            saturation: R::from_f64(0.01),
            thermal: R::from_f64(0.1),
            discharge: R::from_f64(0.7),
        }
    }
}

impl<R: Real> FirstOrder<R, 3, 1> for Galvanometer<R> {
    type Mass = Unit;

    #[inline]
    fn rhs<T: Scalar<R>>(&self, t: T, x: &Vector<T, 3>, u: &Vector<R, 1>) -> Vector<T, 3> {
        let (angle, rate, voltage) = (x[0], x[1], x[2]);
        let source = (t * self.frequency).sin() * u[0];
        let diode = (((source - voltage) / self.thermal).exp() - R::ONE) * self.saturation;
        // Drag that is linear at rest and quadratic in motion, without the corner of |v| v.
        let braking = rate * (rate.square() + R::ONE).sqrt() * self.drag;
        [
            rate,
            voltage * self.gain - angle.sin() * self.pull - braking,
            diode - voltage * self.discharge,
        ]
        .into()
    }
}
