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
    /// On error the plant is restored, and the `Watch`, too, unless an event was already handled.
    /// The [guide](crate::guide::events) has an example.
    pub fn step_with<V: Events<P::Real, P::Model, P::State, P::Input, E>, const E: usize>(
        &mut self,
        watch: &mut Watch<P::Real, V, E>,
    ) -> Result<Switched<P::Real>, Error> {
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
    let stretch = |t, h| Stretch { t, h, resolution };
    // Where the last part began, if not where the step did.
    let mut from = None;
    let (report, part) = loop {
        let mut report = stepper.advance(t + done, input, budget)?;
        let seen = watch.look(stepper, input, stretch(t + done, left));
        let Some(found) = seen.first else {
            watch.sides = seen.sides;
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
        let after = watch.happen(stepper, input, (found.index, t + done), seen.sides)?;
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

#[cfg(test)]
mod tests {
    use super::finest;
    use crate::drive::{After, Crossing, Events, Simulation, Watch};
    use crate::method::RadauIIA;
    use crate::model::Vector;
    use crate::model::clockwork::{Clockwork, Count};
    use crate::step::{Error, FirstOrderStepper};

    /// A function of the number that rises through zero, one that falls, one that does both; and what happened.
    struct Three {
        functions: [fn(f64) -> f64; 3],
        seen: [Option<(usize, f64)>; 4],
        count: usize,
        shift: f64,
        after: After,
    }
    impl<U> Events<f64, Clockwork, Count, U, 3> for Three {
        const CROSSINGS: [Crossing; 3] = [Crossing::Rising, Crossing::Falling, Crossing::Either];
        fn values(&self, _t: f64, _m: &Clockwork, x: &Count, _u: &U) -> [f64; 3] {
            self.functions.map(|f| f(x[0]))
        }
        fn happen(&mut self, i: usize, t: f64, _m: &mut Clockwork, x: &mut Count) -> After {
            if let Some(slot) = self.seen.get_mut(self.count) {
                *slot = Some((i, t));
            }
            self.count += 1;
            x[0] += self.shift;
            self.after
        }
    }

    const NEVER: fn(f64) -> f64 = |_| 1.0;

    fn watch(functions: [fn(f64) -> f64; 3]) -> Watch<f64, Three, 3> {
        Watch::new(Three {
            functions,
            seen: [None; 4],
            count: 0,
            shift: 0.0,
            after: After::GoOn,
        })
    }

    /// Steps of a second.
    fn clockwork() -> Result<Simulation<Plant>, Error> {
        Simulation::new(Clockwork, RadauIIA::<2>, 1.0, Vector::from([0.0]))
    }
    type Plant = FirstOrderStepper<f64, Clockwork, RadauIIA<2>, 1, 1, 2>;

    /// The events of one step: which, and when.
    fn assert_seen(watch: &Watch<f64, Three, 3>, expected: &[(usize, f64)]) {
        assert_eq!(
            watch.events.count,
            expected.len(),
            "{:?}",
            watch.events.seen
        );
        for (seen, (index, t)) in watch.events.seen.iter().zip(expected) {
            let near = seen.is_some_and(|(i, at)| i == *index && (at - t).abs() < 1e-12);
            assert!(near, "{seen:?} is not {index} at {t}");
        }
    }

    /// Each in its own direction, in the order of time whatever the order of the functions.
    #[test]
    fn events_happen_in_the_order_of_time() -> Result<(), Error> {
        let mut plant = clockwork()?;
        let mut events = watch([|x| x - 0.7, |x| 0.3 - x, |x| (x - 0.2) * (x - 0.6)]);
        let step = plant.step_with(&mut events)?;
        assert_seen(&events, &[(2, 0.2), (1, 0.3), (2, 0.6), (0, 0.7)]);
        assert_eq!((step.events, step.stop), (4, None));
        assert!((step.part - 0.3).abs() < 1e-12);
        assert!((plant.state()[0] - 1.0).abs() < 1e-12 && plant.time() == 1.0);
        // Nothing is left of them in the next step.
        let step = plant.step_with(&mut events)?;
        assert_eq!((step.events, step.part), (0, 1.0));
        Ok(())
    }

    /// What passes zero the other way first counts when it comes back.
    #[test]
    fn the_wrong_direction_is_no_event() -> Result<(), Error> {
        let mut plant = clockwork()?;
        let mut events = watch([|x| (0.2 - x) * (0.6 - x), |x| (x - 0.1) * (0.8 - x), NEVER]);
        plant.step_with(&mut events)?;
        assert_seen(&events, &[(0, 0.6), (1, 0.8)]);
        Ok(())
    }

    /// Two crossings between two looks are seen only by those who look more often.
    #[test]
    fn short_visits_need_more_looks() -> Result<(), Error> {
        for (looks, expected) in [(4, &[][..]), (8, &[(2, 0.55), (2, 0.7)][..])] {
            let mut plant = clockwork()?;
            let mut events = watch([NEVER, NEVER, |x| (x - 0.55) * (x - 0.7)]);
            events.looks = looks;
            plant.step_with(&mut events)?;
            assert_seen(&events, expected);
        }
        Ok(())
    }

    /// Whatever an event makes of the state is where the rest of the step begins.
    #[test]
    fn what_happens_stays() -> Result<(), Error> {
        let mut plant = clockwork()?;
        let mut events = watch([|x| x - 0.25, NEVER, NEVER]);
        (events.events.shift, events.events.after) = (5.0, After::Stop);
        let step = plant.step_with(&mut events)?;
        assert_eq!((step.events, step.stop), (1, Some(0)));
        assert!((plant.state()[0] - 6.0).abs() < 1e-12);
        Ok(())
    }

    /// More events than a step may have are an error that leaves the plant where it was.
    #[test]
    fn too_many_events_are_an_error() -> Result<(), Error> {
        let mut plant = clockwork()?;
        let mut events = watch([NEVER, NEVER, |x| x - 0.25]);
        // Thrown back by a sixteenth each time.
        events.events.shift = -0.0625;
        events.most = 3;
        assert_eq!(
            plant.step_with(&mut events).err(),
            Some(Error::Zeno { index: 2 })
        );
        assert_eq!((plant.state()[0], plant.time()), (0.0, 0.0));
        let mut events = watch([NEVER, NEVER, |x| x - 0.25]);
        events.events.shift = -0.0625;
        let step = plant.step_with(&mut events)?;
        // At 1/4, and then every sixteenth of a second.
        assert_eq!(step.events, 12);
        Ok(())
    }

    /// Rounding of the step, and of a time that is up to a thousand steps long.
    #[test]
    fn the_finest_part_is_rounding() {
        let e = f64::EPSILON;
        assert_eq!(finest(0.0, 2.0), (32.0 * e, 128.0 * e));
        assert_eq!(finest(-3.0, 2.0), (32.0 * e, 320.0 * e));
        assert_eq!(finest(1e9, 2.0), (32.0 * e, 2002.0 * 64.0 * e));
    }
}
