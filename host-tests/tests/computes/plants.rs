//! Small plants that many tests need, each with numbers of its own.

use stiffstep::prelude::*;

/// A point on a rod, with friction and a weight, in any units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point<R, J> {
    pub joint: J,
    pub mass: R,
    pub length: R,
    /// By how much the rod grows in a unit of time.
    pub growth: R,
    pub weight: R,
    pub friction: [R; 2],
    /// Of positions and of velocities.
    pub nominal: [R; 2],
    pub nominal_lambda: Option<[R; 1]>,
}

impl<R: Real, J> Point<R, J> {
    /// Of mass, length and weight one.
    pub fn on(joint: J) -> Self {
        Point {
            joint,
            mass: R::ONE,
            length: R::ONE,
            growth: R::ZERO,
            weight: R::ONE,
            friction: [R::ZERO; 2],
            nominal: [R::ONE; 2],
            nominal_lambda: None,
        }
    }
}

impl<R: Real, J: Joints<R, 1>> Mechanical<R, 2, 1, 0> for Point<R, J> {
    type Joints = J;
    type Mass<T: Scalar<R>> = Diagonal<T, 2>;
    fn joints(&self) -> J {
        self.joint
    }
    fn mass<T: Scalar<R>>(&self, _q: &Vector<T, 2>) -> Diagonal<T, 2> {
        Diagonal([T::constant(self.mass); 2].into())
    }
    fn force<T: Scalar<R>>(
        &self,
        _t: T,
        _q: &Vector<T, 2>,
        v: &Vector<T, 2>,
        _u: &Vector<R, 0>,
    ) -> Vector<T, 2> {
        let [x, y] = self.friction;
        [v[0] * -x, v[1] * -y - self.weight].into()
    }
    fn constraint<T: Scalar<R>>(&self, t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        let length = t * self.growth + self.length;
        [(q[0] * q[0] + q[1] * q[1]).sqrt() - length].into()
    }
    fn nominal(&self) -> Nominal<R, 2> {
        let [q, v] = self.nominal;
        Nominal {
            q: [q; 2],
            v: [v; 2],
        }
    }
    fn nominal_lambda(&self) -> Option<[R; 1]> {
        self.nominal_lambda
    }
}

/// Unit masses whose forces and constraints are linear: `push + input u - damper v - spring q` and `constraint q`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line<R, J, const Q: usize, const L: usize, const U: usize> {
    pub joints: J,
    pub push: [R; Q],
    pub input: [[R; U]; Q],
    pub damper: [[R; Q]; Q],
    pub spring: [[R; Q]; Q],
    pub constraint: [[R; Q]; L],
    pub turn: [R; Q],
    /// Of positions and of velocities.
    pub nominal: [R; 2],
}

impl<R: Real, J, const Q: usize, const L: usize, const U: usize> Line<R, J, Q, L, U> {
    /// Without any force, and with constraints of nothing.
    pub fn of(joints: J) -> Self {
        Line {
            joints,
            push: [R::ZERO; Q],
            input: [[R::ZERO; U]; Q],
            damper: [[R::ZERO; Q]; Q],
            spring: [[R::ZERO; Q]; Q],
            constraint: [[R::ZERO; Q]; L],
            turn: [R::ZERO; Q],
            nominal: [R::ONE; 2],
        }
    }
}

/// What is zero does not count, not even as a rounding.
fn sum<R: Real, T: Scalar<R>, const N: usize>(start: T, row: &[R; N], x: &[T; N]) -> T {
    let terms = row.iter().zip(x).filter(|(a, _)| **a != R::ZERO);
    terms.fold(start, |sum, (a, x)| sum + *x * *a)
}

impl<R: Real, J: Joints<R, L>, const Q: usize, const L: usize, const U: usize>
    Mechanical<R, Q, L, U> for Line<R, J, Q, L, U>
{
    type Joints = J;
    type Mass<T: Scalar<R>> = Unit;
    fn joints(&self) -> J {
        self.joints
    }
    fn mass<T: Scalar<R>>(&self, _q: &Vector<T, Q>) -> Unit {
        Unit
    }
    fn force<T: Scalar<R>>(
        &self,
        _t: T,
        q: &Vector<T, Q>,
        v: &Vector<T, Q>,
        u: &Vector<R, U>,
    ) -> Vector<T, Q> {
        let u = u.data.0[0].map(T::constant);
        let force: [T; Q] = core::array::from_fn(|n| {
            let given = sum(T::constant(self.push[n]), &self.input[n], &u);
            let lost = self.damper[n].map(|c| -c);
            let held = self.spring[n].map(|k| -k);
            sum(sum(given, &lost, &v.data.0[0]), &held, &q.data.0[0])
        });
        force.into()
    }
    fn constraint<T: Scalar<R>>(&self, _t: T, q: &Vector<T, Q>) -> Vector<T, L> {
        let row = |row: [R; Q]| sum(T::constant(R::ZERO), &row, &q.data.0[0]);
        self.constraint.map(row).into()
    }
    fn turn(&self) -> [R; Q] {
        self.turn
    }
    fn nominal(&self) -> Nominal<R, Q> {
        let [q, v] = self.nominal;
        Nominal {
            q: [q; Q],
            v: [v; Q],
        }
    }
}
