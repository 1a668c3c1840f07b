//! A step of the classical Runge-Kutta method with every stage projected onto the slow manifold (Ariel, Sanz-Serna & Tsai,
//! section 6.5).
//!
//! With P for the projection and `phi = (v, M^-1 (f - G^T K g))` for the stiff equations,
//!
//! ```text
//! Z_1 = P z,  Z_i = P (z + c_i h phi(Z_(i-1))),  z' = P z + h sum b_i phi(Z_i)
//! ```
//!
//! The state that is shown is z, with the accelerations of P z and the forces in its joints: those of z itself, which is
//! off the slow manifold by the method's error, would be that error times the stiffness. P z is computed when z is, and again
//! when the inputs change, because they move the slow manifold.

use super::{Ipa, RungeKutta4Ipa, Slow};
use crate::geometry::{checked_pattern, plus};
use crate::memory::visits;
use crate::method::Explicit;
use crate::model::{Mechanical, Motion, Springs, Vector};
use crate::number::{Real, add_compensated};
use crate::step::machine::Machine;
use crate::step::methods::{Stepped, Way};
use crate::step::motion::{between, coasting};
use crate::step::scheme::{Attempt, Fitted, Now, Old, Place, Scheme};
use crate::step::turn::{checked_turn, take_turn, turn_along};
use crate::step::{Budget, Error, Method, OfMechanical, Outcome, Report, velocity_weights};
use core::marker::PhantomData;

/// The kind of a mechanical model stepped along its slow manifold, for inference.
#[derive(Clone, Copy, Debug)]
pub struct OfSlow<R, const Q: usize, const L: usize, const U: usize>(PhantomData<R>);

impl<R, M, const Q: usize, const L: usize, const U: usize, const N: usize>
    Method<M, OfSlow<R, Q, L, U>> for RungeKutta4Ipa<R, N>
where
    M: Mechanical<R, Q, L, U>,
    M::Joints: Springs<R, L>,
{
    type Real = R;
    type Start = (Vector<R, Q>, Vector<R, Q>);
    type Stepper = SlowStepper<R, M, Q, L, U, N>;

    fn stepper(self, model: M, h: R, start: Self::Start) -> Result<Self::Stepper, Error> {
        Machine::with(self.0, model, h, start)
    }
}

impl<R, const N: usize> Way for RungeKutta4Ipa<R, N> {
    type Way = Along;
}

impl<R, const Q: usize, const L: usize, const U: usize> Stepped<Along>
    for OfMechanical<R, Q, L, U>
{
    type Kind = OfSlow<R, Q, L, U>;
}

/// The way of steps along a slow manifold.
#[doc(hidden)]
pub struct Along;

/// A mechanical model with its slow state, stepped by an explicit method. The start is projected, and so is the state that a
/// changed model is left in.
///
/// Budgets count Newton iterations, of which there are none here: how often a stage is projected is up to the [`Ipa`].
pub type SlowStepper<R, M, const Q: usize, const L: usize, const U: usize, const N: usize> =
    Machine<OnSlow<R, M, Q, L, U, N>>;

/// The classical Runge-Kutta method on a mechanism's slow manifold.
pub struct OnSlow<R, M, const Q: usize, const L: usize, const U: usize, const N: usize>(
    PhantomData<(R, M)>,
);

/// What rounding left out of the position, its projection with the inputs that it was made with, and where the last step began.
#[derive(Clone, Copy)]
pub struct Carry<R, const Q: usize, const L: usize, const U: usize> {
    low: [R; Q],
    slow: Motion<R, Q, L>,
    slow_low: [R; Q],
    u: Vector<R, U>,
    last: Motion<R, Q, L>,
}

visits!(
    [R: Real, const Q: usize, const L: usize, const U: usize] Carry<R, Q, L, U>:
    low, slow, slow_low, u, last
);

/// Position, what rounding left out of it, and velocity.
type Point<R, const Q: usize> = ([R; Q], [R; Q], [R; Q]);

/// What the projections of a step amount to.
struct Tally<R> {
    iterations: u8,
    worst: Option<Report<R>>,
}

impl<R: Real> Tally<R> {
    fn count<const Q: usize, const L: usize>(&mut self, slow: &Slow<R, Q, L>) {
        let report = slow.report;
        self.iterations = self.iterations.saturating_add(report.iterations);
        let worse = match &self.worst {
            None => true,
            Some(worst) => {
                report.increment() > worst.increment() && report.outcome == worst.outcome
                    || report.outcome == Outcome::Unconverged && worst.outcome == Outcome::Converged
            }
        };
        if worse {
            self.worst = Some(report);
        }
    }
}

impl<R, M, const Q: usize, const L: usize, const U: usize, const N: usize> Scheme
    for OnSlow<R, M, Q, L, U, N>
where
    M: Mechanical<R, Q, L, U>,
    M::Joints: Springs<R, L>,
{
    type Real = R;
    type Method = Ipa<R, N>;
    type Model = M;
    type Input = Vector<R, U>;
    type State = Motion<R, Q, L>;
    type Carry = Carry<R, Q, L, U>;
    type Scales = ();
    type Kept = ();
    type Trial = Now<Self>;
    type Met = ();
    const PERIOD: fn(&M) -> Option<R> = M::period;

    fn start(at: &Place<'_, Self>, start: &Self::State) -> Result<Now<Self>, Error> {
        velocity_weights(&at.model.nominal())?;
        checked_pattern(at.model, at.t, &start.q)?;
        let found = at
            .method
            .project(at.model, at.t, &start.q, &start.v, at.u)?;
        let mut state = found.motion;
        checked_turn(at.model, &state)?;
        state.turns = start.turns;
        let low = found.low.data.0[0];
        let carry = Carry {
            low,
            slow: state,
            slow_low: low,
            u: *at.u,
            last: coasting(&state, at.h),
        };
        Ok(Now { state, carry })
    }

    fn scales(_at: &Place<'_, Self>, _state: &Self::State) -> Result<(), Error> {
        Ok(())
    }

    fn fit(old: &Old<'_, Self>, _before: &M) -> Fitted<Self> {
        Ok((Self::start(&old.at, old.state)?, ()))
    }

    fn rescale(_now: &mut Now<Self>, _scales: &mut (), _h: R, _ratio: R) -> bool {
        false
    }

    fn keep(_old: &Old<'_, Self>) -> Result<(), Error> {
        Ok(())
    }

    fn attempt<B: Budget<R>>(
        old: &Old<'_, Self>,
        _kept: &mut (),
        _budget: &mut B,
    ) -> Attempt<Self> {
        old.step()
    }

    fn before(now: &Now<Self>, h: R, by: R) -> Self::State {
        between((&now.carry.last, &now.state), (h, by))
    }
}

impl<R, M, const Q: usize, const L: usize, const U: usize, const N: usize>
    Old<'_, OnSlow<R, M, Q, L, U, N>>
where
    M: Mechanical<R, Q, L, U>,
    M::Joints: Springs<R, L>,
{
    /// The slow point near `(q, v) + h (dq, dv)`, and that point itself.
    #[inline(never)]
    #[allow(clippy::type_complexity)]
    fn stage(
        &self,
        t: R,
        (from, low): (&Motion<R, Q, L>, &[R; Q]),
        h: R,
        (dq, dv): (&[R; Q], &[R; Q]),
    ) -> Result<(Slow<R, Q, L>, Point<R, Q>), Error> {
        let (mut q, mut low, mut v) = (from.q.data.0[0], *low, from.v.data.0[0]);
        add_compensated(&mut q, &mut low, h, dq);
        plus(&mut v, h, dv);
        let slow = self
            .method
            .project_from(self.model, t, (&q, &low), &v, self.u)?;
        Ok((slow, (q, low, v)))
    }

    /// The step.
    fn step(&self) -> Attempt<OnSlow<R, M, Q, L, U, N>> {
        const RULE: Explicit<4> = Explicit::CLASSICAL;
        let (h, here) = (self.h, (self.state, &self.carry.low));
        let mut tally = Tally {
            iterations: 0,
            worst: None,
        };
        let (mut first, mut first_low) = (self.carry.slow, self.carry.slow_low);
        if *self.u != self.carry.u {
            let still = ([R::ZERO; Q], [R::ZERO; Q]);
            let (slow, _) = self.stage(self.t, here, R::ZERO, (&still.0, &still.1))?;
            tally.count(&slow);
            (first, first_low) = (slow.motion, slow.low.data.0[0]);
        }
        let (mut v, mut a) = (first.v.data.0[0], first.a.data.0[0]);
        let (mut mean_v, mut mean_a) = ([R::ZERO; Q], [R::ZERO; Q]);
        for i in 0..4 {
            let ahead = h * R::from_f64(RULE.c[i]);
            if i > 0 {
                let (slow, _) = self.stage(self.t + ahead, here, ahead, (&v, &a))?;
                tally.count(&slow);
                (v, a) = (slow.motion.v.data.0[0], slow.motion.a.data.0[0]);
            }
            let weight = R::from_f64(RULE.b[i]);
            plus(&mut mean_v, weight, &v);
            plus(&mut mean_a, weight, &a);
        }
        let from = (&first, &first_low);
        let (slow, end) = self.stage(self.t + h, from, h, (&mean_v, &mean_a))?;
        tally.count(&slow);
        let report = Report {
            iterations: tally.iterations,
            ..tally.worst.unwrap_or(slow.report)
        };
        Ok((self.ended(&slow, end), report))
    }

    /// The end of a step, with completed turns taken off, at z and at its projection alike.
    fn ended(
        &self,
        found: &Slow<R, Q, L>,
        (q, low, v): Point<R, Q>,
    ) -> Now<OnSlow<R, M, Q, L, U, N>> {
        let (turn, turns) = (self.model.turn(), self.state.turns);
        let mut slow = found.motion;
        slow.turns = turns;
        let mut state = Motion {
            q: q.into(),
            v: v.into(),
            ..slow
        };
        let mut last = *self.state;
        take_turn(&mut state, &turn);
        turn_along(&mut slow, &state, &turn);
        turn_along(&mut last, &state, &turn);
        let carry = Carry {
            low,
            slow,
            slow_low: found.low.data.0[0],
            u: *self.u,
            last,
        };
        Now { state, carry }
    }
}
