//! The pendulum of all five papers: unit mass on a rod or on a stiff spring of unit length, gravity 1, Cartesian.

use stiffstep::prelude::*;

/// What all of them have in common: the mass and its weight.
macro_rules! hanging {
    () => {
        type Mass<T: Scalar<R>> = Unit;

        #[inline(always)]
        fn force<T: Scalar<R>>(
            &self,
            _t: T,
            _q: &Vector<T, 2>,
            _v: &Vector<T, 2>,
            _u: &Vector<R, 0>,
        ) -> Vector<T, 2> {
            [T::constant(R::ZERO), T::constant(-R::ONE)].into()
        }
        fn potential(&self, q: &Vector<R, 2>) -> R {
            q[1]
        }
    };
}

/// A spring pendulum: potential `(r - 1)^2 / (2 eps^2)`, released at rest from (1, 0).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StiffPendulum<R> {
    /// The spring's stiffness, `1 / eps^2`.
    pub stiffness: R,
}

impl<R: Real> StiffPendulum<R> {
    /// The pendulum with the papers' small parameter.
    pub fn new(eps: f64) -> Self {
        StiffPendulum {
            stiffness: R::from_f64(1.0 / (eps * eps)),
        }
    }

    /// The energy: kinetic, gravity, spring.
    pub fn energy<const L: usize>(&self, at: &Motion<R, 2, L>) -> R {
        let half = R::from_f64(0.5);
        let stretch = (at.q[0] * at.q[0] + at.q[1] * at.q[1]).sqrt() - R::ONE;
        half * (at.v[0] * at.v[0] + at.v[1] * at.v[1])
            + at.q[1]
            + half * self.stiffness * stretch * stretch
    }
}

impl<R: Real> Mechanical<R, 2, 1, 0> for StiffPendulum<R> {
    type Joints = Elastic<R, 1>;
    hanging!();

    #[inline(always)]
    fn joints(&self) -> Elastic<R, 1> {
        Elastic {
            stiffness: [self.stiffness],
        }
    }
    #[inline(always)]
    fn constraint<T: Scalar<R>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        [(q[0] * q[0] + q[1] * q[1]).sqrt() - R::ONE].into()
    }
}

/// The same pendulum on a rigid rod, `g = (|q|^2 - 1) / 2`: index 3. The multiplier is the rod's tension, `-3 q_2`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidPendulum;

impl RigidPendulum {
    /// The energy: kinetic and gravity.
    pub fn energy<R: Real, const L: usize>(&self, at: &Motion<R, 2, L>) -> R {
        R::from_f64(0.5) * (at.v[0] * at.v[0] + at.v[1] * at.v[1]) + at.q[1]
    }
}

impl<R: Real> Mechanical<R, 2, 1, 0> for RigidPendulum {
    type Joints = Rigid;
    hanging!();

    #[inline(always)]
    fn joints(&self) -> Rigid {
        Rigid
    }
    #[inline(always)]
    fn constraint<T: Scalar<R>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        [(q[0] * q[0] + q[1] * q[1] - R::ONE) * R::from_f64(0.5)].into()
    }
}

/// The limit of [`StiffPendulum`] for eps = 0: its own constraint, `g = |q| - 1`, on a rigid joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringLimit;

impl<R: Real> Mechanical<R, 2, 1, 0> for SpringLimit {
    type Joints = Rigid;
    hanging!();

    #[inline(always)]
    fn joints(&self) -> Rigid {
        Rigid
    }
    #[inline(always)]
    fn constraint<T: Scalar<R>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        [(q[0] * q[0] + q[1] * q[1]).sqrt() - R::ONE].into()
    }
}
