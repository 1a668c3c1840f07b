//! What a mechanism's stepper keeps between steps.

use super::MechanicalStepper;
use crate::memory::{Memory, Words};
use crate::model::Motion;
use crate::number::Real;

impl<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize> Memory
    for MechanicalStepper<R, M, K, E, Q, L, U, S>
where
    R: Real,
    M: Memory,
{
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.model.visit(words);
        self.h.visit(words);
        self.now.visit(words);
        self.low_q.visit(words);
        self.low_v.visit(words);
        self.w.visit(words);
        self.lambda.visit(words);
        self.expected.visit(words);
        self.norm.visit(words);
    }
}

impl<R: Real, const Q: usize, const L: usize> Memory for Motion<R, Q, L> {
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.q.visit(words);
        self.v.visit(words);
        self.a.visit(words);
        self.lambda.visit(words);
        self.turns.visit(words);
    }
}
