//! A mechanism's constraints at a point, and what they need of its mass: G, M^-1 G^T and G M^-1 G^T. What follows from them without a
//! step: consistent values, energies.

mod consistent;
mod diagnostics;
mod pattern;

pub use consistent::{consistent, free_motion};
pub use diagnostics::Diagnostics;
pub(crate) use pattern::{Known, Pattern, PatternOf, checked_pattern};

use crate::Error;
use crate::linear::{Lu, Singular};
use crate::model::{Joints, MassFactor, MassMatrix, Mechanical, Vector};
use crate::number::{Dual, Plain, Real, Scalar};

/// `G = dg/dq` by rows, with the constraints themselves.
#[inline(always)]
pub(crate) fn constraint_jacobian<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &[R; Q],
) -> ([R; L], [[R; Q]; L])
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
{
    // Coordinates that no constraint touches together share a direction.
    match PatternOf::<R, M, Q, L, U>::OF_CONSTRAINTS {
        Some(pattern) if pattern.width <= 2 => coloured::<R, M, Q, L, U, 2>(model, t, q, pattern),
        Some(pattern) if pattern.width <= 4 => coloured::<R, M, Q, L, U, 4>(model, t, q, pattern),
        Some(pattern) if pattern.width <= 8 => coloured::<R, M, Q, L, U, 8>(model, t, q, pattern),
        _ => {
            let mut variables = [Dual::<R, Q>::constant(R::ZERO); Q];
            for i in 0..Q {
                variables[i] = Dual::variable(q[i], i);
            }
            let time = Dual::constant(t);
            let duals = model.constraint(time, &Vector::from(variables)).data.0[0];
            let (mut g, mut jacobian) = ([R::ZERO; L], [[R::ZERO; Q]; L]);
            for j in 0..L {
                g[j] = duals[j].value;
                jacobian[j] = duals[j].slope();
            }
            (g, jacobian)
        }
    }
}

/// G by so few directions as its rows are wide.
#[inline(always)]
fn coloured<R, M, const Q: usize, const L: usize, const U: usize, const D: usize>(
    model: &M,
    t: R,
    q: &[R; Q],
    pattern: &Pattern<L>,
) -> ([R; L], [[R; Q]; L])
where
    R: Real,
    M: Mechanical<R, Q, L, U>,
{
    let mut variables = [Plain::<R, D>::constant(R::ZERO); Q];
    for i in 0..Q {
        variables[i] = Plain::variable(q[i], i % D);
    }
    let time = Plain::constant(t);
    let duals = model.constraint(time, &Vector::from(variables)).data.0[0];
    let (mut g, mut jacobian) = ([R::ZERO; L], [[R::ZERO; Q]; L]);
    for j in 0..L {
        g[j] = duals[j].value;
        let slope = duals[j].slope();
        let first = pattern.start(j);
        if let Some(row) = jacobian[j].get_mut(first..first + D) {
            for n in 0..D {
                row[n] = slope[(first + n) % D];
            }
        }
    }
    (g, jacobian)
}

/// `G^T lambda`, of a G by rows that is zero outside a pattern.
#[inline(always)]
pub(crate) fn pulled<R: Real, const Q: usize, const L: usize>(
    pattern: Known<L>,
    jacobian: &[[R; Q]; L],
    lambda: &[R; L],
) -> [R; Q] {
    match pattern {
        Some(pattern) if pattern.width <= 2 => pulled_by::<R, Q, L, 2>(pattern, jacobian, lambda),
        Some(pattern) if pattern.width <= 4 => pulled_by::<R, Q, L, 4>(pattern, jacobian, lambda),
        Some(pattern) if pattern.width <= 8 => pulled_by::<R, Q, L, 8>(pattern, jacobian, lambda),
        _ => combine(lambda, jacobian),
    }
}

#[inline(always)]
fn pulled_by<R: Real, const Q: usize, const L: usize, const W: usize>(
    pattern: &Pattern<L>,
    jacobian: &[[R; Q]; L],
    lambda: &[R; L],
) -> [R; Q] {
    let mut sum = [R::ZERO; Q];
    for j in 0..L {
        let row = window::<R, Q, W>(&jacobian[j], pattern.start(j));
        let first = pattern.start(j);
        if let Some(sum) = sum.get_mut(first..first + W) {
            for n in 0..W {
                sum[n] += lambda[j] * row[n];
            }
        }
    }
    sum
}

/// So many elements of a row from one on; zeros where there are none.
#[inline(always)]
fn window<R: Real, const Q: usize, const W: usize>(row: &[R; Q], first: usize) -> [R; W] {
    let mut part = [R::ZERO; W];
    if let Some(row) = row.get(first..first + W) {
        for n in 0..W {
            part[n] = row[n];
        }
    }
    part
}

/// The product of row j of G, that is zero outside a pattern, with a vector.
#[inline(always)]
pub(crate) fn along<R: Real, const Q: usize, const L: usize>(
    pattern: Known<L>,
    jacobian: &[[R; Q]; L],
    j: usize,
    x: &[R; Q],
) -> R {
    match pattern {
        Some(pattern) if pattern.width <= 2 => part::<R, Q, 2>(pattern.start(j), &jacobian[j], x),
        Some(pattern) if pattern.width <= 4 => part::<R, Q, 4>(pattern.start(j), &jacobian[j], x),
        Some(pattern) if pattern.width <= 8 => part::<R, Q, 8>(pattern.start(j), &jacobian[j], x),
        _ => dot(&jacobian[j], x),
    }
}

#[inline(always)]
fn part<R: Real, const Q: usize, const W: usize>(first: usize, a: &[R; Q], b: &[R; Q]) -> R {
    dot(&window::<R, Q, W>(a, first), &window::<R, Q, W>(b, first))
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
    R: Real,
    M: Mechanical<R, Q, L, U>,
{
    let mut moving = [Dual::<R, 1>::constant(R::ZERO); Q];
    for i in 0..Q {
        moving[i] = Dual::new(q[i], [v[i]]);
    }
    let duals = model
        .constraint(Dual::new(t, [R::ONE]), &Vector::from(moving))
        .data
        .0[0];
    let (mut g, mut rate) = ([R::ZERO; L], [R::ZERO; L]);
    for j in 0..L {
        g[j] = duals[j].value;
        rate[j] = duals[j].slope()[0];
    }
    (g, rate)
}

/// The force of elastic joints: `lambda = K (g + tau (g_t + G v))`.
pub(crate) fn spring_force<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    (q, v): (&[R; Q], &[R; Q]),
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

/// The second derivative of the constraints along the motion without acceleration: `g_tt + 2 g_tq v + v^T g_qq v`.
#[inline(always)]
pub(crate) fn constraint_curvature<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &[R; Q],
    v: &[R; Q],
) -> [R; L]
where
    R: Real,
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
        let pattern = PatternOf::<R, M, Q, L, U>::OF_GEOMETRY;
        Ok(Self::within(pattern, mass, jacobian, jacobian))
    }

    /// That of rows `jacobian`, which need not be those of the `directions` of forces.
    #[inline(always)]
    pub fn new(mass: F, jacobian: [[R; Q]; L], directions: [[R; Q]; L]) -> Self {
        Self::within(None, mass, jacobian, directions)
    }

    /// The same of rows that are zero outside a pattern, and of a diagonal mass if there is one.
    #[inline(always)]
    fn within(pattern: Known<L>, mass: F, jacobian: [[R; Q]; L], directions: [[R; Q]; L]) -> Self {
        let schur = [[R::ZERO; L]; L];
        let mut geometry = Geometry {
            mass,
            jacobian,
            directions,
            schur,
        };
        for j in 0..L {
            geometry.mass.solve(&mut geometry.directions[j]);
            let (first, end) = pattern.map_or((0, L), |pattern| pattern.near(j));
            for i in first..end {
                geometry.schur[i][j] =
                    along(pattern, &geometry.jacobian, i, &geometry.directions[j]);
            }
        }
        geometry
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
