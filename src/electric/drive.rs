//! Machine and shaft as one model.

use super::error::ServoError;
use super::pulses::Voltage;
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
    nominal: Vector<R, 6>,
}

impl<R: Real> Drive<R> {
    /// The state that is an angle.
    pub const ANGLE: usize = 5;

    /// Machine and shaft.
    pub fn new(machine: Synchronous<R>, shaft: Shaft<R>) -> Result<Self, ServoError> {
        if !machine.is_valid() {
            return Err(ServoError::Machine);
        }
        Ok(Drive {
            machine: machine.constants(),
            magnet: machine.magnet,
            pairs: machine.pairs,
            shaft: Rates::new(shaft)?,
            nominal: Vector::from([R::ONE; 6]),
        })
    }

    /// The same with magnitudes of flux, speed and twist that implicit methods measure convergence by. All are one unless told.
    pub fn with_nominal(mut self, flux: R, speed: R, twist: R) -> Self {
        self.nominal = Vector::from([flux, flux, speed, speed, twist, R::ONE]);
        self
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

/// On which states the rate of each depends.
const DEPENDS: [u32; 6] = [
    0b10_0011, 0b10_0011, 0b11_1111, 0b11_1111, 0b00_1000, 0b00_0100,
];

impl<R: Real> Drive<R> {
    /// The rates, given voltages along the axes of the stator.
    #[inline(always)]
    fn rates<T: Scalar<R>>(&self, x: &Vector<T, 6>, [va, vb]: [T; 2], load: R) -> Vector<T, 6> {
        let [fa, fb, motor, relative, twist, angle] = x.data.0[0];
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

impl<R: Real> FirstOrder<R, 6, 3> for Drive<R> {
    type Mass = Unit;
    const DEPENDS: [u32; 6] = DEPENDS;
    const TURNS: Option<usize> = Some(Self::ANGLE);

    #[inline(always)]
    fn rhs<T: Scalar<R>>(&self, _t: T, x: &Vector<T, 6>, u: &Vector<R, 3>) -> Vector<T, 6> {
        let [va, vb, load] = u.data.0[0];
        self.rates(x, [T::constant(va), T::constant(vb)], load)
    }

    fn nominal(&self) -> Vector<R, 6> {
        self.nominal
    }
}

/// A [`Drive`] whose voltages change within a step, for implicit methods: its [`inputs`](Self::inputs) are a [`Voltage`] as a polynomial of
/// time. The step must be the one that is said here, because time within it is what the model sees.
///
/// ```
/// use stiffstep::electric::{Drive, PulsedDrive, Shaft, Synchronous, Voltage};
/// use stiffstep::prelude::*;
///
/// let machine = Synchronous { resistance: 0.35_f32, inductance: [2.0e-3, 3.2e-3], magnet: 0.12, pairs: 4.0 };
/// let shaft = Shaft { motor: 1.2e-3, load: 4.0e-3, stiffness: 800.0, damping: 0.05, friction: 1e-3, fan: 2.5e-5 };
/// let (drive, h) = (Drive::new(machine, shaft)?, 50e-6);
/// let start = drive.at_rest().into();
/// let mut drive = Simulation::new(PulsedDrive::new(drive, h), RadauIIA::<3>, h, start)?;
/// let pulses = [[[0.2, 0.8], [0.0; 2]], [[0.3, 0.7], [0.0; 2]], [[0.3, 0.7], [0.0; 2]]];
/// drive.input = drive.model().inputs(&Voltage::of_pulses(320.0, &pulses), 0.0);
/// drive.step()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PulsedDrive<R> {
    drive: Drive<R>,
    h: R,
    /// Twice a time in steps.
    double: R,
}

impl<R: Real> PulsedDrive<R> {
    /// For steps of this size.
    pub fn new(drive: Drive<R>, h: R) -> Self {
        let double = R::from_f64(2.0) / h;
        PulsedDrive { drive, h, double }
    }

    /// What it is made of.
    pub fn drive(&self) -> &Drive<R> {
        &self.drive
    }

    /// The inputs of a step, with a constant torque against the load: each axis by powers of time instead of Legendre's polynomials,
    /// because every stage evaluates them.
    #[inline(always)]
    pub fn inputs(&self, voltage: &Voltage<R>, load: R) -> Vector<R, 7> {
        let (rate, c) = (self.double, R::from_f64);
        let [a, b] = voltage.axes.map(|[mean, slope, bend]| {
            let bent = bend * c(1.5);
            let rise = (slope - bent - bent) * rate;
            [mean - slope + bend, rise, bent * (rate * rate)]
        });
        Vector::from([a[0], a[1], a[2], b[0], b[1], b[2], load])
    }
}

impl<R> AsRef<Self> for PulsedDrive<R> {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl<R: Real> FirstOrder<R, 6, 7> for PulsedDrive<R> {
    type Mass = Unit;
    const DEPENDS: [u32; 6] = DEPENDS;
    const TURNS: Option<usize> = Some(Drive::<R>::ANGLE);

    #[inline(always)]
    fn rhs<T: Scalar<R>>(&self, t: T, x: &Vector<T, 6>, u: &Vector<R, 7>) -> Vector<T, 6> {
        let [a0, a1, a2, b0, b1, b2, load] = u.data.0[0];
        let voltage = [(t * a2 + a1) * t + a0, (t * b2 + b1) * t + b0];
        self.drive.rates(x, voltage, load)
    }

    /// Time begins anew with every step.
    fn period(&self) -> Option<R> {
        Some(self.h)
    }

    fn nominal(&self) -> Vector<R, 6> {
        self.drive.nominal
    }
}

#[cfg(test)]
mod tests {
    use super::{Drive, PulsedDrive};
    use crate::electric::Voltage;
    use crate::electric::by_hand::{SALIENT, SHAFT, assert_near, turned_by};
    use crate::model::{FirstOrder, Vector};

    /// The sine is 0.6, the cosine 0.8: three along the magnet and one across it, so that four amperes and two flow.
    const STATE: [f64; 6] = [1.8, 2.6, 5.0, 2.0, 0.5, 0.643_501_108_793_284_4];

    /// By hand: what the voltage leaves after the resistance, torque by flux across current, and Newton's law twice.
    #[test]
    fn the_rates_of_machine_and_shaft() -> Result<(), crate::electric::ServoError> {
        let drive = Drive::new(SALIENT, SHAFT)?;
        let currents = [0.8 * 4.0 - 0.6 * 2.0, 0.6 * 4.0 + 0.8 * 2.0];
        let torque = 6.0 * (3.0 * 2.0 - 1.0 * 4.0);
        let (carried, [motor, relative]) = turned_by(torque);
        let expected = [
            10.0 - 0.5 * currents[0],
            20.0 - 0.5 * currents[1],
            motor,
            relative,
            2.0,
            20.0,
        ];
        let u = Vector::from([10.0, 20.0, 1.5]);
        let rates: Vector<f64, 6> = drive.rhs(0.0, &Vector::from(STATE), &u);
        assert_near(&rates.data.0[0], &expected);
        assert_near(&drive.currents(&STATE), &[4.0, 2.0]);
        assert_eq!(drive.shaft_torque(&STATE), carried);
        assert_eq!(drive.at_rest(), [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let nominal = drive.with_nominal(2.0, 3.0, 4.0).nominal();
        assert_eq!(nominal.data.0[0], [2.0, 2.0, 3.0, 3.0, 4.0, 1.0]);
        Ok(())
    }

    /// The polynomial of time is Legendre's at every share of the step, on both axes.
    #[test]
    fn a_pulsed_drive_sees_the_polynomial() -> Result<(), crate::electric::ServoError> {
        let h = 0.25;
        let drive = Drive::new(SALIENT, SHAFT)?;
        let pulsed = PulsedDrive::new(drive, h);
        let axes = [[10.0, 3.0, -5.0], [-20.0, 7.0, 2.0]];
        let u = pulsed.inputs(&Voltage { axes }, 1.5);
        for s in [0.0, 0.25, 0.5, 1.0] {
            let [a, b] = axes.map(|[mean, slope, bend]| {
                mean + slope * (2.0 * s - 1.0) + bend * (6.0 * s * s - 6.0 * s + 1.0)
            });
            let held = Vector::from([a, b, 1.5]);
            let expected: Vector<f64, 6> = drive.rhs(0.0, &Vector::from(STATE), &held);
            let rates: Vector<f64, 6> = pulsed.rhs(s * h, &Vector::from(STATE), &u);
            assert_near(&rates.data.0[0], &expected.data.0[0]);
        }
        assert_eq!(pulsed.period(), Some(h));
        assert_eq!(pulsed.nominal(), drive.nominal());
        let course = Voltage { axes }.course(1.5);
        assert_eq!(course.mean.data.0[0], [10.0, -20.0, 1.5]);
        assert_eq!(course.slope.data.0[0], [3.0, 7.0, 0.0]);
        assert_eq!(course.bend.data.0[0], [-5.0, 2.0, 0.0]);
        Ok(())
    }
}
