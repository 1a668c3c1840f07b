//! When the simplified Newton iteration of an adaptive step is good enough, and when it is hopeless (Hairer & Wanner II,
//! IV.8).

use crate::number::Real;
use crate::step::{Budget, Convergence, Error, Report};

/// The budget of an adaptive step, and what the last one taught it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simplified<R> {
    /// How small the estimated distance from the solution must be.
    pub tolerance: R,
    /// The fewest iterations, one or two: RADAU5 takes the last step's contraction for that of a single one.
    pub least: u8,
    /// The largest increments that may pass for rounding.
    pub rounding: R,
    /// The most iterations.
    pub most: u8,
    /// theta / (1 - theta) of the last step, by which the first increment of the next one is judged.
    pub eta: R,
    /// The contraction; that of a single iteration is unknown, and taken for a good one.
    pub theta: R,
    /// A first increment as large as this comes from a start that was no prediction: then the ratio of the second one to it
    /// says nothing of the contraction, and it takes a third to know.
    pub far: R,
    /// Whether the Jacobian is from where a prediction leads: after such an increment, from nowhere.
    pub ahead: bool,
    /// Iterations of the last attempt.
    pub iterations: u8,
    first: R,
    last_ratio: R,
    converged: bool,
}

/// Contraction below which a Jacobian is worth keeping.
pub(super) fn good<R: Real>() -> R {
    R::from_f64(1e-3)
}

impl<R: Real> Simplified<R> {
    pub fn new(tolerance: R, (least, most): (u8, u8)) -> Self {
        Simplified {
            tolerance,
            least,
            rounding: R::LARGEST,
            most,
            eta: R::ONE,
            theta: good(),
            far: R::LARGEST,
            ahead: false,
            iterations: 0,
            first: R::ZERO,
            last_ratio: R::ZERO,
            converged: false,
        }
    }

    /// Before a step.
    pub fn begin(&mut self) {
        let eta = self.eta.max(R::EPSILON);
        self.eta = (eta.ln() * R::from_f64(0.8)).exp();
        self.theta = good();
        self.converged = false;
    }

    /// Whether the last attempt ended because its Jacobian was from where no prediction leads.
    pub fn misled(&self) -> bool {
        self.ahead && self.iterations == 1 && self.first > self.far
    }

    /// Nothing is known of the next step.
    pub fn forget(&mut self) {
        self.eta = R::ONE;
    }
}

impl<R: Real> Budget<R> for Simplified<R> {
    fn another(&mut self, so_far: &Convergence<R>) -> bool {
        let (n, last) = (so_far.iterations(), so_far.increment());
        self.iterations = n;
        if n == 0 {
            return true;
        }
        if n == 1 {
            self.first = last;
            if self.ahead && last > self.far {
                return false;
            }
            // Rounding that is small enough not to matter. Of anything else a first increment tells nothing.
            self.converged = so_far.rounding() && last <= self.tolerance
                || self.least == 1 && self.eta * last <= self.tolerance;
            return !self.converged && n < self.most && last.finite();
        }
        let ratio = so_far.contraction();
        // The geometric mean of two ratios, because one alone is often a poor estimate.
        self.theta = if n == 2 {
            ratio
        } else {
            (ratio * self.last_ratio).sqrt()
        };
        self.last_ratio = ratio;
        let rounding = so_far.rounding() && last <= self.rounding;
        // False for NaN, too.
        let contracts = self.theta < R::from_f64(0.99);
        if !contracts {
            // Increments that no longer shrink, but are as small as they need be, are rounding.
            self.eta = R::ONE;
            self.converged = rounding || n > 2 && last <= self.tolerance;
            return false;
        }
        self.eta = self.theta / (R::ONE - self.theta);
        let mut hope = last * self.eta;
        for _ in n..self.most {
            hope *= self.theta;
        }
        if hope > self.tolerance && !rounding {
            return false;
        }
        let known = n > 2 || self.first <= self.far;
        self.converged = known && self.eta * last <= self.tolerance || rounding;
        !self.converged && n < self.most && last.finite()
    }

    fn tolerance(&self) -> R {
        self.tolerance
    }

    fn verdict(&self, convergence: &Convergence<R>, exact: bool) -> Result<Report<R>, Error> {
        if !convergence.increment().finite() {
            return Err(Error::NonFinite);
        }
        if !(exact || self.converged) {
            return Err(Error::Diverged);
        }
        Ok(convergence.accepted(self.eta * convergence.increment()))
    }
}

#[cfg(test)]
mod tests {
    use super::Simplified;
    use crate::step::{Budget, Convergence, Error};

    /// After how many of these increments it wants no more, and whether that is convergence.
    fn asked(newton: &mut Simplified<f64>, increments: &[f64], floor: f64) -> (usize, bool) {
        newton.begin();
        let mut count = 0;
        while newton.another(&Convergence::after(&increments[..count], floor)) {
            count += 1;
            if count > increments.len() {
                return (count, false);
            }
        }
        let convergence = Convergence::after(&increments[..count], floor);
        (count, newton.verdict(&convergence, false).is_ok())
    }

    fn ten(tolerance: f64) -> Simplified<f64> {
        Simplified::new(tolerance, (2, 10))
    }

    /// It ends when theta / (1 - theta) of the last increment is below the tolerance, theta the mean of the last two ratios.
    #[test]
    fn enough_is_what_is_left_after_the_last() {
        let mut newton = ten(1e-4);
        assert_eq!(
            asked(&mut newton, &[1.0, 0.1, 0.01, 0.9e-3, 1e-5], 0.0),
            (4, true)
        );
        let theta = libm::sqrt(0.09 * 0.1);
        assert!((newton.theta - theta).abs() < 1e-12);
        assert!((newton.eta - theta / (1.0 - theta)).abs() < 1e-12);
        let convergence = Convergence::after(&[1.0, 0.1, 0.01, 0.9e-3], 0.0);
        let defect = newton
            .verdict(&convergence, false)
            .map_or(0.0, |report| report.defect());
        assert!((defect - newton.eta * 0.9e-3).abs() < 1e-15);
        assert_eq!(
            asked(&mut ten(1e-4), &[1.0, 0.1, 0.01, 1e-3, 1e-4], 0.0),
            (5, true)
        );
        // A half each time: as much is left as the last was.
        assert_eq!(
            asked(&mut ten(0.125), &[1.0, 0.5, 0.25, 0.125, 0.1], 0.0),
            (4, true)
        );
        assert_eq!(
            asked(&mut ten(0.126), &[1.0, 0.5, 0.25, 0.125, 0.1], 0.0),
            (4, true)
        );
    }

    /// Where all iterations would not be enough it does not go on.
    #[test]
    fn hopeless_iterations_end_early() {
        assert_eq!(asked(&mut ten(1e-4), &[1.0, 0.9, 0.81], 0.0), (2, false));
        assert_eq!(asked(&mut ten(1e-4), &[1.0, 1.1], 0.0), (2, false));
        // With a half each time eight more leave 2^-9 of one.
        assert_eq!(asked(&mut ten(0.0019), &[1.0, 0.5, 0.25], 0.0), (2, false));
        assert_eq!(asked(&mut ten(0.0020), &[1.0, 0.5, 0.01], 0.0), (3, true));
        assert_eq!(asked(&mut ten(1e-4), &[1.0, f64::NAN], 0.0), (2, false));
    }

    /// A first increment says nothing, unless one is allowed to be enough or all of it is rounding.
    #[test]
    fn a_first_increment_is_hardly_enough() {
        assert_eq!(asked(&mut ten(1.0), &[0.5, 0.1], 0.0), (2, true));
        let mut one = Simplified::new(1.0, (1, 10));
        assert_eq!(asked(&mut one, &[1.0, 0.1], 0.0), (1, true));
        one.forget();
        assert_eq!(asked(&mut one, &[1.01, 0.1], 0.0), (2, true));
        assert_eq!(asked(&mut ten(1.0), &[0.5, 0.1], 0.5), (1, true));
        assert_eq!(asked(&mut ten(0.4), &[0.5, 0.1], 0.5), (2, true));
    }

    /// What no longer shrinks is rounding if it is small enough.
    #[test]
    fn increments_that_no_longer_shrink_are_rounding() {
        assert_eq!(
            asked(&mut ten(0.02), &[1.0, 0.01, 0.01, 0.02], 0.0),
            (2, true)
        );
        let mut newton = ten(1e-3);
        assert_eq!(asked(&mut newton, &[1.0, 0.5e-3, 0.6e-3], 0.0), (2, true));
        let mut newton = ten(1e-9);
        newton.rounding = 1e-2;
        assert_eq!(asked(&mut newton, &[1.0, 1e-3], 2e-3), (2, true));
        newton.rounding = 1e-4;
        assert!(!asked(&mut newton, &[1.0, 1e-3], 2e-3).1);
    }

    /// A Jacobian from ahead that leads far away is given up at once.
    #[test]
    fn a_jacobian_from_ahead_may_mislead() {
        let mut newton = ten(1e-3);
        (newton.ahead, newton.far) = (true, 10.0);
        assert_eq!(asked(&mut newton, &[10.5, 1.0], 0.0), (1, false));
        assert!(newton.misled());
        assert_eq!(asked(&mut newton, &[10.0, 1e-3, 1e-9], 0.0), (2, true));
        assert!(!newton.misled());
        newton.ahead = false;
        // From far away two are not known to converge.
        assert_eq!(asked(&mut newton, &[10.5, 1e-3, 1e-9], 0.0), (3, true));
        assert!(!newton.misled());
    }

    /// Contraction is forgotten by and by, and at once.
    #[test]
    fn contraction_is_forgotten() {
        let mut newton = ten(1e-3);
        newton.eta = 1e-5;
        newton.begin();
        assert!((newton.eta / 1e-4 - 1.0).abs() < 1e-12);
        assert_eq!((newton.theta, newton.tolerance()), (1e-3, 1e-3));
        newton.forget();
        assert_eq!(newton.eta, 1.0);
        let infinite = Convergence::after(&[f64::INFINITY], 0.0);
        assert_eq!(
            newton.verdict(&infinite, true).err(),
            Some(Error::NonFinite)
        );
        let exact = newton.verdict(&Convergence::after(&[0.5], 0.0), true);
        assert_eq!(exact.map(|report| report.defect()), Ok(0.5));
    }
}
