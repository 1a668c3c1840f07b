//! How large the next step should be: the classical rule, and Gustafsson's predictive one, of which the smaller step counts
//! (Hairer & Wanner II, IV.8).

use crate::number::Real;

/// Steps change by at most these factors.
const SHRINK: f64 = 5.0;
const GROW: f64 = 8.0;
const SAFETY: f64 = 0.9;

/// What the controller remembers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Controller<R> {
    /// One over the order of the estimate plus one.
    exponent: R,
    /// After more iterations than these a `frugal` step is followed by a shorter one: two, or three with five stages.
    enough: f64,
    /// Whether steps do not grow until they take many iterations. One that takes eight costs what two of half its size do, which take
    /// four each, and its error is 30 times theirs. RADAU5 shortens the next one by little.
    pub frugal: bool,
    /// Size and error of the last accepted step; no size before there is one.
    last: Option<(R, R)>,
    /// Whether the step before was rejected: then the next one must not grow.
    rejected: bool,
}

impl<R: Real> Controller<R> {
    pub fn new(stages: usize) -> Self {
        Controller {
            exponent: R::ONE / R::from_count(stages as u64 + 1),
            enough: 2.0 + 0.5 * (stages as f64 - 3.0).max(0.0),
            frugal: false,
            last: None,
            rejected: false,
        }
    }

    fn root(&self, error: R) -> R {
        // Far below any error that matters, but not zero.
        let error = error.max(R::from_f64(1e-20));
        (error.ln() * self.exponent).exp()
    }

    /// Whether the last step was rejected, or there is none: then the estimate deserves a second look.
    pub fn wary(&self) -> bool {
        self.rejected || self.last.is_none()
    }

    /// Whether a step of size `h` goes on as the last one did, so that what lies ahead can be told from it: no failure came
    /// between, and it is not much larger.
    pub fn steady(&self, h: R) -> bool {
        let last = self.last.map(|(h, _)| h + h);
        !self.rejected && last.is_some_and(|twice| h <= twice)
    }

    fn ratio(&self, error: R, iterations: u8, most: u8) -> R {
        let (iterations, most) = (f64::from(iterations), f64::from(most));
        let factor = SAFETY * (1.0 + 2.0 * most) / (iterations + 2.0 * most);
        let shorter = if self.frugal {
            SAFETY * (self.enough + 0.5) / (iterations + 0.5)
        } else {
            SAFETY
        };
        let factor = R::from_f64(factor.min(SAFETY).min(shorter));
        within(self.root(error) / factor)
    }

    /// The step after one of size `h` that was accepted with this error after so many iterations of at most `most`.
    pub fn accepted(&mut self, h: R, error: R, iterations: u8, most: u8) -> R {
        let mut quotient = self.ratio(error, iterations, most);
        if let Some((last_h, last_error)) = self.last {
            let trend = self.root(error * error / last_error) / R::from_f64(SAFETY);
            quotient = quotient.max(within(last_h / h * trend));
        }
        self.last = Some((h, error.max(R::from_f64(1e-2))));
        let mut next = h / quotient;
        if self.rejected {
            next = next.min(h);
        }
        self.rejected = false;
        next
    }

    /// The step after one whose error was too large.
    pub fn rejected(&mut self, h: R, error: R, iterations: u8, most: u8) -> R {
        self.rejected = true;
        if self.last.is_none() {
            return h * R::from_f64(0.1);
        }
        h / self.ratio(error, iterations, most)
    }

    /// The step after one whose iteration failed.
    pub fn failed(&mut self, h: R) -> R {
        self.rejected = true;
        h * R::from_f64(0.5)
    }

    /// The last steps are no guide to the next.
    pub fn forget(&mut self) {
        self.last = None;
    }
}

/// The quotient of old and new step, within what is allowed.
fn within<R: Real>(quotient: R) -> R {
    let (least, most) = (R::from_f64(1.0 / GROW), R::from_f64(SHRINK));
    if quotient > most {
        most
    } else if quotient > least {
        quotient
    } else {
        least
    }
}

#[cfg(test)]
mod tests {
    use super::{Controller, within};

    /// Three stages: errors are of order four in the step.
    fn three() -> Controller<f64> {
        Controller::new(3)
    }

    fn assert_near(a: f64, b: f64) {
        assert!((a / b - 1.0).abs() < 1e-12, "{a} is not {b}");
    }

    /// Nine tenths of the step that would make an error of one; less, the more iterations it took.
    #[test]
    fn the_next_step_makes_an_error_of_one() {
        // An error of 1/16 allows twice the step.
        assert_near(three().accepted(0.5, 1.0 / 16.0, 1, 10), 0.5 * 2.0 * 0.9);
        assert_near(three().accepted(0.5, 1.0 / 16.0, 9, 10), 0.9 * 21.0 / 29.0);
        assert_near(three().accepted(0.5, 1.0 / 16.0, 0, 10), 0.9);
        // Never more than eight times, nor less than a fifth.
        assert_near(three().accepted(0.5, 0.0, 1, 10), 4.0);
        assert_eq!(
            [within(0.1), within(0.125), within(3.0), within(7.0)],
            [0.125, 0.125, 3.0, 5.0]
        );
    }

    /// Two iterations are enough with three stages and with two, and three with five.
    #[test]
    fn iterations_shorten_the_next_step() {
        let frugal = |stages| Controller::<f64> {
            frugal: true,
            ..Controller::new(stages)
        };
        assert_near(frugal(3).accepted(0.5, 0.0625, 1, 10), 0.9);
        assert_near(frugal(3).accepted(0.5, 0.0625, 2, 10), 0.9 * 21.0 / 22.0);
        assert_near(frugal(3).accepted(0.5, 0.0625, 3, 10), 0.9 * 2.5 / 3.5);
        assert_near(frugal(3).accepted(0.5, 0.0625, 9, 10), 0.9 * 2.5 / 9.5);
        assert_near(frugal(2).accepted(0.5, 0.125, 4, 10), 0.9 * 2.5 / 4.5);
        assert_near(frugal(5).accepted(0.5, 1.0 / 64.0, 4, 15), 0.9 * 3.5 / 4.5);
        assert_near(
            frugal(5).accepted(0.5, 1.0 / 64.0, 3, 15),
            0.9 * 31.0 / 33.0,
        );
    }

    /// An error that has grown since the last step is expected to grow on.
    #[test]
    fn a_trend_is_continued() {
        let mut controller = three();
        controller.accepted(0.5, 1.0 / 256.0, 1, 10);
        // The last error counts as a hundredth at least: (1/16)^2 / 0.01, and the step is twice the last.
        let trend = libm::pow(100.0 / 256.0, 0.25) / 0.9 * 0.5;
        let classic = 0.5 / 0.9;
        assert_near(
            controller.accepted(1.0, 1.0 / 16.0, 1, 10),
            1.0 / f64::max(trend, classic),
        );
        let mut controller = three();
        controller.accepted(1.0, 1.0 / 16.0, 1, 10);
        let trend = libm::pow(0.5 * 0.5 * 16.0, 0.25) / 0.9 * 2.0;
        assert_near(controller.accepted(0.5, 0.5, 1, 10), 0.5 / trend);
    }

    /// After a rejection the next step does not grow, and the one after may.
    #[test]
    fn a_rejected_step_is_followed_by_no_larger_one() {
        let mut controller = three();
        assert!(controller.wary() && !controller.steady(1.0));
        assert_eq!(controller.rejected(1.0, 16.0, 1, 10), 0.1);
        assert_eq!(controller.accepted(0.1, 1e-6, 1, 10), 0.1);
        assert!(!controller.wary());
        assert!(controller.steady(0.2) && !controller.steady(0.21));
        assert_near(controller.rejected(0.1, 16.0, 1, 10), 0.1 * 0.9 / 2.0);
        assert!(controller.wary() && !controller.steady(0.1));
        assert_eq!(controller.failed(0.5), 0.25);
        assert_eq!(controller.accepted(0.25, 1e-6, 1, 10), 0.25);
        controller.forget();
        assert!(controller.wary());
    }
}
