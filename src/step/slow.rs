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

use super::{Budget, Error, Method, Outcome, Report, Restart, Stepper, checked_step};
use crate::manifold::{Ipa, Slow};
use crate::method::{Explicit, RungeKutta4Ipa};
use crate::model::{Mechanical, Motion, Springs, Vector};
use crate::number::{Compensated, Real};
use core::marker::PhantomData;

/// The kind of a mechanical model stepped along its slow manifold, for inference.
#[derive(Clone, Copy, Debug)]
pub struct OfSlow<R, const Q: usize, const L: usize, const U: usize>(PhantomData<R>);

impl<R, M, const Q: usize, const L: usize, const U: usize, const N: usize>
    Method<M, OfSlow<R, Q, L, U>> for RungeKutta4Ipa<R, N>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    M::Joints: Springs<R, L>,
{
    type Real = R;
    type Start = (Vector<R, Q>, Vector<R, Q>);
    type Stepper = SlowStepper<R, M, Q, L, U, N>;

    fn stepper(self, model: M, h: R, (q, v): Self::Start) -> Result<Self::Stepper, Error> {
        let h = checked_step(h)?;
        let u = Vector::from([R::ZERO; U]);
        let slow = self.0.project(&model, R::ZERO, &q, &v, &u)?;
        Ok(SlowStepper {
            model,
            ipa: self.0,
            h,
            now: slow.motion,
            low: slow.low.data.0[0],
            slow,
            u,
        })
    }
}

/// A mechanical model with its slow state, stepped by an explicit method. The start is projected, and so is the state that a
/// changed model is left in.
///
/// Budgets count Newton iterations, of which there are none here: how often a stage is projected is up to the [`Ipa`].
pub struct SlowStepper<R, M, const Q: usize, const L: usize, const U: usize, const N: usize> {
    model: M,
    ipa: Ipa<R, N>,
    h: R,
    now: Motion<R, Q, L>,
    /// What rounding left out of its position.
    low: [R; Q],
    /// Its projection, with these inputs.
    slow: Slow<R, Q, L>,
    u: Vector<R, U>,
}

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
                report.increment > worst.increment && report.outcome == worst.outcome
                    || report.outcome == Outcome::Unconverged && worst.outcome == Outcome::Converged
            }
        };
        if worse {
            self.worst = Some(report);
        }
    }
}

impl<R, M, const Q: usize, const L: usize, const U: usize, const N: usize>
    SlowStepper<R, M, Q, L, U, N>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    M::Joints: Springs<R, L>,
{
    /// The slow point near `(q, v) + h (dq, dv)`, and that point itself.
    #[inline(never)]
    #[allow(clippy::type_complexity)]
    fn stage(
        &self,
        t: R,
        u: &Vector<R, U>,
        (from, low): (&Motion<R, Q, L>, &[R; Q]),
        h: R,
        (dq, dv): (&[R; Q], &[R; Q]),
    ) -> Result<(Slow<R, Q, L>, Point<R, Q>), Error> {
        let (mut q, mut low, mut v) = (from.q.data.0[0], *low, from.v.data.0[0]);
        for n in 0..Q {
            let place = Compensated {
                high: q[n],
                low: low[n],
            }
            .plus(h * dq[n]);
            (q[n], low[n]) = (place.high, place.low);
            v[n] += h * dv[n];
        }
        let slow = self.ipa.project_from(&self.model, t, (&q, &low), &v, u)?;
        Ok((slow, (q, low, v)))
    }

    /// The step.
    fn step(&mut self, t: R, u: &Vector<R, U>) -> Result<Report<R>, Error> {
        const RULE: Explicit<4> = Explicit::CLASSICAL;
        let mut tally = Tally {
            iterations: 0,
            worst: None,
        };
        let mut first = self.slow;
        if *u != self.u {
            let still = ([R::ZERO; Q], [R::ZERO; Q]);
            (first, _) = self.stage(t, u, (&self.now, &self.low), R::ZERO, (&still.0, &still.1))?;
            tally.count(&first);
        }
        let (mut v, mut a) = (first.motion.v.data.0[0], first.motion.a.data.0[0]);
        let (mut mean_v, mut mean_a) = ([R::ZERO; Q], [R::ZERO; Q]);
        for i in 0..4 {
            let ahead = self.h * R::from_f64(RULE.c[i]);
            if i > 0 {
                let now = (&self.now, &self.low);
                let (slow, _) = self.stage(t + ahead, u, now, ahead, (&v, &a))?;
                tally.count(&slow);
                (v, a) = (slow.motion.v.data.0[0], slow.motion.a.data.0[0]);
            }
            let weight = R::from_f64(RULE.b[i]);
            for n in 0..Q {
                mean_v[n] += weight * v[n];
                mean_a[n] += weight * a[n];
            }
        }
        let from = (&first.motion, &first.low.data.0[0]);
        let (slow, (q, low, v)) = self.stage(t + self.h, u, from, self.h, (&mean_v, &mean_a))?;
        tally.count(&slow);
        self.now = Motion {
            q: q.into(),
            v: v.into(),
            ..slow.motion
        };
        (self.low, self.slow, self.u) = (low, slow, *u);
        Ok(Report {
            iterations: tally.iterations,
            ..tally.worst.unwrap_or(slow.report)
        })
    }

    /// The slow state near (q, v).
    fn settle(
        &mut self,
        t: R,
        u: &Vector<R, U>,
        q: &Vector<R, Q>,
        v: &Vector<R, Q>,
    ) -> Result<(), Error> {
        let slow = self.ipa.project(&self.model, t, q, v, u)?;
        (self.now, self.low) = (slow.motion, slow.low.data.0[0]);
        (self.slow, self.u) = (slow, *u);
        Ok(())
    }
}

impl<R, M, const Q: usize, const L: usize, const U: usize, const N: usize> Stepper
    for SlowStepper<R, M, Q, L, U, N>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    M::Joints: Springs<R, L>,
{
    type Real = R;
    type Model = M;
    type Input = Vector<R, U>;
    type State = Motion<R, Q, L>;

    #[inline]
    fn take_step<B: Budget<R>>(
        &mut self,
        t: R,
        u: &Self::Input,
        _budget: &mut B,
    ) -> Result<Report<R>, Error> {
        self.step(t, u)
    }

    fn h(&self) -> R {
        self.h
    }

    fn set_h(&mut self, h: R) -> Result<(), Error> {
        self.h = checked_step(h)?;
        Ok(())
    }

    fn state(&self) -> &Self::State {
        &self.now
    }

    fn model(&self) -> &M {
        &self.model
    }

    fn model_mut(&mut self) -> &mut M {
        &mut self.model
    }

    fn refit(&mut self, t: R, u: &Self::Input) -> Result<(), Error> {
        let (q, v) = (self.now.q, self.now.v);
        self.settle(t, u, &q, &v)
    }
}

impl<R, M, const Q: usize, const L: usize, const U: usize, const N: usize> Restart
    for SlowStepper<R, M, Q, L, U, N>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    M::Joints: Springs<R, L>,
{
    fn restart<T>(
        &mut self,
        t: R,
        u: &Self::Input,
        edit: impl FnOnce(&mut M, &mut Self::State) -> T,
    ) -> Result<T, Error>
    where
        M: Clone,
    {
        let before = self.model.clone();
        let mut now = self.now;
        let answer = edit(&mut self.model, &mut now);
        match self.settle(t, u, &now.q, &now.v) {
            Ok(()) => Ok(answer),
            Err(error) => {
                self.model = before;
                Err(error)
            }
        }
    }
}
