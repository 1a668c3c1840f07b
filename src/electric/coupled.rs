//! A machine and what it turns: two parts that exchange polynomials of time over the step.
//!
//! Fluxes are advanced by the two-stage Gauss method, whose nodes see the first three Legendre coefficients of the voltage. The
//! mechanical part says how far the rotor has turned at the nodes, at first under the torque of the beginning, then once more under the
//! torque's polynomial; it is advanced by that polynomial at last.
//!
//! Two nodes see a straight line. The ripple of the current has a bend, too: its Legendre coefficient 2 follows from the voltage's
//! coefficient 1. What it adds to the resistance's voltage drop and to the torque is added by hand.

use super::error::ServoError;
use super::pulses::Voltage;
use super::synchronous::turned;
use crate::memory::{Memory, visits};
use crate::number::{Angle, Compensated, Real};

/// How often angles and currents at the nodes are found.
const PASSES: usize = 2;

/// Where the exchange looks, as shares of the step: Gauss's nodes.
pub const NODES: [f64; 2] = [0.211_324_865_405_187_13, 0.788_675_134_594_812_9];
/// Gauss's coefficients are 1/4 on the diagonal and 1/4 -+ this beside it.
const BESIDE: f64 = 0.288_675_134_594_812_9;
/// What the first and the second Legendre coefficient of the voltage add to the flux at the nodes: their integrals, without the
/// polynomials that two nodes would take for others.
const FIRST: f64 = -1.0 / 6.0;
const SECOND: f64 = 0.057_735_026_918_962_58;

/// Gauss's coefficients.
const GAUSS: [[f64; 2]; 2] = [[0.25, 0.25 - BESIDE], [0.25 + BESIDE, 0.25]];

/// The farthest that a rotor may turn in a step, in electrical radians: so far its axes are followed.
pub(super) const MOST_TURN: f64 = 0.5;

/// Mean, slope and bend of a torque over the step: its Legendre coefficients 0, 1 and 2.
pub type Torque<R> = [R; 3];

/// Where a rotor is.
#[derive(Clone, Copy, Debug)]
pub struct Turned<R> {
    /// How far it has turned since the step began, in electrical radians.
    pub by: R,
    /// Sine and cosine of the electrical angle.
    pub axes: (R, R),
}

/// The electrical part of a drive: F fluxes, of which the first V are fed. Each changes by its voltage less the drop at its resistance;
/// currents follow from the fluxes and from where the rotor is, and the torque from the currents.
pub trait Electrical<R: Real, const F: usize, const V: usize> {
    /// Currents along the axes of the rotor.
    type Currents: Copy;
    /// The resistance of a flux's winding, in ohms.
    fn resistance(&self, flux: usize) -> R;
    /// The rate at which resistances take fluxes away, in 1/s, if all windings were alike.
    fn decay(&self) -> f64;
    /// The currents of fluxes.
    fn currents(&self, flux: &[R; F], rotor: Turned<R>) -> Self::Currents;
    /// The same along the axes of the fluxes.
    fn along_fluxes(&self, currents: Self::Currents, rotor: Turned<R>) -> [R; F];
    /// And back.
    fn along_rotor(&self, currents: [R; F], rotor: Turned<R>) -> Self::Currents;
    /// The torque of currents, in N m.
    fn torque(&self, currents: Self::Currents) -> R;
    /// Adds what the bend of the current does to the torque: `slopes` are those of the voltage, and the rotor is at `ahead` at the nodes.
    #[inline(always)]
    fn bend(
        &self,
        _torque: &mut Torque<R>,
        _begin: Self::Currents,
        _slopes: [R; V],
        _ahead: [Turned<R>; 2],
    ) {
    }
    /// What a flux that is counted from where the rotor was loses when the rotor has turned; nothing for most.
    #[inline(always)]
    fn left_behind(&self, flux: Compensated<R>, _by: R) -> Compensated<R> {
        flux
    }
}

/// The mechanical part of a drive. Angles are electrical ones.
pub trait Mechanics<R: Real> {
    /// How far the rotor turns from now to each of the [`NODES`] under a torque, without its bend.
    fn turns(&self, torque: Torque<R>) -> [R; 2];
    /// One step under a torque and a constant one against the load: how far the rotor turned. None, and nothing has changed, if that is no
    /// number or more than half a radian, which the axes of a machine do not follow.
    fn step(&mut self, torque: Torque<R>, load: R) -> Option<R>;
}

/// An electrical and a mechanical part, and the state of the first.
///
/// The exchange is explicit, and a swing of the rotor against its field gains energy by it. Let `k = c h^2 / J`, J the inertia of the rotor
/// and c what its torque changes by if it turns by one radian (of the angle that J is for) while the fluxes stay as they are: the square of the step over
/// the time of a radian of that swing. Up to `k = 1` the swing gains at most `k^3 / 1600` of itself a step, which is what was measured with three machines
/// without any losses; at `k = 1.5` such a machine runs away. The resistance R of a winding takes `R h / (2 L)` of it. So it is stable while
///
/// ```text
/// k < 1  and  k^3 < 800 R h / L
/// ```
///
/// c is `1.5 (pairs magnet)^2 / L` for a [`Servo`](super::Servo), L the smaller inductance, `constant^2 / L` for a
/// [`DirectServo`](super::DirectServo), and `1.5 (pairs flux)^2 / L` for an [`InductionServo`](super::InductionServo), L the leakage
/// inductance `Ls - M^2 / Lr`. Beyond it use the drive as one model, [`Drive`](super::Drive),
/// [`DirectDrive`](super::DirectDrive) or [`InductionDrive`](super::InductionDrive), with [`RadauIIA`](crate::method::RadauIIA): nothing is
/// exchanged there.
#[derive(Clone, Copy, Debug)]
pub struct Coupled<R, E, M, const F: usize, const V: usize> {
    electrical: E,
    mechanical: M,
    h: R,
    ripple: Ripple<R>,
    flux: [Compensated<R>; F],
    angle: Angle<R>,
}

/// What depends on machine and step, and is computed once.
#[derive(Clone, Copy, Debug)]
struct Ripple<R> {
    /// What the voltage's slope adds to the flux at the nodes.
    slope: [R; 2],
    /// What a wrong guess of the currents at the nodes, and with it of the resistance's drop, has to be corrected by.
    guess: [[R; 2]; 2],
}

impl<R: Real> Ripple<R> {
    /// By how much of a flux the resistance takes away in a step.
    fn new(decay: f64) -> Self {
        let node = |k: usize| 2.0 * NODES[k] - 1.0;
        let c = R::from_f64;
        Ripple {
            slope: [0, 1].map(|k| c(FIRST + node(k) * decay / 60.0)),
            guess: guess(decay).map(|row| row.map(c)),
        }
    }
}

/// `(1 + decay A)^-1 decay A` with Gauss's coefficients A.
fn guess(decay: f64) -> [[f64; 2]; 2] {
    let [[a, b], [c, d]] = GAUSS.map(|row| row.map(|x| decay * x));
    let determinant = (1.0 + a) * (1.0 + d) - b * c;
    // One minus the inverse.
    [
        [1.0 - (1.0 + d) / determinant, b / determinant],
        [c / determinant, 1.0 - (1.0 + a) / determinant],
    ]
}

impl<R: Real, E: Electrical<R, F, V>, M: Mechanics<R>, const F: usize, const V: usize>
    Coupled<R, E, M, F, V>
{
    /// Both parts with these fluxes, at angle zero.
    pub fn of(electrical: E, mechanical: M, flux: [R; F], h: R) -> Result<Self, ServoError> {
        if !(h > R::ZERO && h.finite()) {
            return Err(ServoError::StepSize);
        }
        if !flux.iter().all(|x| x.finite()) {
            return Err(ServoError::NonFinite);
        }
        Ok(Coupled {
            ripple: Ripple::new(electrical.decay() * h.to_f64()),
            electrical,
            mechanical,
            h,
            flux: flux.map(Compensated::new),
            angle: Angle::default(),
        })
    }

    /// The electrical part.
    pub fn electrical(&self) -> &E {
        &self.electrical
    }

    /// The mechanical part.
    pub fn mechanical(&self) -> &M {
        &self.mechanical
    }

    /// The electrical angle, within half a turn of zero.
    pub fn angle(&self) -> R {
        self.angle.radians()
    }

    /// The fluxes.
    pub fn flux(&self) -> [R; F] {
        self.flux.map(|x| x.high)
    }

    #[inline(always)]
    fn rotor(&self) -> Turned<R> {
        Turned {
            by: R::ZERO,
            axes: self.angle.radians().sin_cos(),
        }
    }

    /// The currents along the axes of the rotor.
    pub fn currents(&self) -> E::Currents {
        self.electrical.currents(&self.flux(), self.rotor())
    }

    /// One step under a voltage and a constant torque against the load. An error leaves the state.
    #[inline(always)]
    pub fn step(&mut self, voltage: &Voltage<R, V>, load: R) -> Result<(), ServoError> {
        let (currents, torque) = self.exchange(voltage);
        let mut flux = self.flux;
        let mut sum = R::ZERO;
        for k in 0..F {
            let drop = self.electrical.resistance(k) * currents[k];
            let change = if k < V {
                voltage.axes[k][0] - drop
            } else {
                -drop
            };
            flux[k] = flux[k].plus(self.h * change);
            // Zero times what is no number is none.
            sum = if k == 0 {
                flux[k].high
            } else {
                sum + flux[k].high
            };
        }
        let turned = if sum * R::ZERO == R::ZERO {
            self.mechanical.step(torque, load)
        } else {
            None
        };
        let Some(by) = turned else {
            let inputs = voltage.axes.iter().flatten().all(|x| x.finite()) && load.finite();
            return Err(if inputs {
                ServoError::NonFinite
            } else {
                ServoError::Input
            });
        };
        for k in 0..F {
            self.flux[k] = self.electrical.left_behind(flux[k], by);
        }
        self.angle = self.angle.plus(by);
        Ok(())
    }

    /// The mean currents along the axes of the fluxes, and the torque.
    #[inline(always)]
    fn exchange(&self, voltage: &Voltage<R, V>) -> ([R; F], Torque<R>) {
        let c = R::from_f64;
        let (electrical, rotor, flux) = (&self.electrical, self.rotor(), self.flux());
        let begin = electrical.currents(&flux, rotor);
        let mut torque = [electrical.torque(begin), R::ZERO, R::ZERO];
        let mut nodes = [electrical.along_fluxes(begin, rotor); 2];
        for pass in 0..PASSES {
            let ahead = self.mechanical.turns(torque).map(|by| Turned {
                by,
                axes: turned(rotor.axes, by),
            });
            let found = [0, 1].map(|k| self.at_node(&flux, voltage, k, &nodes, ahead[k]));
            for k in 0..F {
                let wrong = [nodes[0][k] - found[0][k], nodes[1][k] - found[1][k]];
                for (node, [a, b]) in self.ripple.guess.into_iter().enumerate() {
                    nodes[node][k] = found[node][k] + (a * wrong[0] + b * wrong[1]);
                }
            }
            let [a, b] =
                [0, 1].map(|k| electrical.torque(electrical.along_rotor(nodes[k], ahead[k])));
            torque = [
                (a + b) * c(0.5),
                (b - a) * c(0.866_025_403_784_438_6),
                R::ZERO,
            ];
            if pass + 1 == PASSES {
                electrical.bend(&mut torque, begin, voltage.axes.map(|axis| axis[1]), ahead);
            }
        }
        let mut mean = nodes[0];
        for k in 0..F {
            mean[k] = (nodes[0][k] + nodes[1][k]) * c(0.5);
        }
        (mean, torque)
    }

    /// The currents at a node along the axes of the fluxes, with the drop that these currents at both nodes would cause.
    #[inline(always)]
    fn at_node(
        &self,
        flux: &[R; F],
        voltage: &Voltage<R, V>,
        node: usize,
        currents: &[[R; F]; 2],
        rotor: Turned<R>,
    ) -> [R; F] {
        let c = R::from_f64;
        let second = if node == 0 { c(SECOND) } else { c(-SECOND) };
        let [a, b] = GAUSS[node].map(c);
        let mut at = *flux;
        for k in 0..F {
            let drop = a * currents[0][k] + b * currents[1][k];
            let drop = self.electrical.resistance(k) * drop;
            at[k] += self.h
                * if k < V {
                    let [mean, slope, bend] = voltage.axes[k];
                    let along = c(NODES[node]) * mean - drop;
                    along + (self.ripple.slope[node] * slope + second * bend)
                } else {
                    -drop
                };
        }
        let currents = self.electrical.currents(&at, rotor);
        self.electrical.along_fluxes(currents, rotor)
    }
}

/// What the bend of a current adds to a torque: `by` currents along the magnet and across it, whose bends are `per` slope of the voltage
/// and half a turn of the axes. The rotor turns from node to node meanwhile, so that a part of the bend is mean and slope.
#[inline(always)]
pub(super) fn add_bend<R: Real>(
    torque: &mut Torque<R>,
    [along, across]: [R; 2],
    per: [R; 2],
    slopes: [R; 2],
    ahead: [Turned<R>; 2],
) {
    let c = R::from_f64;
    let turn = ahead[1].by - ahead[0].by;
    let [first, last] = ahead.map(|rotor| rotor.axes);
    let middle = (first.0 + last.0, first.1 + last.1);
    let [d, q] = super::synchronous::to_rotor(slopes, middle);
    let (d, q) = (d * per[0], q * per[1]);
    torque[2] = along * d + across * q;
    torque[1] += turn * c(0.346_410_161_513_775_4) * (along * q - across * d);
    torque[0] -= turn * turn * c(0.05) * torque[2];
}

visits!(
    [R: Real, E, M: Memory, const F: usize, const V: usize] Coupled<R, E, M, F, V>:
    flux, mechanical, angle
);

#[cfg(test)]
mod tests {
    use super::{Coupled, GAUSS, add_bend, guess};
    use crate::electric::{
        DirectCurrent, DirectDrive, DirectServo, Drive, ElasticShaft, Electrical, Induction,
        InductionDrive, InductionServo, PermanentMagnet, Servo, ServoError, Shaft, Synchronous,
        Turned, Voltage,
    };
    use crate::memory::{Load, Memory, Save};
    use crate::model::{FirstOrder, Vector};

    const H: f64 = 1e-4;
    const SHAFT: Shaft<f64> = Shaft {
        motor: 1.2e-3,
        load: 4.0e-3,
        stiffness: 800.0,
        damping: 0.05,
        friction: 1e-3,
        fan: 2.5e-3,
    };
    const MAGNETS: Synchronous<f64> = Synchronous {
        resistance: 0.35,
        inductance: [2.0e-3, 3.2e-3],
        magnet: 0.12,
        pairs: 4.0,
    };
    const CAGE: Induction<f64> = Induction {
        resistance: [0.5, 0.4],
        inductance: [0.052, 0.054],
        mutual: 0.05,
        pairs: 2.0,
    };
    const DIRECT: DirectCurrent<f64> = DirectCurrent {
        resistance: 0.4,
        inductance: 1e-3,
        constant: 0.2,
    };

    /// A polynomial of the voltage over the step with this number.
    fn axis(step: usize, phase: usize) -> [f64; 3] {
        let swing = [1.0, -0.4, 0.7, 0.2, -0.8][(step + 2 * phase) % 5];
        [20.0 + 30.0 * swing, -25.0 * swing, 15.0 - 20.0 * swing]
    }

    /// The same model over steps, by the classical method in hundreds of parts: what is exchanged is not exchanged there.
    fn fine<M, const N: usize, const U: usize>(model: &M, x: [f64; N], steps: usize) -> [f64; N]
    where
        M: FirstOrder<f64, N, U>,
    {
        let (mut x, parts) = (Vector::from(x), 200);
        for step in 0..steps {
            let inputs = |s: f64| {
                let mut u = Vector::from([1.5; U]);
                for k in 0..U - 1 {
                    let [mean, slope, bend] = axis(step, k);
                    u[k] = mean + slope * (2.0 * s - 1.0) + bend * (6.0 * s * s - 6.0 * s + 1.0);
                }
                u
            };
            let (dt, ds) = (H / parts as f64, 1.0 / parts as f64);
            for part in 0..parts {
                let s = part as f64 * ds;
                let rate = |s: f64, x: &Vector<f64, N>| model.rhs(0.0, x, &inputs(s));
                let a: Vector<f64, N> = rate(s, &x);
                let b = rate(s + ds / 2.0, &(x + a * (dt / 2.0)));
                let c = rate(s + ds / 2.0, &(x + b * (dt / 2.0)));
                let d = rate(s + ds, &(x + c * dt));
                x += (a + (b + c) * 2.0 + d) * (dt / 6.0);
            }
        }
        x.data.0[0]
    }

    /// Each is as near as said to the other.
    fn assert_near<const N: usize>(a: [f64; N], b: [f64; N], bound: f64) {
        for k in 0..N {
            let off = (a[k] - b[k]).abs() / (1.0 + b[k].abs());
            assert!(off < bound, "{k}: {} {}, off by {off:e}", a[k], b[k]);
        }
    }

    type OnShaft<E, const N: usize, const V: usize> = Coupled<f64, E, ElasticShaft<f64>, N, V>;

    /// After some steps: speeds of motor and load, the shaft's torque, and the angle.
    fn driven<E: Electrical<f64, N, V>, const N: usize, const V: usize>(
        servo: &mut OnShaft<E, N, V>,
    ) -> Result<[f64; 4], ServoError> {
        for step in 0..20 {
            let axes = core::array::from_fn(|phase| axis(step, phase));
            servo.step(&Voltage { axes }, 1.5)?;
        }
        let (shaft, angle) = (servo.mechanical(), servo.angle());
        let (motor, load) = (shaft.motor_speed(), shaft.load_speed());
        Ok([motor, load, shaft.torque(), angle])
    }

    /// Fluxes, speeds, twist and angle after some steps of the synchronous machine.
    #[test]
    fn a_servo_is_its_drive() -> Result<(), ServoError> {
        let (drive, mut servo) = (Drive::new(MAGNETS, SHAFT)?, Servo::new(MAGNETS, SHAFT, H)?);
        let shown = driven(&mut servo)?;
        let x = fine(&drive, drive.at_rest(), 20);
        let expected = [x[2], x[2] - x[3], drive.shaft_torque(&x), x[5]];
        assert_near(servo.flux(), [x[0], x[1]], 1.5e-9);
        assert_near(servo.outputs().currents, drive.currents(&x), 2.5e-7);
        assert_near(shown, expected, 3e-6);
        let outputs = servo.outputs();
        assert_eq!(
            shown,
            [
                outputs.motor_speed,
                outputs.load_speed,
                outputs.shaft_torque,
                outputs.angle
            ]
        );
        Ok(())
    }

    /// The same of the induction machine.
    #[test]
    fn a_cage_on_a_shaft_is_its_drive() -> Result<(), ServoError> {
        let drive = InductionDrive::new(CAGE, SHAFT)?;
        let mut servo = InductionServo::new(CAGE, SHAFT, H)?;
        let shown = driven(&mut servo)?;
        let x = fine(&drive, [0.0; 8], 20);
        let expected = [x[4], x[4] - x[5], drive.shaft_torque(&x), 2.0 * x[7]];
        assert_near(servo.stator_currents(), drive.stator_currents(&x), 6e-8);
        assert_near(shown, expected, 1.5e-7);
        Ok(())
    }

    /// The same of the direct-current machine.
    #[test]
    fn an_armature_on_a_shaft_is_its_drive() -> Result<(), ServoError> {
        let drive = DirectDrive::new(DIRECT, SHAFT)?;
        let mut servo = DirectServo::new(DIRECT, SHAFT, H)?;
        let shown = driven(&mut servo)?;
        let x = fine(&drive, [0.0; 5], 20);
        let expected = [x[1], x[1] - x[2], drive.shaft_torque(&x), x[4]];
        assert_near(servo.currents(), [x[0]], 1.5e-8);
        assert_near(shown, expected, 2e-7);
        Ok(())
    }

    /// `(1 + d A) G = d A`, row by row.
    #[test]
    fn a_guess_solves_its_equation() {
        let decay = 0.75;
        let g = guess(decay);
        for i in 0..2 {
            for j in 0..2 {
                let by: f64 = (0..2).map(|k| decay * GAUSS[i][k] * g[k][j]).sum();
                let rest = g[i][j] + by - decay * GAUSS[i][j];
                assert!(rest.abs() < 1e-15, "{i} {j}: {rest}");
            }
        }
        for (row, node) in GAUSS.into_iter().zip(super::NODES) {
            assert!((row[0] + row[1] - node).abs() < 1e-15);
        }
    }

    /// The product of a bend with what turns, projected on Legendre's polynomials by the two nodes and one.
    #[test]
    fn a_bend_that_turns_is_slope_and_mean_too() {
        let turned = |by: f64| Turned {
            by,
            axes: (libm::sin(by), libm::cos(by)),
        };
        let (mut torque, ahead) = ([1.0, 2.0, 9.0], [turned(-0.01), turned(0.03)]);
        add_bend(&mut torque, [3.0, 5.0], [0.5, 0.25], [7.0, -4.0], ahead);
        let middle = [0, 1].map(|k| [ahead[0].axes, ahead[1].axes].map(|(s, c)| [s, c][k]));
        let [sin, cos] = middle.map(|[a, b]| a + b);
        let (d, q) = (
            0.5 * (7.0 * cos - 4.0 * sin),
            0.25 * (-4.0 * cos - 7.0 * sin),
        );
        let bend = 3.0 * d + 5.0 * q;
        let slope = 2.0 + 0.04 * 0.2 * libm::sqrt(3.0) * (3.0 * q - 5.0 * d);
        let expected = [1.0 - 0.04 * 0.04 / 20.0 * bend, slope, bend];
        assert_near(torque, expected, 1e-14);
    }

    /// Fluxes, shaft and angle are kept and brought back.
    #[test]
    fn a_servo_goes_back() -> Result<(), ServoError> {
        let (mut servo, mut words) = (Servo::new(MAGNETS, SHAFT, H)?, [0; 64]);
        servo.step(&Voltage::held([10.0, 5.0]), 0.0)?;
        let then = servo.outputs();
        let mut save = Save::new(&mut words);
        servo.visit(&mut save);
        // Two numbers for each of two fluxes and three states, one at least for the angle; two words a number.
        let count = save.complete().unwrap_or(0);
        assert!(count >= 2 * (2 * 5 + 1), "{count}");
        for _ in 0..3 {
            servo.step(&Voltage::held([-40.0, 25.0]), 1.0)?;
        }
        let later = servo.outputs();
        servo.visit(&mut Load::new(words.get(..count).unwrap_or(&[])));
        assert_eq!(servo.outputs(), then);
        for _ in 0..3 {
            servo.step(&Voltage::held([-40.0, 25.0]), 1.0)?;
        }
        assert_eq!(servo.outputs(), later);
        Ok(())
    }

    /// Which error is whose.
    #[test]
    fn errors_say_what_is_wrong_and_change_nothing() -> Result<(), ServoError> {
        let mut servo = Servo::new(MAGNETS, SHAFT, H)?;
        servo.step(&Voltage::held([10.0, 5.0]), 0.0)?;
        let before = servo.outputs();
        let mut step = |voltage: f64, load: f64| {
            let error = servo.step(&Voltage::held([0.0, voltage]), load).err();
            assert_eq!(servo.outputs(), before);
            error
        };
        assert_eq!(step(f64::NAN, 0.0), Some(ServoError::Input));
        assert_eq!(step(0.0, f64::INFINITY), Some(ServoError::Input));
        assert_eq!(step(1e300, 0.0), Some(ServoError::NonFinite));
        let of = |flux: f64, h: f64| {
            let shaft = ElasticShaft::new(SHAFT, 4.0, H)?;
            Coupled::of(PermanentMagnet::new(MAGNETS, H)?, shaft, [0.12, flux], h)
        };
        assert!(of(0.0, H).is_ok());
        assert_eq!(of(0.0, 0.0).err(), Some(ServoError::StepSize));
        assert_eq!(of(0.0, f64::INFINITY).err(), Some(ServoError::StepSize));
        assert_eq!(of(f64::NAN, H).err(), Some(ServoError::NonFinite));
        assert_eq!(
            Servo::new(MAGNETS, SHAFT, 0.0).err(),
            Some(ServoError::StepSize)
        );
        assert_eq!(
            Servo::new(MAGNETS, SHAFT, f64::INFINITY).err(),
            Some(ServoError::StepSize)
        );
        Ok(())
    }
}
