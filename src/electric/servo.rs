//! A permanent-magnet synchronous machine on an elastic shaft, fed by an inverter.
//!
//! Fluxes are advanced by the two-stage Gauss method, whose nodes see the voltage's first three Legendre coefficients; the shaft by its
//! exact map. The angle at the nodes is predicted by the shaft with the torque at the beginning, then corrected once with the
//! torque's polynomial.
//!
//! Two nodes see a straight line. The ripple of the current has a bend, too: its Legendre coefficient 2 follows from the voltage's
//! coefficient 1. What it adds to the resistance's voltage drop and to the torque is added by hand.

use super::pulses::Voltage;
use super::shaft::{Map, STATES, Shaft};
use super::synchronous::{Constants, Synchronous, to_rotor, to_stator, turned};
use crate::memory::{Memory, Words};
use crate::number::{Angle, Compensated, Real};

/// Why there is no drive, or no step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ServoError {
    /// A parameter of the machine is out of range.
    Machine,
    /// A parameter of the shaft is out of range.
    Shaft,
    /// The step is not positive and finite.
    StepSize,
    /// A voltage or the load is not finite.
    Input,
    /// The state became infinite or NaN, or turned by more than half a radian in a step.
    NonFinite,
}

impl core::fmt::Display for ServoError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Machine => "a parameter of the machine is out of range",
            Self::Shaft => "a parameter of the shaft is out of range",
            Self::StepSize => "the step must be positive and finite",
            Self::Input => "an input is not finite",
            Self::NonFinite => "the state is no longer finite, or turns too fast for the step",
        })
    }
}

impl core::error::Error for ServoError {}

/// How often angles and currents at the nodes are found.
const PASSES: usize = 2;

/// Gauss's nodes.
const NODES: [f64; 2] = [0.211_324_865_405_187_13, 0.788_675_134_594_812_9];
/// Gauss's coefficients are 1/4 on the diagonal and 1/4 -+ this beside it.
const BESIDE: f64 = 0.288_675_134_594_812_9;
/// What the first and the second Legendre coefficient of the voltage add to the flux at the nodes: their integrals, without the
/// polynomials that two nodes would take for others.
const FIRST: f64 = -1.0 / 6.0;
const SECOND: f64 = 0.057_735_026_918_962_58;

/// Gauss's coefficients.
const GAUSS: [[f64; 2]; 2] = [[0.25, 0.25 - BESIDE], [0.25 + BESIDE, 0.25]];

/// What survives a step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State<R> {
    flux: [Compensated<R>; 2],
    /// The motor's speed, how much faster it is than the load, the twist.
    shaft: [Compensated<R>; 3],
    angle: Angle<R>,
}

/// What depends on machine and step, and is computed once.
#[derive(Clone, Copy, Debug)]
struct Ripple<R> {
    /// What the voltage's slope adds to the flux at the nodes.
    slope: [R; 2],
    /// The bend of the current along the magnet and across it, by twice the voltage's slope.
    bend: [R; 2],
    /// What a wrong guess of the currents at the nodes, and with it of the resistance's drop, has to be corrected by.
    guess: [[R; 2]; 2],
    /// A step's mean speed, by the electrical angle and by the twist.
    speed: [R; 2],
}

impl<R: Real> Ripple<R> {
    fn new(machine: &Synchronous<R>, h: R) -> Self {
        let [d, q] = machine.inductance.map(|l| l.to_f64());
        let (h, pairs) = (h.to_f64(), machine.pairs.to_f64());
        // How much of a flux the resistance takes away in a step, if both axes were alike.
        let decay = machine.resistance.to_f64() * h * 0.5 * (1.0 / d + 1.0 / q);
        let node = |k: usize| 2.0 * NODES[k] - 1.0;
        let c = R::from_f64;
        Ripple {
            slope: [0, 1].map(|k| c(FIRST + node(k) * decay / 60.0)),
            bend: [c(h / (12.0 * d)), c(h / (12.0 * q))],
            guess: guess(decay).map(|row| row.map(c)),
            speed: [c(1.0 / (pairs * h)), c(1.0 / h)],
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

/// A machine, its shaft, and their state.
///
/// The exchange of torque and angle is an explicit one. It is stable while `1.5 (pairs magnet)^2 h^2 / (J L)` is below 1, J the
/// motor's inertia and L the smaller inductance: the square of the step over the period in which the magnet swings
/// against the field. Beyond it use [`RadauIIA`](crate::method::RadauIIA) on the whole drive as one
/// [`FirstOrder`](crate::model::FirstOrder) model.
#[derive(Clone, Copy, Debug)]
pub struct Servo<R> {
    machine: Constants<R>,
    stiffness: R,
    damping: R,
    fan: R,
    h: R,
    ripple: Ripple<R>,
    step: Map<R>,
    nodes: [Map<R>; 2],
    state: State<R>,
}

impl<R: Real> Servo<R> {
    /// At rest, the magnet along the first axis of the stator.
    pub fn new(machine: Synchronous<R>, shaft: Shaft<R>, h: R) -> Result<Self, ServoError> {
        if !machine.is_valid() {
            return Err(ServoError::Machine);
        }
        if !shaft.is_valid() {
            return Err(ServoError::Shaft);
        }
        if !(h > R::ZERO && h.finite()) {
            return Err(ServoError::StepSize);
        }
        let zero = Compensated::new(R::ZERO);
        Ok(Servo {
            machine: machine.constants(),
            stiffness: shaft.stiffness,
            damping: shaft.damping,
            fan: shaft.fan,
            h,
            ripple: Ripple::new(&machine, h),
            step: shaft.map(machine.pairs, h, 1.0),
            nodes: NODES.map(|node| shaft.map(machine.pairs, h, node)),
            state: State {
                flux: [Compensated::new(machine.magnet), zero],
                shaft: [zero; 3],
                angle: Angle::default(),
            },
        })
    }

    /// What the drive shows.
    pub fn outputs(&self) -> Outputs<R> {
        let [speed, relative, twist] = self.state.shaft.map(|x| x.high);
        let angle = self.state.angle.radians();
        let flux = self.state.flux.map(|x| x.high);
        Outputs {
            currents: self.machine.currents(flux, angle.sin_cos()),
            motor_speed: speed,
            load_speed: speed - relative,
            shaft_torque: twist * self.stiffness + relative * self.damping,
            angle,
        }
    }

    /// One step under a voltage and a constant torque against the load. An error leaves the state.
    #[inline(always)]
    pub fn step(&mut self, voltage: &Voltage<R>, load: R) -> Result<(), ServoError> {
        let mut state = self.state;
        let flux = state.flux.map(|x| x.high);
        let shaft = state.shaft.map(|x| x.high);
        let axes = state.angle.radians().sin_cos();
        let (drop, torque) = self.electrical(&flux, &shaft, axes, voltage);
        for k in 0..2 {
            let mean = voltage.axes[k][0];
            state.flux[k] = state.flux[k].plus(self.h * (mean - self.machine.resistance * drop[k]));
        }
        let change = self.mechanical(&shaft, torque, load);
        for k in 0..3 {
            state.shaft[k] = state.shaft[k].plus(change[k]);
        }
        let turn = change[3];
        state.angle = state.angle.plus(turn);
        // Zero times what is no number is none.
        let sum =
            state.flux[0].high + state.flux[1].high + state.shaft[0].high + state.shaft[2].high;
        if !(turn.abs() <= R::from_f64(0.5) && sum * R::ZERO == R::ZERO) {
            let inputs = voltage.axes.iter().flatten().all(|x| x.finite()) && load.finite();
            return Err(if inputs {
                ServoError::NonFinite
            } else {
                ServoError::Input
            });
        }
        self.state = state;
        Ok(())
    }

    /// The change of the shaft's states and of the angle. The fan's torque is that of the load's mean speed, which is what the
    /// motor turns less what the shaft twists.
    #[inline(always)]
    fn mechanical(&self, shaft: &[R; 3], torque: [R; 3], load: R) -> [R; STATES] {
        let fan = |speed: R| speed * speed.abs() * self.fan;
        let begin = fan(shaft[0] - shaft[1]);
        let mut change = self.step.increments(shaft, torque, load + begin);
        let [turned, twisted] = self.ripple.speed;
        let more = fan(change[3] * turned - change[2] * twisted) - begin;
        for i in 0..STATES {
            change[i] += self.step.load[i] * more;
        }
        change
    }

    /// The mean current along the axes of the stator, and mean, slope and bend of the torque.
    #[inline(always)]
    fn electrical(
        &self,
        flux: &[R; 2],
        shaft: &[R; 3],
        axes: (R, R),
        voltage: &Voltage<R>,
    ) -> ([R; 2], [R; 3]) {
        let c = R::from_f64;
        let begin = self.machine.currents(*flux, axes);
        let mut torque = [self.machine.torque(begin), R::ZERO, R::ZERO];
        let start = to_stator(begin, axes);
        let mut nodes = [start; 2];
        for pass in 0..PASSES {
            let turns = [0, 1].map(|k| self.nodes[k].turn(shaft, torque));
            let ahead = turns.map(|turn| turned(axes, turn));
            let found = [0, 1].map(|k| self.at_node(flux, voltage, k, &nodes, ahead[k]));
            for k in 0..2 {
                let wrong = [nodes[0][k] - found[0][k], nodes[1][k] - found[1][k]];
                for (node, [a, b]) in self.ripple.guess.into_iter().enumerate() {
                    nodes[node][k] = found[node][k] + (a * wrong[0] + b * wrong[1]);
                }
            }
            let [a, b] = [0, 1].map(|k| self.machine.torque(to_rotor(nodes[k], ahead[k])));
            torque = [
                (a + b) * c(0.5),
                (b - a) * c(0.866_025_403_784_438_6),
                R::ZERO,
            ];
            if pass + 1 == PASSES {
                self.bend(&mut torque, begin, voltage, turns[1] - turns[0], ahead);
            }
        }
        let mean = [0, 1].map(|k| (nodes[0][k] + nodes[1][k]) * c(0.5));
        (mean, torque)
    }

    /// What the current's bend adds to the torque. The rotor turns by `turn` from node to node meanwhile, so that a part of the bend
    /// is mean and slope.
    #[inline(always)]
    fn bend(
        &self,
        torque: &mut [R; 3],
        current: [R; 2],
        voltage: &Voltage<R>,
        turn: R,
        ahead: [(R, R); 2],
    ) {
        let c = R::from_f64;
        let middle = (ahead[0].0 + ahead[1].0, ahead[0].1 + ahead[1].1);
        let slopes = [voltage.axes[0][1], voltage.axes[1][1]];
        let [d, q] = to_rotor(slopes, middle);
        let (d, q) = (d * self.ripple.bend[0], q * self.ripple.bend[1]);
        let [along, across] = self.machine.torque_by_current(current);
        torque[2] = along * d + across * q;
        torque[1] += turn * c(0.346_410_161_513_775_4) * (along * q - across * d);
        torque[0] -= turn * turn * c(0.05) * torque[2];
    }

    /// The currents at a node along the axes of the stator, with the drop that these currents at both nodes would cause.
    #[inline(always)]
    fn at_node(
        &self,
        flux: &[R; 2],
        voltage: &Voltage<R>,
        node: usize,
        currents: &[[R; 2]; 2],
        axes: (R, R),
    ) -> [R; 2] {
        let c = R::from_f64;
        let second = if node == 0 { c(SECOND) } else { c(-SECOND) };
        let [a, b] = GAUSS[node].map(c);
        let mut at = *flux;
        for k in 0..2 {
            let [mean, slope, bend] = voltage.axes[k];
            let drop = a * currents[0][k] + b * currents[1][k];
            let along = c(NODES[node]) * mean - self.machine.resistance * drop;
            at[k] += self.h * (along + (self.ripple.slope[node] * slope + second * bend));
        }
        to_stator(self.machine.currents(at, axes), axes)
    }
}

impl<R: Real> Map<R> {
    /// The change of one state without the torque's bend and the load.
    #[inline(always)]
    fn increment(&self, state: usize, shaft: &[R; 3], torque: [R; 3]) -> R {
        let [a, b, c] = self.states[state];
        let [mean, slope, _] = self.torque[state];
        a * shaft[0] + b * shaft[1] + c * shaft[2] + (mean * torque[0] + slope * torque[1])
    }

    /// How far the electrical angle turns.
    #[inline(always)]
    fn turn(&self, shaft: &[R; 3], torque: [R; 3]) -> R {
        self.increment(3, shaft, torque)
    }

    /// The change of all states.
    #[inline(always)]
    fn increments(&self, shaft: &[R; 3], torque: [R; 3], load: R) -> [R; STATES] {
        let mut change = [R::ZERO; STATES];
        for i in 0..STATES {
            let driven = self.torque[i][2] * torque[2] + self.load[i] * load;
            change[i] = self.increment(i, shaft, torque) + driven;
        }
        change
    }
}

impl<R: Real> Memory for Servo<R> {
    fn visit<W: Words>(&mut self, words: &mut W) {
        let sums = self.state.flux.iter_mut().chain(&mut self.state.shaft);
        sums.for_each(|sum| {
            sum.high.visit(words);
            sum.low.visit(words);
        });
        self.state.angle.visit(words);
    }
}
