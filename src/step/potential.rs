//! A collocation step for strong potentials, `M v' = f - K grad P`, by Lubich's iteration (8.5)-(8.8).
//!
//! With `G^T` spanning the strong directions and `(G^T)^-` its left inverse, multipliers stand for the strong force inside
//! its range and a correction r for what is left of it outside:
//!
//! ```text
//! M W_i = f - G^T Lambda_i + r_i,      Lambda_i / K = (G^T)^- grad P(Q_i)             (8.6)
//! r_i  <- G^T Lambda_i - K grad P(Q_i)                                               (8.7)
//! ```
//!
//! The inner system (8.6) is solved with the matrix (8.8), whose inverse is bounded however large K is; each outer iteration
//! (8.7) gains a factor h^2, and the first result is off by O(1/K) already.

use super::geometry::{Degenerate, Geometry, combine, dot};
use super::lean::LeanFactors;
use super::newton::predictable;
use super::{Budget, Convergence, Error, Method, Report, Stepper};
use super::{checked_start, checked_state, checked_step, inverse_magnitudes};
use crate::linear::Lu;
use crate::method::{Coefficients, Collocation, Modes, Stages, StifflyAccurate};
use crate::model::{Elastic, MassFactor, MassMatrix, Motion, Potential, Vector};
use crate::number::{Compensated, Dual, Real, Scalar};
use core::marker::PhantomData;

/// The kind of a model with a strong potential, for inference.
#[derive(Clone, Copy, Debug)]
pub struct OfPotential<R, const Q: usize, const L: usize, const U: usize, const S: usize>(
    PhantomData<R>,
);

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>
    Method<M, OfPotential<R, Q, L, U, S>> for K
where
    R: Real,
    M: Potential<R, Q, L, U>,
    K: Collocation<S, Accuracy = StifflyAccurate>,
    Stages<S>: Modes,
{
    type Real = R;
    type Start = (Vector<R, Q>, Vector<R, Q>);
    type Stepper = PotentialStepper<R, M, K, Q, L, U, S>;

    fn stepper(self, model: M, h: R, start: Self::Start) -> Result<Self::Stepper, Error> {
        PotentialStepper::new(model, h, start)
    }
}

/// A model with a strong potential and its state, stepped by the method `K` of `S` stages.
pub struct PotentialStepper<
    R: Real,
    M,
    K,
    const Q: usize,
    const L: usize,
    const U: usize,
    const S: usize,
> {
    model: M,
    method: PhantomData<K>,
    h: R,
    now: Motion<R, Q, L>,
    low_q: [R; Q],
    low_v: [R; Q],
    w: [[R; Q]; S],
    lambda: [[R; L]; S],
    expected: bool,
    weights: [R; Q],
}

/// The gradient of the potential.
fn gradient<R, M, const Q: usize, const L: usize, const U: usize>(model: &M, q: &[R; Q]) -> [R; Q]
where
    R: Real,
    M: Potential<R, Q, L, U>,
{
    let mut variables = [Dual::<R, Q>::constant(R::ZERO); Q];
    for i in 0..Q {
        variables[i] = Dual::variable(q[i], i);
    }
    model.potential(&Vector::from(variables)).slope
}

/// The Hessian of the potential, by rows.
fn hessian<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    q: &[R; Q],
) -> [[R; Q]; Q]
where
    R: Real,
    M: Potential<R, Q, L, U>,
{
    let mut variables = [Dual::<Dual<R, Q>, Q>::constant(R::ZERO); Q];
    for i in 0..Q {
        variables[i] = Dual::variable(Dual::variable(q[i], i), i);
    }
    let slopes = model.potential(&Vector::from(variables)).slope;
    let mut rows = [[R::ZERO; Q]; Q];
    for i in 0..Q {
        rows[i] = slopes[i].slope;
    }
    rows
}

/// One over the nominal magnitudes of a model with a sound stiffness.
fn sound<R, M, const Q: usize, const L: usize, const U: usize>(model: &M) -> Result<[R; Q], Error>
where
    R: Real,
    M: Potential<R, Q, L, U>,
{
    // False for NaN, too.
    if !(model.stiffness() > R::ZERO && model.stiffness().finite()) {
        return Err(Error::Joint { index: 0 });
    }
    inverse_magnitudes(&model.nominal())
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

/// The geometry of (8.8): the constraint rows are `(G^T)^- Hess P`, the directions `M^-1 G^T`.
fn geometry<R, M, F, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    q: &[R; Q],
) -> Result<Geometry<R, F, Q, L>, Error>
where
    R: Real,
    M: Potential<R, Q, L, U>,
    M::Mass<R>: MassMatrix<R, R, Q, Factor = F>,
    F: MassFactor<R, Q>,
{
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
    let mut directions = g;
    let mut schur = [[R::ZERO; L]; L];
    for j in 0..L {
        mass.solve(&mut directions[j]);
        for i in 0..L {
            schur[i][j] = dot(&jacobian[i], &directions[j]);
        }
    }
    Ok(Geometry {
        mass,
        jacobian,
        directions,
        schur,
    })
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>
    PotentialStepper<R, M, K, Q, L, U, S>
where
    R: Real,
    M: Potential<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
{
    /// A stepper at (q, v).
    pub fn new(model: M, h: R, (q, v): (Vector<R, Q>, Vector<R, Q>)) -> Result<Self, Error> {
        let h = checked_step(h)?;
        checked_start(&q)?;
        checked_start(&v)?;
        let weights = sound(&model)?;
        let mut now = Motion {
            q,
            v,
            a: Vector::from([R::ZERO; Q]),
            lambda: Vector::from([R::ZERO; L]),
            turns: 0,
        };
        let place = &q.data.0[0];
        now.lambda = left_inverse(&model.directions(&q), &gradient(&model, place))?.into();
        now.lambda *= model.stiffness();
        checked_state(&now.lambda)?;
        // The iteration starts at rest in the strong directions: their forces follow from it within two iterations.
        Ok(PotentialStepper {
            model,
            method: PhantomData,
            h,
            now,
            low_q: [R::ZERO; Q],
            low_v: [R::ZERO; Q],
            w: [[R::ZERO; Q]; S],
            lambda: [[R::ZERO; L]; S],
            expected: true,
            weights,
        })
    }

    /// Where stage i is, and how fast.
    fn place(
        &self,
        w: &[[R; Q]; S],
        i: usize,
        coefficients: &Coefficients<R, S>,
    ) -> (Vector<R, Q>, Vector<R, Q>) {
        let h = self.h;
        let (speed, place) = (
            combine(&coefficients.a[i], w),
            combine(&coefficients.a2[i], w),
        );
        let (mut q, mut v) = (self.now.q, self.now.v);
        for n in 0..Q {
            q.data.0[0][n] += coefficients.c[i] * h * self.now.v.data.0[0][n] + h * h * place[n];
            v.data.0[0][n] += h * speed[n];
        }
        (q, v)
    }

    /// Solves the inner system (8.6) for a given r.
    fn inner<B: Budget<R>, F: MassFactor<R, Q>>(
        &self,
        t: R,
        u: &Vector<R, U>,
        factors: &LeanFactors<R, F, Q, L, S>,
        (w, lambda): (&mut [[R; Q]; S], &mut [[R; L]; S]),
        r: &[[R; Q]; S],
        budget: &mut B,
    ) -> Result<(Report<R>, bool), Error> {
        let coefficients = K::coefficients::<R>();
        let h = self.h;
        let mut convergence = Convergence::start(R::EPSILON * coefficients.amplification / h);
        let (mut r1, mut r2) = ([[R::ZERO; Q]; S], [[R::ZERO; L]; S]);
        while budget.another(&convergence) {
            for i in 0..S {
                let (q, v) = self.place(w, i, coefficients);
                let directions = self.model.directions(&q);
                r1[i] = self.model.mass().times(&w[i]);
                let force = self
                    .model
                    .force(t + coefficients.c[i] * h, &q, &v, u)
                    .data
                    .0[0];
                let strong = combine(&lambda[i], &directions);
                for n in 0..Q {
                    r1[i][n] += strong[n] - force[n] - r[i][n];
                }
                let valley = left_inverse(&directions, &gradient(&self.model, &q.data.0[0]))?;
                for j in 0..L {
                    r2[i][j] = (valley[j] - lambda[i][j] / self.model.stiffness()) / (h * h);
                }
            }
            factors.solve_stages(&mut r1, &mut r2, coefficients);
            let mut squares = R::ZERO;
            for i in 0..S {
                for n in 0..Q {
                    w[i][n] += r1[i][n];
                    squares += (h * r1[i][n] * self.weights[n]).square();
                }
                for j in 0..L {
                    lambda[i][j] += r2[i][j];
                }
            }
            convergence.record(squares);
        }
        Ok((
            convergence.verdict(budget.tolerance(), false)?,
            convergence.expected(),
        ))
    }
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize> Stepper
    for PotentialStepper<R, M, K, Q, L, U, S>
where
    R: Real,
    M: Potential<R, Q, L, U>,
    K: Collocation<S>,
    Stages<S>: Modes,
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
        let coefficients = K::coefficients::<R>();
        let h = self.h;
        let joints = Elastic {
            stiffness: [self.model.stiffness(); L],
        };
        let geometry = geometry(&self.model, &self.now.q.data.0[0])?;
        let factors = LeanFactors::from_geometry(geometry, &joints, h, coefficients)?;
        let (mut w, mut lambda) = ([self.w[S - 1]; S], [self.lambda[S - 1]; S]);
        if self.expected {
            for i in 0..S {
                w[i] = combine(&coefficients.extrapolation[i], &self.w);
                lambda[i] = combine(&coefficients.extrapolation[i], &self.lambda);
            }
        }
        let mut r = [[R::ZERO; Q]; S];
        let (mut report, expected) =
            self.inner(t, u, &factors, (&mut w, &mut lambda), &r, budget)?;
        for _ in 0..M::CORRECTIONS {
            for i in 0..S {
                let (q, _) = self.place(&w, i, coefficients);
                let strong = combine(&lambda[i], &self.model.directions(&q));
                let gradient = gradient(&self.model, &q.data.0[0]);
                for n in 0..Q {
                    r[i][n] = strong[n] - self.model.stiffness() * gradient[n];
                }
            }
            let iterations = report.iterations;
            (report, _) = self.inner(t, u, &factors, (&mut w, &mut lambda), &r, budget)?;
            report.iterations += iterations;
        }
        let (mut now, mut low_q, mut low_v) = (self.now, self.low_q, self.low_v);
        let (speed, place) = (combine(&coefficients.b, &w), combine(&coefficients.ba, &w));
        for n in 0..Q {
            let step = h * now.v.data.0[0][n] + h * h * place[n];
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
        (now.a, now.lambda) = (w[S - 1].into(), lambda[S - 1].into());
        if !now
            .q
            .iter()
            .chain(now.v.iter())
            .chain(now.lambda.iter())
            .all(|x| x.finite())
        {
            return Err(Error::NonFinite);
        }
        let expected = if self.expected {
            expected
        } else {
            predictable(&coefficients.extrapolation, (&self.w, &w), &self.weights, h)
        };
        (self.now, self.low_q, self.low_v, self.w, self.lambda) = (now, low_q, low_v, w, lambda);
        self.expected = expected;
        Ok(report)
    }

    fn h(&self) -> R {
        self.h
    }

    fn set_h(&mut self, h: R) -> Result<(), Error> {
        self.h = checked_step(h)?;
        self.expected = false;
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

    fn refit(&mut self, _t: R, _u: &Self::Input) -> Result<(), Error> {
        self.weights = sound(&self.model)?;
        self.expected = false;
        Ok(())
    }
}
