//! A step of the partitioned Lobatto IIIA-IIIB pair for mechanisms: Verlet with two stages and elastic joints, RATTLE with
//! rigid ones.
//!
//! Stages `Q_i = q + c_i h v + h^2 sum (A A^)_ij W_j`, `V_i = v + h sum a^_ij W_j` with accelerations
//! `M W_i = f - G^T Lambda_i` of which the last does not enter them. With rigid joints Lambda_1 .. Lambda_(s-1) make
//! `g(Q_i) = 0` in the others, and the last one makes the velocity at the end tangential. Elastic joints simply pull with
//! the force that belongs to their deflection: stiffness is *not* taken out of the iteration here.

use super::convergence::Convergence;
use super::machine::Machine;
use super::motion::{between, coasting};
use super::newton::{Norm, floor_at};
use super::scheme::{Attempt, Fitted, Implicit, Now, Old, Place, Scheme, solve};
use super::turn::{checked_turn, take_turn, turn_along};
use super::{Budget, Error, Report, checked_joints, velocity_weights};
use crate::geometry::{Geometry, combine, constraint_jacobian, constraint_rate, dot};
use crate::geometry::{checked_pattern, consistent, free_motion, plus, spring_force};
use crate::linear::Lu;
use crate::memory::visits;
use crate::method::{LobattoPair, PairCoefficients};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical, Motion, Vector};
use crate::number::{Real, add_compensated};
use core::marker::PhantomData;

/// A mechanical model with its state, stepped by the pair of `S` stages.
pub type PairStepper<R, M, const Q: usize, const L: usize, const U: usize, const S: usize> =
    Machine<OnPair<R, M, Q, L, U, S>>;

/// The pair of `S` stages on a mechanism.
pub struct OnPair<R, M, const Q: usize, const L: usize, const U: usize, const S: usize>(
    PhantomData<(R, M)>,
);

/// What rounding left out of q and v, and where the last step began.
#[derive(Clone, Copy)]
pub struct Carry<R, const Q: usize, const L: usize> {
    low_q: [R; Q],
    low_v: [R; Q],
    last: Motion<R, Q, L>,
}

impl<R: Real, const Q: usize, const L: usize> Carry<R, Q, L> {
    fn fresh(now: &Motion<R, Q, L>, h: R) -> Self {
        Carry {
            low_q: [R::ZERO; Q],
            low_v: [R::ZERO; Q],
            last: coasting(now, h),
        }
    }
}

visits!([R: Real, const Q: usize, const L: usize] Carry<R, Q, L>: low_q, low_v, last);

/// The geometry at the old point, and its Schur complement factorised.
pub struct PairFactors<R, F, const Q: usize, const L: usize> {
    geometry: Geometry<R, F, Q, L>,
    schur: Lu<R, L, false>,
}

/// Increments in units of the nominal velocities of a model with sound joints.
fn norm<R, M: Mechanical<R, Q, L, U>, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    floor: R,
) -> Result<Norm<R, Q>, Error> {
    let joints = model.joints();
    checked_joints(&joints)?;
    // Rigid at run time would be an infinite force here.
    let rigid = joints.compliance().iter().position(|c| *c == R::ZERO);
    if let Some(index) = rigid.filter(|_| M::Joints::ELASTIC) {
        return Err(Error::Joint { index });
    }
    Ok(Norm {
        weights: velocity_weights(&model.nominal())?,
        floor,
    })
}

impl<R, M: Mechanical<R, Q, L, U>, const Q: usize, const L: usize, const U: usize, const S: usize>
    OnPair<R, M, Q, L, U, S>
{
    const TABLE: PairCoefficients<S> = LobattoPair::<S>::COEFFICIENTS;

    /// The rounding of g over h.
    fn floor_at(h: R) -> R {
        floor_at(h, R::from_f64(8.0 * Self::TABLE.inverse[0][0]))
    }

    /// When stage i is.
    fn time(old: &Old<'_, Self>, i: usize) -> R {
        old.t + old.h * R::from_f64(Self::TABLE.c[i])
    }

    /// Where stage i is, and how fast.
    #[inline(always)]
    fn stage(old: &Old<'_, Self>, w: &[[R; Q]; S], i: usize) -> (Vector<R, Q>, Vector<R, Q>) {
        let (h, table) = (old.h, &Self::TABLE);
        let ahead = h * R::from_f64(table.c[i]);
        let speed = combine(&table.a_hat[i].map(R::from_f64), w);
        let place = combine(&table.places[i].map(R::from_f64), w);
        let (mut q, mut v) = (old.state.q, old.state.v);
        for n in 0..Q {
            q.data.0[0][n] += ahead * old.state.v.data.0[0][n] + h * h * place[n];
            v.data.0[0][n] += h * speed[n];
        }
        (q, v)
    }

    /// `M W - f + G^T lambda` at a stage.
    #[inline(always)]
    fn unbalanced(
        old: &Old<'_, Self>,
        t: R,
        (q, v): (&Vector<R, Q>, &Vector<R, Q>),
        w: &[R; Q],
        lambda: &[R; L],
    ) -> [R; Q] {
        let (_, jacobian) = constraint_jacobian(old.model, t, &q.data.0[0]);
        let strong = combine(lambda, &jacobian);
        let force = old.model.force(t, q, v, old.u).data.0[0];
        let mut residual: [R; Q] = old.model.mass(q).times(w);
        for n in 0..Q {
            residual[n] += strong[n] - force[n];
        }
        residual
    }

    /// The last multipliers, which make the velocity at the end tangential; the mean acceleration and the last one follow.
    fn close<F: MassFactor<R, Q>>(
        old: &Old<'_, Self>,
        there: &Geometry<R, F, Q, L>,
        q: &[R; Q],
        speed: &mut [R; Q],
        a: &mut [R; Q],
    ) -> Result<[R; L], Error> {
        let h = old.h;
        let last = R::from_f64(Self::TABLE.b[S - 1]);
        let mut v = old.state.v.data.0[0];
        plus(&mut v, h, speed);
        let (_, mut force) = constraint_rate(old.model, old.t + h, q, &v);
        there.factor()?.solve(&mut force);
        for j in 0..L {
            force[j] /= h * last;
        }
        let response = there.respond(&force);
        for n in 0..Q {
            a[n] -= response[n];
            speed[n] -= last * response[n];
        }
        Ok(force)
    }
}

impl<R, M: Mechanical<R, Q, L, U>, const Q: usize, const L: usize, const U: usize, const S: usize>
    Scheme for OnPair<R, M, Q, L, U, S>
{
    type Real = R;
    type Method = ();
    type Model = M;
    type Input = Vector<R, U>;
    type State = Motion<R, Q, L>;
    type Carry = Carry<R, Q, L>;
    type Scales = Norm<R, Q>;
    type Kept = ();
    type Trial = Now<Self>;
    type Met = ();
    const PERIOD: fn(&M) -> Option<R> = M::period;

    /// With rigid joints the nearest state that fits.
    fn start(at: &Place<'_, Self>, start: &Self::State) -> Result<Now<Self>, Error> {
        velocity_weights(&at.model.nominal())?;
        let (q, v) = (&start.q, &start.v);
        checked_pattern(at.model, at.t, q)?;
        let mut state = if M::Joints::ELASTIC {
            free_motion(at.model, at.t, q, v, at.u)?
        } else {
            consistent(at.model, at.t, q, v, at.u)?
        };
        if M::Joints::ELASTIC {
            state.lambda = spring_force(at.model, at.t, (&q.data.0[0], &v.data.0[0])).into();
        }
        checked_turn(at.model, &state)?;
        state.turns = start.turns;
        let carry = Carry::fresh(&state, at.h);
        Ok(Now { state, carry })
    }

    fn scales(at: &Place<'_, Self>, _state: &Self::State) -> Result<Self::Scales, Error> {
        norm(at.model, Self::floor_at(at.h))
    }

    /// Elastic joints get the forces that their new parameters ask for; a mechanism with rigid joints moves to where it fits, if
    /// they noticed.
    fn fit(old: &Old<'_, Self>, before: &M) -> Fitted<Self> {
        let norm = Self::scales(&old.at, old.state)?;
        checked_turn(old.model, old.state)?;
        let (mut now, t) = (old.now(), old.t);
        let (q, v) = (&old.state.q.data.0[0], &old.state.v.data.0[0]);
        if M::Joints::ELASTIC {
            let pull = |model| spring_force(model, t, (q, v));
            let (was, is) = (pull(before), pull(old.model));
            for j in 0..L {
                now.state.lambda.data.0[0][j] += is[j] - was[j];
            }
        } else if constraint_rate(old.model, t, q, v) != constraint_rate(before, t, q, v) {
            let turns = old.state.turns;
            now.state = consistent(old.model, old.t, &old.state.q, &old.state.v, old.u)?;
            now.state.turns = turns;
            now.carry = Carry::fresh(&now.state, old.h);
        }
        Ok((now, norm))
    }

    fn rescale(_now: &mut Now<Self>, scales: &mut Norm<R, Q>, h: R, _ratio: R) -> bool {
        scales.floor = Self::floor_at(h);
        false
    }

    fn keep(_old: &Old<'_, Self>) -> Result<(), Error> {
        Ok(())
    }

    #[inline]
    fn attempt<B: Budget<R>>(old: &Old<'_, Self>, _kept: &mut (), budget: &mut B) -> Attempt<Self> {
        solve(old, &Self::factor(old, &())?, budget)
    }

    fn before(now: &Now<Self>, h: R, by: R) -> Self::State {
        between((&now.carry.last, &now.state), (h, by))
    }
}

impl<R, M: Mechanical<R, Q, L, U>, const Q: usize, const L: usize, const U: usize, const S: usize>
    Implicit for OnPair<R, M, Q, L, U, S>
{
    type Linear = ();
    type Factors = PairFactors<R, <M::Mass<R> as MassMatrix<R, R, Q>>::Factor, Q, L>;
    type Point = ();
    /// Accelerations and multipliers of all stages.
    type Unknowns = ([[R; Q]; S], [[R; L]; S]);
    type Squares = [R; Q];

    fn linear(_old: &Old<'_, Self>, _ahead: bool) -> Result<(), Error> {
        Ok(())
    }

    fn factor(old: &Old<'_, Self>, _linear: &()) -> Result<Self::Factors, Error> {
        let geometry = Geometry::at(old.model, old.t, &old.state.q.data.0[0])?;
        let schur = geometry.factor()?;
        Ok(PairFactors { geometry, schur })
    }

    fn point(_old: &Old<'_, Self>) -> Result<(), Error> {
        Ok(())
    }

    fn predict(old: &Old<'_, Self>, _point: &()) -> Self::Unknowns {
        let now = old.state;
        ([now.a.data.0[0]; S], [now.lambda.data.0[0]; S])
    }

    fn floor(scales: &Norm<R, Q>) -> R {
        scales.floor
    }

    fn iterate(
        old: &Old<'_, Self>,
        _point: &(),
        factors: &Self::Factors,
        (w, lambda): &mut Self::Unknowns,
    ) -> Result<([R; Q], R), Error> {
        let (h, geometry) = (old.h, &factors.geometry);
        let (mut moves, mut lacks) = ([[R::ZERO; Q]; S], [[R::ZERO; L]; S]);
        for i in 0..S {
            let ((q, v), time) = (Self::stage(old, w, i), Self::time(old, i));
            if M::Joints::ELASTIC {
                lambda[i] = spring_force(old.model, time, (&q.data.0[0], &v.data.0[0]));
            }
            if i + 1 < S {
                moves[i] = Self::unbalanced(old, time, (&q, &v), &w[i], &lambda[i]);
                geometry.mass.solve(&mut moves[i]);
            }
            if i > 0 {
                // Row i - 1 of what the inverse takes.
                lacks[i - 1] = old.model.constraint(time, &q).data.0[0];
            }
        }
        let mut squares = [R::ZERO; Q];
        for i in 0..S - 1 {
            let mut response = [R::ZERO; Q];
            if !M::Joints::ELASTIC {
                let mut increment = combine(&Self::TABLE.inverse[i].map(R::from_f64), &lacks);
                for j in 0..L {
                    increment[j] = increment[j] / (h * h) - dot(&geometry.jacobian[j], &moves[i]);
                }
                factors.schur.solve(&mut increment);
                plus(&mut lambda[i], R::ONE, &increment);
                response = geometry.respond(&increment);
            }
            for n in 0..Q {
                let d = moves[i][n] + response[n];
                w[i][n] -= d;
                squares[n] += (h * d * old.scales.weights[n]).square();
            }
        }
        Ok((squares, R::ZERO))
    }

    /// The last stage's place is the end, and its acceleration closes the velocity.
    fn end(
        old: &Old<'_, Self>,
        _point: &(),
        _factors: &Self::Factors,
        (mut w, _): Self::Unknowns,
        _judged: (&Convergence<R>, &mut Report<R>),
    ) -> Result<Now<Self>, Error> {
        let (h, t, mut now) = (old.h, old.t + old.h, old.now());
        let (end, stage_speed) = Self::stage(old, &w, S - 1);
        let places = combine(&Self::TABLE.places[S - 1].map(R::from_f64), &w);
        let mut step = [R::ZERO; Q];
        for n in 0..Q {
            step[n] = h * old.state.v.data.0[0][n] + h * h * places[n];
        }
        let Now { state, carry } = &mut now;
        add_compensated(&mut state.q.data.0[0], &mut carry.low_q, R::ONE, &step);
        let there = Geometry::at(old.model, t, &state.q.data.0[0])?;
        let mut force = [R::ZERO; L];
        if M::Joints::ELASTIC {
            force = spring_force(old.model, t, (&end.data.0[0], &stage_speed.data.0[0]));
        }
        let mut a = Self::unbalanced(old, t, (&state.q, &stage_speed), &[R::ZERO; Q], &force);
        there.mass.solve(&mut a);
        for n in 0..Q {
            a[n] = -a[n];
        }
        w[S - 1] = a;
        let mut speed = combine(&Self::TABLE.b.map(R::from_f64), &w);
        if !M::Joints::ELASTIC {
            force = Self::close(old, &there, &state.q.data.0[0], &mut speed, &mut a)?;
        }
        add_compensated(&mut state.v.data.0[0], &mut carry.low_v, h, &speed);
        (state.a, state.lambda) = (a.into(), force.into());
        let turn = old.model.turn();
        take_turn(state, &turn);
        carry.last = *old.state;
        turn_along(&mut carry.last, state, &turn);
        Ok(now)
    }
}
