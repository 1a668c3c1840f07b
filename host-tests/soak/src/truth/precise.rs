//! Models of single precision in any number type of double precision: the same equations and the same parameters, so that
//! what a board computes can be computed again, better.

use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use stiffstep::model::{Joints, MassMatrix};
use stiffstep::prelude::*;

/// A number of double precision that a model of single precision takes for one of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Lent<T>(T);

macro_rules! operators {
    ($($op:ident $f:ident $assign:ident $g:ident),*) => {$(
        impl<T: $op<Output = T>> $op for Lent<T> {
            type Output = Self;
            fn $f(self, b: Self) -> Self {
                Lent(self.0.$f(b.0))
            }
        }
        impl<T: $op<f64, Output = T>> $op<f32> for Lent<T> {
            type Output = Self;
            fn $f(self, b: f32) -> Self {
                Lent(self.0.$f(f64::from(b)))
            }
        }
        impl<T: $assign> $assign for Lent<T> {
            fn $g(&mut self, b: Self) {
                self.0.$g(b.0);
            }
        }
    )*};
}
operators!(
    Add add AddAssign add_assign,
    Sub sub SubAssign sub_assign,
    Mul mul MulAssign mul_assign,
    Div div DivAssign div_assign
);

impl<T: Neg<Output = T>> Neg for Lent<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Lent(-self.0)
    }
}

/// Functions of the number itself, and of another one.
macro_rules! lent {
    ($($f:ident)*) => {$(
        fn $f(self) -> Self {
            Lent(self.0.$f())
        }
    )*};
    ($($f:ident)*: $other:ident) => {$(
        fn $f(self, $other: Self) -> Self {
            Lent(self.0.$f($other.0))
        }
    )*};
}

impl<T: Scalar<f64>> Scalar<f32> for Lent<T> {
    fn constant(value: f32) -> Self {
        Lent(T::constant(value.into()))
    }
    fn value(self) -> f32 {
        self.0.value() as f32
    }
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.0.sin_cos();
        (Lent(sin), Lent(cos))
    }
    fn powf(self, exponent: f32) -> Self {
        Lent(self.0.powf(exponent.into()))
    }
    lent!(sqrt exp ln tanh asin acos log10 cbrt abs);
    // The last two are compared as they are, not rounded.
    lent!(atan2 hypot min max: other);
}

/// A model of single precision, in double precision.
#[derive(Clone, Copy, Debug)]
pub struct Precise<M>(pub M);

fn lend<T: Scalar<f64>, const N: usize>(x: &Vector<T, N>) -> Vector<Lent<T>, N> {
    x.data.0[0].map(Lent).into()
}

/// Inputs are held numbers of single precision, whatever they are kept in.
fn narrow<const U: usize>(u: &Vector<f64, U>) -> Vector<f32, U> {
    u.data.0[0].map(|u| u as f32).into()
}

/// A matrix by its columns.
fn dense<T: Scalar<f64>, const N: usize>(
    times: impl Fn(&[f32; N]) -> [Lent<T>; N],
) -> Matrix<T, N, N> {
    let column = |m: usize| times(&core::array::from_fn(|n| f32::from(u8::from(n == m))));
    let columns: [[T; N]; N] = core::array::from_fn(|m| column(m).map(|x| x.0));
    Matrix::from(columns)
}

impl<M, const Q: usize, const L: usize, const U: usize> Mechanical<f64, Q, L, U> for Precise<M>
where
    M: Mechanical<f32, Q, L, U>,
{
    type Joints = Damped<f64, L>;
    type Mass<T: Scalar<f64>> = Matrix<T, Q, Q>;

    fn joints(&self) -> Damped<f64, L> {
        let joints = self.0.joints();
        let (compliance, tau) = (joints.compliance(), joints.relaxation());
        let stiffness = compliance.map(|c| 1.0 / f64::from(c));
        Damped {
            stiffness,
            damping: core::array::from_fn(|j| match compliance[j] {
                0.0 => 0.0,
                c => f64::from(tau[j]) / f64::from(c),
            }),
        }
    }
    fn mass<T: Scalar<f64>>(&self, q: &Vector<T, Q>) -> Matrix<T, Q, Q> {
        let mass = self.0.mass(&lend(q));
        dense(|x| mass.times(x))
    }
    fn force<T: Scalar<f64>>(
        &self,
        t: T,
        q: &Vector<T, Q>,
        v: &Vector<T, Q>,
        u: &Vector<f64, U>,
    ) -> Vector<T, Q> {
        let force = self.0.force(Lent(t), &lend(q), &lend(v), &narrow(u));
        force.data.0[0].map(|f| f.0).into()
    }
    fn constraint<T: Scalar<f64>>(&self, t: T, q: &Vector<T, Q>) -> Vector<T, L> {
        let g = self.0.constraint(Lent(t), &lend(q));
        g.data.0[0].map(|g| g.0).into()
    }
    fn turn(&self) -> [f64; Q] {
        self.0.turn().map(f64::from)
    }
    fn nominal_lambda(&self) -> Option<[f64; L]> {
        self.0.nominal_lambda().map(|all| all.map(f64::from))
    }
    fn nominal(&self) -> Nominal<f64, Q> {
        let nominal = self.0.nominal();
        Nominal {
            q: nominal.q.map(f64::from),
            v: nominal.v.map(f64::from),
        }
    }
}

impl<M, const N: usize, const U: usize> FirstOrder<f64, N, U> for Precise<M>
where
    M: FirstOrder<f32, N, U>,
{
    type Mass = Matrix<f64, N, N>;

    fn mass(&self) -> Matrix<f64, N, N> {
        let mass = self.0.mass();
        dense(|x| mass.times(x).map(|x| Lent(f64::from(x))))
    }
    fn rhs<T: Scalar<f64>>(&self, t: T, x: &Vector<T, N>, u: &Vector<f64, U>) -> Vector<T, N> {
        let f = self.0.rhs(Lent(t), &lend(x), &narrow(u));
        f.data.0[0].map(|f| f.0).into()
    }
    fn nominal(&self) -> Vector<f64, N> {
        self.0.nominal().data.0[0].map(f64::from).into()
    }
}
