//! The direct-current machine.

use super::coupled::{Coupled, Electrical, Torque, Turned};
use super::elastic::ElasticShaft;
use super::error::ServoError;
use super::shaft::{Rates, Shaft};
use crate::model::{FirstOrder, Unit, Vector};
use crate::number::{Compensated, Real, Scalar};

/// A direct-current machine with permanent magnets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectCurrent<R> {
    /// In ohms.
    pub resistance: R,
    /// In henries.
    pub inductance: R,
    /// Volts a rad/s, and N m an ampere.
    pub constant: R,
}

impl<R: Real> DirectCurrent<R> {
    fn is_valid(&self) -> bool {
        let mut rest = [self.resistance, self.constant].into_iter();
        let good = rest.all(|x| x.finite() && x >= R::ZERO);
        good && self.inductance.finite() && self.inductance > R::ZERO
    }
}

/// A direct-current machine as a part of a drive. Its flux is that of the coil and what the magnets add to it as the rotor turns, counted
/// from where the rotor was when the step began: the voltage of its speed is the rate of that.
#[derive(Clone, Copy, Debug)]
pub struct Armature<R> {
    machine: DirectCurrent<R>,
    per_inductance: R,
    /// The bend of the torque by the voltage's slope.
    bend: R,
}

impl<R: Real> Armature<R> {
    /// A machine, for steps of this size.
    pub fn new(machine: DirectCurrent<R>, h: R) -> Result<Self, ServoError> {
        if !machine.is_valid() {
            return Err(ServoError::Machine);
        }
        let per_inductance = R::ONE / machine.inductance;
        Ok(Armature {
            machine,
            per_inductance,
            bend: machine.constant * per_inductance * h * R::from_f64(1.0 / 6.0),
        })
    }
}

impl<R: Real> Electrical<R, 1, 1> for Armature<R> {
    type Currents = [R; 1];

    #[inline(always)]
    fn resistance(&self, _flux: usize) -> R {
        self.machine.resistance
    }

    fn decay(&self) -> f64 {
        (self.machine.resistance * self.per_inductance).to_f64()
    }

    #[inline(always)]
    fn currents(&self, [flux]: &[R; 1], rotor: Turned<R>) -> [R; 1] {
        [(*flux - self.machine.constant * rotor.by) * self.per_inductance]
    }

    #[inline(always)]
    fn along_fluxes(&self, currents: [R; 1], _rotor: Turned<R>) -> [R; 1] {
        currents
    }

    #[inline(always)]
    fn along_rotor(&self, currents: [R; 1], _rotor: Turned<R>) -> [R; 1] {
        currents
    }

    #[inline(always)]
    fn torque(&self, [current]: [R; 1]) -> R {
        current * self.machine.constant
    }

    #[inline(always)]
    fn bend(
        &self,
        torque: &mut Torque<R>,
        _begin: [R; 1],
        [slope]: [R; 1],
        _ahead: [Turned<R>; 2],
    ) {
        torque[2] = self.bend * slope;
    }

    #[inline(always)]
    fn left_behind(&self, flux: Compensated<R>, by: R) -> Compensated<R> {
        flux.plus(-self.machine.constant * by)
    }
}

/// A direct-current machine and its elastic shaft, which exchange polynomials over the step: see [`Coupled`].
pub type DirectServo<R> = Coupled<R, Armature<R>, ElasticShaft<R>, 1, 1>;

impl<R: Real> DirectServo<R> {
    /// At rest.
    pub fn new(machine: DirectCurrent<R>, shaft: Shaft<R>, h: R) -> Result<Self, ServoError> {
        let mechanical = ElasticShaft::new(shaft, R::ONE, h)?;
        Coupled::of(Armature::new(machine, h)?, mechanical, [R::ZERO], h)
    }
}

/// A direct-current machine on an elastic shaft as one first-order model.
///
/// States are the current, the motor's speed, how much faster it is than the load, the twist, and the motor's angle,
/// [`ANGLE`](Self::ANGLE). Inputs are the voltage and the torque against the load.
#[derive(Clone, Copy, Debug)]
pub struct DirectDrive<R> {
    machine: DirectCurrent<R>,
    per_inductance: R,
    shaft: Rates<R>,
}

impl<R: Real> DirectDrive<R> {
    /// The state that is an angle.
    pub const ANGLE: usize = 4;

    /// Machine and shaft.
    pub fn new(machine: DirectCurrent<R>, shaft: Shaft<R>) -> Result<Self, ServoError> {
        if !machine.is_valid() {
            return Err(ServoError::Machine);
        }
        Ok(DirectDrive {
            machine,
            per_inductance: R::ONE / machine.inductance,
            shaft: Rates::new(shaft)?,
        })
    }

    /// What the shaft carries, in N m.
    pub fn shaft_torque(&self, x: &[R; 5]) -> R {
        self.shaft.torque(x[2], x[3])
    }
}

impl<R: Real> FirstOrder<R, 5, 2> for DirectDrive<R> {
    type Mass = Unit;

    #[inline(always)]
    fn rhs<T: Scalar<R>>(&self, _t: T, x: &Vector<T, 5>, u: &Vector<R, 2>) -> Vector<T, 5> {
        let [current, motor, relative, twist, _] = x.data.0[0];
        let [voltage, load] = u.data.0[0];
        let m = &self.machine;
        let across = (current * m.resistance + motor * m.constant) * -R::ONE + voltage;
        let torque = current * m.constant;
        let [a, b, c] = self.shaft.of([motor, relative, twist], torque, load);
        Vector::from([across * self.per_inductance, a, b, c, motor])
    }
}

#[cfg(test)]
mod tests {
    use super::{Armature, DirectCurrent, DirectDrive};
    use crate::electric::by_hand::{SHAFT, turned_by, with};
    use crate::electric::{Electrical, ServoError, Shaft, Turned};
    use crate::model::{FirstOrder, Vector};
    use crate::number::Compensated;

    const MACHINE: DirectCurrent<f64> = DirectCurrent {
        resistance: 0.5,
        inductance: 0.25,
        constant: 2.0,
    };

    /// By hand: Kirchhoff's law, and Newton's twice.
    #[test]
    fn the_rates_of_machine_and_shaft() -> Result<(), ServoError> {
        let drive = DirectDrive::new(MACHINE, SHAFT)?;
        let state = [8.0, 5.0, 2.0, 0.5, 0.3];
        let (carried, [motor, relative]) = turned_by(8.0 * 2.0);
        let rates: Vector<f64, 5> =
            drive.rhs(0.0, &Vector::from(state), &Vector::from([24.0, 1.5]));
        let current = (24.0 - 0.5 * 8.0 - 2.0 * 5.0) / 0.25;
        assert_eq!(rates.data.0[0], [current, motor, relative, 2.0, 5.0]);
        assert_eq!(drive.shaft_torque(&state), carried);
        Ok(())
    }

    /// The flux of the coil is what the magnets, which have turned on, have not taken of it.
    #[test]
    fn an_armature_counts_from_where_the_rotor_was() -> Result<(), ServoError> {
        let armature = Armature::new(MACHINE, 0.75)?;
        let turned = Turned {
            by: 0.125,
            axes: (0.0, 1.0),
        };
        assert_eq!(armature.currents(&[3.0], turned), [11.0]);
        assert_eq!(
            armature.left_behind(Compensated::new(3.0), 0.125).high,
            2.75
        );
        assert_eq!(armature.torque([11.0]), 22.0);
        assert_eq!(armature.along_fluxes([11.0], turned), [11.0]);
        assert_eq!(armature.along_rotor([11.0], turned), [11.0]);
        assert_eq!((armature.resistance(0), armature.decay()), (0.5, 2.0));
        // A sixth of the slope's integral over the step is a bend of the flux.
        let mut torque = [1.0, 2.0, 0.0];
        armature.bend(&mut torque, [0.0], [5.0], [turned; 2]);
        assert_eq!(torque[..2], [1.0, 2.0]);
        assert!((torque[2] - 2.0 * (0.75 * 5.0 / 6.0) / 0.25).abs() < 1e-14);
        Ok(())
    }

    /// What each parameter may be.
    #[test]
    fn a_machine_needs_an_inductance() {
        let with = |change| with(MACHINE, change, DirectCurrent::is_valid);
        assert!(with(|m| (m.resistance, m.constant) = (0.0, 0.0)));
        assert!(!with(|m| m.resistance = -1.0));
        assert!(!with(|m| m.constant = f64::INFINITY));
        assert!(!with(|m| m.inductance = 0.0));
        assert!(!with(|m| m.inductance = f64::INFINITY));
        let rigid = Shaft { load: 0.0, ..SHAFT };
        assert_eq!(
            DirectDrive::new(MACHINE, rigid).err(),
            Some(ServoError::Shaft)
        );
    }
}
