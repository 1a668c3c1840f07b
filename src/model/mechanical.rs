//! Mechanisms: masses, forces, and constraints that are rigid or elastic.

use super::{Joints, MassMatrix, Vector};
use crate::memory::visits;
use crate::number::{Implies, Real, Scalar};

/// The magnitudes that a mechanism's variables have when it does what it is built for. Tolerances, and what counts as
/// consistent, are relative to them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nominal<R, const Q: usize> {
    /// Of the coordinates.
    pub q: [R; Q],
    /// Of the velocities.
    pub v: [R; Q],
}

/// `M(q) v' = f(t, q, v, u) - G(q)^T lambda`, `q' = v`, held together by `g(t, q)`.
///
/// `Q` coordinates, `L` constraints, `U` inputs, which are held over a step. The constraints are rigid, elastic or damped,
/// see [`Joints`]; `G = dg/dq` and every other derivative comes from dual numbers. The multiplier lambda is the force that
/// the joint exerts *against* the constraint's growth: the tension of a string, the torque of a twisted shaft.
///
/// ```
/// use stiffstep::prelude::*;
///
/// /// Motor and load on one elastic shaft.
/// struct Drive { inertia: [f32; 2], stiffness: f32, damping: f32 }
///
/// impl Mechanical<f32, 2, 1, 1> for Drive {
///     type Joints = Damped<f32, 1>;
///     type Mass<T: Scalar<f32>> = Diagonal<T, 2>;
///     fn joints(&self) -> Damped<f32, 1> {
///         Damped { stiffness: [self.stiffness], damping: [self.damping] }
///     }
///     fn mass<T: Scalar<f32>>(&self, _q: &Vector<T, 2>) -> Diagonal<T, 2> {
///         Diagonal(self.inertia.map(T::constant).into())
///     }
///     fn force<T: Scalar<f32>>(
///         &self, _t: T, _q: &Vector<T, 2>, v: &Vector<T, 2>, u: &Vector<f32, 1>,
///     ) -> Vector<T, 2> {
///         [T::constant(u[0]), v[1] * -0.01].into()
///     }
///     fn constraint<T: Scalar<f32>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
///         [q[0] - q[1]].into()
///     }
/// }
///
/// let drive = Drive { inertia: [1e-3, 2e-3], stiffness: 500.0, damping: 0.01 };
/// let mut drive = Simulation::new(drive, RadauIIA::<3>, 1e-3, ([0.0; 2].into(), [0.0; 2].into()))?;
/// drive.input = [0.1].into();
/// for _ in 0..1000 {
///     drive.step()?;
/// }
/// // After a second the load runs steadily, and the shaft carries all of the torque.
/// assert!((drive.state().lambda[0] - 0.1).abs() < 0.01);
/// # Ok::<(), stiffstep::Error>(())
/// ```
pub trait Mechanical<R: Real, const Q: usize, const L: usize, const U: usize>:
    Implies<R, Is: Real>
{
    /// [`Rigid`](super::Rigid), [`Elastic`](super::Elastic) or [`Damped`](super::Damped).
    type Joints: Joints<R, L>;
    /// The shape of M: [`Diagonal`](super::Diagonal), [`Block`](super::Block) or a [`Matrix`](super::Matrix).
    type Mass<T: Scalar<R>>: MassMatrix<R, T, Q>;

    /// Which coordinates each constraint depends on: the first, and the one after the last. All of them, unless a model knows
    /// better. Where each constraint has at most eight, none has a coordinate in common with one more than three places before or behind it, and
    /// the mass is [`Unit`](crate::model::Unit) or [`Diagonal`](crate::model::Diagonal), a step with [`Lean`](crate::method::Lean) is cheaper, its
    /// storage grows with the number of constraints only, and its bits are the same: eight links of a chain take 24,900 instructions on a
    /// Cortex-M4F instead of 81,500, and 16,700 with [`LOCAL`](Self::LOCAL). A constraint that depends on another coordinate, as far as the derivatives at the start tell, is
    /// [`Error::Touched`](crate::Error::Touched).
    const TOUCHED: [[usize; 2]; L] = [[0, Q]; L];

    /// Whether the model has a [`local_constraint`](Self::local_constraint) of its own. Steps of a model with [`TOUCHED`](Self::TOUCHED) then go
    /// from constraint to constraint, and no array of all coordinates is made for each derivative.
    const LOCAL: bool = false;

    /// The joints' stiffness and damping.
    fn joints(&self) -> Self::Joints;

    /// The mass matrix, symmetric and positive definite. Where its type is [`Unit`](super::Unit) there is nothing to say.
    #[inline(always)]
    fn mass<T: Scalar<R>>(&self, _q: &Vector<T, Q>) -> Self::Mass<T> {
        const {
            assert!(
                Self::Mass::<T>::UNIT,
                "a mass that is not `Unit` must be given"
            )
        };
        Self::Mass::<T>::unit()
    }

    /// The applied forces, Coriolis and gravity included.
    fn force<T: Scalar<R>>(
        &self,
        t: T,
        q: &Vector<T, Q>,
        v: &Vector<T, Q>,
        u: &Vector<R, U>,
    ) -> Vector<T, Q>;

    /// The constraints: zero where the mechanism fits together without strain.
    fn constraint<T: Scalar<R>>(&self, t: T, q: &Vector<T, Q>) -> Vector<T, L>;

    /// One of the constraints, from the coordinates that it touches: `near(0)` is the first of [`TOUCHED`](Self::TOUCHED), and so on. It must
    /// compute what [`constraint`](Self::constraint) does, operation by operation: a constraint that differs at the start is
    /// [`Error::Touched`](crate::Error::Touched). Used if [`LOCAL`](Self::LOCAL) says so; unless a model writes one, it asks `constraint`.
    #[inline(always)]
    fn local_constraint<T: Scalar<R>>(&self, t: T, index: usize, near: impl Fn(usize) -> T) -> T {
        let zero = T::constant(R::ZERO);
        let (mut q, [first, end]) = ([zero; Q], *Self::TOUCHED.get(index).unwrap_or(&[0, 0]));
        for n in first..end.min(Q) {
            q[n] = near(n - first);
        }
        let all = self.constraint(t, &Vector::from(q)).data.0[0];
        *all.get(index).unwrap_or(&zero)
    }

    /// For coordinates that grow without bound: a shift that changes neither mass nor force nor constraint, such as one turn
    /// of both ends of a shaft. Whenever all the coordinates that it shifts have passed it, it is subtracted, which is
    /// exact, and [`Motion::turns`] counts it. Without it single precision loses the twist of a stiff shaft at 300 rad/s
    /// within a minute.
    #[inline(always)]
    fn turn(&self) -> [R; Q] {
        [R::ZERO; Q]
    }

    /// The time after which every function of t repeats itself, if the model has such a thing: the turn of a crank, the cycle of
    /// the mains; of several frequencies their common period. With it t stays below the period, and one step beyond either end
    /// is all that is ever asked for: phases stay as good as they are in the first period, however long the run. Without it t
    /// is the time since the start, and in single precision its resolution is 6e-8 of that: see the guide on
    /// [single precision](crate::guide::single_precision). It may change with parameters, but a model has one for good or has none;
    /// one that is not positive and finite is [`Error::Period`](crate::Error::Period).
    #[inline(always)]
    fn period(&self) -> Option<R> {
        None
    }

    /// The potential energy of the applied forces, for [`Diagnostics`](crate::manifold::Diagnostics); no step needs it.
    #[inline(always)]
    fn potential(&self, _q: &Vector<R, Q>) -> R {
        R::ZERO
    }

    /// The magnitudes to expect.
    #[inline(always)]
    fn nominal(&self) -> Nominal<R, Q> {
        Nominal {
            q: [R::ONE; Q],
            v: [R::ONE; Q],
        }
    }

    /// The magnitudes to expect of the multipliers. If a model does not say, they are the forces that give the nominal
    /// accelerations `v^2 / q` to what the joints hold, computed where a simulation starts:
    /// `sum_n |G_jn| v_n^2 / q_n / (G M^-1 G^T)_jj`. They follow every change of units by themselves, but a joint that carries
    /// far less, as that of a motor which turns fast and steadily, or far more should say so.
    #[inline(always)]
    fn nominal_lambda(&self) -> Option<[R; L]> {
        None
    }
}

/// The state of a mechanism.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<R, const Q: usize, const L: usize> {
    /// The coordinates.
    pub q: Vector<R, Q>,
    /// The velocities.
    pub v: Vector<R, Q>,
    /// The accelerations.
    pub a: Vector<R, Q>,
    /// The multipliers: forces in the joints.
    pub lambda: Vector<R, L>,
    /// How often [`Mechanical::turn`] was subtracted from the coordinates, less how often it was added.
    pub turns: i32,
}

visits!([R: Real, const Q: usize, const L: usize] Motion<R, Q, L>: q, v, a, lambda, turns);

/// A start: the rest follows.
impl<R: Real, const Q: usize, const L: usize> From<(Vector<R, Q>, Vector<R, Q>)>
    for Motion<R, Q, L>
{
    fn from((q, v): (Vector<R, Q>, Vector<R, Q>)) -> Self {
        Motion {
            q,
            v,
            a: [R::ZERO; Q].into(),
            lambda: [R::ZERO; L].into(),
            turns: 0,
        }
    }
}
