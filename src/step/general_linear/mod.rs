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

use super::machine::Machine;
use super::modes::ModeFactors;
use super::scheme::{Attempt, Fitted, Now, Old, Place, Scheme};
use super::second_order::course_before;
use super::{Budget, Error, Stepper, checked_start, inverse_magnitudes};
use crate::geometry::{combine, plus};
use crate::memory::visits;
use crate::method::{All, GeneralLinear, Modes, Stages};
use crate::model::{Course, SecondOrder, Vector};
use crate::number::{Real, sum_compensated};
use core::marker::PhantomData;

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
    /// How far the last step's stages were from the prediction.
    missed: [[R; N]; S],
    /// Where the last step began, x and v.
    last: [[R; N]; 2],
}

visits!(
    [R: Real, const N: usize, const S: usize, const K: usize] Values<R, N, S, K>:
    z, low, w, before, missed, last
);

/// How the last step's stages are continued into this one, and the Newton matrix.
#[derive(Clone, Copy)]
pub struct Kept<R: Real, const N: usize, const S: usize>
where
    Stages<S>: Modes,
{
    extrapolation: [[R; S]; S],
    /// For which ratio of the two steps that is.
    ratio: R,
    factors: ModeFactors<R, N, S>,
    /// Whether the factors belong to the model and the step at hand; only of use if the model is affine.
    factored: bool,
}

impl<R: Real, const N: usize, const S: usize> Kept<R, N, S>
where
    Stages<S>: Modes,
{
    fn none() -> Self {
        Kept {
            extrapolation: [[R::ZERO; S]; S],
            ratio: R::ZERO,
            factors: ModeFactors::unit(),
            factored: false,
        }
    }
}

visits!(
    [R: Real, const N: usize, const S: usize] Kept<R, N, S> where [Stages<S>: Modes]:
    extrapolation, ratio, factors, factored
);

/// A second-order model with its state, stepped by the method `G` of `S` stages and `K` values.
pub type GeneralLinearStepper<
    R,
    M,
    G,
    const N: usize,
    const U: usize,
    const S: usize,
    const K: usize,
> = Machine<OnGeneralLinear<R, M, G, N, U, S, K>>;

/// The method `G` of `S` stages and `K` values on a second-order model.
pub struct OnGeneralLinear<R, M, G, const N: usize, const U: usize, const S: usize, const K: usize>(
    PhantomData<(R, M, G)>,
);

impl<R, M, G, const N: usize, const U: usize, const S: usize, const K: usize> Scheme
    for OnGeneralLinear<R, M, G, N, U, S, K>
where
    M: SecondOrder<R, N, U>,
    G: GeneralLinear<S, K>,
{
    type Real = R;
    type Method = ();
    type Model = M;
    type Input = Vector<R, U>;
    type State = Course<R, N>;
    type Carry = Values<R, N, S, K>;
    /// One over the nominal magnitudes.
    type Scales = [R; N];
    type Kept = Kept<R, N, S>;
    type Trial = Now<Self>;
    type Met = All<Vector<R, U>>;
    const PERIOD: fn(&M) -> Option<R> = M::period;
    const RENEWS: bool = G::STARTS;

    /// At a start (x, x'). What the method needs besides, a step of Radau IIA 5 gives.
    fn start(at: &Place<'_, Self>, start: &Course<R, N>) -> Result<Now<Self>, Error> {
        const { assert!(K >= 3 && (S % 2 == 1 || G::DIAGONAL.is_none())) };
        let mut now = Self::bare(start, at.h);
        if G::STARTS {
            start::begin(at, &mut now, false)?;
        }
        Ok(now)
    }

    fn scales(at: &Place<'_, Self>, _state: &Course<R, N>) -> Result<[R; N], Error> {
        inverse_magnitudes(&at.model.nominal(), 0)
    }

    /// What the method passes from step to step belongs to the old model: this starts again, from where it is.
    fn fit(old: &Old<'_, Self>, _before: &M) -> Fitted<Self> {
        let mut now = Self::renewed(old)?;
        now.carry.before = R::ZERO;
        Ok((now, Self::scales(&old.at, old.state)?))
    }

    fn renewed(old: &Old<'_, Self>) -> Result<Now<Self>, Error> {
        let mut now = old.now();
        if G::STARTS {
            start::begin(&old.at, &mut now, true)?;
        }
        Ok(now)
    }

    fn rescale(_now: &mut Now<Self>, _scales: &mut [R; N], _h: R, _ratio: R) -> bool {
        false
    }

    fn keep(_old: &Old<'_, Self>) -> Result<Self::Kept, Error> {
        Ok(Kept::none())
    }

    #[inline(always)]
    fn attempt<B: Budget<R>>(
        old: &Old<'_, Self>,
        kept: &mut Kept<R, N, S>,
        budget: &mut B,
    ) -> Attempt<Self> {
        let (h, matrices) = (old.h, G::matrices::<R>());
        let (w, missed, report) = old.solve(kept, budget, &matrices)?;
        let mut next = *old.carry;
        for k in 0..K {
            // x and v are sums; the others are computed anew.
            let lowest = if k < 2 { k + 1 } else { 0 };
            let mut value = combine(&matrices.b2[k], &w);
            for n in 0..N {
                value[n] *= h * h;
            }
            for l in lowest..K {
                if matrices.v2[k][l] != R::ZERO {
                    let before = old.scaled(&matrices, l);
                    plus(&mut value, matrices.v2[k][l], &before);
                }
            }
            for n in 0..N {
                for _ in 0..matrices.powers[k] {
                    value[n] /= h;
                }
                if k < 2 {
                    let (high, low) = (&mut next.z[k][n], &mut next.low[k][n]);
                    (*high, *low) = sum_compensated(*high, *low, value[n]);
                } else {
                    next.z[k][n] = value[n];
                }
                if !next.z[k][n].finite() {
                    return Err(Error::NonFinite);
                }
            }
        }
        next.last = [old.carry.z[0], old.carry.z[1]];
        (next.w, next.before, next.missed) = (w, h, missed);
        let state = Course {
            x: next.z[0].into(),
            v: next.z[1].into(),
            a: w[S - 1].into(),
        };
        Ok((Now { state, carry: next }, report))
    }

    fn before(now: &Now<Self>, h: R, by: R) -> Course<R, N> {
        let [x, v] = &now.carry.last;
        course_before::<R, M, N, U>((x, v), &now.state, (h, by))
    }
}

impl<R, M, G, const N: usize, const U: usize, const S: usize, const K: usize>
    OnGeneralLinear<R, M, G, N, U, S, K>
where
    M: SecondOrder<R, N, U>,
    G: GeneralLinear<S, K>,
{
    /// Nothing but x and x'.
    fn bare(start: &Course<R, N>, h: R) -> Now<Self> {
        let mut state = Course::from((start.x, start.v));
        let mut z = [[R::ZERO; N]; K];
        for n in 0..N {
            if M::ALGEBRAIC[n] {
                state.v.data.0[0][n] = R::ZERO;
            }
        }
        (z[0], z[1]) = (state.x.data.0[0], state.v.data.0[0]);
        let earlier = state.x - state.v * h;
        let carry = Values {
            z,
            low: [[R::ZERO; N]; 2],
            w: [[R::ZERO; N]; S],
            before: R::ZERO,
            missed: [[R::ZERO; N]; S],
            last: [earlier.data.0[0], z[1]],
        };
        Now { state, carry }
    }
}

impl<R, M, G, const N: usize, const U: usize, const S: usize, const K: usize>
    GeneralLinearStepper<R, M, G, N, U, S, K>
where
    M: SecondOrder<R, N, U>,
    G: GeneralLinear<S, K>,
{
    /// A stepper from the exact values that the method passes from step to step: x and its derivatives, in the method's
    /// order.
    pub fn from_values(
        model: M,
        _method: G,
        h: R,
        values: [Vector<R, N>; K],
    ) -> Result<Self, Error> {
        let mut stepper = Self::new(model, h, (values[0], values[1]))?;
        for k in 0..K {
            checked_start(&values[k])?;
            stepper.now.carry.z[k] = values[k].data.0[0];
        }
        stepper.now.state = Course::from((values[0], values[1]));
        Ok(stepper)
    }

    /// Starts again from where it is, with the derivatives that a step of Radau IIA 5 gives.
    pub(crate) fn begin(&mut self, t: R, u: &Vector<R, U>) -> Result<(), Error> {
        let mut now = self.now;
        start::begin(&self.place(t, u), &mut now, false)?;
        self.now = now;
        Ok(())
    }

    /// How far x and x' at the end of the last step were from what the step before it predicted; none if it predicted
    /// nothing.
    pub(crate) fn estimate(&self) -> ([R; N], [R; N]) {
        let (h, matrices, missed) = (self.h(), G::matrices::<R>(), &self.now.carry.missed);
        let mut x = combine(&matrices.b2[0], missed);
        let mut v = combine(&matrices.b2[1], missed);
        for n in 0..N {
            x[n] *= h * h;
            v[n] *= h;
        }
        (x, v)
    }
}
