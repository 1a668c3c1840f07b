//! An index-3 system in Hessenberg form with a solution in exponentials (Hairer, Lubich & Roche; Jay):
//! `u = v = (e^2t, e^-t)`, `lambda = e^t`.

use stiffstep::prelude::*;

/// `u_1' = 2 u_1 u_2 v_1 v_2`, `u_2' = -u_1 u_2 v_2^2`, `v_1' = (u_1 u_2 + v_1 v_2) lambda`,
/// `v_2' = -u_1 u_2^2 v_2^2 lambda`, `0 = u_1 u_2^2 - 1`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exponentials;

impl<R: Real> Hessenberg<R, 2, 2, 1, 0> for Exponentials {
    fn f<T: Scalar<R>>(&self, u: &Vector<T, 2>, v: &Vector<T, 2>) -> Vector<T, 2> {
        let product = u[0] * u[1] * v[1];
        [product * v[0] * R::from_f64(2.0), -(product * v[1])].into()
    }

    fn k<T: Scalar<R>>(
        &self,
        u: &Vector<T, 2>,
        v: &Vector<T, 2>,
        lambda: &Vector<T, 1>,
        _input: &Vector<R, 0>,
    ) -> Vector<T, 2> {
        let square = u[1] * v[1];
        [
            (u[0] * u[1] + v[0] * v[1]) * lambda[0],
            -(u[0] * square * square * lambda[0]),
        ]
        .into()
    }

    fn g<T: Scalar<R>>(&self, u: &Vector<T, 2>) -> Vector<T, 1> {
        [u[0] * u[1] * u[1] - R::ONE].into()
    }
}

/// (u_1, u_2, v_1, v_2, lambda) at time t.
pub fn solution(t: f64) -> [f64; 5] {
    let (up, down) = (Scalar::<f64>::exp(2.0 * t), Scalar::<f64>::exp(-t));
    [up, down, up, down, Scalar::<f64>::exp(t)]
}
