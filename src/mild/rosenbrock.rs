//! Rosenbrock methods: one factorisation of a real matrix a step, and no iteration.

use super::kept::{Kept, MildError};
use crate::linear::Lu;
use crate::memory::visits;
use crate::model::{FirstOrder, Unit, Vector};
use crate::number::{Dual, Real, Scalar};

/// A method of four stages, in the variables of Hairer and Wanner that need no product with the Jacobian (Solving Ordinary
/// Differential Equations II, section IV.7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    /// What h is multiplied by in the matrix `1 / (h gamma) - J`.
    pub gamma: f64,
    /// Stages on the state of a stage.
    pub a: [[f64; 4]; 4],
    /// Stages on the right-hand side of a stage.
    pub c: [[f64; 4]; 4],
    /// Stages on the result.
    pub m: [f64; 4],
    /// When a stage is, as a share of the step.
    pub at: [f64; 4],
    /// The share of the time derivative in a stage.
    pub by_time: [f64; 4],
}

/// Order 4, L-stable but for rounding: Hairer and Wanner's code ROS4. Its gamma has five digits, which leaves 1.5e-5 of what decays
/// infinitely fast.
pub const ROS4: Coefficients = Coefficients {
    gamma: 0.572_82,
    a: [
        [0.0; 4],
        [2.0, 0.0, 0.0, 0.0],
        [1.867_943_637_803_922, 0.234_444_971_139_915_6, 0.0, 0.0],
        [1.867_943_637_803_922, 0.234_444_971_139_915_6, 0.0, 0.0],
    ],
    c: [
        [0.0; 4],
        [-7.137_615_036_412_31, 0.0, 0.0, 0.0],
        [2.580_708_087_951_457, 0.651_595_007_644_797_5, 0.0, 0.0],
        [
            -2.137_148_994_382_534,
            -0.321_466_969_123_762_6,
            -0.694_974_250_178_177_9,
            0.0,
        ],
    ],
    m: [
        2.255_570_073_418_735,
        0.287_049_326_218_679_2,
        0.435_317_943_184_018,
        1.093_502_252_409_163,
    ],
    at: [0.0, 1.145_64, 0.655_216_863_815_59, 0.655_216_863_815_59],
    by_time: [
        0.572_82,
        -1.769_193_891_319_233,
        0.759_263_343_792_048_2,
        -0.104_902_108_710_045,
    ],
};

/// Order 3, L-stable and stiffly accurate: the result is the last stage (Sandu and others, 1997).
pub const RODAS3: Coefficients = Coefficients {
    gamma: 0.5,
    a: [
        [0.0; 4],
        [0.0; 4],
        [2.0, 0.0, 0.0, 0.0],
        [2.0, 0.0, 1.0, 0.0],
    ],
    c: [
        [0.0; 4],
        [4.0, 0.0, 0.0, 0.0],
        [1.0, -1.0, 0.0, 0.0],
        [1.0, -1.0, -8.0 / 3.0, 0.0],
    ],
    m: [2.0, 0.0, 1.0, 1.0],
    at: [0.0, 0.0, 1.0, 1.0],
    by_time: [0.5, 1.5, 0.0, 0.0],
};

/// A mildly stiff plant by a Rosenbrock method. Inputs are held over a step.
///
/// ```
/// use stiffstep::mild::{ROS4, Rosenbrock};
/// use stiffstep::prelude::*;
///
/// struct Decay;
/// impl FirstOrder<f64, 1, 0> for Decay {
///     type Mass = Unit;
///     fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 1>, _u: &Vector<f64, 0>) -> Vector<T, 1> {
///         [-x[0] * x[0] * 50.0].into()
///     }
/// }
/// let mut decay = Rosenbrock::new(Decay, ROS4, 0.02, [1.0])?;
/// for _ in 0..50 {
///     decay.step(&[].into())?;
/// }
/// assert!((decay.state()[0] - 1.0 / 51.0).abs() < 1e-5);
/// # Ok::<(), stiffstep::mild::MildError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rosenbrock<M, R, const N: usize, const U: usize> {
    model: M,
    method: Coefficients,
    h: R,
    timed: bool,
    kept: Kept<R, N>,
}

impl<R: Real, M: FirstOrder<R, N, U, Mass = Unit>, const N: usize, const U: usize>
    Rosenbrock<M, R, N, U>
{
    /// From this state at time 0.
    pub fn new(model: M, method: Coefficients, h: R, x: [R; N]) -> Result<Self, MildError> {
        let kept = Kept::new(x, h)?;
        Ok(Rosenbrock {
            model,
            method,
            h,
            timed: true,
            kept,
        })
    }

    /// For a right-hand side that does not depend on t: its time derivative, which is an evaluation, is left out. If it does depend
    /// on t, the order is lost.
    pub fn autonomous(mut self) -> Self {
        self.timed = false;
        self
    }

    /// See [`RungeKutta4::turning`](super::RungeKutta4::turning).
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
    pub fn step(&mut self, inputs: &Vector<R, U>) -> Result<(), MildError> {
        let c = R::from_f64;
        let (t, h, x) = (self.kept.time(), self.h, self.kept.x);
        let method = self.method;
        let lu = self.factored(t, &x, inputs)?;
        let slope = if self.timed {
            self.by_time(t, &x, inputs)
        } else {
            [R::ZERO; N]
        };
        let per_step = R::ONE / h;
        let mut stages = [[R::ZERO; N]; 4];
        for s in 0..4 {
            let mut at = x;
            for j in 0..s {
                for i in 0..N {
                    at[i] += c(method.a[s][j]) * stages[j][i];
                }
            }
            let time = t + c(method.at[s]) * h;
            let f = self.model.rhs(time, &Vector::from(at), inputs);
            let mut stage = f.data.0[0];
            for j in 0..s {
                let factor = c(method.c[s][j]) * per_step;
                for i in 0..N {
                    stage[i] += factor * stages[j][i];
                }
            }
            for i in 0..N {
                stage[i] += c(method.by_time[s]) * h * slope[i];
            }
            lu.solve(&mut stage);
            stages[s] = stage;
        }
        let mut increment = [R::ZERO; N];
        for s in 0..4 {
            for i in 0..N {
                increment[i] += c(method.m[s]) * stages[s][i];
            }
        }
        self.kept.advance(&increment, h)
    }

    /// `1 / (h gamma) - J`, decomposed.
    #[inline(always)]
    fn factored(&self, t: R, x: &[R; N], inputs: &Vector<R, U>) -> Result<Lu<R, N>, MildError> {
        let jacobian = self.model.jacobian(t, &Vector::from(*x), inputs);
        let diagonal = R::ONE / (R::from_f64(self.method.gamma) * self.h);
        let mut rows = [[R::ZERO; N]; N];
        for i in 0..N {
            for j in 0..N {
                rows[i][j] = -jacobian.data.0[j][i];
            }
            rows[i][i] += diagonal;
        }
        Lu::factor(rows).map_err(|singular| {
            if singular.finite {
                MildError::Singular
            } else {
                MildError::NonFinite
            }
        })
    }

    /// The time derivative of the right-hand side.
    #[inline(always)]
    fn by_time(&self, t: R, x: &[R; N], inputs: &Vector<R, U>) -> [R; N] {
        let state = x.map(Dual::<R, 1>::constant);
        let f = self
            .model
            .rhs(Dual::variable(t, 0), &Vector::from(state), inputs);
        f.data.0[0].map(|f| f.slope()[0])
    }
}

visits!([M, R: Real, const N: usize, const U: usize] Rosenbrock<M, R, N, U>: kept);
