//! A step of the partitioned Lobatto IIIA-IIIB pair for mechanisms: Verlet with two stages and elastic joints, RATTLE with
//! rigid ones.
//!
//! Stages `Q_i = q + c_i h v + h^2 sum (A A^)_ij W_j`, `V_i = v + h sum a^_ij W_j` with accelerations
//! `M W_i = f - G^T Lambda_i` of which the last does not enter them. With rigid joints Lambda_1 .. Lambda_(s-1) make
//! `g(Q_i) = 0` in the others, and the last one makes the velocity at the end tangential. Elastic joints simply pull with
//! the force that belongs to their deflection: stiffness is *not* taken out of the iteration here.

use super::geometry::{Geometry, combine, constraint_rate, dot};
use super::{Budget, Convergence, Error, Method, Report, Restart, Stepper};
use super::{checked_start, checked_step, inverse_magnitudes};
use crate::linear::Lu;
use crate::manifold::{consistent, free_motion};
use crate::method::{LobattoPair, PairCoefficients};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical, Motion, Vector};
use crate::number::{Compensated, Real};
use core::marker::PhantomData;

/// The kind of a mechanical model stepped by a pair, for inference.
#[derive(Clone, Copy, Debug)]
pub struct OfPair<R, const Q: usize, const L: usize, const U: usize>(PhantomData<R>);

impl<R, M, const Q: usize, const L: usize, const U: usize, const S: usize>
    Method<M, OfPair<R, Q, L, U>> for LobattoPair<S>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
{
    type Real = R;
    type Start = (Vector<R, Q>, Vector<R, Q>);
    type Stepper = PairStepper<R, M, Q, L, U, S>;

    fn stepper(self, model: M, h: R, (q, v): Self::Start) -> Result<Self::Stepper, Error> {
        let h = checked_step(h)?;
        let weights = sound(&model)?;
        let now = motion(&model, R::ZERO, &q, &v, &Vector::from([R::ZERO; U]))?;
        Ok(PairStepper {
            model,
            h,
            now,
            low_q: [R::ZERO; Q],
            low_v: [R::ZERO; Q],
            weights,
        })
    }
}

/// One over the nominal velocities of a model with sound joints.
fn sound<R, M, const Q: usize, const L: usize, const U: usize>(model: &M) -> Result<[R; Q], Error>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
{
    let joints = model.joints();
    // Rigid at run time would be an infinite force here.
    let rigid = || joints.compliance().iter().position(|c| *c == R::ZERO);
    let unsound = joints
        .invalid()
        .or_else(|| rigid().filter(|_| M::Joints::ELASTIC));
    if let Some(index) = unsound {
        return Err(Error::Joint { index });
    }
    inverse_magnitudes(&model.nominal().v)
}

/// The state at (q, v): with rigid joints the nearest that fits.
fn motion<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &Vector<R, Q>,
    v: &Vector<R, Q>,
    u: &Vector<R, U>,
) -> Result<Motion<R, Q, L>, Error>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
{
    checked_start(q)?;
    checked_start(v)?;
    let mut now = if M::Joints::ELASTIC {
        free_motion(model, t, q, v, u)?
    } else {
        consistent(model, t, q, v, u)?
    };
    if M::Joints::ELASTIC {
        now.lambda = pull(model, t, &q.data.0[0], &v.data.0[0]).into();
    }
    if !now.a.iter().chain(now.lambda.iter()).all(|x| x.finite()) {
        return Err(Error::NonFinite);
    }
    Ok(now)
}

/// The force of elastic joints: `lambda = K (g + tau (g_t + G v))`.
fn pull<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &[R; Q],
    v: &[R; Q],
) -> [R; L]
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
{
    let joints = model.joints();
    let (compliance, tau) = (joints.compliance(), joints.relaxation());
    let (mut lambda, rate) = constraint_rate(model, t, q, v);
    for j in 0..L {
        lambda[j] = (lambda[j] + tau[j] * rate[j]) / compliance[j];
    }
    lambda
}

/// A mechanical model with its state, stepped by the pair of `S` stages.
pub struct PairStepper<R: Real, M, const Q: usize, const L: usize, const U: usize, const S: usize> {
    model: M,
    h: R,
    now: Motion<R, Q, L>,
    low_q: [R; Q],
    low_v: [R; Q],
    /// One over the nominal velocities.
    weights: [R; Q],
}

/// A row of coefficients in the number type at hand.
#[inline(always)]
fn row<R: Real, const S: usize>(coefficients: &[f64; S]) -> [R; S] {
    let mut row = [R::ZERO; S];
    for i in 0..S {
        row[i] = R::from_f64(coefficients[i]);
    }
    row
}

impl<R, M, const Q: usize, const L: usize, const U: usize, const S: usize>
    PairStepper<R, M, Q, L, U, S>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
{
    const TABLE: PairCoefficients<S> = LobattoPair::<S>::COEFFICIENTS;

    /// Where stage i is, and how fast.
    #[inline(always)]
    fn place(&self, w: &[[R; Q]; S], i: usize) -> (Vector<R, Q>, Vector<R, Q>) {
        let h = self.h;
        let ahead = h * R::from_f64(Self::TABLE.c[i]);
        let speed = combine(&row(&Self::TABLE.a_hat[i]), w);
        let place = combine(&row(&Self::TABLE.places[i]), w);
        let (mut q, mut v) = (self.now.q, self.now.v);
        for n in 0..Q {
            q.data.0[0][n] += ahead * self.now.v.data.0[0][n] + h * h * place[n];
            v.data.0[0][n] += h * speed[n];
        }
        (q, v)
    }

    /// `M W - f + G^T lambda` at a stage.
    #[inline(always)]
    fn unbalanced(
        &self,
        t: R,
        u: &Vector<R, U>,
        (q, v): (&Vector<R, Q>, &Vector<R, Q>),
        w: &[R; Q],
        lambda: &[R; L],
    ) -> [R; Q] {
        let (_, jacobian) = super::geometry::constraint_jacobian(&self.model, t, &q.data.0[0]);
        let strong = combine(lambda, &jacobian);
        let force = self.model.force(t, q, v, u).data.0[0];
        let mut residual: [R; Q] = self.model.mass(q).times(w);
        for n in 0..Q {
            residual[n] += strong[n] - force[n];
        }
        residual
    }

    /// One iteration on the stages' accelerations and multipliers; the sum of squares of its increments.
    fn iterate(
        &self,
        t: R,
        u: &Vector<R, U>,
        geometry: &Geometry<R, <M::Mass<R> as MassMatrix<R, R, Q>>::Factor, Q, L>,
        schur: &Lu<R, L, false>,
        (w, lambda): (&mut [[R; Q]; S], &mut [[R; L]; S]),
    ) -> R {
        let h = self.h;
        let time = |i: usize| t + h * R::from_f64(Self::TABLE.c[i]);
        let mut moves = [[R::ZERO; Q]; S];
        let mut lacks = [[R::ZERO; L]; S];
        for i in 0..S {
            let (q, v) = self.place(w, i);
            if M::Joints::ELASTIC {
                lambda[i] = pull(&self.model, time(i), &q.data.0[0], &v.data.0[0]);
            }
            if i + 1 < S {
                moves[i] = self.unbalanced(time(i), u, (&q, &v), &w[i], &lambda[i]);
                geometry.mass.solve(&mut moves[i]);
            }
            if i > 0 {
                // Row i - 1 of what the inverse takes.
                lacks[i - 1] = self.model.constraint(time(i), &q).data.0[0];
            }
        }
        let mut squares = R::ZERO;
        for i in 0..S - 1 {
            let mut response = [R::ZERO; Q];
            if !M::Joints::ELASTIC {
                let mut increment = combine(&row(&Self::TABLE.inverse[i]), &lacks);
                for j in 0..L {
                    increment[j] = increment[j] / (h * h) - dot(&geometry.jacobian[j], &moves[i]);
                }
                schur.solve(&mut increment);
                for j in 0..L {
                    lambda[i][j] += increment[j];
                }
                response = geometry.respond(&increment);
            }
            for n in 0..Q {
                let d = moves[i][n] + response[n];
                w[i][n] -= d;
                squares += (h * d * self.weights[n]).square();
            }
        }
        squares
    }
}

impl<R, M, const Q: usize, const L: usize, const U: usize, const S: usize> Stepper
    for PairStepper<R, M, Q, L, U, S>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
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
        budget: &mut B,
    ) -> Result<Report<R>, Error> {
        let h = self.h;
        let geometry = Geometry::at(&self.model, t, &self.now.q.data.0[0])?;
        let schur = geometry.factor()?;
        let (mut w, mut lambda) = ([self.now.a.data.0[0]; S], [self.now.lambda.data.0[0]; S]);
        // The rounding of g over h.
        let amplification = R::from_f64(8.0 * Self::TABLE.inverse[0][0]);
        let mut convergence = Convergence::start(R::EPSILON * amplification / h);
        while budget.another(&convergence) {
            let squares = self.iterate(t, u, &geometry, &schur, (&mut w, &mut lambda));
            convergence.record(squares);
        }
        let report = convergence.verdict(budget.tolerance(), false)?;

        // The last stage: its place is the end, its acceleration closes the velocity.
        let (end, stage_speed) = self.place(&w, S - 1);
        let (mut now, mut low_q, mut low_v) = (self.now, self.low_q, self.low_v);
        let places = combine(&row(&Self::TABLE.places[S - 1]), &w);
        for n in 0..Q {
            let step = h * now.v.data.0[0][n] + h * h * places[n];
            let q = Compensated {
                high: now.q.data.0[0][n],
                low: low_q[n],
            }
            .plus(step);
            (now.q.data.0[0][n], low_q[n]) = (q.high, q.low);
        }
        let last = R::from_f64(Self::TABLE.b[S - 1]);
        let there = Geometry::at(&self.model, t + h, &now.q.data.0[0])?;
        let mut force = [R::ZERO; L];
        if M::Joints::ELASTIC {
            force = pull(&self.model, t + h, &end.data.0[0], &stage_speed.data.0[0]);
        }
        let mut a = self.unbalanced(t + h, u, (&now.q, &stage_speed), &[R::ZERO; Q], &force);
        there.mass.solve(&mut a);
        for n in 0..Q {
            a[n] = -a[n];
        }
        w[S - 1] = a;
        let mut speed = combine(&row(&Self::TABLE.b), &w);
        if !M::Joints::ELASTIC {
            let mut v = now.v.data.0[0];
            for n in 0..Q {
                v[n] += h * speed[n];
            }
            let (_, mut rate) = constraint_rate(&self.model, t + h, &now.q.data.0[0], &v);
            there.factor()?.solve(&mut rate);
            for j in 0..L {
                force[j] = rate[j] / (h * last);
            }
            let response = there.respond(&force);
            for n in 0..Q {
                a[n] -= response[n];
                speed[n] -= last * response[n];
            }
        }
        for n in 0..Q {
            let v = Compensated {
                high: now.v.data.0[0][n],
                low: low_v[n],
            }
            .plus(h * speed[n]);
            (now.v.data.0[0][n], low_v[n]) = (v.high, v.low);
        }
        (now.a, now.lambda) = (a.into(), force.into());
        if !now
            .q
            .iter()
            .chain(now.v.iter())
            .chain(now.lambda.iter())
            .all(|x| x.finite())
        {
            return Err(Error::NonFinite);
        }
        (self.now, self.low_q, self.low_v) = (now, low_q, low_v);
        Ok(report)
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
        let weights = sound(&self.model)?;
        if !M::Joints::ELASTIC {
            self.now = consistent(&self.model, t, &self.now.q, &self.now.v, u)?;
        }
        self.weights = weights;
        Ok(())
    }
}

impl<R, M, const Q: usize, const L: usize, const U: usize, const S: usize> Restart
    for PairStepper<R, M, Q, L, U, S>
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
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
        let (mut model, mut now) = (self.model.clone(), self.now);
        let answer = edit(&mut model, &mut now);
        if let Some(index) = model.joints().invalid() {
            return Err(Error::Joint { index });
        }
        let anew = motion(&model, t, &now.q, &now.v, u)?;
        self.model = model;
        self.now = Motion {
            turns: now.turns,
            ..anew
        };
        (self.low_q, self.low_v) = ([R::ZERO; Q], [R::ZERO; Q]);
        Ok(answer)
    }
}
