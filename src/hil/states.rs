//! States whose numbers a host can see.

use crate::model::{Constrained, Course, Motion, Vector};

/// A state whose numbers can be looked at.
pub trait States {
    /// How many there are.
    const COUNT: usize;
    /// Shows each.
    fn each(&self, see: &mut dyn FnMut(f32));
}

impl<const N: usize> States for Vector<f32, N> {
    const COUNT: usize = N;
    fn each(&self, see: &mut dyn FnMut(f32)) {
        self.data.0[0].into_iter().for_each(see);
    }
}

/// Coordinates, velocities, accelerations, multipliers.
impl<const Q: usize, const L: usize> States for Motion<f32, Q, L> {
    const COUNT: usize = 3 * Q + L;
    fn each(&self, see: &mut dyn FnMut(f32)) {
        self.q.each(see);
        self.v.each(see);
        self.a.each(see);
        self.lambda.each(see);
    }
}

/// Positions, velocities, multipliers.
impl<const N: usize, const V: usize, const L: usize> States for Constrained<f32, N, V, L> {
    const COUNT: usize = N + V + L;
    fn each(&self, see: &mut dyn FnMut(f32)) {
        self.u.each(see);
        self.v.each(see);
        self.lambda.each(see);
    }
}

/// Unknowns, their first and their second derivatives.
impl<const N: usize> States for Course<f32, N> {
    const COUNT: usize = 3 * N;
    fn each(&self, see: &mut dyn FnMut(f32)) {
        self.x.each(see);
        self.v.each(see);
        self.a.each(see);
    }
}
