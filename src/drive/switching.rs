//! Fixed steps with events at a bounded cost: a switching circuit in real time.

use super::events::{After, Events, Watch};
use super::simulation::Simulation;
use crate::number::{Field, Real};
use crate::step::{Budget, Dense, Error, Report, Restart, Stepper};

/// Events of one step beyond this are an error, so that a step cannot take forever: a chattering switch needs another model.
const MOST_EVENTS: usize = 4;

/// A fixed step with its events.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Switched<R: Real> {
    /// The report of its last part.
    pub report: Report<R>,
    /// How many events happened.
    pub events: usize,
    /// The one that wants the plant to stop, if any does. The step was completed nevertheless: real time does not stop.
    pub stop: Option<usize>,
}

impl<P: Stepper + Dense + Restart + Clone, B: Budget<P::Real>> Simulation<P, B>
where
    P::Model: Clone,
{
    /// One step with events: the step is split at each of them. With e <= 4 events it costs at most `2 e + 1` plain steps, and
    /// `3 e + 1` factorisations of a linear plant; without any a step and as many evaluations of dense output as there are looks.
    /// On error the plant is restored. The `Watch` is not, if an event was already handled.
    ///
    /// ```
    /// use stiffstep::drive::{After, Crossing, Events, Watch};
    /// use stiffstep::prelude::*;
    ///
    /// /// A capacitor that is charged through a resistor until a switch opens.
    /// #[derive(Clone)]
    /// struct Charger { closed: bool }
    /// impl FirstOrder<f32, 1, 0> for Charger {
    ///     type Mass = Unit;
    ///     fn rhs<T: Scalar<f32>>(&self, _t: T, x: &Vector<T, 1>, _u: &Vector<f32, 0>) -> Vector<T, 1> {
    ///         [if self.closed { -x[0] + 1.0 } else { T::constant(0.0) }].into()
    ///     }
    /// }
    ///
    /// /// It opens at half of the voltage.
    /// struct Switch;
    /// impl Events<f32, Charger, Vector<f32, 1>, 1> for Switch {
    ///     const CROSSINGS: [Crossing; 1] = [Crossing::Rising];
    ///     fn values(&self, _t: f32, _model: &Charger, x: &Vector<f32, 1>) -> [f32; 1] {
    ///         [x[0] - 0.5]
    ///     }
    ///     fn happen(&mut self, _i: usize, _t: f32, model: &mut Charger, _x: &mut Vector<f32, 1>) -> After {
    ///         model.closed = false;
    ///         After::GoOn
    ///     }
    /// }
    ///
    /// let mut plant = Simulation::new(Charger { closed: true }, RadauIIA::<3>, 0.1, [0.0].into())?;
    /// let mut switch = Watch::new(Switch);
    /// for _ in 0..20 {
    ///     plant.step_with(&mut switch)?;
    /// }
    /// assert!((plant.state()[0] - 0.5).abs() < 1e-6);
    /// # Ok::<(), stiffstep::Error>(())
    /// ```
    pub fn step_with<V, const E: usize>(
        &mut self,
        watch: &mut Watch<P::Real, V, E>,
    ) -> Result<Switched<P::Real>, Error>
    where
        V: Events<P::Real, P::Model, P::State, E>,
    {
        let before = self.stepper.clone();
        let (t, h) = (self.model_time(), self.stepper.h());
        let stepped = self.split(watch, &before, t, h);
        match stepped {
            Ok(_) => self.tick(),
            Err(_) => self.stepper = before,
        }
        stepped
    }

    fn split<V, const E: usize>(
        &mut self,
        watch: &mut Watch<P::Real, V, E>,
        before: &P,
        t: P::Real,
        h: P::Real,
    ) -> Result<Switched<P::Real>, Error>
    where
        V: Events<P::Real, P::Model, P::State, E>,
    {
        let shortest = h * P::Real::EPSILON * P::Real::from_f64(16.0);
        let (mut done, mut left) = (P::Real::ZERO, h);
        let (mut events, mut stop) = (0, None);
        // Where the last part began, if not where the step did.
        let mut from = None;
        loop {
            let report = self
                .stepper
                .advance(t + done, &self.input, &mut self.budget)?;
            let found = watch.look(&self.stepper, t + done, left);
            let Some(found) = found else {
                if events > 0 {
                    self.stepper.set_h(h)?;
                }
                return Ok(Switched {
                    report,
                    events,
                    stop,
                });
            };
            if events == MOST_EVENTS {
                return Err(Error::Zeno { index: found.index });
            }
            events += 1;
            self.stepper = from.unwrap_or_else(|| before.clone());
            let part = left - found.before_end;
            if part > shortest {
                self.stepper.set_h(part)?;
                self.stepper
                    .advance(t + done, &self.input, &mut self.budget)?;
                done += part;
            }
            watch.note(t + done);
            let after = self
                .stepper
                .restart(t + done, &self.input, |model, state| {
                    watch.events.happen(found.index, t + done, model, state)
                })?;
            if after == After::Stop {
                stop = Some(found.index);
            }
            left = h - done;
            // What is left may be nothing: then a sliver of a step, which changes nothing.
            if left <= shortest {
                left = shortest;
            }
            self.stepper.set_h(left)?;
            from = Some(self.stepper.clone());
        }
    }
}
