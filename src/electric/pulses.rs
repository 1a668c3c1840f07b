//! What an inverter applies over a step: pulses, and the polynomial that stands for them.

use crate::mild::Course;
use crate::number::Real;

/// When the upper device of each phase conducts, as shares of the step: begin and end of up to two pulses a phase. A pulse whose end
/// is its begin is none.
pub type Pulses<R> = [[[R; 2]; 2]; 3];

/// A voltage over a step in the axes of a machine, the two of a stator unless told: its Legendre coefficients 0, 1 and 2. Any course of
/// the voltage enters by them: edges that a controller computed, edges that pins captured, or a duty, which is the mean alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voltage<R, const A: usize = 2> {
    /// By axis, then by degree.
    pub axes: [[R; 3]; A],
}

/// The axes of the stator from three phases, whose sum does not count.
#[inline(always)]
fn clarke<R: Real>(phases: [R; 3]) -> [R; 2] {
    let [a, b, c] = phases;
    [
        (a + a - b - c) * R::from_f64(1.0 / 3.0),
        (b - c) * R::from_f64(0.577_350_269_189_625_8),
    ]
}

impl<R: Real, const A: usize> Voltage<R, A> {
    /// A voltage that does not change.
    pub fn held(axes: [R; A]) -> Self {
        let axes = axes.map(|mean| [mean, R::ZERO, R::ZERO]);
        Voltage { axes }
    }
}

impl<R: Real, const A: usize> Default for Voltage<R, A> {
    /// None.
    fn default() -> Self {
        Self::held([R::ZERO; A])
    }
}

impl<R: Real> Voltage<R, 1> {
    /// The voltage of a chopper fed with `supply` volts, which is on from one share of the step to another.
    #[inline(always)]
    pub fn of_pulse(supply: R, begin: R, end: R) -> Self {
        let course = Course::held([R::ZERO].into()).with_pulse(0, supply, begin, end);
        let [[mean], [slope], [bend]] =
            [course.mean, course.slope, course.bend].map(|x| x.data.0[0]);
        let axes = [[mean, slope, bend]];
        Voltage { axes }
    }
}

impl<R: Real> Voltage<R> {
    /// The voltage of an inverter fed with `supply` volts: exact moments, wherever the edges are.
    #[inline(always)]
    pub fn of_pulses(supply: R, pulses: &Pulses<R>) -> Self {
        let c = R::from_f64;
        let (mut moments, half) = ([[R::ZERO; 3]; 3], c(0.5));
        for phase in 0..3 {
            for [begin, end] in pulses[phase] {
                // Integrals of 1, 2 x and 3 x^2 over the pulse, from the middle of the step on.
                let (x, y) = (begin - half, end - half);
                let (on, sum) = (y - x, x + y);
                moments[0][phase] += on;
                moments[1][phase] += on * sum;
                moments[2][phase] += on * (sum * sum - x * y);
            }
        }
        let [mean, first, second] = moments.map(clarke);
        let (one, two) = (supply * c(3.0), supply * c(5.0));
        // Of 6 x^2 - 1 / 2, the polynomial of degree 2.
        let bend = |k: usize| (second[k] + second[k]) - mean[k] * half;
        let axis = |k: usize| [mean[k] * supply, first[k] * one, bend(k) * two];
        Voltage {
            axes: [axis(0), axis(1)],
        }
    }

    /// The pulses that are left of commanded ones when both devices of a leg are off for `dead` of the step before either turns
    /// on: the current decides. One that flows into the machine begins late, one that flows out of it ends late.
    #[inline(always)]
    pub fn with_dead_time(mut pulses: Pulses<R>, dead: R, currents: [R; 3]) -> Pulses<R> {
        for phase in 0..3 {
            for [begin, end] in &mut pulses[phase] {
                if *end <= *begin {
                    continue;
                }
                if currents[phase] > R::ZERO {
                    *begin += dead;
                    *begin = if *begin < *end { *begin } else { *end };
                } else if *end < R::ONE {
                    *end += dead;
                    *end = if *end < R::ONE { *end } else { R::ONE };
                }
            }
        }
        pulses
    }
}

#[cfg(test)]
mod tests {
    use super::{Pulses, Voltage};

    /// Integrals of Legendre's polynomials against a pulse, by their antiderivatives, times 1, 3 and 5.
    fn moments([begin, end]: [f64; 2]) -> [f64; 3] {
        let integrals = |s: f64| {
            [
                s,
                3.0 * (s * s - s),
                5.0 * (2.0 * s * s * s - 3.0 * s * s + s),
            ]
        };
        let (x, y) = (integrals(begin), integrals(end));
        core::array::from_fn(|k| y[k] - x[k])
    }

    /// Two pulses in each of three phases: the first axis has two thirds of the first phase less a third of each other, the second the
    /// difference of these over the root of three.
    #[test]
    fn pulses_of_phases_keep_their_moments() {
        let pulses: Pulses<f64> = [
            [[0.125, 0.5], [0.75, 1.0]],
            [[0.0, 0.25], [0.375, 0.625]],
            [[0.5, 0.875], [0.9, 0.9]],
        ];
        let phases = pulses.map(|[a, b]| {
            let (a, b) = (moments(a), moments(b));
            core::array::from_fn::<f64, 3, _>(|k| a[k] + b[k])
        });
        let voltage = Voltage::of_pulses(300.0, &pulses);
        for k in 0..3 {
            let [a, b, c] = phases.map(|phase| 300.0 * phase[k]);
            let first = a - (a + b + c) / 3.0;
            let second = (b - c) / libm::sqrt(3.0);
            assert!((voltage.axes[0][k] - first).abs() < 1e-12, "{k}");
            assert!((voltage.axes[1][k] - second).abs() < 1e-12, "{k}");
        }
    }

    /// A chopper's pulse, a held voltage, and none.
    #[test]
    fn a_chopper_has_one_axis() {
        let voltage = Voltage::of_pulse(24.0, 0.25, 0.5);
        let expected = moments([0.25, 0.5]).map(|x| 24.0 * x);
        assert_eq!(voltage.axes, [expected]);
        assert_eq!(
            Voltage::held([2.0, 3.0]).axes,
            [[2.0, 0.0, 0.0], [3.0, 0.0, 0.0]]
        );
        assert_eq!(Voltage::<f64>::default().axes, [[0.0; 3]; 2]);
    }

    /// A current into the machine delays the begin, any other the end; a pulse never becomes negative, nor leaves the step.
    #[test]
    fn dead_time_goes_by_the_current() {
        let with = |pulse: [f64; 2], current: f64| {
            let pulses = Voltage::with_dead_time([[pulse; 2]; 3], 0.125, [current; 3]);
            assert_eq!(pulses, [[pulses[0][0]; 2]; 3]);
            pulses[0][0]
        };
        assert_eq!(with([0.25, 0.5], 1.0), [0.375, 0.5]);
        assert_eq!(with([0.25, 0.5], -1.0), [0.25, 0.625]);
        assert_eq!(with([0.25, 0.5], 0.0), [0.25, 0.625]);
        assert_eq!(with([0.25, 0.3], 1.0), [0.3, 0.3]);
        assert_eq!(with([0.25, 0.95], -1.0), [0.25, 1.0]);
        assert_eq!(with([0.25, 1.0], -1.0), [0.25, 1.0]);
        assert_eq!(with([0.5, 0.5], 1.0), [0.5, 0.5]);
        assert_eq!(with([0.5, 0.5], -1.0), [0.5, 0.5]);
        let apart = Voltage::with_dead_time([[[0.25, 0.5]; 2]; 3], 0.125, [1.0, -1.0, 1.0]);
        assert_eq!([apart[0][0], apart[1][1]], [[0.375, 0.5], [0.25, 0.625]]);
    }
}
