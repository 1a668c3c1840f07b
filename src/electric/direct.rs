//! The direct-current machine.

use super::servo::ServoError;
use super::shaft::{Rates, Shaft};
use crate::model::{FirstOrder, Unit, Vector};
use crate::number::{Real, Scalar};

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
        let rest = [machine.resistance, machine.constant];
        let good = rest.iter().all(|x| x.finite() && *x >= R::ZERO);
        if !(good && machine.inductance.finite() && machine.inductance > R::ZERO) {
            return Err(ServoError::Machine);
        }
        if !shaft.is_valid() {
            return Err(ServoError::Shaft);
        }
        Ok(DirectDrive {
            machine,
            per_inductance: R::ONE / machine.inductance,
            shaft: Rates::new(shaft),
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
