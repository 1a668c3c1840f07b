//! An elastic shaft as a part of a drive, by its exact maps.

use super::coupled::{MOST_TURN, Mechanics, NODES, Torque};
use super::error::ServoError;
use super::shaft::{Map, STATES, Shaft};
use crate::memory::visits;
use crate::number::{Compensated, Real};

/// An elastic shaft as the mechanical part of a drive.
#[derive(Clone, Copy, Debug)]
pub struct ElasticShaft<R> {
    stiffness: R,
    damping: R,
    fan: R,
    /// A step's mean speed, by the electrical angle and by the twist.
    speed: [R; 2],
    step: Map<R>,
    nodes: [Map<R>; 2],
    /// The motor's speed, how much faster it is than the load, the twist.
    state: [Compensated<R>; 3],
}

impl<R: Real> ElasticShaft<R> {
    /// A shaft at rest, of a machine with so many pairs of poles, for steps of this size.
    pub fn new(shaft: Shaft<R>, pairs: R, h: R) -> Result<Self, ServoError> {
        if !shaft.is_valid() {
            return Err(ServoError::Shaft);
        }
        if !(h > R::ZERO && h.finite()) {
            return Err(ServoError::StepSize);
        }
        let (per, turned) = (1.0 / h.to_f64(), pairs.to_f64() * h.to_f64());
        Ok(ElasticShaft {
            stiffness: shaft.stiffness,
            damping: shaft.damping,
            fan: shaft.fan,
            speed: [R::from_f64(1.0 / turned), R::from_f64(per)],
            step: shaft.map(pairs, h, 1.0),
            nodes: NODES.map(|node| shaft.map(pairs, h, node)),
            state: [Compensated::new(R::ZERO); 3],
        })
    }

    /// The motor's speed, in rad/s.
    pub fn motor_speed(&self) -> R {
        self.state[0].high
    }

    /// The load's speed, in rad/s.
    pub fn load_speed(&self) -> R {
        self.state[0].high - self.state[1].high
    }

    /// What the shaft carries, in N m.
    pub fn torque(&self) -> R {
        self.state[2].high * self.stiffness + self.state[1].high * self.damping
    }

    /// The change of the shaft's states and of the angle. The fan's torque is that of the load's mean speed, which is what the
    /// motor turns less what the shaft twists.
    #[inline(always)]
    fn change(&self, torque: Torque<R>, load: R) -> [R; STATES] {
        let shaft = self.state.map(|x| x.high);
        let fan = |speed: R| speed * speed.abs() * self.fan;
        let begin = fan(shaft[0] - shaft[1]);
        let mut change = self.step.increments(&shaft, torque, load + begin);
        let [turned, twisted] = self.speed;
        let more = fan(change[3] * turned - change[2] * twisted) - begin;
        for i in 0..STATES {
            change[i] += self.step.load[i] * more;
        }
        change
    }
}

impl<R: Real> Mechanics<R> for ElasticShaft<R> {
    #[inline(always)]
    fn turns(&self, torque: Torque<R>) -> [R; 2] {
        let shaft = self.state.map(|x| x.high);
        [0, 1].map(|k| self.nodes[k].turn(&shaft, torque))
    }

    #[inline(always)]
    fn step(&mut self, torque: Torque<R>, load: R) -> Option<R> {
        let (change, mut state) = (self.change(torque, load), self.state);
        for k in 0..3 {
            state[k] = state[k].plus(change[k]);
        }
        let turn = change[3];
        // Zero times what is no number is none.
        let sum = state[0].high + state[2].high;
        if !(turn.abs() <= R::from_f64(MOST_TURN) && sum * R::ZERO == R::ZERO) {
            return None;
        }
        self.state = state;
        Some(turn)
    }
}

impl<R: Real> Map<R> {
    /// The change of one state without the torque's bend and the load.
    #[inline(always)]
    fn increment(&self, state: usize, shaft: &[R; 3], torque: Torque<R>) -> R {
        let [a, b, c] = self.states[state];
        let [mean, slope, _] = self.torque[state];
        a * shaft[0] + b * shaft[1] + c * shaft[2] + (mean * torque[0] + slope * torque[1])
    }

    /// How far the electrical angle turns.
    #[inline(always)]
    fn turn(&self, shaft: &[R; 3], torque: Torque<R>) -> R {
        self.increment(3, shaft, torque)
    }

    /// The change of all states.
    #[inline(always)]
    fn increments(&self, shaft: &[R; 3], torque: Torque<R>, load: R) -> [R; STATES] {
        let mut change = [R::ZERO; STATES];
        for i in 0..STATES {
            let driven = self.torque[i][2] * torque[2] + self.load[i] * load;
            change[i] = self.increment(i, shaft, torque) + driven;
        }
        change
    }
}

visits!([R: Real] ElasticShaft<R>: state);
