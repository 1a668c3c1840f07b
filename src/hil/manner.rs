//! How a rig takes its steps: plainly, or with events.

use crate::drive::{Events, Simulation, Watch};
use crate::memory::{Memory, Words, visits};
use crate::step::{Budget, Dense, Error, Report, Restart, Stepper};

/// How steps are taken. After an error everything is as it was.
pub trait Manner<P: Stepper<Real = f32>>: Memory {
    /// One step.
    fn step<B: Budget<f32>>(
        &mut self,
        plant: &mut Simulation<P>,
        budget: &mut B,
    ) -> Result<Report<f32>, Error>;
    /// How far dense output of the last step reaches back, if not over all of it.
    fn reach(&self) -> f32;
}

/// Steps without events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Memory for Plain {
    fn visit<W: Words>(&mut self, _words: &mut W) {}
}

impl<P: Stepper<Real = f32>> Manner<P> for Plain {
    #[inline(always)]
    fn step<B: Budget<f32>>(
        &mut self,
        plant: &mut Simulation<P>,
        budget: &mut B,
    ) -> Result<Report<f32>, Error> {
        plant.step_within(budget)
    }

    #[inline(always)]
    fn reach(&self) -> f32 {
        f32::INFINITY
    }
}

/// Steps with events, which a snapshot keeps, too.
#[derive(Clone, Copy, Debug)]
pub struct Eventful<V, const E: usize> {
    watch: Watch<f32, V, E>,
    part: f32,
}

impl<V, const E: usize> Eventful<V, E> {
    /// With events that are watched for.
    pub fn new(watch: Watch<f32, V, E>) -> Self {
        Eventful {
            watch,
            part: f32::INFINITY,
        }
    }
}

visits!([V: Memory, const E: usize] Eventful<V, E>: watch, part);

impl<P, V, const E: usize> Manner<P> for Eventful<V, E>
where
    P: Stepper<Real = f32> + Dense + Restart + Clone,
    P::Model: Clone,
    V: Events<f32, P::Model, P::State, P::Input, E> + Memory + Clone,
{
    fn step<B: Budget<f32>>(
        &mut self,
        plant: &mut Simulation<P>,
        budget: &mut B,
    ) -> Result<Report<f32>, Error> {
        let before = self.watch.clone();
        match plant.step_with_within(&mut self.watch, budget) {
            Ok(step) => {
                self.part = step.part;
                Ok(step.report)
            }
            Err(error) => {
                self.watch = before;
                Err(error)
            }
        }
    }

    fn reach(&self) -> f32 {
        self.part
    }
}
