//! The induction machine, in the fluxes of stator and rotor.

use super::servo::ServoError;
use super::shaft::{Rates, Shaft};
use crate::model::{FirstOrder, Unit, Vector};
use crate::number::{Real, Scalar};

/// An induction machine with a squirrel cage, rotor quantities as the stator sees them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Induction<R> {
    /// Of stator and rotor, in ohms.
    pub resistance: [R; 2],
    /// Of stator and rotor, the mutual one included, in henries.
    pub inductance: [R; 2],
    /// In henries.
    pub mutual: R,
    /// Pairs of poles.
    pub pairs: R,
}

/// An induction machine on an elastic shaft as one first-order model.
///
/// States are the fluxes of the stator and of the rotor along the axes of the stator, the motor's speed, how much faster it is than the
/// load, the twist, and the motor's angle, [`ANGLE`](Self::ANGLE). Inputs are those of [`Drive`](super::Drive).
#[derive(Clone, Copy, Debug)]
pub struct InductionDrive<R> {
    resistance: [R; 2],
    /// Fluxes on currents: stator on stator, rotor on rotor, one on the other.
    inverse: [R; 3],
    pairs: R,
    torque: R,
    shaft: Rates<R>,
}

impl<R: Real> InductionDrive<R> {
    /// The state that is an angle.
    pub const ANGLE: usize = 7;

    /// Machine and shaft.
    pub fn new(machine: Induction<R>, shaft: Shaft<R>) -> Result<Self, ServoError> {
        let ([stator, rotor], mutual) = (machine.inductance, machine.mutual);
        let determinant = stator * rotor - mutual * mutual;
        let positive = |x: R| x.finite() && x > R::ZERO;
        let resistances = machine.resistance.iter();
        let good = resistances.clone().all(|x| x.finite() && *x >= R::ZERO);
        if !(good && positive(mutual) && positive(determinant) && positive(machine.pairs)) {
            return Err(ServoError::Machine);
        }
        if !shaft.is_valid() {
            return Err(ServoError::Shaft);
        }
        let per = R::ONE / determinant;
        Ok(InductionDrive {
            resistance: machine.resistance,
            inverse: [rotor * per, stator * per, -mutual * per],
            pairs: machine.pairs,
            torque: R::from_f64(1.5) * machine.pairs,
            shaft: Rates::new(shaft),
        })
    }

    /// Currents of the stator and of the rotor along one axis, from its fluxes.
    #[inline(always)]
    fn currents<T: Scalar<R>>(&self, stator: T, rotor: T) -> [T; 2] {
        let [a, b, c] = self.inverse;
        [stator * a + rotor * c, stator * c + rotor * b]
    }

    /// Currents along the axes of the stator.
    pub fn stator_currents(&self, x: &[R; 8]) -> [R; 2] {
        [self.currents(x[0], x[2])[0], self.currents(x[1], x[3])[0]]
    }

    /// What the shaft carries, in N m.
    pub fn shaft_torque(&self, x: &[R; 8]) -> R {
        self.shaft.torque(x[5], x[6])
    }
}

impl<R: Real> FirstOrder<R, 8, 3> for InductionDrive<R> {
    type Mass = Unit;

    #[inline(always)]
    fn rhs<T: Scalar<R>>(&self, _t: T, x: &Vector<T, 8>, u: &Vector<R, 3>) -> Vector<T, 8> {
        let [sa, sb, ra, rb, motor, relative, twist, _] = x.data.0[0];
        let [va, vb, load] = u.data.0[0];
        let [stator, rotor] = self.resistance;
        let [isa, ira] = self.currents(sa, ra);
        let [isb, irb] = self.currents(sb, rb);
        let torque = (sa * isb - sb * isa) * self.torque;
        let speed = motor * self.pairs;
        let [a, b, c] = self.shaft.of([motor, relative, twist], torque, load);
        Vector::from([
            isa * -stator + va,
            isb * -stator + vb,
            ira * -rotor - speed * rb,
            irb * -rotor + speed * ra,
            a,
            b,
            c,
            motor,
        ])
    }
}
