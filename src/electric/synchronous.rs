//! The permanent-magnet synchronous machine, in stator fluxes.

use crate::number::{Real, Scalar};

/// A permanent-magnet synchronous machine, salient or not.
///
/// Its states are the fluxes along the two axes of the stator: `flux' = voltage - R current`. The voltage enters as it is, nothing
/// needs the speed, and only the angle turns fluxes into currents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Synchronous<R> {
    /// Of a phase, in ohms.
    pub resistance: R,
    /// Inductances along the magnet and across it, in henries.
    pub inductance: [R; 2],
    /// The magnet's flux, in webers.
    pub magnet: R,
    /// Pairs of poles.
    pub pairs: R,
}

/// What is computed once: reciprocals and products of the parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Constants<R> {
    pub resistance: R,
    magnet: R,
    per_inductance: [R; 2],
    magnet_torque: R,
    reluctance_torque: R,
}

impl<R: Real> Synchronous<R> {
    pub(super) fn constants(&self) -> Constants<R> {
        let [d, q] = self.inductance;
        let torque = R::from_f64(1.5) * self.pairs;
        Constants {
            resistance: self.resistance,
            magnet: self.magnet,
            per_inductance: [R::ONE / d, R::ONE / q],
            magnet_torque: torque * self.magnet,
            reluctance_torque: torque * (d - q),
        }
    }

    pub(super) fn is_valid(&self) -> bool {
        let positive = |x: R| x.finite() && x > R::ZERO;
        positive(self.inductance[0])
            && positive(self.inductance[1])
            && positive(self.pairs)
            && self.resistance.finite()
            && self.resistance >= R::ZERO
            && self.magnet.finite()
    }
}

impl<R: Real> Constants<R> {
    /// Currents along the magnet and across it.
    #[inline(always)]
    pub fn currents<T: Scalar<R>>(&self, flux: [T; 2], (sin, cos): (T, T)) -> [T; 2] {
        let d = flux[0] * cos + flux[1] * sin;
        let q = flux[1] * cos - flux[0] * sin;
        [
            (d - self.magnet) * self.per_inductance[0],
            q * self.per_inductance[1],
        ]
    }

    /// The torque of currents along the magnet and across it.
    #[inline(always)]
    pub fn torque<T: Scalar<R>>(&self, [d, q]: [T; 2]) -> T {
        (d * self.reluctance_torque + self.magnet_torque) * q
    }

    /// How the torque changes with the currents along the magnet and across it.
    #[inline(always)]
    pub fn torque_by_current(&self, [d, q]: [R; 2]) -> [R; 2] {
        let across = d * self.reluctance_torque + self.magnet_torque;
        [q * self.reluctance_torque, across]
    }
}

/// Along the axes of the stator, from those of the rotor.
#[inline(always)]
pub(super) fn to_stator<R: Real, T: Scalar<R>>([d, q]: [T; 2], (sin, cos): (T, T)) -> [T; 2] {
    [cos * d - sin * q, sin * d + cos * q]
}

/// Along the axes of the rotor, from those of the stator.
#[inline(always)]
pub(super) fn to_rotor<R: Real>([a, b]: [R; 2], (sin, cos): (R, R)) -> [R; 2] {
    [cos * a + sin * b, cos * b - sin * a]
}

/// Sine and cosine of an angle turned on by up to half a radian, from those before.
#[inline(always)]
pub(super) fn turned<R: Real>((sin, cos): (R, R), by: R) -> (R, R) {
    let c = R::from_f64;
    let square = by * by;
    let s = by - by * square * (c(1.0 / 6.0) - square * c(1.0 / 120.0));
    let versed = square * (c(0.5) - square * c(1.0 / 24.0));
    (
        sin + (cos * s - sin * versed),
        cos - (sin * s + cos * versed),
    )
}
