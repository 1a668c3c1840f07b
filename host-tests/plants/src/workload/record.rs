//! What a run leaves behind.

use stiffstep::prelude::*;

/// The most states of which a record keeps the final bits; the hash covers all of them.
pub const MOST_STATES: usize = 16;

/// What a run leaves behind, to be compared bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// A hash over the bits of every state after every step.
    pub hash: u64,
    /// Steps done; fewer than asked for if one failed.
    pub steps: u32,
    /// The bits of the time reached.
    pub time: u64,
    /// How many of `state` count.
    pub states: usize,
    /// The bits of the final state.
    pub state: [u64; MOST_STATES],
}

impl Record {
    /// Before the first step.
    pub const EMPTY: Record = Record {
        hash: 0xcbf2_9ce4_8422_2325,
        steps: 0,
        time: 0,
        states: 0,
        state: [0; MOST_STATES],
    };

    /// The bits of the final state.
    pub fn final_state(&self) -> &[u64] {
        self.state.get(..self.states).unwrap_or(&[])
    }

    /// Takes in the state after a step.
    ///
    /// The hash is FNV-1a on words, rotated so that no bit keeps to itself. Each word goes in by a bijection: a single
    /// changed bit always changes the hash.
    pub fn absorb(&mut self, state: &(impl Bits + ?Sized)) {
        self.steps += 1;
        self.states = 0;
        state.each(&mut |bits| {
            self.hash = (self.hash ^ bits)
                .wrapping_mul(0x0000_0100_0000_01b3)
                .rotate_left(23);
            if let Some(slot) = self.state.get_mut(self.states) {
                *slot = bits;
                self.states += 1;
            }
        });
    }
}

/// A state whose bits can be looked at.
pub trait Bits {
    /// Calls `see` with the bits of each number.
    fn each(&self, see: &mut dyn FnMut(u64));
}

impl<R: Real, const N: usize> Bits for Vector<R, N> {
    fn each(&self, see: &mut dyn FnMut(u64)) {
        for value in self.data.0[0] {
            see(value.bits());
        }
    }
}

/// Positions, velocities, accelerations, multipliers.
impl<R: Real, const Q: usize, const L: usize> Bits for Motion<R, Q, L> {
    fn each(&self, see: &mut dyn FnMut(u64)) {
        self.q.each(see);
        self.v.each(see);
        self.a.each(see);
        self.lambda.each(see);
    }
}

/// Unknowns and their derivatives.
impl<R: Real, const N: usize> Bits for Course<R, N> {
    fn each(&self, see: &mut dyn FnMut(u64)) {
        self.x.each(see);
        self.v.each(see);
        self.a.each(see);
    }
}
