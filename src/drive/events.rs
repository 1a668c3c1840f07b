//! Events: a function of the state passes through zero, and something happens to the plant: a contact bounces, a diode
//! switches, a stop is hit. They are looked for on the dense output of every step; the step is then taken again, up to the
//! event, so that the state there has the full order of the method.

use super::clock::Clock;
use crate::memory::{Memory, Words};
use crate::number::{Compensated, Real};
use crate::step::{Dense, Error, Restart, Stepper};

/// Which way a function passes through zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Crossing {
    /// From below.
    Rising,
    /// From above.
    Falling,
    /// Either way.
    Either,
}

/// What a plant does after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum After {
    /// It goes on.
    GoOn,
    /// It stops.
    Stop,
}

/// `E` functions of a model `M`, its state `X` and its inputs `U`, and what happens when they pass through zero.
///
/// ```
/// use stiffstep::drive::{After, Crossing, Events, Watch};
/// use stiffstep::prelude::*;
///
/// /// A ball, whose height and speed are its state.
/// #[derive(Clone)]
/// struct Ball;
/// impl FirstOrder<f64, 2, 0> for Ball {
///     type Mass = Unit;
///     fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 2>, _u: &Vector<f64, 0>) -> Vector<T, 2> {
///         [x[1], T::constant(-9.81)].into()
///     }
/// }
///
/// /// The floor, which takes a fifth of its speed.
/// struct Floor { bounces: u32 }
/// impl Events<f64, Ball, Vector<f64, 2>, Vector<f64, 0>, 1> for Floor {
///     const CROSSINGS: [Crossing; 1] = [Crossing::Falling];
///     fn values(&self, _t: f64, _ball: &Ball, x: &Vector<f64, 2>, _u: &Vector<f64, 0>) -> [f64; 1] {
///         [x[0]]
///     }
///     fn happen(&mut self, _index: usize, _t: f64, _ball: &mut Ball, x: &mut Vector<f64, 2>) -> After {
///         x[0] = 0.0;
///         x[1] *= -0.8;
///         self.bounces += 1;
///         if self.bounces == 3 { After::Stop } else { After::GoOn }
///     }
/// }
///
/// let mut ball = Adaptive::new(Ball, RadauIIA::<3>, 1e-9, 1e-3, [1.0, 0.0].into())?;
/// let mut floor = Watch::new(Floor { bounces: 0 });
/// assert_eq!(ball.run_with(&mut floor, 10.0)?, Some(0));
/// let fall = (2.0_f64 / 9.81).sqrt();
/// assert!((ball.time() - fall * (1.0 + 2.0 * 0.8 + 2.0 * 0.64)).abs() < 1e-9);
/// # Ok::<(), stiffstep::Error>(())
/// ```
pub trait Events<R: Real, M, X, U, const E: usize> {
    /// Which way each function has to pass.
    const CROSSINGS: [Crossing; E];

    /// The functions, of the time that the model sees: of a model with a period, that within it. What happens at an event may change
    /// their sign, or the model by which they are computed. Inputs are those of the step.
    fn values(&self, t: R, model: &M, state: &X, input: &U) -> [R; E];

    /// Event `index` happens at time `t`: model and state become what they are after it. Multipliers and accelerations follow
    /// by themselves.
    fn happen(&mut self, index: usize, t: R, model: &mut M, state: &mut X) -> After;
}

/// On which side of zero a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// To be seen a moment later: it is zero, or something has just happened.
    Unknown,
    Below,
    Above,
}

impl Side {
    fn of<R: Real>(value: R) -> Self {
        if value > R::ZERO {
            Side::Above
        } else {
            Side::Below
        }
    }
}

/// The sides of all functions.
pub(super) type Sides<const E: usize> = [Side; E];

impl Crossing {
    /// Whether this is the side that it leads to.
    fn wants(self, side: Side) -> bool {
        match self {
            Crossing::Rising => side == Side::Above,
            Crossing::Falling => side == Side::Below,
            Crossing::Either => true,
        }
    }
}

/// Events that are being watched for.
#[derive(Clone, Copy, Debug)]
pub struct Watch<R, V, const E: usize> {
    /// What is watched for.
    pub events: V,
    /// How often each step is looked at: an event that comes and goes between two looks is missed. Four, unless told otherwise;
    /// at small fixed steps one is enough, at the end of the step.
    pub looks: u8,
    /// How many events a fixed step may have: as many as there is time for. Sixteen, unless told otherwise.
    pub most: u16,
    /// What is known when a step was taken, or something happened: a step that fails teaches nothing.
    pub(super) sides: Sides<E>,
    /// Whether anything has happened yet.
    happened: bool,
    /// When each event of adaptive steps last happened.
    last: [Option<Compensated<R>>; E],
}

/// An event within the last step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<R> {
    pub index: usize,
    /// How long before the end of the step.
    pub before_end: R,
}

/// What the functions do within the last step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<R, const E: usize> {
    /// On which sides they are: at its end, or, if there is an event, at its beginning.
    pub sides: Sides<E>,
    /// The first event.
    pub first: Option<Found<R>>,
}

/// A step that is looked at: when it began, how long it is, and the shortest time that counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<R> {
    pub t: R,
    pub h: R,
    pub resolution: R,
}

impl<R: Real, V, const E: usize> Watch<R, V, E> {
    /// Watches for events from now on.
    pub fn new(events: V) -> Self {
        Watch {
            events,
            looks: 4,
            most: 16,
            sides: [Side::Unknown; E],
            happened: false,
            last: [None; E],
        }
    }

    /// Finds the sides that are not known, a moment after the start: after a thousandth of the step, but not before time can be
    /// told apart. Answers all sides, and from where on each function is looked at, in time left; zero where there is no such moment.
    fn take_sides(
        &self,
        step: &Stretch<R>,
        crossings: &[Crossing; E],
        at: impl Fn(&V, R) -> [R; E],
    ) -> (Sides<E>, [R; E]) {
        let h = step.h;
        let (mut sides, mut from) = (self.sides, [h; E]);
        if !sides.contains(&Side::Unknown) {
            return (sides, from);
        }
        let moment = (h * R::from_f64(1.0 / 1024.0)).max(step.resolution);
        let soon = moment * R::from_f64(0.25);
        let values = (h > moment).then(|| at(&self.events, h - moment));
        for i in 0..E {
            if sides[i] != Side::Unknown {
                continue;
            }
            let Some(values) = values else {
                from[i] = R::ZERO;
                continue;
            };
            (sides[i], from[i]) = (Side::of(values[i]), h - moment);
            if self.happened && crossings[i].wants(sides[i]) {
                // A bounce that was over within the moment, and is not what rounding left of zero.
                let before = at(&self.events, h - soon)[i];
                let counts = before.abs() > values[i].abs() * R::from_f64(0.125);
                if counts && Side::of(before) != sides[i] {
                    (sides[i], from[i]) = (Side::of(before), h - soon);
                }
            }
        }
        (sides, from)
    }

    /// The first event within the last step of a stepper, and the sides of the functions.
    pub(super) fn look<P>(&self, stepper: &P, input: &P::Input, step: Stretch<R>) -> Seen<R, E>
    where
        P: Dense + Stepper<Real = R>,
        V: Events<R, P::Model, P::State, P::Input, E>,
    {
        let at = |events: &V, before_end: R| {
            let state = stepper.before(before_end);
            let t = step.t + (step.h - before_end);
            events.values(t, stepper.model(), &state, input)
        };
        let (began, mut from) = self.take_sides(&step, &V::CROSSINGS, at);
        let mut sides = began;
        let mut first: Option<Found<R>> = None;
        let looks = self.looks.max(1);
        let between = step.h / R::from_count(u64::from(looks));
        for look in 1..=looks {
            let right = R::from_count(u64::from(looks - look)) * between;
            let values = at(&self.events, right);
            for i in 0..E {
                let side = Side::of(values[i]);
                if side == sides[i] || sides[i] == Side::Unknown || from[i] < right {
                    continue;
                }
                let rises = side == Side::Above;
                if V::CROSSINGS[i].wants(side) {
                    let before_end = root(|x| at(&self.events, x)[i], from[i], right, rises);
                    if first.is_none_or(|first| before_end > first.before_end) {
                        first = Some(Found {
                            index: i,
                            before_end,
                        });
                    }
                } else {
                    sides[i] = side;
                }
            }
            if first.is_some() {
                let sides = began;
                return Seen { sides, first };
            }
            for from in &mut from {
                *from = from.min(right);
            }
        }
        Seen { sides, first }
    }

    /// The function of an event at the end of a step, and its rate there.
    pub(super) fn at_end<P>(&self, stepper: &P, input: &P::Input, index: usize, t: R) -> (R, R)
    where
        P: Dense + Stepper<Real = R>,
        V: Events<R, P::Model, P::State, P::Input, E>,
    {
        let back = stepper.h() * R::from_f64(1.0 / 256.0);
        let value = |before_end: R| {
            let (state, t) = (stepper.before(before_end), t - before_end);
            let values = self.events.values(t, stepper.model(), &state, input);
            // The index is one of ours.
            values.get(index).copied().unwrap_or(R::ZERO)
        };
        let now = value(R::ZERO);
        (now, (now - value(back)) / back)
    }

    /// Lets event `index` happen at time `t`, where the functions are on these sides. Its own side is unknown then, as are those of
    /// functions that it makes jump; others that pass through zero at the same time still have to.
    pub(super) fn happen<P>(
        &mut self,
        stepper: &mut P,
        input: &P::Input,
        (index, t): (usize, R),
        sides: Sides<E>,
    ) -> Result<After, Error>
    where
        P: Restart + Stepper<Real = R>,
        P::Model: Clone,
        V: Events<R, P::Model, P::State, P::Input, E>,
    {
        let values = |events: &V, stepper: &P| {
            // One function alone has no others.
            (E > 1).then(|| events.values(t, stepper.model(), stepper.state(), input))
        };
        let before = values(&self.events, stepper);
        let events = &mut self.events;
        let after = stepper.restart(t, input, |model, state| {
            events.happen(index, t, model, state)
        })?;
        let now = values(&self.events, stepper);
        self.sides = sides;
        for i in 0..E {
            let jumps = before
                .zip(now)
                .is_none_or(|(before, now)| Side::of(before[i]) != Side::of(now[i]));
            if i == index || jumps {
                self.sides[i] = Side::Unknown;
            }
        }
        self.happened = true;
        Ok(after)
    }

    /// A run goes on. If something has happened later, that was in another run, and says nothing of this one.
    pub(super) fn go_on(&mut self, now: Clock<R>, resolution: R) {
        let later = |last| now.since(last) < -resolution;
        if self.last.iter().any(|last| last.is_some_and(later)) {
            self.sides = [Side::Unknown; E];
            self.last = [None; E];
            self.happened = false;
        }
    }

    /// Notes when event `index` happens, and answers how long ago any last did, but for those at the same time. That it has just
    /// happened itself is an error.
    pub(super) fn note(
        &mut self,
        index: usize,
        now: Clock<R>,
        resolution: R,
    ) -> Result<Option<R>, Error> {
        let mut latest: Option<R> = None;
        for i in 0..E {
            if let Some(since) = self.last[i].map(|last| now.since(last)) {
                if since > resolution {
                    latest = Some(latest.map_or(since, |latest| latest.min(since)));
                } else if i == index {
                    return Err(Error::Zeno { index });
                }
            }
            if i == index {
                self.last[i] = Some(now.total());
            }
        }
        Ok(latest)
    }
}

impl<R: Memory, V: Memory, const E: usize> Memory for Watch<R, V, E> {
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.events.visit(words);
        self.happened.visit(words);
        for side in &mut self.sides {
            let mut code = *side as u8;
            code.visit(words);
            *side = match code {
                1 => Side::Below,
                2 => Side::Above,
                _ => Side::Unknown,
            };
        }
    }
}

/// Where `f` changes its sign between `left` and `right`, by the Illinois method, which halves the weight of an end that stays;
/// where one stays for longer, as between flat and steep, the middle is next. Answers the point next to the root where the sign
/// is the new one.
fn root<R: Real>(f: impl Fn(R) -> R, left: R, right: R, rises: bool) -> R {
    let passed = |value: R| (value > R::ZERO) == rises;
    let (mut a, mut b) = (left, right);
    let (mut fa, mut fb) = (f(a), f(b));
    if passed(fa) {
        return a;
    }
    let half = R::from_f64(0.5);
    // Which end moved last, and how often in a row since the middle was taken.
    let (mut moved, mut row) = (None, 0);
    // Four for each of the digits of a double, at worst.
    for _ in 0..200 {
        let resolved = (a - b).abs() <= R::EPSILON * (a.abs() + b.abs());
        if resolved || fb == R::ZERO {
            break;
        }
        let mut x = b - fb * (b - a) / (fb - fa);
        // Between the two; in the middle if rounding put it elsewhere. (Times are counted back from the step's end.)
        if !(x < a && x > b) || row >= 3 {
            (x, row) = ((a + b) * half, 0);
        }
        let fx = f(x);
        let new = passed(fx);
        let again = moved == Some(new);
        if new {
            (b, fb) = (x, fx);
            if again {
                fa *= half;
            }
        } else {
            (a, fa) = (x, fx);
            if again {
                fb *= half;
            }
        }
        row = if again { row + 1 } else { 0 };
        moved = Some(new);
    }
    b
}

#[cfg(test)]
mod tests {
    use super::{Crossing, Side, Stretch, Watch, root};
    use core::cell::Cell;

    /// A function of time before the end, its root, and whether it rises there.
    type Case = (fn(f64) -> f64, f64, bool);

    /// Times are counted back from the end: a root that rises or falls on the way from `left` to `right`.
    #[test]
    fn roots_are_found_to_rounding() {
        let cases: [Case; 4] = [
            (|x| 0.3 - x, 0.3, true),
            (|x| x - 0.3, 0.3, false),
            (|x| 0.125 - x * x * x, 0.5, true),
            (|x| libm::exp(20.0 * (x - 0.9)) - 1.0, 0.9, false),
        ];
        for (f, expected, rises) in cases {
            let count = Cell::new(0);
            let counted = |x: f64| {
                count.set(count.get() + 1);
                f(x)
            };
            let found = root(counted, 1.0, 0.0, rises);
            assert!(
                (found - expected).abs() < 1e-15,
                "{found} is not {expected}"
            );
            assert!(count.get() < 60, "{}", count.get());
            // On the side that has passed.
            assert_eq!(f(found) > 0.0, rises);
        }
    }

    /// What has passed at the left already is there.
    #[test]
    fn a_root_before_the_beginning_is_the_beginning() {
        assert_eq!(root(|x: f64| 2.0 - x, 1.0, 0.0, true), 1.0);
        assert_eq!(root(|x: f64| x - 2.0, 1.0, 0.0, false), 1.0);
    }

    /// After an event, a function that has changed its sign within a moment counts unless it was next to zero before.
    #[test]
    fn a_bounce_within_a_moment_is_seen() {
        let moment = 1.0 / 1024.0;
        let step = Stretch {
            t: 0.0,
            h: 1.0,
            resolution: 0.0,
        };
        let taken = |before: f64| {
            let mut watch = Watch::<f64, (), 1>::new(());
            watch.happened = true;
            let at = |_: &(), left: f64| {
                [if left > 1.0 - 0.5 * moment {
                    before
                } else {
                    1.0
                }]
            };
            let (sides, from) = watch.take_sides(&step, &[Crossing::Either], at);
            (sides[0], 1.0 - from[0])
        };
        assert_eq!(taken(-0.2), (Side::Below, 0.25 * moment));
        assert_eq!(taken(-0.1), (Side::Above, moment));
        assert_eq!(taken(0.2), (Side::Above, moment));
    }

    /// Zero counts as below.
    #[test]
    fn zero_is_below() {
        let sides = [-1.0, 0.0, 1.0].map(Side::of);
        assert_eq!(sides, [Side::Below, Side::Below, Side::Above]);
    }
}
