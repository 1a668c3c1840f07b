//! Machine and shaft as one model.

use super::pulses::Voltage;
use super::servo::ServoError;
use super::shaft::{Rates, Shaft};
use super::synchronous::{Constants, Synchronous, to_stator};
use crate::mild::Course;
use crate::model::{FirstOrder, Unit, Vector};
use crate::number::{Real, Scalar};

/// A permanent-magnet synchronous machine on an elastic shaft as one first-order model: nothing is exchanged, so that nothing limits the
/// step but the method.
///
/// States are the fluxes along the axes of the stator, the motor's speed, how much faster it is than the load, the twist, and the
/// electrical angle, [`ANGLE`](Self::ANGLE). Inputs are the voltages along the axes of the stator and the torque against the load.
///
/// ```
/// use stiffstep::electric::{Drive, Shaft, Synchronous, Voltage};
/// use stiffstep::mild::RungeKutta4;
///
/// let machine = Synchronous { resistance: 0.35_f32, inductance: [2.0e-3, 3.2e-3], magnet: 0.12, pairs: 4.0 };
/// let shaft = Shaft { motor: 1.2e-3, load: 4.0e-3, stiffness: 800.0, damping: 0.05, friction: 1e-3, fan: 2.5e-5 };
/// let drive = Drive::new(machine, shaft)?;
/// let mut drive = RungeKutta4::new(drive, 50e-6, drive.at_rest())?.turning(Drive::<f32>::ANGLE);
/// drive.step(&Voltage::held([10.0, 0.0]).course(0.0))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Drive<R> {
    machine: Constants<R>,
    magnet: R,
    pairs: R,
    shaft: Rates<R>,
}

impl<R: Real> Drive<R> {
    /// The state that is an angle.
    pub const ANGLE: usize = 5;

    /// Machine and shaft.
    pub fn new(machine: Synchronous<R>, shaft: Shaft<R>) -> Result<Self, ServoError> {
        if !machine.is_valid() {
            return Err(ServoError::Machine);
        }
        if !shaft.is_valid() {
            return Err(ServoError::Shaft);
        }
        Ok(Drive {
            machine: machine.constants(),
            magnet: machine.magnet,
            pairs: machine.pairs,
            shaft: Rates::new(shaft),
        })
    }

    /// At rest, the magnet along the first axis of the stator.
    pub fn at_rest(&self) -> [R; 6] {
        let mut x = [R::ZERO; 6];
        x[0] = self.magnet;
        x
    }

    /// Currents along the magnet and across it.
    pub fn currents(&self, x: &[R; 6]) -> [R; 2] {
        self.machine.currents([x[0], x[1]], x[5].sin_cos())
    }

    /// What the shaft carries, in N m.
    pub fn shaft_torque(&self, x: &[R; 6]) -> R {
        self.shaft.torque(x[3], x[4])
    }
}

impl<R: Real> Voltage<R> {
    /// The inputs of a [`Drive`] over a step, with a constant torque against the load.
    #[inline(always)]
    pub fn course(&self, load: R) -> Course<R, 3> {
        let [a, b] = self.axes;
        Course {
            mean: Vector::from([a[0], b[0], load]),
            slope: Vector::from([a[1], b[1], R::ZERO]),
            bend: Vector::from([a[2], b[2], R::ZERO]),
        }
    }
}

impl<R: Real> FirstOrder<R, 6, 3> for Drive<R> {
    type Mass = Unit;

    #[inline(always)]
    fn rhs<T: Scalar<R>>(&self, _t: T, x: &Vector<T, 6>, u: &Vector<R, 3>) -> Vector<T, 6> {
        let [fa, fb, motor, relative, twist, angle] = x.data.0[0];
        let [va, vb, load] = u.data.0[0];
        let axes = angle.sin_cos();
        let currents = self.machine.currents([fa, fb], axes);
        let torque = self.machine.torque(currents);
        let [ia, ib] = to_stator(currents, axes);
        let [motor_rate, relative_rate, twist_rate] =
            self.shaft.of([motor, relative, twist], torque, load);
        let resistance = self.machine.resistance;
        Vector::from([
            ia * -resistance + va,
            ib * -resistance + vb,
            motor_rate,
            relative_rate,
            twist_rate,
            motor * self.pairs,
        ])
    }
}
