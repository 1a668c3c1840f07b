//! The induction machine, in the fluxes of stator and rotor.

use super::coupled::{Coupled, Electrical, Torque, Turned, add_bend};
use super::elastic::ElasticShaft;
use super::error::ServoError;
use super::shaft::{Rates, Shaft};
use super::synchronous::{to_rotor, to_stator};
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

impl<R: Real> Induction<R> {
    /// Fluxes on currents: stator on stator, rotor on rotor, one on the other.
    fn inverse(&self) -> Result<[R; 3], ServoError> {
        let ([stator, rotor], mutual) = (self.inductance, self.mutual);
        let determinant = stator * rotor - mutual * mutual;
        let positive = |x: R| x.finite() && x > R::ZERO;
        let mut resistances = self.resistance.iter();
        let good = resistances.all(|x| x.finite() && *x >= R::ZERO);
        if !(good && positive(mutual) && positive(determinant) && positive(self.pairs)) {
            return Err(ServoError::Machine);
        }
        let per = R::ONE / determinant;
        Ok([rotor * per, stator * per, -mutual * per])
    }
}

/// An induction machine as a part of a drive: the fluxes of its stator along the axes of the stator, those of its rotor along the axes of the
/// rotor, so that neither needs the speed.
#[derive(Clone, Copy, Debug)]
pub struct Cage<R> {
    resistance: [R; 2],
    inverse: [R; 3],
    torque: R,
    decay: f64,
    /// The bend of a flux by twice the voltage's slope.
    bend: R,
}

impl<R: Real> Cage<R> {
    /// A machine, for steps of this size.
    pub fn new(machine: Induction<R>, h: R) -> Result<Self, ServoError> {
        let inverse = machine.inverse()?;
        let [stator, rotor] = machine.resistance.map(|x| x.to_f64());
        let [a, b, _] = inverse.map(|x| x.to_f64());
        Ok(Cage {
            resistance: machine.resistance,
            inverse,
            torque: R::from_f64(1.5) * machine.pairs * machine.mutual,
            decay: 0.5 * (stator * a + rotor * b),
            bend: h * R::from_f64(1.0 / 12.0),
        })
    }
}

impl<R: Real> Electrical<R, 4, 2> for Cage<R> {
    type Currents = [R; 4];

    #[inline(always)]
    fn resistance(&self, flux: usize) -> R {
        self.resistance[usize::from(flux > 1)]
    }

    fn decay(&self) -> f64 {
        self.decay
    }

    #[inline(always)]
    fn currents(&self, flux: &[R; 4], rotor: Turned<R>) -> [R; 4] {
        let [sa, sb, rd, rq] = *flux;
        let [sd, sq] = to_rotor([sa, sb], rotor.axes);
        let [a, b, c] = self.inverse;
        [
            sd * a + rd * c,
            sq * a + rq * c,
            sd * c + rd * b,
            sq * c + rq * b,
        ]
    }

    #[inline(always)]
    fn along_fluxes(&self, [sd, sq, rd, rq]: [R; 4], rotor: Turned<R>) -> [R; 4] {
        let [sa, sb] = to_stator([sd, sq], rotor.axes);
        [sa, sb, rd, rq]
    }

    #[inline(always)]
    fn along_rotor(&self, [sa, sb, rd, rq]: [R; 4], rotor: Turned<R>) -> [R; 4] {
        let [sd, sq] = to_rotor([sa, sb], rotor.axes);
        [sd, sq, rd, rq]
    }

    #[inline(always)]
    fn torque(&self, [sd, sq, rd, rq]: [R; 4]) -> R {
        (rd * sq - rq * sd) * self.torque
    }

    #[inline(always)]
    fn bend(
        &self,
        torque: &mut Torque<R>,
        [sd, sq, rd, rq]: [R; 4],
        slopes: [R; 2],
        ahead: [Turned<R>; 2],
    ) {
        let [a, _, c] = self.inverse;
        let by = [c * sq - rq * a, rd * a - c * sd].map(|x| x * self.torque);
        add_bend(torque, by, [self.bend; 2], slopes, ahead);
    }
}

/// An induction machine and its elastic shaft, which exchange polynomials over the step: see [`Coupled`].
pub type InductionServo<R> = Coupled<R, Cage<R>, ElasticShaft<R>, 4, 2>;

impl<R: Real> InductionServo<R> {
    /// At rest, without a field.
    pub fn new(machine: Induction<R>, shaft: Shaft<R>, h: R) -> Result<Self, ServoError> {
        let mechanical = ElasticShaft::new(shaft, machine.pairs, h)?;
        Coupled::of(Cage::new(machine, h)?, mechanical, [R::ZERO; 4], h)
    }

    /// Currents along the axes of the stator.
    pub fn stator_currents(&self) -> [R; 2] {
        let [d, q, ..] = self.currents();
        to_stator([d, q], self.angle().sin_cos())
    }
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
        let inverse = machine.inverse()?;
        Ok(InductionDrive {
            resistance: machine.resistance,
            inverse,
            pairs: machine.pairs,
            torque: R::from_f64(1.5) * machine.pairs,
            shaft: Rates::new(shaft)?,
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

#[cfg(test)]
mod tests {
    use super::{Cage, Induction, InductionDrive, InductionServo};
    use crate::electric::by_hand::{SHAFT, assert_near, turned_by, with};
    use crate::electric::{Electrical, ServoError, Shaft, Turned};
    use crate::model::{FirstOrder, Vector};

    const MACHINE: Induction<f64> = Induction {
        resistance: [0.5, 0.25],
        inductance: [3.0, 2.0],
        mutual: 1.0,
        pairs: 2.0,
    };

    /// Stator currents 1 and 2, rotor currents 3 and -1: fluxes are inductances times these.
    const CURRENTS: [f64; 4] = [1.0, 2.0, 3.0, -1.0];
    const FLUX: [f64; 4] = [6.0, 5.0, 7.0, 0.0];

    /// By hand, from currents that are known.
    #[test]
    fn the_rates_of_machine_and_shaft() -> Result<(), ServoError> {
        let drive = InductionDrive::new(MACHINE, SHAFT)?;
        let state = [6.0, 5.0, 7.0, 0.0, 5.0, 2.0, 0.5, 0.3];
        let torque = 1.5 * 2.0 * (6.0 * 2.0 - 5.0 * 1.0);
        let (carried, [motor, relative]) = turned_by(torque);
        let expected = [
            10.0 - 0.5 * 1.0,
            20.0 - 0.5 * 2.0,
            -0.25 * 3.0 - 10.0 * 0.0,
            -0.25 * -1.0 + 10.0 * 7.0,
            motor,
            relative,
            2.0,
            5.0,
        ];
        let u = Vector::from([10.0, 20.0, 1.5]);
        let rates: Vector<f64, 8> = drive.rhs(0.0, &Vector::from(state), &u);
        assert_near(&rates.data.0[0], &expected);
        let turning: Vector<f64, 8> = {
            let mut state = state;
            state[3] = 4.0;
            drive.rhs(0.0, &Vector::from(state), &u)
        };
        // The rotor's flux across makes a voltage along: ten electrical radians a second times four, and more current.
        let more = 4.0 * 3.0 / 5.0;
        assert_near(&[turning[2]], &[-0.75 - 40.0]);
        assert_near(&[turning[3]], &[70.25 - 0.25 * more]);
        assert_near(&drive.stator_currents(&state), &[1.0, 2.0]);
        assert_eq!(drive.shaft_torque(&state), carried);
        Ok(())
    }

    /// The part of a drive: currents of fluxes with the rotor turned, and back, and the same torque.
    #[test]
    fn a_cage_sees_the_same_currents() -> Result<(), ServoError> {
        let cage = Cage::new(MACHINE, 0.5)?;
        let straight = Turned {
            by: 0.0,
            axes: (0.0, 1.0),
        };
        assert_near(&cage.currents(&FLUX, straight), &CURRENTS);
        // Mutual inductance times rotor current across stator current.
        let torque = 1.5 * 2.0 * 1.0 * (3.0 * 2.0 + 1.0 * 1.0);
        assert_near(&[cage.torque(CURRENTS)], &[torque]);
        // The rotor a quarter turn on: what was along the stator's second axis is along its first.
        let quarter = Turned {
            by: 0.0,
            axes: (1.0, 0.0),
        };
        assert_near(&cage.currents(&[-5.0, 6.0, 7.0, 0.0], quarter), &CURRENTS);
        assert_eq!(cage.along_fluxes(CURRENTS, quarter), [-2.0, 1.0, 3.0, -1.0]);
        assert_eq!(cage.along_rotor([-2.0, 1.0, 3.0, -1.0], quarter), CURRENTS);
        assert_eq!(
            [0, 1, 2, 3].map(|k| cage.resistance(k)),
            [0.5, 0.5, 0.25, 0.25]
        );
        // Half of the sum of resistances over leakage.
        assert_near(&[cage.decay()], &[0.5 * (0.5 * 2.0 + 0.25 * 3.0) / 5.0]);
        Ok(())
    }

    /// A slope of the voltage bends the stator's flux, and the torque by what the flux changes in it.
    #[test]
    fn a_slope_bends_the_torque() -> Result<(), ServoError> {
        let (h, cage) = (0.5, Cage::new(MACHINE, 0.5)?);
        let straight = Turned {
            by: 0.0,
            axes: (0.0, 1.0),
        };
        let (mut torque, slopes) = ([0.0; 3], [3.0, -7.0]);
        cage.bend(&mut torque, CURRENTS, slopes, [straight; 2]);
        // An integral of 2 s - 1 has a sixth of the polynomial of degree two.
        let along = |flux: [f64; 4]| cage.torque(cage.currents(&flux, straight));
        let by = |k: usize| {
            let (mut more, mut less) = (FLUX, FLUX);
            (more[k], less[k]) = (more[k] + 1.0, less[k] - 1.0);
            (along(more) - along(less)) / 2.0
        };
        let expected = h / 6.0 * (by(0) * slopes[0] + by(1) * slopes[1]);
        assert_near(&torque, &[0.0, 0.0, expected]);
        Ok(())
    }

    /// What each parameter may be.
    #[test]
    fn a_machine_needs_leakage() {
        let with = |change| with(MACHINE, change, |machine| Cage::new(*machine, 0.5).is_ok());
        assert!(with(|_| ()));
        assert!(with(|m| m.resistance = [0.0; 2]));
        assert!(!with(|m| m.resistance[1] = -1.0));
        assert!(!with(|m| m.resistance[0] = f64::INFINITY));
        assert!(!with(|m| m.mutual = 0.0));
        assert!(!with(|m| m.inductance = [1.0, 1.0]));
        assert!(!with(|m| m.inductance = [1.0, 0.5]));
        assert!(!with(|m| m.pairs = 0.0));
        assert!(!with(|m| m.pairs = f64::INFINITY));
        let rigid = Shaft {
            motor: 0.0,
            ..SHAFT
        };
        assert_eq!(
            InductionDrive::new(MACHINE, rigid).err(),
            Some(ServoError::Shaft)
        );
        assert_eq!(
            InductionServo::new(MACHINE, rigid, 0.1).err(),
            Some(ServoError::Shaft)
        );
    }
}
