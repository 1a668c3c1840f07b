//! A mechanism's constraints at a point, and what they need of its mass: G, M^-1 G^T and G M^-1 G^T. What follows from them without a
//! step: consistent values, energies.

mod consistent;
mod diagnostics;
mod local;
mod narrow;
mod pattern;

pub use consistent::{consistent, free_motion};
pub use diagnostics::Diagnostics;
pub(crate) use local::each_constraint;
pub(crate) use narrow::Narrow;
use narrow::{add_row, each_row};
pub(crate) use pattern::{Pattern, PatternOf, checked_pattern};

use crate::Error;
use crate::linear::{Lu, Singular};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical, Vector};
use crate::number::{Dual, Real, Scalar, variables};

/// `G = dg/dq` by rows, with the constraints themselves.
#[inline(always)]
pub(crate) fn constraint_jacobian<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &[R; Q],
) -> ([R; L], [[R; Q]; L])
where
    M: Mechanical<R, Q, L, U>,
{
    let (mut g, mut jacobian) = ([R::ZERO; L], [[R::ZERO; Q]; L]);
    if let Some(pattern) = PatternOf::<R, M, Q, L, U>::OF_CONSTRAINTS {
        each_row(model, (t, q), pattern, |j, value, first, row| {
            g[j] = value;
            for n in 0..row.len() {
                if let Some(element) = jacobian[j].get_mut(first + n) {
                    *element = row[n];
                }
            }
        });
        return (g, jacobian);
    }
    let (time, place) = (Dual::constant(t), Vector::from(variables(q)));
    let duals = model.constraint(time, &place).data.0[0];
    for j in 0..L {
        g[j] = duals[j].value;
        jacobian[j] = duals[j].slope();
    }
    (g, jacobian)
}

/// The constraints, and what forces lambda in them do to the coordinates, `G^T lambda`, written to places that are zero.
#[inline(always)]
pub(crate) fn constraint_reaction<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &[R; Q],
    lambda: &[R; L],
    (g, reaction): (&mut [R; L], &mut [R; Q]),
) where
    M: Mechanical<R, Q, L, U>,
{
    let Some(pattern) = PatternOf::<R, M, Q, L, U>::OF_CONSTRAINTS else {
        let (value, jacobian) = constraint_jacobian(model, t, q);
        (*g, *reaction) = (value, combine(lambda, &jacobian));
        return;
    };
    each_row(model, (t, q), pattern, |j, value, _, row| {
        g[j] = value;
        add_row(pattern.window_mut(j, reaction), lambda[j], row);
    });
}

/// The constraints and their rate `g_t + G v`, by one derivative along the motion.
#[inline(always)]
pub(crate) fn constraint_rate<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &[R; Q],
    v: &[R; Q],
) -> ([R; L], [R; L])
where
    M: Mechanical<R, Q, L, U>,
{
    let (mut g, mut rate) = ([R::ZERO; L], [R::ZERO; L]);
    let moving = |q: R, v: R| Dual::<R, 1>::new(q, [v]);
    each_constraint(model, Dual::new(t, [R::ONE]), (q, v), moving, |j, dual| {
        (g[j], rate[j]) = (dual.value, dual.slope()[0]);
    });
    (g, rate)
}

/// The force of elastic joints: `lambda = K (g + tau (g_t + G v))`.
pub(crate) fn spring_force<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    (q, v): (&[R; Q], &[R; Q]),
) -> [R; L]
where
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

/// The second derivative of the constraints along the motion without acceleration: `g_tt + 2 g_tq v + v^T g_qq v`.
#[inline(always)]
pub(crate) fn constraint_curvature<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &[R; Q],
    v: &[R; Q],
) -> [R; L]
where
    M: Mechanical<R, Q, L, U>,
{
    let line = |value: R, speed: R| {
        Dual::<Dual<R, 1>, 1>::new(Dual::new(value, [speed]), [Dual::constant(speed)])
    };
    let mut moving = [line(R::ZERO, R::ZERO); Q];
    for i in 0..Q {
        moving[i] = line(q[i], v[i]);
    }
    let duals = model
        .constraint(line(t, R::ONE), &Vector::from(moving))
        .data
        .0[0];
    let mut curvature = [R::ZERO; L];
    for j in 0..L {
        curvature[j] = duals[j].slope()[0].slope()[0];
    }
    curvature
}

/// Mass and constraints at a point, ready for solving.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry<R, F, const Q: usize, const L: usize> {
    pub mass: F,
    /// G by rows.
    pub jacobian: [[R; Q]; L],
    /// `M^-1 G^T` by columns.
    pub directions: [[R; Q]; L],
    /// `G M^-1 G^T`, by rows.
    pub schur: [[R; L]; L],
}

/// What about a mechanism is singular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Degenerate {
    /// The mass of a coordinate.
    Mass(usize),
    /// A constraint that depends on those before it.
    Constraint(usize),
    /// The model returned a non-finite value.
    NonFinite,
}

impl Degenerate {
    /// Why the masses could not be factorised.
    pub fn mass(singular: Singular) -> Self {
        if singular.finite {
            Degenerate::Mass(singular.column)
        } else {
            Degenerate::NonFinite
        }
    }

    /// Why a matrix of the constraints could not be factorised.
    pub fn constraint(singular: Singular) -> Self {
        if singular.finite {
            Degenerate::Constraint(singular.column)
        } else {
            Degenerate::NonFinite
        }
    }
}

impl From<Degenerate> for Error {
    #[inline]
    fn from(degenerate: Degenerate) -> Self {
        match degenerate {
            Degenerate::Mass(coordinate) => Error::Mass { coordinate },
            Degenerate::Constraint(index) => Error::Constraint { index },
            Degenerate::NonFinite => Error::NonFinite,
        }
    }
}

impl<R: Real, F: MassFactor<R, Q>, const Q: usize, const L: usize> Geometry<R, F, Q, L> {
    /// The geometry at (t, q).
    #[inline(always)]
    pub fn at<M, const U: usize>(model: &M, t: R, q: &[R; Q]) -> Result<Self, Degenerate>
    where
        M: Mechanical<R, Q, L, U>,
        M::Mass<R>: MassMatrix<R, R, Q, Factor = F>,
    {
        let mass = model
            .mass(&Vector::from(*q))
            .factor()
            .map_err(Degenerate::mass)?;
        let (_, jacobian) = constraint_jacobian(model, t, q);
        Ok(Self::new(mass, jacobian, jacobian))
    }

    /// That of rows `jacobian`, which need not be those of the `directions` of forces.
    #[inline(always)]
    pub fn new(mass: F, jacobian: [[R; Q]; L], mut directions: [[R; Q]; L]) -> Self {
        let mut schur = [[R::ZERO; L]; L];
        for j in 0..L {
            mass.solve(&mut directions[j]);
            for i in 0..L {
                schur[i][j] = dot(&jacobian[i], &directions[j]);
            }
        }
        Geometry {
            mass,
            jacobian,
            directions,
            schur,
        }
    }

    /// The factorised `G M^-1 G^T`.
    #[inline(always)]
    pub fn factor(&self) -> Result<Lu<R, L, false>, Degenerate> {
        Lu::factor(self.schur).map_err(Degenerate::constraint)
    }

    /// `M^-1 G^T lambda`: what forces in the joints do to the motion.
    #[inline(always)]
    pub fn respond(&self, lambda: &[R; L]) -> [R; Q] {
        combine(lambda, &self.directions)
    }

    /// The way along `M^-1 G^T` that makes good what constraints lack, if joints give way by so much, or not at all.
    #[inline(always)]
    pub fn way(&self, mut lack: [R; L], give: Option<[R; L]>) -> Result<[R; Q], Degenerate> {
        self.yielding(give).factor()?.solve(&mut lack);
        Ok(self.respond(&lack))
    }
}

impl<R: Real, F: Copy, const Q: usize, const L: usize> Geometry<R, F, Q, L> {
    /// The geometry as joints see it that give way by so much, or not at all: even redundant ones have an answer.
    #[inline(always)]
    pub fn yielding(&self, give: Option<[R; L]>) -> Self {
        let mut yielding = *self;
        if let Some(give) = give {
            for j in 0..L {
                yielding.schur[j][j] += give[j];
            }
        }
        yielding
    }
}

/// The linear combination of vectors.
#[inline(always)]
pub(crate) fn combine<R: Real, const N: usize, const K: usize>(
    weights: &[R; K],
    vectors: &[[R; N]; K],
) -> [R; N] {
    let mut sum = [R::ZERO; N];
    for k in 0..K {
        for n in 0..N {
            let term = weights[k] * vectors[k][n];
            sum[n] = if k == 0 { term } else { sum[n] + term };
        }
    }
    sum
}

/// Adds `by` times `y` to `x`.
#[inline(always)]
pub(crate) fn plus<R: Real, const N: usize>(x: &mut [R; N], by: R, y: &[R; N]) {
    for n in 0..N {
        x[n] += by * y[n];
    }
}

/// Element n of a linear combination of vectors.
#[inline(always)]
pub(crate) fn sum_of<R: Real, const N: usize, const K: usize>(
    weights: &[R; K],
    vectors: &[[R; N]; K],
    n: usize,
) -> R {
    let mut sum = R::ZERO;
    for k in 0..K {
        let term = weights[k] * vectors[k][n];
        sum = if k == 0 { term } else { sum + term };
    }
    sum
}

/// The scalar product.
#[inline(always)]
pub(crate) fn dot<R: Real, const N: usize>(a: &[R; N], b: &[R; N]) -> R {
    let mut sum = R::ZERO;
    for i in 0..N {
        // Not `sum +=` from zero: 0 + x is not x for x = -0, so the compiler would have to add.
        sum = if i == 0 {
            a[i] * b[i]
        } else {
            sum + a[i] * b[i]
        };
    }
    sum
}
