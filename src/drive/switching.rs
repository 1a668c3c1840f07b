//! Fixed steps with events at a bounded cost: a switching circuit in real time.

use super::events::{After, Events, Stretch, Watch};
use super::simulation::Simulation;
use crate::number::{Field, Real};
use crate::step::{Budget, Dense, Error, Report, Restart, Stepper};

/// A fixed step with its events.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Switched<R: Real> {
    /// The report of its last part.
    pub report: Report<R>,
    /// How many events happened.
    pub events: usize,
    /// The length of its last part: the whole step, if nothing happened. Dense output reaches back so far.
    pub part: R,
    /// The one that wants the plant to stop, if any does. The step was completed nevertheless: real time does not stop.
    pub stop: Option<usize>,
}

impl<P: Stepper + Dense + Restart + Clone, B: Budget<P::Real>> Simulation<P, B>
where
    P::Model: Clone,
{
    /// One step with events: the step is split at each of them. With e events, of which [`most`](Watch::most) are allowed, it costs
    /// at most `2 e + 1` plain steps, and `3 e + 1` factorisations of a linear plant; without any a step and as many evaluations of
    /// dense output as there are looks. More events are [`Error::Zeno`]: a chattering switch needs another model.
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
    /// impl Events<f32, Charger, Vector<f32, 1>, Vector<f32, 0>, 1> for Switch {
    ///     const CROSSINGS: [Crossing; 1] = [Crossing::Rising];
    ///     fn values(&self, _t: f32, _model: &Charger, x: &Vector<f32, 1>, _u: &Vector<f32, 0>) -> [f32; 1] {
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
        V: Events<P::Real, P::Model, P::State, P::Input, E>,
    {
        let before = self.stepper.clone();
        let place = (self.model_time(), &self.input);
        let stepped = split(&mut self.stepper, place, watch, &mut self.budget, &before);
        self.settle(stepped, before)
    }

    /// The same with another budget, this once.
    pub fn step_with_within<V, C: Budget<P::Real>, const E: usize>(
        &mut self,
        watch: &mut Watch<P::Real, V, E>,
        budget: &mut C,
    ) -> Result<Switched<P::Real>, Error>
    where
        V: Events<P::Real, P::Model, P::State, P::Input, E>,
    {
        let before = self.stepper.clone();
        let place = (self.model_time(), &self.input);
        let stepped = split(&mut self.stepper, place, watch, budget, &before);
        self.settle(stepped, before)
    }

    /// The clock moves by a step, or nothing has happened.
    fn settle(
        &mut self,
        stepped: Result<Switched<P::Real>, Error>,
        before: P,
    ) -> Result<Switched<P::Real>, Error> {
        match stepped {
            Ok(_) => self.tick(),
            Err(_) => self.stepper = before,
        }
        stepped
    }
}

/// The shortest part of a step, and how exactly its clock says when something happens. One without a period that has run for long resolves
/// little; events of the state do not mind.
fn finest<R: Real>(t: R, h: R) -> (R, R) {
    let c = R::from_f64;
    let resolution = (h + t.abs().min(h * c(1000.0))) * R::EPSILON * c(64.0);
    (h * R::EPSILON * c(16.0), resolution)
}

/// Takes a step from `before`, part by part.
fn split<P, V, B, const E: usize>(
    stepper: &mut P,
    (t, input): (P::Real, &P::Input),
    watch: &mut Watch<P::Real, V, E>,
    budget: &mut B,
    before: &P,
) -> Result<Switched<P::Real>, Error>
where
    P: Stepper + Dense + Restart + Clone,
    P::Model: Clone,
    V: Events<P::Real, P::Model, P::State, P::Input, E>,
    B: Budget<P::Real>,
{
    let h = stepper.h();
    let (shortest, resolution) = finest(t, h);
    let (mut done, mut left, mut events, mut stop) = (P::Real::ZERO, h, 0, None);
    // Where the last part began, if not where the step did.
    let mut from = None;
    let (report, part) = loop {
        let mut report = stepper.advance(t + done, input, budget)?;
        let step = Stretch {
            t: t + done,
            h: left,
            resolution,
        };
        let Some(found) = watch.look(stepper, input, step) else {
            break (report, left);
        };
        if events == usize::from(watch.most) {
            return Err(Error::Zeno { index: found.index });
        }
        events += 1;
        *stepper = from.unwrap_or_else(|| before.clone());
        let part = left - found.before_end;
        if part > shortest {
            stepper.set_h(part)?;
            report = stepper.advance(t + done, input, budget)?;
            done += part;
        }
        let after = watch.happen(stepper, input, found.index, t + done)?;
        stop = (after == After::Stop).then_some(found.index).or(stop);
        left = h - done;
        if left <= shortest {
            // The event was at the end: what it makes of the state is where the next step begins.
            break (report, P::Real::ZERO);
        }
        stepper.set_h(left)?;
        from = Some(stepper.clone());
    };
    if events > 0 {
        stepper.set_h(h)?;
    }
    Ok(Switched {
        report,
        events,
        part,
        stop,
    })
}
