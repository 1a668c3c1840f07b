//! Inputs as polynomials over a step.

use crate::model::Vector;
use crate::number::Real;

/// The course of the inputs over a step: their Legendre coefficients 0, 1 and 2. A held input is its mean alone.
///
/// ```
/// use stiffstep::mild::Course;
///
/// // On from a quarter of the step to its half, 24 V.
/// let course = Course::<f64, 1>::held([0.0].into()).with_pulse(0, 24.0, 0.25, 0.5);
/// assert_eq!(course.mean[0], 6.0);
/// assert!(course.slope[0] < 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course<R, const U: usize> {
    /// The means.
    pub mean: Vector<R, U>,
    /// What `2 s - 1` is multiplied by, s the share of the step.
    pub slope: Vector<R, U>,
    /// What `6 s^2 - 6 s + 1` is multiplied by.
    pub bend: Vector<R, U>,
}

impl<R: Real, const U: usize> Course<R, U> {
    /// Inputs that do not change within the step.
    #[inline(always)]
    pub fn held(mean: Vector<R, U>) -> Self {
        let zero = Vector::from([R::ZERO; U]);
        Course {
            mean,
            slope: zero,
            bend: zero,
        }
    }

    /// Inputs that change evenly from one value to the other.
    #[inline(always)]
    pub fn ramp(start: Vector<R, U>, end: Vector<R, U>) -> Self {
        let half = R::from_f64(0.5);
        let mut ramp = Self::held(start);
        for i in 0..U {
            let (a, b) = (start.data.0[0][i], end.data.0[0][i]);
            ramp.mean.data.0[0][i] = (a + b) * half;
            ramp.slope.data.0[0][i] = (b - a) * half;
        }
        ramp
    }

    /// The same with a pulse of this height on one input, from one share of the step to another: exact moments, wherever its
    /// edges are. An input that does not exist is left out.
    #[inline(always)]
    pub fn with_pulse(mut self, input: usize, height: R, begin: R, end: R) -> Self {
        if input < U {
            let area = height * (end - begin);
            let (x, y) = (begin + begin - R::ONE, end + end - R::ONE);
            let c = R::from_f64;
            self.mean.data.0[0][input] += area;
            self.slope.data.0[0][input] += area * c(1.5) * (x + y);
            self.bend.data.0[0][input] += area * c(2.5) * (x * x + x * y + y * y - R::ONE);
        }
        self
    }

    /// The polynomials at a share of the step.
    #[inline(always)]
    pub fn at(&self, share: R) -> Vector<R, U> {
        let c = R::from_f64;
        let first = share + share - R::ONE;
        let second = c(1.5) * first * first - c(0.5);
        let mut inputs = self.mean;
        for i in 0..U {
            let by = self.slope.data.0[0][i] * first + self.bend.data.0[0][i] * second;
            inputs.data.0[0][i] += by;
        }
        inputs
    }
}

#[cfg(test)]
mod tests {
    use super::Course;

    /// Legendre's polynomials of degrees 0, 1 and 2, at the ends, in the middle and elsewhere.
    #[test]
    fn a_course_is_a_polynomial() {
        let course = Course::<f64, 1> {
            mean: [2.0].into(),
            slope: [3.0].into(),
            bend: [5.0].into(),
        };
        for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let bend = 6.0 * share * share - 6.0 * share + 1.0;
            let expected = 2.0 + 3.0 * (2.0 * share - 1.0) + 5.0 * bend;
            assert_eq!(course.at(share)[0], expected, "{share}");
        }
    }

    /// A ramp begins and ends where it should, and is half-way in the middle.
    #[test]
    fn a_ramp_goes_from_one_value_to_the_other() {
        let ramp = Course::<f64, 2>::ramp([1.0, -2.0].into(), [4.0, 6.0].into());
        assert_eq!(ramp.at(0.0).data.0[0], [1.0, -2.0]);
        assert_eq!(ramp.at(0.5).data.0[0], [2.5, 2.0]);
        assert_eq!(ramp.at(1.0).data.0[0], [4.0, 6.0]);
    }

    /// A pulse has the moments of its integrals against these polynomials.
    #[test]
    fn a_pulse_keeps_its_moments() {
        let (begin, end, height) = (0.25, 0.75 - 0.125, 8.0);
        let course = Course::<f64, 1>::held([0.0].into()).with_pulse(0, height, begin, end);
        let integral = |power: fn(f64) -> f64| height * (power(end) - power(begin));
        assert_eq!(course.mean[0], integral(|s| s));
        assert!((course.slope[0] - 3.0 * integral(|s| s * s - s)).abs() < 1e-14);
        let bend = 5.0 * integral(|s| s * (2.0 * s * s - 3.0 * s + 1.0));
        assert!(
            (course.bend[0] - bend).abs() < 1e-14,
            "{} {bend}",
            course.bend[0]
        );
    }
}
