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

#[cfg(test)]
mod tests {
    use super::{Synchronous, to_rotor, to_stator, turned};
    use crate::electric::by_hand::{SALIENT, with};

    /// Sine and cosine of the angle of a triangle with sides 3, 4 and 5.
    const AXES: (f64, f64) = (0.6, 0.8);

    /// A flux along an axis of the rotor gives a current along that axis alone, less the magnet's.
    #[test]
    fn currents_are_fluxes_over_inductances() {
        let machine = SALIENT.constants();
        // Three along the magnet and one across it, in axes of the stator.
        let flux = [0.8 * 3.0 - 0.6, 0.6 * 3.0 + 0.8];
        let [d, q] = machine.currents::<f64>(flux, AXES);
        assert!(
            (d - 4.0).abs() < 1e-14 && (q - 2.0).abs() < 1e-14,
            "{d} {q}"
        );
    }

    /// Torque is three halves of the pairs times flux cross current, and its derivatives are differences.
    #[test]
    fn torque_is_flux_across_current() {
        let machine = SALIENT.constants();
        let by_flux = |[d, q]: [f64; 2]| 6.0 * ((2.0 + 0.25 * d) * q - 0.5 * q * d);
        for currents in [[0.0, 3.0], [4.0, 3.0], [-4.0, 5.0], [4.0, 0.0]] {
            assert_eq!(machine.torque::<f64>(currents), by_flux(currents));
            let [d, q] = currents;
            let slope = [
                (by_flux([d + 1.0, q]) - by_flux([d - 1.0, q])) / 2.0,
                (by_flux([d, q + 1.0]) - by_flux([d, q - 1.0])) / 2.0,
            ];
            assert_eq!(machine.torque_by_current(currents), slope);
        }
    }

    /// From one pair of axes to the other and back, and by a quarter of a turn.
    #[test]
    fn axes_turn_by_the_angle() {
        assert_eq!(to_stator([2.0, 3.0], (1.0, 0.0)), [-3.0, 2.0]);
        assert_eq!(to_rotor([2.0, 3.0], (1.0, 0.0)), [3.0, -2.0]);
        let [a, b] = to_stator([2.0, 3.0], AXES);
        assert!((a + 0.2).abs() < 1e-15 && (b - 3.6).abs() < 1e-15);
        let [d, q] = to_rotor([a, b], AXES);
        assert!((d - 2.0).abs() < 1e-15 && (q - 3.0).abs() < 1e-15);
    }

    /// Half a radian on is the sine and the cosine of the sum, as far as the next terms of the series: of degree 7 and 6.
    #[test]
    fn axes_are_followed_for_half_a_radian() {
        for by in [-0.5_f64, -0.2, 0.01, 0.3, 0.5] {
            let (sin, cos) = turned(AXES, by);
            let angle = libm::atan2(0.6, 0.8) + by;
            let next = by.powi(6).abs() / 720.0 + by.powi(7).abs() / 5040.0 + 1e-15;
            assert!((sin - libm::sin(angle)).abs() < next, "{by}");
            assert!((cos - libm::cos(angle)).abs() < next, "{by}");
        }
    }

    /// What each parameter may be.
    #[test]
    fn a_machine_needs_inductances_and_poles() {
        assert!(SALIENT.is_valid());
        let with = |change| with(SALIENT, change, Synchronous::is_valid);
        assert!(with(|m| m.resistance = 0.0));
        assert!(with(|m| m.magnet = -1.0));
        assert!(!with(|m| m.resistance = -1.0));
        assert!(!with(|m| m.resistance = f64::INFINITY));
        assert!(!with(|m| m.inductance[0] = 0.0));
        assert!(!with(|m| m.inductance[1] = 0.0));
        assert!(!with(|m| m.inductance[1] = f64::INFINITY));
        assert!(!with(|m| m.pairs = 0.0));
        assert!(!with(|m| m.magnet = f64::NAN));
    }
}
