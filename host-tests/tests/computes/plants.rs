//! Small plants that many tests need, each with numbers of its own, and short words for those that only one needs.

use stiffstep::drive::{After, Crossing, Events, Watch};
use stiffstep::prelude::*;
use stiffstep::step::Method;

/// A mechanism in the words of its physics: the signatures follow from its numbers of coordinates, joints and inputs. Masses are
/// one where none are given, and what else the trait has comes last.
macro_rules! mechanical {
    (
        impl [$($generic:tt)*] Mechanical<$real:ty, $q:tt, $l:tt, $u:tt> for $model:ty;
        joints($at:ident) -> $joints:ty $held:block
        force $($rest:tt)*
    ) => {
        mechanical! {
            impl [$($generic)*] Mechanical<$real, $q, $l, $u> for $model;
            joints($at) -> $joints $held
            mass(self, _q) -> Unit { Unit }
            force $($rest)*
        }
    };
    (
        impl [$($generic:tt)*] Mechanical<$real:ty, $q:tt, $l:tt, $u:tt> for $model:ty;
        joints($a:ident) -> $joints:ty $held:block
        mass($b:ident, $place:ident) -> $mass:ty $masses:block
        force($c:ident, $t:ident, $x:ident, $v:ident, $input:ident) $force:block
        constraint($d:ident, $at:ident, $y:ident) $constraint:block
        $($more:tt)*
    ) => {
        impl<$($generic)*> Mechanical<$real, $q, $l, $u> for $model {
            type Joints = $joints;
            type Mass<T: Scalar<$real>> = $mass;
            fn joints(&$a) -> $joints $held
            fn mass<T: Scalar<$real>>(&$b, $place: &Vector<T, $q>) -> $mass $masses
            fn force<T: Scalar<$real>>(
                &$c, $t: T, $x: &Vector<T, $q>, $v: &Vector<T, $q>, $input: &Vector<$real, $u>,
            ) -> Vector<T, $q> {
                Into::into($force)
            }
            fn constraint<T: Scalar<$real>>(&$d, $at: T, $y: &Vector<T, $q>) -> Vector<T, $l> {
                Into::into($constraint)
            }
            $($more)*
        }
    };
}

/// Positions and velocities.
pub type Places<R, const Q: usize> = (Vector<R, Q>, Vector<R, Q>);

/// A method that steps a mechanism of `Q` coordinates, `L` joints and `U` inputs.
pub trait Moves<M, Kind, R: Real, const Q: usize, const L: usize, const U: usize>:
    Copy + Method<M, Kind, Real = R, Start = Places<R, Q>, Stepper: Moving<M, R, Q, L, U>>
{
}
impl<K, M, Kind, R: Real, const Q: usize, const L: usize, const U: usize> Moves<M, Kind, R, Q, L, U>
    for K
where
    K: Copy + Method<M, Kind, Real = R, Start = Places<R, Q>, Stepper: Moving<M, R, Q, L, U>>,
{
}

/// Its stepper.
pub trait Moving<M, R: Real, const Q: usize, const L: usize, const U: usize>:
    Stepper<Real = R, Model = M, State = Motion<R, Q, L>, Input = Vector<R, U>>
{
}
impl<S, M, R: Real, const Q: usize, const L: usize, const U: usize> Moving<M, R, Q, L, U> for S where
    S: Stepper<Real = R, Model = M, State = Motion<R, Q, L>, Input = Vector<R, U>>
{
}

/// An event by two functions: the value that passes zero, falling or rising, and what happens there.
pub struct When<V, H, const RISING: bool>(V, H);

impl<R: Real, M, X, U, V, H, const RISING: bool> Events<R, M, X, U, 1> for When<V, H, RISING>
where
    V: Fn(R, &M, &X) -> R,
    H: FnMut(R, &mut M, &mut X) -> After,
{
    const CROSSINGS: [Crossing; 1] = [[Crossing::Falling, Crossing::Rising][RISING as usize]];
    fn values(&self, t: R, model: &M, state: &X, _u: &U) -> [R; 1] {
        [self.0(t, model, state)]
    }
    fn happen(&mut self, _index: usize, t: R, model: &mut M, state: &mut X) -> After {
        self.1(t, model, state)
    }
}

/// Watches for a value that falls through zero.
pub fn falling<R: Real, M, X, V, H>(value: V, happen: H) -> Watch<R, When<V, H, false>, 1>
where
    V: Fn(R, &M, &X) -> R,
    H: FnMut(R, &mut M, &mut X) -> After,
{
    Watch::new(When(value, happen))
}

/// Watches for a value that rises through zero.
pub fn rising<R: Real, M, X, V, H>(value: V, happen: H) -> Watch<R, When<V, H, true>, 1>
where
    V: Fn(R, &M, &X) -> R,
    H: FnMut(R, &mut M, &mut X) -> After,
{
    Watch::new(When(value, happen))
}

/// `x'' = -k x - c x' + push t`.
#[derive(Clone, Copy)]
pub struct Spring {
    pub k: f64,
    pub c: f64,
    pub push: f64,
}

impl SecondOrder<f64, 1, 0> for Spring {
    fn residual<T: Scalar<f64>>(
        &self,
        t: T,
        x: &Vector<T, 1>,
        v: &Vector<T, 1>,
        a: &Vector<T, 1>,
        _u: &Vector<f64, 0>,
    ) -> Vector<T, 1> {
        [a[0] + v[0] * self.c + x[0] * self.k - t * self.push].into()
    }
}

/// `x'' = -omega^2 x` as a system of first order.
#[derive(Clone, Copy)]
pub struct Oscillator(pub f64);

impl FirstOrder<f64, 2, 0> for Oscillator {
    type Mass = Unit;
    fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 2>, _u: &Vector<f64, 0>) -> Vector<T, 2> {
        [x[1], x[0] * (-self.0 * self.0)].into()
    }
}

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

mechanical! {
    impl [R: Real, J: Joints<R, 1>] Mechanical<R, 2, 1, 0> for Point<R, J>;
    joints(self) -> J { self.joint }
    mass(self, _q) -> Diagonal<T, 2> { Diagonal([T::constant(self.mass); 2].into()) }
    force(self, _t, _q, v, _u) {
        let [x, y] = self.friction;
        [v[0] * -x, v[1] * -y - self.weight]
    }
    constraint(self, t, q) {
        let length = t * self.growth + self.length;
        [(q[0] * q[0] + q[1] * q[1]).sqrt() - length]
    }
    fn nominal(&self) -> Nominal<R, 2> {
        let [q, v] = self.nominal.map(|x| [x; 2]);
        Nominal { q, v }
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

mechanical! {
    impl [R: Real, J: Joints<R, L>, const Q: usize, const L: usize, const U: usize]
        Mechanical<R, Q, L, U> for Line<R, J, Q, L, U>;
    joints(self) -> J { self.joints }
    force(self, _t, q, v, u) {
        let u = u.data.0[0].map(T::constant);
        let force: [T; Q] = core::array::from_fn(|n| {
            let given = sum(T::constant(self.push[n]), &self.input[n], &u);
            let lost = self.damper[n].map(|c| -c);
            let held = self.spring[n].map(|k| -k);
            sum(sum(given, &lost, &v.data.0[0]), &held, &q.data.0[0])
        });
        force
    }
    constraint(self, _t, q) {
        self.constraint.map(|row| sum(T::constant(R::ZERO), &row, &q.data.0[0]))
    }
    fn turn(&self) -> [R; Q] {
        self.turn
    }
    fn nominal(&self) -> Nominal<R, Q> {
        let [q, v] = self.nominal.map(|x| [x; Q]);
        Nominal { q, v }
    }
}
