//! A permanent-magnet synchronous machine on an elastic shaft, fed by an inverter.

use super::coupled::{Coupled, Electrical, Torque, Turned, add_bend};
use super::elastic::ElasticShaft;
use super::error::ServoError;
use super::shaft::Shaft;
use super::synchronous::{Constants, Synchronous, to_rotor, to_stator};
use crate::number::Real;

/// A permanent-magnet synchronous machine as a part of a drive, with the fluxes along the axes of its stator.
#[derive(Clone, Copy, Debug)]
pub struct PermanentMagnet<R> {
    machine: Constants<R>,
    decay: f64,
    /// The bend of the current along the magnet and across it, by twice the voltage's slope.
    bend: [R; 2],
}

impl<R: Real> PermanentMagnet<R> {
    /// A machine, for steps of this size.
    pub fn new(machine: Synchronous<R>, h: R) -> Result<Self, ServoError> {
        if !machine.is_valid() {
            return Err(ServoError::Machine);
        }
        let [d, q] = machine.inductance.map(|l| l.to_f64());
        let h = h.to_f64();
        let c = R::from_f64;
        Ok(PermanentMagnet {
            machine: machine.constants(),
            decay: machine.resistance.to_f64() * 0.5 * (1.0 / d + 1.0 / q),
            bend: [c(h / (12.0 * d)), c(h / (12.0 * q))],
        })
    }
}

impl<R: Real> Electrical<R, 2, 2> for PermanentMagnet<R> {
    type Currents = [R; 2];

    #[inline(always)]
    fn resistance(&self, _flux: usize) -> R {
        self.machine.resistance
    }

    fn decay(&self) -> f64 {
        self.decay
    }

    #[inline(always)]
    fn currents(&self, flux: &[R; 2], rotor: Turned<R>) -> [R; 2] {
        self.machine.currents(*flux, rotor.axes)
    }

    #[inline(always)]
    fn along_fluxes(&self, currents: [R; 2], rotor: Turned<R>) -> [R; 2] {
        to_stator(currents, rotor.axes)
    }

    #[inline(always)]
    fn along_rotor(&self, currents: [R; 2], rotor: Turned<R>) -> [R; 2] {
        to_rotor(currents, rotor.axes)
    }

    #[inline(always)]
    fn torque(&self, currents: [R; 2]) -> R {
        self.machine.torque(currents)
    }

    #[inline(always)]
    fn bend(&self, torque: &mut Torque<R>, begin: [R; 2], slopes: [R; 2], ahead: [Turned<R>; 2]) {
        let by = self.machine.torque_by_current(begin);
        add_bend(torque, by, self.bend, slopes, ahead);
    }
}

/// What a drive shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outputs<R> {
    /// Currents along the magnet and across it, in amperes.
    pub currents: [R; 2],
    /// Of the motor, in rad/s.
    pub motor_speed: R,
    /// Of the load, in rad/s.
    pub load_speed: R,
    /// What the shaft carries, in N m.
    pub shaft_torque: R,
    /// The electrical angle, within half a turn of zero.
    pub angle: R,
}

/// A permanent-magnet synchronous machine, its elastic shaft, and their state. [`Coupled`] says where the exchange of torque and angle is
/// stable.
pub type Servo<R> = Coupled<R, PermanentMagnet<R>, ElasticShaft<R>, 2, 2>;

impl<R: Real> Servo<R> {
    /// At rest, the magnet along the first axis of the stator.
    pub fn new(machine: Synchronous<R>, shaft: Shaft<R>, h: R) -> Result<Self, ServoError> {
        let electrical = PermanentMagnet::new(machine, h)?;
        let mechanical = ElasticShaft::new(shaft, machine.pairs, h)?;
        Coupled::of(electrical, mechanical, [machine.magnet, R::ZERO], h)
    }

    /// What the drive shows.
    pub fn outputs(&self) -> Outputs<R> {
        let shaft = self.mechanical();
        Outputs {
            currents: self.currents(),
            motor_speed: shaft.motor_speed(),
            load_speed: shaft.load_speed(),
            shaft_torque: shaft.torque(),
            angle: self.angle(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Electrical, PermanentMagnet, ServoError, Synchronous, Turned};

    /// A slope of the voltage bends the fluxes, and the torque by what they change in it.
    #[test]
    fn a_slope_bends_the_torque() -> Result<(), ServoError> {
        let machine = Synchronous {
            resistance: 0.5,
            inductance: [0.25, 0.5],
            magnet: 2.0,
            pairs: 4.0,
        };
        let (h, magnets) = (0.5, PermanentMagnet::new(machine, 0.5)?);
        let straight = Turned {
            by: 0.0,
            axes: (0.0, 1.0),
        };
        let (flux, slopes, mut torque) = ([3.0, 1.0], [3.0, -7.0], [0.0; 3]);
        let at = |flux: [f64; 2]| magnets.torque(magnets.currents(&flux, straight));
        magnets.bend(
            &mut torque,
            magnets.currents(&flux, straight),
            slopes,
            [straight; 2],
        );
        // The torque's derivatives by the fluxes; an integral of 2 s - 1 has a sixth of the polynomial of degree two.
        let along = (at([4.0, 1.0]) - at([2.0, 1.0])) / 2.0;
        let across = (at([3.0, 2.0]) - at([3.0, 0.0])) / 2.0;
        let expected = h / 6.0 * (along * slopes[0] + across * slopes[1]);
        assert!(
            (torque[2] - expected).abs() < 1e-12,
            "{torque:?} {expected}"
        );
        assert_eq!(torque[..2], [0.0; 2]);
        assert!((magnets.decay() - 0.5 * 0.5 * (4.0 + 2.0)).abs() < 1e-15);
        Ok(())
    }
}
