//! A step of a linear plant with constant coefficients: `x + D x + Gamma u + gamma`, in compensated sums.
//!
//! What the map is, its columns, [`matrices`] computes from the method's modes in double precision. What is rounded to the number
//! type are D = Phi - I and Gamma, not Phi: a slow plant has small elements there, and loses nothing.

mod matrices;

use self::matrices::Matrices;
use super::convergence::Convergence;
use super::machine::Machine;
use super::scheme::{Attempt, Finite, Fitted, Now, Old, Place, Scheme, Tried};
use super::{Budget, Error, Method, OfFirstOrder, Report, inverse_magnitudes};
use crate::memory::visits;
use crate::method::{AllImplicit, Collocation, Mapped};
use crate::model::{Linear, Vector};
use crate::number::Real;
use core::marker::PhantomData;

impl<R, M: Linear<R, N, U>, K, const N: usize, const U: usize, const S: usize>
    Method<M, OfFirstOrder<R, N, U, S>> for Mapped<K>
where
    K: Collocation<S, Accuracy: AllImplicit>,
{
    type Real = R;
    type Start = Vector<R, N>;
    type Stepper = MapStepper<R, M, K, N, U, S>;

    fn stepper(self, model: M, h: R, start: Vector<R, N>) -> Result<Self::Stepper, Error> {
        Machine::new(model, h, start)
    }
}

/// A linear model with its state, stepped by the map of the collocation method `K` of `S` stages.
///
/// The map is that of the method but for the rounding of its elements. The report's defect estimates what that does to the step, from
/// the sizes of state and inputs. In the long run a slow motion in a stiff plant is off by more, because its rate is a small difference
/// of large elements: the start estimates that, for ten thousand steps, and refuses with
/// [`Error::Rounding`] if it comes to more than a quarter of the root of epsilon (9e-5 in single, 4e-9 in double precision) of the
/// nominal magnitudes. Such a plant is for the method itself, or for double precision.
///
/// To compute the map takes about `5 N^2` numbers of double precision on the stack, twice that with a
/// [`Circuit`](crate::model::Circuit) that is handed over (75 KB for 30 states), and some N^3 operations: a start costs what hundreds of
/// steps do, and so does every change of a parameter. Dense output is linear between the ends of the step.
pub type MapStepper<R, M, K, const N: usize, const U: usize, const S: usize> =
    Machine<OnMap<R, M, K, N, U, S>>;

/// The map of the collocation method `K` of `S` stages on a linear model.
pub struct OnMap<R, M, K, const N: usize, const U: usize, const S: usize>(PhantomData<(R, M, K)>);

/// What rounding left out of x, and what the last step added to it.
#[derive(Clone, Copy, Debug)]
pub struct Carry<R, const N: usize> {
    low: [R; N],
    moved: [R; N],
}

visits!([R: Real, const N: usize] Carry<R, N>: low, moved);

/// The step that is tried: what it adds, with what rounding left out before.
pub struct Next<R, const N: usize> {
    moved: [R; N],
}

impl<R, M: Linear<R, N, U>, K: Collocation<S>, const N: usize, const U: usize, const S: usize>
    Tried<OnMap<R, M, K, N, U, S>> for Next<R, N>
{
    /// As [`attempt`](Scheme::attempt) has found.
    #[inline(always)]
    fn finite(&self) -> bool {
        true
    }

    #[inline(always)]
    fn take(self, now: &mut Now<OnMap<R, M, K, N, U, S>>) {
        let (x, Carry { low, moved }) = (&mut now.state.data.0[0], &mut now.carry);
        for n in 0..N {
            let (by, old) = (self.moved[n], x[n]);
            x[n] = old + by;
            low[n] = by - (x[n] - old);
            moved[n] = by;
        }
    }
}

impl<R, M: Linear<R, N, U>, K: Collocation<S>, const N: usize, const U: usize, const S: usize>
    Scheme for OnMap<R, M, K, N, U, S>
{
    type Real = R;
    type Method = ();
    type Model = M;
    type Input = Vector<R, U>;
    type State = Vector<R, N>;
    type Carry = Carry<R, N>;
    /// One over the nominal magnitudes.
    type Scales = [R; N];
    type Kept = Matrices<R, N, U>;
    type Trial = Next<R, N>;
    type Met = ();
    const PERIOD: fn(&M) -> Option<R> = M::period;

    fn start(_at: &Place<'_, Self>, x: &Vector<R, N>) -> Result<Now<Self>, Error> {
        let carry = Carry {
            low: [R::ZERO; N],
            moved: [R::ZERO; N],
        };
        Ok(Now { state: *x, carry })
    }

    fn scales(at: &Place<'_, Self>, _x: &Vector<R, N>) -> Result<[R; N], Error> {
        inverse_magnitudes(&at.model.nominal().data.0[0], 0)
    }

    fn fit(old: &Old<'_, Self>, _before: &M) -> Fitted<Self> {
        Ok((old.now(), Self::scales(&old.at, old.state)?))
    }

    fn rescale(_now: &mut Now<Self>, _scales: &mut [R; N], _h: R, _ratio: R) -> bool {
        false
    }

    fn keep(old: &Old<'_, Self>) -> Result<Self::Kept, Error> {
        Matrices::of::<M, K, S>(old.model, old.h, old.scales)
    }

    #[inline(always)]
    fn attempt<B: Budget<R>>(
        old: &Old<'_, Self>,
        kept: &mut Matrices<R, N, U>,
        budget: &mut B,
    ) -> Attempt<Self> {
        let (x, u) = (&old.state.data.0[0], &old.u.data.0[0]);
        if !budget.another(&Convergence::start(R::ZERO)) {
            return Err(Error::Budget);
        }
        let rounding = kept.rounding(x, u);
        let mut finite = Finite::none();
        finite.see(rounding);
        let mut moved = [R::ZERO; N];
        kept.motion(x, u, |n, by| {
            moved[n] = by + old.carry.low[n];
            finite.see(x[n] + moved[n]);
        });
        if !finite.all() {
            return Err(Error::NonFinite);
        }
        Ok((Next { moved }, Report::exact(rounding, budget.tolerance())))
    }

    fn before(now: &Now<Self>, h: R, by: R) -> Self::State {
        let mut x = now.state;
        for n in 0..N {
            x.data.0[0][n] -= now.carry.moved[n] * (by / h);
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use crate::drive::Simulation;
    use crate::method::{Mapped, RadauIIA};
    use crate::model::Vector;
    use crate::model::clockwork::Clockwork;
    use crate::step::Error;

    /// Between steps it is on a straight line, and so it is with another step.
    #[test]
    fn a_map_is_a_line_between_steps() -> Result<(), Error> {
        let start = Vector::from([1.0]);
        let mut plant = Simulation::new(Clockwork, Mapped(RadauIIA::<2>), 0.5, start)?;
        plant.input = Vector::from([3.0]);
        plant.step()?;
        plant.step()?;
        for by in [0.0, 0.125, 0.5] {
            assert!(
                (plant.before(by)[0] - (5.0 - 4.0 * by)).abs() < 1e-14,
                "{by}"
            );
        }
        plant.set_h(0.25)?;
        assert!((plant.before(0.25)[0] - 4.0).abs() < 1e-14);
        plant.step()?;
        assert!((plant.state()[0] - 6.0).abs() < 1e-14);
        Ok(())
    }
}
