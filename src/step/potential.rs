//! A collocation step for strong potentials, `M v' = f - K grad P`, by Lubich's equations (8.5)-(8.8).
//!
//! With `G^T` spanning the strong directions and `(G^T)^-` its left inverse, multipliers stand for the strong force inside
//! its range and r for what is left of it outside:
//!
//! ```text
//! M W_i = f - G^T Lambda_i + r_i,      Lambda_i / K = (G^T)^- grad P(Q_i)             (8.6)
//! r_i   = -K (I - G^T (G^T)^-) grad P(Q_i)                                           (8.7)
//! ```
//!
//! The matrix (8.8) has a bounded inverse however large K is. It knows nothing of r, whose derivative is small near the
//! valley's floor; so one loop solves both, and a budget counts its iterations.

use super::convergence::Convergence;
use super::lean::LeanFactors;
use super::linearization::Factors;
use super::machine::Machine;
use super::motion::{Carry, StageValues, motion_before};
use super::newton::{Norm, floor_at};
use super::prediction::{Start, motion, over_a_step, regular};
use super::scheme::{Attempt, Fitted, Implicit, Now, Old, Place, Scheme, solve};
use super::{Budget, Error, Report, inverse_magnitudes};
use crate::geometry::{Degenerate, Geometry, combine, dot, plus};
use crate::linear::Lu;
use crate::method::Collocation;
use crate::model::{Elastic, MassMatrix, Motion, Potential, Vector};
use crate::number::{Real, add_compensated, variables};
use core::marker::PhantomData;

/// A model with a strong potential and its state, stepped by the method `K` of `S` stages.
pub type PotentialStepper<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize> =
    Machine<OnPotential<R, M, K, Q, L, U, S>>;

/// The method `K` of `S` stages on a model with a strong potential.
pub struct OnPotential<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>(
    PhantomData<(R, M, K)>,
);

/// The gradient of the potential.
fn gradient<R, M, const Q: usize, const L: usize, const U: usize>(model: &M, q: &[R; Q]) -> [R; Q]
where
    M: Potential<R, Q, L, U>,
{
    model.potential(&Vector::from(variables(q))).slope()
}

/// The Hessian of the potential, by rows.
fn hessian<R, M: Potential<R, Q, L, U>, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    q: &[R; Q],
) -> [[R; Q]; Q] {
    let twice = Vector::from(variables(&variables(q)));
    let slopes = model.potential(&twice).slope();
    let mut rows = [[R::ZERO; Q]; Q];
    for i in 0..Q {
        rows[i] = slopes[i].slope();
    }
    rows
}

/// The multipliers that stand for the strong force at q.
fn multipliers<R, M: Potential<R, Q, L, U>, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    q: &Vector<R, Q>,
) -> Result<[R; L], Error> {
    let pull = left_inverse(&model.directions(q), &gradient(model, &q.data.0[0]))?;
    Ok(pull.map(|x| x * model.stiffness()))
}

/// `(G^T)^- x` for the least-squares left inverse `(G G^T)^-1 G`.
fn left_inverse<R: Real, const Q: usize, const L: usize>(
    g: &[[R; Q]; L],
    x: &[R; Q],
) -> Result<[R; L], Error> {
    let (mut gram, mut image) = ([[R::ZERO; L]; L], [R::ZERO; L]);
    for i in 0..L {
        image[i] = dot(&g[i], x);
        for j in 0..L {
            gram[i][j] = dot(&g[i], &g[j]);
        }
    }
    let gram = Lu::<R, L>::factor(gram).map_err(Degenerate::constraint)?;
    gram.solve(&mut image);
    Ok(image)
}

/// The mass of a model, factorised.
type FactorOf<R, M, const Q: usize, const L: usize, const U: usize> =
    <<M as Potential<R, Q, L, U>>::Mass<R> as MassMatrix<R, R, Q>>::Factor;

/// The geometry of (8.8): the constraint rows are `(G^T)^- Hess P`, the directions `M^-1 G^T`.
fn geometry<R, M: Potential<R, Q, L, U>, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    q: &[R; Q],
) -> Result<Geometry<R, FactorOf<R, M, Q, L, U>, Q, L>, Error> {
    let mass = model.mass().factor().map_err(Degenerate::mass)?;
    let g = model.directions(&Vector::from(*q));
    let rows = hessian(model, q);
    let mut jacobian = [[R::ZERO; Q]; L];
    for n in 0..Q {
        // The Hessian is symmetric: its row is its column.
        let column = left_inverse(&g, &rows[n])?;
        for j in 0..L {
            jacobian[j][n] = column[j];
        }
    }
    Ok(Geometry::new(mass, jacobian, g))
}

/// Increments in units of the nominal velocities of a model with a sound stiffness. Rounding is that of P over h.
fn norm<R, M: Potential<R, Q, L, U>, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    h: R,
    amplification: R,
) -> Result<Norm<R, Q>, Error> {
    // False for NaN, too.
    if !(model.stiffness() > R::ZERO && model.stiffness().finite()) {
        return Err(Error::Joint { index: 0 });
    }
    Ok(Norm {
        weights: inverse_magnitudes(&model.nominal(), 0)?,
        floor: floor_at(h, amplification),
    })
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize> Scheme
    for OnPotential<R, M, K, Q, L, U, S>
where
    M: Potential<R, Q, L, U>,
    K: Collocation<S>,
{
    type Real = R;
    type Method = ();
    type Model = M;
    type Input = Vector<R, U>;
    type State = Motion<R, Q, L>;
    type Carry = Carry<R, Q, L, S>;
    type Scales = Norm<R, Q>;
    type Kept = ();
    type Trial = Now<Self>;
    type Met = ();
    const PERIOD: fn(&M) -> Option<R> = M::period;

    /// The iteration starts at rest in the strong directions: their forces follow from it within two iterations.
    fn start(at: &Place<'_, Self>, start: &Self::State) -> Result<Now<Self>, Error> {
        let mut state = Motion::from((start.q, start.v));
        state.lambda = multipliers(at.model, &state.q)?.into();
        state.turns = start.turns;
        let carry = Carry::NOTHING;
        Ok(Now { state, carry })
    }

    fn scales(at: &Place<'_, Self>, _state: &Self::State) -> Result<Norm<R, Q>, Error> {
        norm(at.model, at.h, K::coefficients::<R>().amplification)
    }

    fn fit(old: &Old<'_, Self>, before: &M) -> Fitted<Self> {
        let norm = Self::scales(&old.at, old.state)?;
        let (mut now, q) = (old.now(), &old.state.q);
        let (is, was) = (multipliers(old.model, q)?, multipliers(before, q)?);
        for j in 0..L {
            now.state.lambda.data.0[0][j] += is[j] - was[j];
        }
        now.carry.start = Start::Held;
        Ok((now, norm))
    }

    fn rescale(now: &mut Now<Self>, scales: &mut Norm<R, Q>, h: R, _ratio: R) -> bool {
        scales.floor = floor_at(h, K::coefficients::<R>().amplification);
        now.carry.start = Start::Held;
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
        motion_before(K::coefficients(), &now.carry.stages, &now.state, (h, by))
    }

    #[inline(always)]
    fn numbers(at: &Motion<R, Q, L>, mut see: impl FnMut(&[R])) {
        see(&at.q.data.0[0]);
        see(&at.v.data.0[0]);
        see(&at.lambda.data.0[0]);
    }
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize> Implicit
    for OnPotential<R, M, K, Q, L, U, S>
where
    M: Potential<R, Q, L, U>,
    K: Collocation<S>,
{
    type Linear = ();
    type Factors = LeanFactors<R, FactorOf<R, M, Q, L, U>, Q, L, S>;
    type Point = ();
    type Unknowns = StageValues<R, Q, L, S>;
    type Squares = [R; Q];

    fn linear(_old: &Old<'_, Self>, _ahead: bool) -> Result<(), Error> {
        Ok(())
    }

    fn factor(old: &Old<'_, Self>, _linear: &()) -> Result<Self::Factors, Error> {
        let joints = Elastic {
            stiffness: [old.model.stiffness(); L],
        };
        let geometry = geometry(old.model, &old.state.q.data.0[0])?;
        let table = K::coefficients();
        Ok(LeanFactors::from_geometry(geometry, &joints, old.h, table)?)
    }

    fn point(_old: &Old<'_, Self>) -> Result<(), Error> {
        Ok(())
    }

    fn predict(old: &Old<'_, Self>, _point: &()) -> Self::Unknowns {
        let (table, last) = (K::coefficients::<R>(), &old.carry.stages);
        let mut x = StageValues::held(last.w[S - 1], last.lambda[S - 1]);
        if old.carry.start == Start::Rest {
            x.w = [[R::ZERO; Q]; S];
        }
        if old.carry.start == Start::Continued {
            for i in 0..S {
                x.w[i] = combine(&table.extrapolation[i], &last.w);
                x.lambda[i] = combine(&table.extrapolation[i], &last.lambda);
            }
        }
        x
    }

    fn floor(scales: &Norm<R, Q>) -> R {
        scales.floor
    }

    fn iterate(
        old: &Old<'_, Self>,
        _point: &(),
        factors: &Self::Factors,
        x: &mut Self::Unknowns,
    ) -> Result<([R; Q], R), Error> {
        let (mut r1, mut r2) = ([[R::ZERO; Q]; S], [[R::ZERO; L]; S]);
        for i in 0..S {
            (r1[i], r2[i]) = old.residual(i, x)?;
        }
        factors.solve_stages(&mut r1, &mut r2, K::coefficients());
        let mut squares = [R::ZERO; Q];
        for i in 0..S {
            for n in 0..Q {
                x.w[i][n] -= r1[i][n];
                squares[n] += (old.h * r1[i][n] * old.scales.weights[n]).square();
            }
            plus(&mut x.lambda[i], R::ONE, &r2[i]);
        }
        Ok((squares, R::ZERO))
    }

    fn end(
        old: &Old<'_, Self>,
        _point: &(),
        _factors: &Self::Factors,
        stages: Self::Unknowns,
        (convergence, report): (&Convergence<R>, &mut Report<R>),
    ) -> Result<Now<Self>, Error> {
        let (h, table) = (old.h, K::coefficients::<R>());
        let (mut now, StageValues { w, lambda }) = (old.now(), &stages);
        let (speed, place) = (combine(&table.b, w), combine(&table.ba, w));
        let mut step = [R::ZERO; Q];
        for n in 0..Q {
            step[n] = h * old.state.v.data.0[0][n] + h * h * place[n];
        }
        let Now { state, carry } = &mut now;
        add_compensated(&mut state.q.data.0[0], &mut carry.low_q, R::ONE, &step);
        add_compensated(&mut state.v.data.0[0], &mut carry.low_v, h, &speed);
        (state.a, state.lambda) = (w[S - 1].into(), lambda[S - 1].into());
        let (last, rates) = (old.carry, over_a_step(&old.scales.weights, h));
        let regular = regular(last.start, convergence, table, (&last.stages.w, w), &rates);
        carry.start = Start::after(report, motion(&speed, &rates), regular, table.swing);
        carry.stages = stages;
        Ok(now)
    }
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>
    Old<'_, OnPotential<R, M, K, Q, L, U, S>>
where
    M: Potential<R, Q, L, U>,
    K: Collocation<S>,
{
    /// The residuals of (8.6) in stage i, with (8.7).
    fn residual(
        &self,
        i: usize,
        StageValues { w, lambda }: &StageValues<R, Q, L, S>,
    ) -> Result<([R; Q], [R; L]), Error> {
        let (h, model, table) = (self.h, self.model, K::coefficients::<R>());
        let (speed, place) = (combine(&table.a[i], w), combine(&table.a2[i], w));
        let (mut q, mut v) = (self.state.q, self.state.v);
        for n in 0..Q {
            q.data.0[0][n] += table.c[i] * h * self.state.v.data.0[0][n] + h * h * place[n];
            v.data.0[0][n] += h * speed[n];
        }
        let force = model.force(self.t + table.c[i] * h, &q, &v, self.u);
        let directions = model.directions(&q);
        let gradient = gradient(model, &q.data.0[0]);
        let valley = left_inverse(&directions, &gradient)?;
        let strong = combine(&lambda[i], &directions);
        let inside = combine(&valley, &directions);
        let mut r1: [R; Q] = model.mass().times(&w[i]);
        for n in 0..Q {
            r1[n] += strong[n] - force.data.0[0][n];
            if M::CORRECTED {
                r1[n] += model.stiffness() * (gradient[n] - inside[n]);
            }
        }
        let mut r2 = [R::ZERO; L];
        for j in 0..L {
            r2[j] = (valley[j] - lambda[i][j] / model.stiffness()) / (h * h);
        }
        Ok((r1, r2))
    }
}

#[cfg(test)]
mod tests {
    use crate::drive::Simulation;
    use crate::method::RadauIIA;
    use crate::model::{Potential, Unit, Vector};
    use crate::number::Scalar;
    use crate::step::{Error, Until};

    /// A straight valley along the first axis, in something viscous.
    #[derive(Clone, Copy)]
    struct Viscous;
    impl Potential<f64, 2, 1, 0> for Viscous {
        type Mass<T: Scalar<f64>> = Unit;
        fn mass(&self) -> Unit {
            Unit
        }
        fn force(
            &self,
            t: f64,
            _q: &Vector<f64, 2>,
            v: &Vector<f64, 2>,
            _u: &Vector<f64, 0>,
        ) -> Vector<f64, 2> {
            [t - v[0], 0.0].into()
        }
        fn potential<T: Scalar<f64>>(&self, q: &Vector<T, 2>) -> T {
            q[1] * q[1] * 0.5
        }
        fn stiffness(&self) -> f64 {
            1e6
        }
        fn directions(&self, _q: &Vector<f64, 2>) -> [[f64; 2]; 1] {
            [[0.0, 1.0]]
        }
    }

    /// `v' = t - v` along the valley: `v = t - 1 + 3 exp(-t)` from two on, at the end and within the last step.
    #[test]
    fn forces_see_time_and_velocity() -> Result<(), Error> {
        let start = (Vector::from([0.0, 0.0]), Vector::from([2.0, 0.0]));
        // Velocities are no part of the Newton matrix: it takes more iterations than two.
        let budget = Until {
            tolerance: 1e-13,
            max: 40,
        };
        let plant = Simulation::new(Viscous, RadauIIA::<3>, 0.1, start)?;
        let mut plant = plant.with_budget(budget);
        for _ in 0..5 {
            plant.step()?;
        }
        let v = |t: f64| t - 1.0 + 3.0 * libm::exp(-t);
        let q = |t: f64| t * t / 2.0 - t + 3.0 * (1.0 - libm::exp(-t));
        for (by, bound) in [(0.0, 1e-7), (0.03, 1e-6), (0.08, 1e-6)] {
            let at = plant.before(by);
            assert!((at.v[0] - v(0.5 - by)).abs() < bound, "{by}: {}", at.v[0]);
            assert!((at.q[0] - q(0.5 - by)).abs() < bound, "{by}: {}", at.q[0]);
            assert!(at.q[1].abs() < 1e-12);
        }
        Ok(())
    }
}
