//! A step of a Runge-Kutta or general linear method for `F(t, x, x', x'') = 0` (Wunderlich (30)-(33) and (59)-(61)).
//!
//! Unknowns are the stages' accelerations W, also those of algebraic unknowns. Each iteration solves
//! `(I (x) F_a + h A (x) F_v + h^2 A^2 (x) F_x) dW = -F`, in the modes of A, one small real or complex system each, or stage
//! by stage where A is triangular.
//!
//! In single precision accelerations carry rounding of order `epsilon / h^2`, amplified by `A^-2`: 21 times for two stages of
//! Radau IIA, 125 times for three. Steps must not be small; a [`Mechanical`](crate::model::Mechanical) model has no such limit.
//!
//! The values from step to step are kept as derivatives, not multiplied by powers of h: then a change of the step rescales
//! nothing, (58).

mod stages;
mod start;

pub(super) use start::one_step;

use super::geometry::combine;
use super::second_order::{course_at, weights};
use super::{Budget, Error, Method, Report, Stepper, checked_start, checked_step};
use crate::linear::Lu;
use crate::method::{
    Collocation, GeneralLinear, Modes, OneStep, Slots, Stages, Wright, Wunderlich,
};
use crate::model::{Course, SecondOrder, Vector};
use crate::number::{Compensated, Real};
use core::marker::PhantomData;
use stages::Factors;

/// The kind of a second-order model stepped by a Runge-Kutta method, for inference.
#[derive(Clone, Copy, Debug)]
pub struct OfSecondOrder<R, const N: usize, const U: usize, const S: usize>(PhantomData<R>);

impl<R, M, C, const N: usize, const U: usize, const S: usize> Method<M, OfSecondOrder<R, N, U, S>>
    for C
where
    R: Real,
    M: SecondOrder<R, N, U>,
    C: Collocation<S>,
    Stages<S>: Modes,
{
    type Real = R;
    type Start = (Vector<R, N>, Vector<R, N>);
    type Stepper = GeneralLinearStepper<R, M, OneStep<C>, N, U, S, 3>;

    fn stepper(self, model: M, h: R, start: Self::Start) -> Result<Self::Stepper, Error> {
        GeneralLinearStepper::new(model, OneStep(self), h, start)
    }
}

/// The kind of a second-order model stepped by a general linear method, for inference.
#[derive(Clone, Copy, Debug)]
pub struct OfGeneralLinear<R, const N: usize, const U: usize>(PhantomData<R>);

/// The methods that are offered.
macro_rules! method {
    ($($name:ident $stages:literal $values:literal),*) => {$(
        impl<R, M, const N: usize, const U: usize> Method<M, OfGeneralLinear<R, N, U>> for $name
        where
            R: Real,
            M: SecondOrder<R, N, U>,
        {
            type Real = R;
            type Start = (Vector<R, N>, Vector<R, N>);
            type Stepper = GeneralLinearStepper<R, M, Self, N, U, $stages, $values>;

            fn stepper(self, model: M, h: R, start: Self::Start) -> Result<Self::Stepper, Error> {
                GeneralLinearStepper::new(model, self, h, start)
            }
        }
    )*};
}
method!(Wunderlich 3 3, Wright 3 5);

/// What a step leaves to the next one.
#[derive(Clone, Copy, Debug)]
pub struct Values<R, const N: usize, const S: usize, const K: usize> {
    /// The values, as derivatives.
    z: [[R; N]; K],
    /// What rounding left out of x and v.
    low: [[R; N]; 2],
    /// The stages' accelerations of the last step, and its size; zero if there was none that the next one continues.
    w: [[R; N]; S],
    before: R,
    now: Course<R, N>,
}

/// A second-order model with its state, stepped by the method `G` of `S` stages and `K` values.
pub struct GeneralLinearStepper<
    R,
    M,
    G,
    const N: usize,
    const U: usize,
    const S: usize,
    const K: usize,
> where
    R: Real,
    Stages<S>: Modes,
{
    model: M,
    method: PhantomData<G>,
    h: R,
    values: Values<R, N, S, K>,
    /// How the last step's stages are continued into this one.
    extrapolation: [[R; S]; S],
    /// For which ratio of the two steps that is.
    ratio: R,
    /// How far the last step's stages were from the prediction.
    missed: [[R; N]; S],
    /// One over the nominal magnitudes.
    weights: [R; N],
    factors: Factors<R, N, S>,
    /// Whether the factors belong to the model and the step at hand; only of use if the model is affine.
    factored: bool,
}

impl<R, M, G, const N: usize, const U: usize, const S: usize, const K: usize>
    GeneralLinearStepper<R, M, G, N, U, S, K>
where
    R: Real,
    M: SecondOrder<R, N, U>,
    G: GeneralLinear<S, K>,
    Stages<S>: Modes,
{
    /// A stepper at a start (x, x'). What the method needs besides, a step of Radau IIA 5 gives.
    pub fn new(
        model: M,
        method: G,
        h: R,
        start: (Vector<R, N>, Vector<R, N>),
    ) -> Result<Self, Error> {
        let mut stepper = Self::bare(model, method, h, start)?;
        if G::STARTS {
            stepper.start(R::ZERO, &Self::no_input())?;
        }
        Ok(stepper)
    }

    /// A stepper from the exact values that the method passes from step to step: x and its derivatives, in the method's
    /// order.
    pub fn from_values(
        model: M,
        method: G,
        h: R,
        values: [Vector<R, N>; K],
    ) -> Result<Self, Error> {
        const { assert!(K >= 2) };
        let mut stepper = Self::bare(model, method, h, (values[0], values[1]))?;
        for k in 0..K {
            stepper.values.z[k] = values[k].data.0[0];
            checked_start(&values[k])?;
        }
        Ok(stepper)
    }

    /// A stepper with nothing but x and x'.
    fn bare(
        model: M,
        _method: G,
        h: R,
        start: (Vector<R, N>, Vector<R, N>),
    ) -> Result<Self, Error> {
        const { assert!(K >= 3 && (S % 2 == 1 || G::DIAGONAL.is_none())) };
        let mut now = course_at(h, &start)?;
        let mut z = [[R::ZERO; N]; K];
        for n in 0..N {
            if M::ALGEBRAIC[n] {
                now.v.data.0[0][n] = R::ZERO;
            }
        }
        (z[0], z[1]) = (now.x.data.0[0], now.v.data.0[0]);
        Ok(GeneralLinearStepper {
            weights: weights(&model)?,
            model,
            method: PhantomData,
            h,
            values: Values {
                z,
                low: [[R::ZERO; N]; 2],
                w: [[R::ZERO; N]; S],
                before: R::ZERO,
                now,
            },
            extrapolation: [[R::ZERO; S]; S],
            ratio: R::ZERO,
            missed: [[R::ZERO; N]; S],
            factors: Factors {
                real: Slots::filled(Lu::unit()),
                pairs: Slots::filled(Lu::unit()),
            },
            factored: false,
        })
    }

    /// The values from step to step, to come back to.
    pub(crate) fn values(&self) -> Values<R, N, S, K> {
        self.values
    }

    /// Comes back to earlier values.
    pub(crate) fn recall(&mut self, values: Values<R, N, S, K>) {
        self.values = values;
        self.factored = false;
    }

    /// How far x and x' at the end of the last step were from what the step before it predicted; none if it predicted
    /// nothing.
    pub(crate) fn estimate(&self) -> ([R; N], [R; N]) {
        let matrices = G::matrices::<R>();
        let mut x = combine(&matrices.b2[0], &self.missed);
        let mut v = combine(&matrices.b2[1], &self.missed);
        for n in 0..N {
            x[n] *= self.h * self.h;
            v[n] *= self.h;
        }
        (x, v)
    }
}

impl<R, M, G, const N: usize, const U: usize, const S: usize, const K: usize> Stepper
    for GeneralLinearStepper<R, M, G, N, U, S, K>
where
    R: Real,
    M: SecondOrder<R, N, U>,
    G: GeneralLinear<S, K>,
    Stages<S>: Modes,
{
    type Real = R;
    type Model = M;
    type Input = Vector<R, U>;
    type State = Course<R, N>;

    #[inline(always)]
    fn take_step<B: Budget<R>>(
        &mut self,
        t: R,
        u: &Self::Input,
        budget: &mut B,
    ) -> Result<Report<R>, Error> {
        let h = self.h;
        let matrices = G::matrices::<R>();
        let (w, report) = self.solve(t, u, budget, &matrices)?;
        let mut next = self.values;
        for k in 0..K {
            // x and v are sums; the others are computed anew.
            let lowest = if k < 2 { k + 1 } else { 0 };
            let mut value = combine(&matrices.b2[k], &w);
            for n in 0..N {
                value[n] *= h * h;
            }
            for l in lowest..K {
                if matrices.v2[k][l] != R::ZERO {
                    let old = self.scaled(&matrices, l);
                    for n in 0..N {
                        value[n] += matrices.v2[k][l] * old[n];
                    }
                }
            }
            for n in 0..N {
                for _ in 0..matrices.powers[k] {
                    value[n] /= h;
                }
                if k < 2 {
                    let sum = Compensated {
                        high: next.z[k][n],
                        low: next.low[k][n],
                    }
                    .plus(value[n]);
                    (next.z[k][n], next.low[k][n]) = (sum.high, sum.low);
                } else {
                    next.z[k][n] = value[n];
                }
                if !next.z[k][n].finite() {
                    return Err(Error::NonFinite);
                }
            }
        }
        (next.w, next.before) = (w, h);
        next.now = Course {
            x: next.z[0].into(),
            v: next.z[1].into(),
            a: w[S - 1].into(),
        };
        self.values = next;
        Ok(report)
    }

    #[inline(always)]
    fn h(&self) -> R {
        self.h
    }

    fn set_h(&mut self, h: R) -> Result<(), Error> {
        self.h = checked_step(h)?;
        self.factored = false;
        Ok(())
    }

    #[inline(always)]
    fn state(&self) -> &Self::State {
        &self.values.now
    }

    #[inline(always)]
    fn model(&self) -> &M {
        &self.model
    }

    fn model_mut(&mut self) -> &mut M {
        &mut self.model
    }

    /// What the method passes from step to step belongs to the old model: this starts again, from where it is.
    fn refit(&mut self, t: R, u: &Self::Input) -> Result<(), Error> {
        let (weights, values) = (weights(&self.model)?, self.values);
        self.factored = false;
        self.values.before = R::ZERO;
        if G::STARTS
            && let Err(error) = self.start(t, u)
        {
            self.values = values;
            return Err(error);
        }
        self.weights = weights;
        Ok(())
    }
}
