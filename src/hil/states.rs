//! States whose numbers a host can see.

use crate::model::Numbers;

/// A state whose numbers can be looked at.
pub trait States {
    /// How many there are.
    const COUNT: usize;
    /// Shows each.
    fn each(&self, see: &mut dyn FnMut(f32));
}

impl<S: Numbers<f32>> States for S {
    const COUNT: usize = S::COUNT;
    fn each(&self, see: &mut dyn FnMut(f32)) {
        self.numbers(|numbers| numbers.iter().for_each(|x| see(*x)));
    }
}
