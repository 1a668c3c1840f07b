//! A collocation step for mechanisms, `M v' = f - G^T lambda`, `q' = v`, `g + tau (g_t + G v) = C lambda`.
//!
//! Unknowns are the stages' accelerations W and multipliers Lambda; velocities and positions follow,
//! `V_i = v + h sum a_ij W_j`, `Q_i = q + c_i h v + h^2 sum (A^2)_ij W_j`, and cost no unknowns. The residuals are
//!
//! ```text
//! r1_i = M(Q_i) W_i - f(Q_i, V_i) + G(Q_i)^T Lambda_i
//! r2_i = [ g_i + tau gdot_i - C Lambda_i ] / h^2
//! ```
//!
//! In single precision the rounding of g_i, divided by h^2, would drown the multipliers. There r2 is formed of increments,
//! `g_i - g_n + tau (gdot_i - gdot_n) - C (Lambda_i - lambda_n)`, computed without cancellation, and what the old point
//! itself lacks, `d_n = g_n + tau gdot_n - C lambda_n`, is made good slowly: the position is drawn to the manifold inside
//! the compensated sum.

mod controlled;
mod memory;
mod methods;
mod projection;
mod residual;
mod start;
mod synchronise;

pub use controlled::EachOfMotion;
pub use methods::{End, Free, OfMechanical, OntoManifold};

use super::geometry::{Degenerate, Geometry, combine, constraint_rate};
use super::linearization::{Factors, Parts};
use super::newton::{Norm, rescale};
use super::{Budget, Convergence, Error, Jacobian, Report, Stepper};
use super::{checked_start, checked_step};
use crate::manifold::{consistent, free_motion};
use crate::method::{Accuracy, Collocation, Modes, Stages};
use crate::model::{Joints, MassMatrix, Mechanical, Motion, Vector};
use crate::number::{Compensated, Real};
use core::marker::PhantomData;
use projection::take_turn;
use residual::plus;
use synchronise::{finite, floor, slow_motion, turn_is_neutral, weights};

/// The factorised Newton matrix of a model.
type FactorsOf<R, M, const Q: usize, const L: usize, const U: usize, const S: usize> =
    <<M as Mechanical<R, Q, L, U>>::Jacobian as Jacobian>::Factors<
        R,
        <<M as Mechanical<R, Q, L, U>>::Mass<R> as MassMatrix<R, R, Q>>::Factor,
        Q,
        L,
        S,
    >;

/// A mechanical model with its state, stepped by the collocation method `K` of `S` stages.
#[derive(Clone)]
pub struct MechanicalStepper<
    R: Real,
    M,
    K,
    E,
    const Q: usize,
    const L: usize,
    const U: usize,
    const S: usize,
> {
    model: M,
    method: PhantomData<(K, E)>,
    h: R,
    now: Motion<R, Q, L>,
    /// What rounding left out of q and v.
    low_q: [R; Q],
    low_v: [R; Q],
    /// Stage accelerations and multipliers of the last step, from which the next one starts.
    w: [[R; Q]; S],
    lambda: [[R; L]; S],
    /// Whether the last step went as predicted, so that the next one may be predicted from it.
    expected: bool,
    norm: Norm<R, Q>,
}

/// A step that was tried: its end and its stages.
#[derive(Clone, Copy, Debug)]
pub struct Trial<R, const Q: usize, const L: usize, const S: usize> {
    now: Motion<R, Q, L>,
    low_q: [R; Q],
    low_v: [R; Q],
    w: [[R; Q]; S],
    lambda: [[R; L]; S],
    expected: bool,
}

impl<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize>
    MechanicalStepper<R, M, K, E, Q, L, U, S>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
    E: End,
{
    /// Whether ends of steps are projected onto what rigid joints allow.
    const PROJECTED_RIGID: bool = E::PROJECTED && !M::Joints::ELASTIC;

    /// A stepper at (q, v) at time zero. With rigid joints the start is projected onto the manifold first.
    pub fn new(model: M, h: R, start: (Vector<R, Q>, Vector<R, Q>)) -> Result<Self, Error> {
        Self::at(model, h, R::ZERO, &Vector::from([R::ZERO; U]), start)
    }

    /// The same at time `t` with inputs `u`.
    fn at(
        model: M,
        h: R,
        t: R,
        u: &Vector<R, U>,
        (q, v): (Vector<R, Q>, Vector<R, Q>),
    ) -> Result<Self, Error> {
        let h = checked_step(h)?;
        checked_start(&q)?;
        checked_start(&v)?;
        let nominal = model.nominal();
        let weights = weights(&nominal)?;
        let joints = model.joints();
        if let Some(index) = joints.invalid() {
            return Err(Error::Joint { index });
        }
        let compliance = joints.compliance();
        let springs = M::Joints::ELASTIC && compliance.iter().all(|c| *c > R::ZERO);
        let slow = if springs {
            slow_motion(&model, t, &q, &v, u)?
        } else {
            consistent(&model, t, &q, &v, u)?
        };
        // The slow motion's accelerations and multipliers start the iteration even where a strained joint has others.
        let (w, lambda) = ([slow.a.data.0[0]; S], [slow.lambda.data.0[0]; S]);
        let mut now = slow;
        if springs {
            let (g, rate) = constraint_rate(&model, t, &q.data.0[0], &v.data.0[0]);
            let tau = joints.relaxation();
            for j in 0..L {
                now.lambda.data.0[0][j] = (g[j] + tau[j] * rate[j]) / compliance[j];
            }
        }
        finite(&now)?;
        if !turn_is_neutral(&model, &now) {
            return Err(Error::Turn);
        }
        Ok(MechanicalStepper {
            model,
            method: PhantomData,
            h,
            now,
            low_q: [R::ZERO; Q],
            low_v: [R::ZERO; Q],
            w,
            lambda,
            expected: true,
            norm: Norm {
                weights,
                floor: floor(&nominal, h, K::coefficients::<R>().amplification),
            },
        })
    }

    /// Where the Newton matrix is made: half a step ahead of the old point, where it serves the whole step better.
    #[inline(always)]
    fn middle(&self, t: R) -> (R, [R; Q]) {
        let half = self.h * R::from_f64(0.5);
        let mut q = self.now.q.data.0[0];
        for n in 0..Q {
            q[n] += half * self.now.v.data.0[0][n];
        }
        (t + half, q)
    }

    /// The Newton matrix.
    #[inline(always)]
    fn factor(&self, t: R, u: &Vector<R, U>) -> Result<FactorsOf<R, M, Q, L, U, S>, Degenerate> {
        let (t, q) = self.middle(t);
        let geometry = Geometry::at(&self.model, t, &q)?;
        let v = &self.now.v.data.0[0];
        let parts = Parts::at(&self.model, t, &q, v, u);
        let joints = self.model.joints();
        Factors::factor(geometry, &parts, &joints, self.h, K::coefficients())
    }

    /// Tries a step, with increments measured by `norm`.
    #[inline(always)]
    fn attempt<B: Budget<R>>(
        &self,
        t: R,
        u: &Vector<R, U>,
        factors: &FactorsOf<R, M, Q, L, U, S>,
        norm: &Norm<R, Q>,
        budget: &mut B,
    ) -> Result<(Trial<R, Q, L, S>, Report<R>), Error> {
        let coefficients = K::coefficients::<R>();
        let h = self.h;
        let old = self.old(t, u)?;
        let held = self.held(t, u, &old, coefficients)?;
        let (mut w, mut lambda) = self.predict(held, coefficients);
        let mut convergence = Convergence::start(norm.floor);
        let (mut r1, mut r2) = ([[R::ZERO; Q]; S], [[R::ZERO; L]; S]);
        while budget.another(&convergence) {
            for i in 0..S {
                (r1[i], r2[i]) = self.residual(t, u, &old, i, (&w, &lambda), coefficients);
            }
            factors.solve(&mut r1, &mut r2, coefficients);
            let mut squares = R::ZERO;
            for i in 0..S {
                for n in 0..Q {
                    w[i][n] += r1[i][n];
                    let d = r1[i][n] * (h * norm.weights[n]);
                    squares += d * d;
                }
                for j in 0..L {
                    lambda[i][j] += r2[i][j];
                }
            }
            convergence.record(squares);
        }
        let report = budget.verdict(&convergence, false)?;

        let (mut now, mut low_q, mut low_v) = (self.now, self.low_q, self.low_v);
        let (mut speed, mut place) = (combine(&coefficients.b, &w), combine(&coefficients.ba, &w));
        if K::EXPLICIT_FIRST {
            plus(&mut speed, coefficients.first[S - 1], &old.a);
            plus(&mut place, coefficients.first2[S - 1], &old.a);
        }
        let mut drift = [R::ZERO; Q];
        let pulled = !R::EXACT_ENOUGH && K::Accuracy::STIFF;
        if pulled {
            let geometry = factors.geometry();
            let mut pull = old.defect;
            self.yielding(geometry).factor()?.solve(&mut pull);
            drift = geometry.respond(&pull);
        }
        let pull = R::from_f64(0.01);
        for n in 0..Q {
            let mut step = h * now.v.data.0[0][n] + h * h * place[n];
            if pulled {
                step -= pull * drift[n];
            }
            let q = Compensated {
                high: now.q.data.0[0][n],
                low: low_q[n],
            }
            .plus(step);
            let v = Compensated {
                high: now.v.data.0[0][n],
                low: low_v[n],
            }
            .plus(h * speed[n]);
            (now.q.data.0[0][n], low_q[n]) = (q.high, q.low);
            (now.v.data.0[0][n], low_v[n]) = (v.high, v.low);
        }
        if E::PROJECTED {
            if !K::Accuracy::STIFF && !M::Joints::ELASTIC {
                self.project_position(t + h, &mut now.q.data.0[0], &mut low_q)?;
            }
            let (q, v) = (&now.q.data.0[0], now.v.data.0[0]);
            let correction = self.velocity_correction(t + h, q, &v, &lambda, coefficients)?;
            for n in 0..Q {
                let v = Compensated {
                    high: v[n],
                    low: low_v[n],
                }
                .plus(-correction[n]);
                (now.v.data.0[0][n], low_v[n]) = (v.high, v.low);
            }
        }
        take_turn(&mut now, &self.model.turn());
        if K::Accuracy::STIFF {
            (now.a, now.lambda) = (w[S - 1].into(), lambda[S - 1].into());
            if Self::PROJECTED_RIGID && K::EXPLICIT_FIRST {
                // The next step's first stage is this point, and its multiplier must belong to the projected velocity.
                let again = free_motion(&self.model, t + h, &now.q, &now.v, u)?;
                (now.a, now.lambda) = (again.a, again.lambda);
            }
        } else {
            // Schropp's (2.5): what the stages say of the end, and R(infinity) of the old value.
            let (a, force) = (
                combine(&coefficients.end, &w),
                combine(&coefficients.end, &lambda),
            );
            for n in 0..Q {
                now.a.data.0[0][n] = coefficients.r_infinity * now.a.data.0[0][n] + a[n];
            }
            for j in 0..L {
                now.lambda.data.0[0][j] =
                    coefficients.r_infinity * now.lambda.data.0[0][j] + force[j];
            }
        }
        // The difference of a number from itself is zero, unless it is none or infinite: one test for all of them.
        let mut nothing = R::ZERO;
        #[allow(clippy::eq_op)]
        for n in 0..Q {
            let (q, v) = (now.q.data.0[0][n], now.v.data.0[0][n]);
            nothing += (q - q) + (v - v);
            // The last stage is part of the velocity; what the stages say of the end may be larger than any of them.
            if !K::Accuracy::STIFF || K::EXPLICIT_FIRST {
                let a = now.a.data.0[0][n];
                nothing += a - a;
            }
        }
        #[allow(clippy::eq_op)]
        for j in 0..L {
            let force = now.lambda.data.0[0][j];
            nothing += force - force;
        }
        if nothing != R::ZERO {
            return Err(Error::NonFinite);
        }
        let expected = self.resumes(&convergence, &held.0, &w, coefficients);
        let trial = Trial {
            now,
            low_q,
            low_v,
            w,
            lambda,
            expected,
        };
        Ok((trial, report))
    }

    /// Takes a step that was tried.
    #[inline(always)]
    fn accept(&mut self, trial: Trial<R, Q, L, S>) {
        self.now = trial.now;
        (self.low_q, self.low_v) = (trial.low_q, trial.low_v);
        (self.w, self.lambda) = (trial.w, trial.lambda);
        self.expected = trial.expected;
    }
}

impl<R, M, K, E, const Q: usize, const L: usize, const U: usize, const S: usize> Stepper
    for MechanicalStepper<R, M, K, E, Q, L, U, S>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
    E: End,
{
    type Real = R;
    type Model = M;
    type Input = Vector<R, U>;
    type State = Motion<R, Q, L>;

    #[inline(always)]
    fn take_step<B: Budget<R>>(
        &mut self,
        t: R,
        u: &Self::Input,
        budget: &mut B,
    ) -> Result<Report<R>, Error> {
        let factors = self.factor(t, u)?;
        let (trial, report) = self.attempt(t, u, &factors, &self.norm, budget)?;
        self.accept(trial);
        Ok(report)
    }

    #[inline(always)]
    fn h(&self) -> R {
        self.h
    }

    fn set_h(&mut self, h: R) -> Result<(), Error> {
        let ratio = checked_step(h)? / self.h;
        let coefficients = K::coefficients::<R>();
        self.h = h;
        self.norm.floor = floor(&self.model.nominal(), h, coefficients.amplification);
        self.expected &= rescale(coefficients, ratio, &mut self.w);
        if self.expected {
            rescale(coefficients, ratio, &mut self.lambda);
        }
        Ok(())
    }

    #[inline(always)]
    fn state(&self) -> &Self::State {
        &self.now
    }

    #[inline(always)]
    fn model(&self) -> &M {
        &self.model
    }

    fn model_mut(&mut self) -> &mut M {
        &mut self.model
    }

    fn refit(&mut self, t: R, u: &Self::Input) -> Result<(), Error> {
        self.synchronise(t, u, &[R::ZERO; L])
    }

    // What the old model lacked at the old point is no fault of the change, and stays.
    fn change<T>(
        &mut self,
        t: R,
        u: &Self::Input,
        edit: impl FnOnce(&mut M) -> T,
    ) -> Result<T, Error>
    where
        M: Clone,
    {
        let lacked = self.old(t, u)?.defect;
        let before = self.model.clone();
        let answer = edit(&mut self.model);
        if let Err(error) = self.synchronise(t, u, &lacked) {
            self.model = before;
            return Err(error);
        }
        Ok(answer)
    }
}
