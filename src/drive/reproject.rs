//! A running simulation, put back onto its slow manifold.

use super::Simulation;
use crate::model::{Mechanical, Motion, Springs, Vector};
use crate::number::Real;
use crate::slow::{Ipa, Slow};
use crate::step::{Budget, Error, Restart};

impl<R: Real, const N: usize> Ipa<R, N> {
    /// Puts a running simulation back onto its slow manifold: to be called now and then, where a method lets oscillations live that
    /// its own errors excite.
    pub fn reproject<M, P, B, const Q: usize, const L: usize, const U: usize>(
        &self,
        plant: &mut Simulation<P, B>,
    ) -> Result<Slow<R, Q, L>, Error>
    where
        M: Mechanical<R, Q, L, U> + Clone,
        M::Joints: Springs<R, L>,
        B: Budget<R>,
        P: Restart<Real = R, Model = M, Input = Vector<R, U>, State = Motion<R, Q, L>>,
    {
        let (at, u) = (plant.state(), &plant.input);
        let slow = self.project(plant.model(), plant.model_time(), &at.q, &at.v, u)?;
        plant.restart(|_, state| (state.q, state.v) = (slow.motion.q, slow.motion.v))?;
        Ok(slow)
    }
}
