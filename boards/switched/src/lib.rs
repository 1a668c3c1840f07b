//! Converters with tables in flash, and what their steps are given.
#![no_std]

use core::hint::black_box;
use stiffstep::electric::{Pulses, Servo, Voltage};
use stiffstep::switched::{Edge, Input};
#[cfg(feature = "softfloat")]
use stiffstep_softfloat as _;

/// The most edges of a step.
pub const MOST_EDGES: usize = 4;

/// Takes numbers out of bytes, one after the other; zeros when there are none left.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    /// The bytes that a step of a converter with so many inputs is given.
    pub const fn bytes<const U: usize>() -> usize {
        4 * (2 * U + 1 + 2 * MOST_EDGES)
    }

    /// Of the first bytes only, if there are so many.
    pub fn first(self, bytes: usize) -> Self {
        Reader(self.0.get(..bytes).unwrap_or(self.0))
    }

    /// The next word.
    pub fn word(&mut self) -> u32 {
        let Some((word, rest)) = self.0.split_first_chunk::<4>() else {
            return 0;
        };
        self.0 = rest;
        u32::from_le_bytes(*word)
    }

    /// The next number.
    pub fn number(&mut self) -> f32 {
        f32::from_bits(self.word())
    }

    /// What the next step is given: inputs, edges and how many there are. None at the end.
    pub fn given<const U: usize>(
        &mut self,
    ) -> Option<(Input<f32, U>, [Edge<f32>; MOST_EDGES], usize)> {
        if self.0.is_empty() {
            return None;
        }
        let mut input = Input::held([0.0; U]);
        input.start.iter_mut().for_each(|u| *u = self.number());
        input.change.iter_mut().for_each(|u| *u = self.number());
        let count = self.word() as usize;
        let mut edges = [Edge { at: 0.0, gates: 0 }; MOST_EDGES];
        for edge in &mut edges {
            edge.at = self.number();
            edge.gates = self.word();
        }
        Some((input, edges, count.min(MOST_EDGES)))
    }

    /// What the next step of a drive is given: its pulses and its load. None at the end.
    pub fn pulses(&mut self) -> Option<(Pulses<f32>, f32)> {
        if self.0.is_empty() {
            return None;
        }
        let mut pulses = [[[0.0; 2]; 2]; 3];
        let edges = pulses.iter_mut().flatten().flatten();
        edges.for_each(|edge| *edge = self.number());
        Some((pulses, self.number()))
    }
}

/// A step of a drive, from edges to its state. Apart, so that its cycles can be counted.
#[inline(never)]
pub fn turn(servo: &mut Servo<f32>, supply: f32, pulses: &Pulses<f32>, load: f32) -> bool {
    let voltage = Voltage::of_pulses(supply, black_box(pulses));
    servo.step(&voltage, load).is_ok()
}
