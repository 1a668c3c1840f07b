//! The simplified Newton iteration of all steps, and how its increments are measured.

use super::convergence::{Convergence, HIGHEST};
use super::increments::{Increments, Variables};
use super::{Budget, Error, Report};
use crate::memory::visits;
use crate::number::Real;

/// Iterates as long as the budget allows, and judges the result. `iterate` does one iteration and answers the squares of its
/// increments, variable by variable, in units of the nominal magnitudes; increments up to `floor` are rounding. If one iteration
/// is `exact` there is no second one. The sum of squares of the multipliers' increments, which it answers, too, has no part in the
/// verdict, but a place in the report.
#[inline(always)]
pub(crate) fn newton<R: Real, X: Variables<R>, B: Budget<R>>(
    budget: &mut B,
    floor: R,
    exact: bool,
    iterate: impl FnMut() -> Result<(X, R), Error>,
) -> Result<(Convergence<R>, Report<R>), Error> {
    let (convergence, forces) = iterated(budget, floor, exact, iterate)?;
    let mut report = budget.verdict(&convergence, exact)?;
    report.lambda = forces;
    Ok((convergence, report))
}

/// The same for schemes whose rounding may be more than their floor says: `noise`, which is asked if the iteration seems to diverge, is the most.
#[inline(always)]
pub(crate) fn newton_or_noise<R: Real, X: Variables<R>, B: Budget<R>>(
    budget: &mut B,
    (floor, exact): (R, bool),
    iterate: impl FnMut() -> Result<(X, R), Error>,
    noise: impl FnOnce() -> R,
) -> Result<(Convergence<R>, Report<R>), Error> {
    let (convergence, _) = iterated(budget, floor, exact, iterate)?;
    let report = match budget.verdict(&convergence, exact) {
        Err(Error::Diverged) => convergence.unless_rounding(noise())?,
        verdict => verdict?,
    };
    Ok((convergence, report))
}

/// The iteration by itself, and its multipliers' last increments.
#[inline(always)]
fn iterated<R: Real, X: Variables<R>, B: Budget<R>>(
    budget: &mut B,
    floor: R,
    exact: bool,
    mut iterate: impl FnMut() -> Result<(X, R), Error>,
) -> Result<(Convergence<R>, R), Error> {
    let mut convergence = Convergence::start(floor);
    let mut increments = Increments::<X>::start();
    let (mut forces, mut before) = (R::ZERO, R::ZERO);
    while budget.another(&convergence) {
        let squares;
        before = forces;
        (squares, forces) = iterate()?;
        increments.record(squares, &mut convergence);
        if B::LOOKS {
            increments.judge(&mut convergence);
        }
        if exact {
            break;
        }
    }
    increments.judge(&mut convergence);
    convergence.pulled(forces, before);
    Ok((convergence, forces))
}

/// What rounding of constraints does to increments `h dW`: it is divided by h, and amplified by the method.
pub(super) fn floor_at<R: Real>(h: R, amplification: R) -> R {
    (R::EPSILON * amplification / h).min(R::from_f64(HIGHEST))
}

/// How increments are measured.
#[derive(Clone, Copy, Debug)]
pub struct Norm<R, const N: usize> {
    /// One over the magnitude that counts as one.
    pub weights: [R; N],
    /// What rounding does to increments, in those units.
    pub floor: R,
}

visits!([R: Real, const N: usize] Norm<R, N>: weights, floor);

impl<R: Real, const N: usize> Norm<R, N> {
    /// Weights, with a floor by what rounding does to an increment in each of `stages`: `noise`, in epsilons.
    pub fn rounded(weights: [R; N], noise: &[R; N], stages: usize) -> Self {
        let mut sum = R::ZERO;
        for n in 0..N {
            let size = weights[n] * noise[n];
            sum += size * size;
        }
        let sum = (sum * R::from_count(stages as u64)).sqrt();
        Norm::bounded(weights, R::EPSILON * R::from_f64(2.0) * sum)
    }

    /// Weights, with a floor whose square is a number.
    pub fn bounded(weights: [R; N], floor: R) -> Self {
        Norm {
            weights,
            floor: floor.min(R::from_f64(HIGHEST)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Norm;

    /// The floor is what rounding does to increments, in units of the weights, over all stages.
    #[test]
    fn a_floor_is_rounding_by_the_weights() {
        let norm = Norm::rounded([2.0_f64, 4.0], &[1.5, 1.0], 4);
        // Squares 9 and 16, four times.
        assert_eq!(norm.floor, 2.0 * f64::EPSILON * 10.0);
    }
}
