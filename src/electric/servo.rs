//! A permanent-magnet synchronous machine on an elastic shaft, fed by an inverter.
//!
//! Fluxes are advanced by the two-stage Gauss method, whose nodes see the voltage's first three Legendre coefficients; the shaft by its
//! exact map. The angle at the nodes is predicted by the shaft with the torque at the beginning, then corrected once with the
//! torque's mean and slope.

use super::angle::{Angle, turned};
use super::pulses::Voltage;
use super::shaft::{Map, STATES, Shaft};
use super::synchronous::{Constants, Synchronous, to_stator};
use crate::memory::{Memory, Words};
use crate::number::{Compensated, Real};

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

/// Gauss's nodes.
const NODES: [f64; 2] = [0.211_324_865_405_187_13, 0.788_675_134_594_812_9];
/// Gauss's coefficients are 1/4 on the diagonal and 1/4 -+ this beside it.
const BESIDE: f64 = 0.288_675_134_594_812_9;
/// What the first and the second Legendre coefficient of the voltage add to the flux at the nodes: their integrals, without the
/// polynomials that two nodes would take for others.
const FIRST: f64 = -1.0 / 6.0;
const SECOND: f64 = 0.057_735_026_918_962_58;

/// What survives a step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State<R> {
    flux: [Compensated<R>; 2],
    /// The motor's speed, how much faster it is than the load, the twist.
    shaft: [Compensated<R>; 3],
    angle: Angle<R>,
    /// The load's speed one step ago.
    load_before: R,
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
            step: shaft.map(machine.pairs, h, 1.0),
            nodes: NODES.map(|node| shaft.map(machine.pairs, h, node)),
            state: State {
                flux: [Compensated::new(machine.magnet), zero],
                shaft: [zero; 3],
                angle: Angle::default(),
                load_before: R::ZERO,
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
        let load_speed = shaft[0] - shaft[1];
        let middle = load_speed + (load_speed - state.load_before) * R::from_f64(0.5);
        state.load_before = load_speed;
        let load = load + middle * middle.abs() * self.fan;
        let change = self.step.increments(&shaft, torque, load);
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

    /// The mean current along the axes of the stator, and mean and slope of the torque.
    #[inline(always)]
    fn electrical(
        &self,
        flux: &[R; 2],
        shaft: &[R; 3],
        axes: (R, R),
        voltage: &Voltage<R>,
    ) -> ([R; 2], [R; 2]) {
        let c = R::from_f64;
        let begin = self.machine.currents(*flux, axes);
        let mut torque = [self.machine.torque(begin), R::ZERO];
        let start = to_stator(begin, axes);
        let (mut first, mut second) = (start, start);
        for pass in 0..2 {
            let ahead = [0, 1].map(|k| turned(axes, self.nodes[k].turn(shaft, torque)));
            let mut drop = [R::ZERO; 2];
            for k in 0..2 {
                drop[k] = if pass == 0 {
                    c(NODES[0]) * start[k]
                } else {
                    c(0.25) * first[k] + c(0.25 - BESIDE) * second[k]
                };
            }
            let at_first = self.at_node(flux, voltage, 0, drop, ahead[0]);
            first = to_stator(at_first, ahead[0]);
            for k in 0..2 {
                drop[k] = if pass == 0 {
                    // The current continued linearly from both to the middle of the way.
                    c(NODES[1]) * (start[k] + (first[k] - start[k]) * c(0.5 * NODES[1] / NODES[0]))
                } else {
                    c(0.25 + BESIDE) * first[k] + c(0.25) * second[k]
                };
            }
            let at_second = self.at_node(flux, voltage, 1, drop, ahead[1]);
            second = to_stator(at_second, ahead[1]);
            let [a, b] = [at_first, at_second].map(|currents| self.machine.torque(currents));
            torque = [(a + b) * c(0.5), (b - a) * c(0.866_025_403_784_438_6)];
        }
        let mean = [0, 1].map(|k| (first[k] + second[k]) * c(0.5));
        (mean, torque)
    }

    /// The currents of the rotor's axes at a node.
    #[inline(always)]
    fn at_node(
        &self,
        flux: &[R; 2],
        voltage: &Voltage<R>,
        node: usize,
        drop: [R; 2],
        axes: (R, R),
    ) -> [R; 2] {
        let c = R::from_f64;
        let second = if node == 0 { c(SECOND) } else { c(-SECOND) };
        let mut at = *flux;
        for k in 0..2 {
            let [mean, slope, bend] = voltage.axes[k];
            let along = c(NODES[node]) * mean - self.machine.resistance * drop[k];
            at[k] += self.h * (along + (c(FIRST) * slope + second * bend));
        }
        self.machine.currents(at, axes)
    }
}

impl<R: Real> Map<R> {
    /// The change of one state.
    #[inline(always)]
    fn increment(&self, state: usize, shaft: &[R; 3], torque: [R; 2]) -> R {
        let [a, b, c] = self.states[state];
        let [mean, slope] = self.torque[state];
        a * shaft[0] + b * shaft[1] + c * shaft[2] + (mean * torque[0] + slope * torque[1])
    }

    /// How far the electrical angle turns.
    #[inline(always)]
    fn turn(&self, shaft: &[R; 3], torque: [R; 2]) -> R {
        self.increment(3, shaft, torque)
    }

    /// The change of all states.
    #[inline(always)]
    fn increments(&self, shaft: &[R; 3], torque: [R; 2], load: R) -> [R; STATES] {
        let mut change = [R::ZERO; STATES];
        for i in 0..STATES {
            change[i] = self.increment(i, shaft, torque) + self.load[i] * load;
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
        self.state.load_before.visit(words);
    }
}
