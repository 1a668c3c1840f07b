//! The classical Runge-Kutta method of order 4.

use super::course::Course;
use super::kept::{Kept, MildError};
use crate::memory::visits;
use crate::model::{FirstOrder, Unit, Vector};
use crate::number::Real;

/// A plant that is not stiff, by the classical Runge-Kutta method: four evaluations of the right-hand side, order 4.
///
/// ```
/// use stiffstep::mild::{Course, RungeKutta4};
/// use stiffstep::prelude::*;
///
/// struct Lag;
/// impl FirstOrder<f64, 1, 1> for Lag {
///     type Mass = Unit;
///     fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 1>, u: &Vector<f64, 1>) -> Vector<T, 1> {
///         [-x[0] + u[0]].into()
///     }
/// }
/// let mut lag = RungeKutta4::new(Lag, 0.1, [1.0])?;
/// for _ in 0..10 {
///     lag.step(&Course::held([0.0].into()))?;
/// }
/// assert!((lag.state()[0] - (-1.0_f64).exp()).abs() < 1e-6);
/// # Ok::<(), stiffstep::mild::MildError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RungeKutta4<M, R, const N: usize, const U: usize> {
    model: M,
    h: R,
    kept: Kept<R, N>,
}

/// `x + h k`.
#[inline(always)]
fn along<R: Real, const N: usize>(x: &[R; N], h: R, k: &Vector<R, N>) -> Vector<R, N> {
    let mut y = *x;
    for i in 0..N {
        y[i] += h * k.data.0[0][i];
    }
    Vector::from(y)
}

/// What the four stages see: not the polynomials themselves, but what makes their first four integrals over the step exact. Stage i is
/// weighted by `b`, `b A`, `b A A` and `b A A A` in them, which makes four equations for its four values.
#[inline(always)]
fn nodes<R: Real, const U: usize>(inputs: &Course<R, U>) -> [Vector<R, U>; 4] {
    let c = R::from_f64;
    let mut nodes = [inputs.mean; 4];
    for i in 0..U {
        let (slope, bend) = (inputs.slope.data.0[0][i], inputs.bend.data.0[0][i]);
        nodes[0].data.0[0][i] += c(0.2) * bend - c(0.6) * slope;
        nodes[1].data.0[0][i] += c(-0.4) * slope;
        nodes[2].data.0[0][i] += c(-0.2) * bend;
        nodes[3].data.0[0][i] += c(0.2) * bend + c(1.4) * slope;
    }
    nodes
}

impl<R: Real, M: FirstOrder<R, N, U, Mass = Unit>, const N: usize, const U: usize>
    RungeKutta4<M, R, N, U>
{
    /// From this state at time 0.
    pub fn new(model: M, h: R, x: [R; N]) -> Result<Self, MildError> {
        let kept = Kept::new(x, h)?;
        Ok(RungeKutta4 { model, h, kept })
    }

    /// State `angle` is an angle in radians that turns for ever by less than half a turn a step: it is kept within half a turn of zero.
    pub fn turning(mut self, angle: usize) -> Self {
        self.kept.angle = angle;
        self
    }

    /// The state.
    pub fn state(&self) -> &[R; N] {
        &self.kept.x
    }

    /// One step. An error leaves the state.
    #[inline(always)]
    pub fn step(&mut self, inputs: &Course<R, U>) -> Result<(), MildError> {
        let (t, h) = (self.kept.time(), self.h);
        let half = R::from_f64(0.5) * h;
        let x = &self.kept.x;
        let [first, second, third, last] = nodes(inputs);
        let k1 = self.model.rhs(t, &Vector::from(*x), &first);
        let k2 = self.model.rhs(t + half, &along(x, half, &k1), &second);
        let k3 = self.model.rhs(t + half, &along(x, half, &k2), &third);
        let k4 = self.model.rhs(t + h, &along(x, h, &k3), &last);
        let sixth = h * R::from_f64(1.0 / 6.0);
        let mut increment = *x;
        for i in 0..N {
            let of = |k: &Vector<R, N>| k.data.0[0][i];
            let inner = of(&k2) + of(&k3);
            increment[i] = sixth * (of(&k1) + of(&k4) + (inner + inner));
        }
        self.kept.advance(&increment, h)
    }
}

visits!([M, R: Real, const N: usize, const U: usize] RungeKutta4<M, R, N, U>: kept);
