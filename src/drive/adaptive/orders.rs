//! Steps, and orders, chosen by the error that they make: for the methods of second-order systems.
//!
//! Every step is compared with what the steps before it predicted, component by component, each with a tolerance of its own
//! (Wunderlich's experiments allow multipliers a hundred times more than positions). For the backward differentiation
//! formulas the difference times `h / (t_n - t_(n-k-1))` estimates the error of a step of order k, and those of the orders
//! next to k come from the same past. For Runge-Kutta and general linear methods the difference between the stages and the
//! continued polynomial of the last ones is taken as it is: of lower order than the step's own error, and so the larger of the two.

use super::Statistics;
use super::paced::{Allowed, Paced, Tried};
use crate::method::{Backward, GeneralLinear, Modes, Stages};
use crate::model::{Course, SecondOrder, Vector};
use crate::number::Real;
use crate::step::{
    EachOfCourse, Error, Estimate, GeneralLinearStepper, Machine, MultistepStepper, Now,
    OnGeneralLinear, OnMultistep, Outcome, Stepper, Tolerance, Until,
};

/// What is allowed of each component's error.
type AllowedOf<R, const N: usize> = Tolerance<R, EachOfCourse<R, N>>;

/// The factor by which the last step that was tried says the next one may be larger.
pub struct Factor<R>(R);

/// The largest of the errors of x and x' in units of what is allowed; of those of positions alone if nothing else counts.
fn measure<R, M: SecondOrder<R, N, U>, const N: usize, const U: usize>(
    allowed: &AllowedOf<R, N>,
    (x, v): &([R; N], [R; N]),
    at: &Course<R, N>,
    positions: bool,
) -> R {
    let mut largest = R::ZERO;
    let mut take = |error: R, value: R, absolute: R| {
        let ratio = error.abs() / (absolute + allowed.relative * value.abs());
        // A NaN must not pass for no error.
        if ratio > largest || !ratio.finite() {
            largest = ratio;
        }
    };
    for n in 0..N {
        if !(positions && M::ALGEBRAIC[n]) {
            take(x[n], at.x.data.0[0][n], allowed.absolute.x[n]);
        }
        if !(positions || M::ALGEBRAIC[n]) {
            take(v[n], at.v.data.0[0][n], allowed.absolute.v[n]);
        }
    }
    largest
}

/// The factor that makes an error of order `order` in h one, with a margin.
fn factor<R: Real>(error: R, order: usize) -> R {
    let (error, exponent) = (error.max(R::from_f64(1e-8)), R::from_count(order as u64));
    R::from_f64(0.8) * (-(error.ln()) / exponent).exp()
}

/// After a step of a formula: its error in units of the tolerances, and the factor by which the next one may be larger. Chooses
/// another order for it, if the error is less than one.
fn judge_order<R, M: SecondOrder<R, N, U>, B: Backward, const N: usize, const U: usize>(
    stepper: &mut MultistepStepper<R, M, B, N, U>,
    allowed: &AllowedOf<R, N>,
) -> (R, R) {
    let (order, starting, depth) = (stepper.order(), stepper.starting(), stepper.depth());
    // At the first, low orders velocities and multipliers are what they are. Nothing remembers them: later ones come from
    // the positions. To hold them to their tolerances would take steps so small that multipliers drown in rounding.
    // The momentum remembers, though, and that is what the caution is for.
    let caution = R::from_f64(if starting { 10.0 } else { 1.0 });
    let error = |points: usize| {
        let error = stepper.estimate(points.min(depth).max(1));
        caution * measure::<R, M, N, U>(allowed, &error, stepper.state(), starting)
    };
    if order == 0 {
        // A step of the method that starts the others.
        return (error(1), R::ONE);
    }
    // Velocities and multipliers are of order k, too.
    let own = error(order + 1);
    let mut best = (order, factor(own, order));
    if own <= R::ONE {
        if starting {
            // Low orders are there to get away from.
            best.0 = order + 1;
        } else {
            if order > 1 {
                let lower = factor(error(order), order - 1);
                if lower > best.1 {
                    best = (order - 1, lower);
                }
            }
            if order < B::ORDER && depth >= order + 2 {
                let higher = factor(error(order + 2), order + 1);
                if higher > best.1 {
                    best = (order + 1, higher);
                }
            }
        }
        stepper.set_order(best.0);
    }
    // Beyond these ratios variable-step formulas are not stable (order 2: 1 + sqrt 2, order 3: 1.5).
    let most = R::from_f64(if order <= 2 { 2.0 } else { 1.4 });
    (own, best.1.min(most))
}

/// The same after a step of a general linear method, which has one order.
fn judge<R, M, G, const N: usize, const U: usize, const S: usize, const K: usize>(
    stepper: &mut GeneralLinearStepper<R, M, G, N, U, S, K>,
    allowed: &AllowedOf<R, N>,
) -> (R, R)
where
    M: SecondOrder<R, N, U>,
    G: GeneralLinear<S, K>,
{
    let error = measure::<R, M, N, U>(allowed, &stepper.estimate(), stepper.state(), false);
    // The prediction of a multiplier is of order s.
    (error, factor(error, S).min(R::from_f64(2.0)))
}

/// Tolerances of `relative` times the nominal magnitudes, which are those of x' and of algebraic x.
fn nominal<R, M, const N: usize, const U: usize>(model: &M, relative: R) -> EachOfCourse<R, N>
where
    M: SecondOrder<R, N, U>,
{
    let each = model.nominal().map(|x| x * relative);
    EachOfCourse { x: each, v: each }
}

/// Iterates far below the tolerance: what is left must not pass for an error.
fn budget<R: Real, const N: usize>(each: &EachOfCourse<R, N>) -> Until<R> {
    let all = each.x.iter().chain(&each.v);
    let least = all.fold(R::LARGEST, |least, tolerance| least.min(*tolerance));
    Until {
        tolerance: least * R::from_f64(1e-3),
        max: 10,
    }
}

/// What both families have in common.
macro_rules! paced {
    ([$($generics:tt)*] $stepper:ty, $scheme:ty, [$($bounds:tt)*], $stages:expr, $modes:expr, $judge:ident, [$($begin:tt)*]) => {
        impl<$($generics)*> Paced for $stepper
        where
            M: SecondOrder<R, N, U>,
            $($bounds)*
        {
            type Absolute = EachOfCourse<R, N>;
            type Trial = Now<$scheme>;
            type Pace = Factor<R>;

            fn allowed(&self, relative: R) -> Result<Self::Absolute, Error> {
                Ok(nominal::<R, M, N, U>(self.model(), relative))
            }

            fn pace(_relative: R) -> Factor<R> {
                Factor(R::ONE)
            }

            $($begin)*

            fn meet(&mut self, t: R, input: &Vector<R, U>) -> Result<Option<Self::Trial>, Error> {
                Ok(Some(Machine::meet(self, t, input)?))
            }

            fn leave(&mut self, h: R, point: Self::Trial) {
                Machine::leave(self, h, point);
            }

            fn try_step(
                &mut self,
                pace: &mut Factor<R>,
                (t, input): (R, &Vector<R, U>),
                h: R,
                allowed: &Allowed<Self>,
                done: &mut Statistics,
            ) -> Result<Tried<Self>, Error> {
                let (stages, modes): (u32, u32) = ($stages, $modes);
                self.set_h(h)?;
                done.jacobians += 1;
                done.factorisations += modes;
                let (before, span) = (self.now, self.span);
                let report = self.advance(t, input, &mut budget(&allowed.absolute))?;
                let iterations = u32::from(report.iterations);
                done.evaluations += iterations * stages;
                done.solves += iterations * modes;
                let converged = report.outcome == Outcome::Converged;
                let judged = converged.then(|| $judge(self, allowed));
                let trial = core::mem::replace(&mut self.now, before);
                self.span = span;
                let (error, factor) = judged.ok_or(Error::Diverged)?;
                *pace = Factor(factor);
                let estimate = Estimate {
                    error,
                    all: error,
                    evaluations: 0,
                };
                Ok((trial, estimate, report.iterations))
            }

            fn take(&mut self, _t: R, _input: &Vector<R, U>, trial: Self::Trial) -> Result<(), Error> {
                (self.now, self.span) = (trial, self.h());
                Ok(())
            }

            fn next(pace: &mut Factor<R>, (h, wanted): (R, R), _error: R, _iterations: u8) -> R {
                // Small gains are not worth new coefficients, and a step cut short says nothing of the next.
                let gains = pace.0 < R::ONE || pace.0 >= R::from_f64(1.2);
                if h < wanted || !gains {
                    wanted
                } else {
                    h * pace.0
                }
            }

            fn smaller(pace: &mut Factor<R>, h: R, error: Option<(R, u8)>) -> R {
                let shrink = R::from_f64(0.25);
                let factor = error.map_or(shrink, |_| pace.0.max(shrink).min(R::from_f64(0.9)));
                h * factor
            }

            fn forget(_pace: &mut Factor<R>) {}
        }
    };
}

paced!(
    [R, M, B, const N: usize, const U: usize] MultistepStepper<R, M, B, N, U>,
    OnMultistep<R, M, B, N, U>,
    [B: Backward],
    1, 1, judge_order, []
);

paced!(
    [R, M, G, const N: usize, const U: usize, const S: usize, const K: usize]
    GeneralLinearStepper<R, M, G, N, U, S, K>,
    OnGeneralLinear<R, M, G, N, U, S, K>,
    [G: GeneralLinear<S, K>, Stages<S>: Modes],
    S as u32,
    // Stage by stage, or one a real mode and one a pair.
    match G::DIAGONAL {
        Some(_) => S as u32,
        None => S as u32 / 2 + S as u32 % 2,
    },
    judge,
    [fn begin(&mut self, t: R, input: &Vector<R, U>) -> Result<(), Error> {
        GeneralLinearStepper::begin(self, t, input)
    }]
);

#[cfg(test)]
mod tests {
    use super::{AllowedOf, EachOfCourse, budget, factor, measure, nominal};
    use crate::model::{Course, SecondOrder, Vector};
    use crate::number::Scalar;

    struct Plain;
    impl SecondOrder<f64, 2, 0> for Plain {
        const ALGEBRAIC: [bool; 2] = [false, true];
        fn residual<T: Scalar<f64>>(
            &self,
            _t: T,
            _x: &Vector<T, 2>,
            _v: &Vector<T, 2>,
            a: &Vector<T, 2>,
            _u: &Vector<f64, 0>,
        ) -> Vector<T, 2> {
            *a
        }
        fn nominal(&self) -> [f64; 2] {
            [4.0, 8.0]
        }
    }

    /// Each error by its own tolerance, absolute and relative together; multipliers and velocities only where all counts.
    #[test]
    fn the_largest_error_in_its_own_unit_counts() {
        let each = EachOfCourse {
            x: [1.0, 2.0],
            v: [4.0, 8.0],
        };
        let allowed = AllowedOf {
            relative: 0.5,
            absolute: each,
        };
        let at = Course {
            x: [-2.0, 4.0].into(),
            v: [8.0, 100.0].into(),
            a: [0.0; 2].into(),
        };
        let of = |x, v, positions| measure::<f64, Plain, 2, 0>(&allowed, &(x, v), &at, positions);
        assert_eq!(of([6.0, 0.0], [0.0; 2], false), 3.0);
        assert_eq!(of([-6.0, 0.0], [0.0; 2], true), 3.0);
        assert_eq!(of([6.0, -20.0], [0.0; 2], false), 5.0);
        assert_eq!(of([6.0, -20.0], [0.0; 2], true), 3.0);
        assert_eq!(of([6.0, 0.0], [-56.0, 0.0], false), 7.0);
        assert_eq!(of([6.0, 0.0], [-56.0, 0.0], true), 3.0);
        assert_eq!(of([6.0, 0.0], [0.0, 1e9], false), 3.0);
        assert!(of([f64::NAN, 0.0], [0.0; 2], false).is_nan());
    }

    /// Four fifths of the root; below 1e-8 errors are all the same.
    #[test]
    fn a_factor_makes_the_error_one() {
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
        assert!(near(factor(1.0 / 16.0, 4), 1.6));
        assert!(near(factor(8.0, 3), 0.4));
        assert!(near(factor(1e-8, 2), 8000.0) && near(factor(0.0, 2), 8000.0));
    }

    /// A thousandth of the smallest tolerance is iterated to.
    #[test]
    fn tolerances_are_shares_of_nominal_values() {
        let each = nominal::<f64, _, 2, 0>(&Plain, 0.5);
        assert_eq!((each.x, each.v), ([2.0, 4.0], [2.0, 4.0]));
        let until = budget(&EachOfCourse {
            x: [4.0, 3.0],
            v: [2.0, 8.0],
        });
        assert_eq!((until.tolerance, until.max), (0.002, 10));
    }
}
