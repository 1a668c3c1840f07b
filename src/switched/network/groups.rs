//! Which nodes conducting parts connect.

/// Which nodes belong together: the smallest of them stands for all.
#[derive(Clone, Copy)]
pub(super) struct Groups<const S: usize>(pub(super) [usize; S]);

impl<const S: usize> Groups<S> {
    pub fn new() -> Self {
        Groups(core::array::from_fn(|node| node))
    }
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.0[a], self.0[b]);
        let (low, high) = (a.min(b), a.max(b));
        for group in &mut self.0 {
            if *group == high {
                *group = low;
            }
        }
    }
    /// Those without the reference node, by their smallest node.
    pub fn floating(&self, nodes: usize) -> impl Iterator<Item = usize> {
        (1..nodes).filter(|&node| self.0[node] == node)
    }
}
