//! What a first-order stepper keeps between steps, kept factors included: a step after loading costs what it would have
//! cost, and gives the same bits.

use super::FirstOrderStepper;
use crate::memory::{Memory, Words, visit_slots};
use crate::method::{Modes, Stages};
use crate::number::Real;

impl<R, M, K, const N: usize, const U: usize, const S: usize> Memory
    for FirstOrderStepper<R, M, K, N, U, S>
where
    R: Real,
    M: Memory,
    Stages<S>: Modes,
{
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.model.visit(words);
        self.h.visit(words);
        self.x.visit(words);
        self.low.visit(words);
        self.k.visit(words);
        self.norm.visit(words);
        visit_slots(&mut self.factors.real, words);
        visit_slots(&mut self.factors.pairs, words);
        self.expected.visit(words);
    }
}
