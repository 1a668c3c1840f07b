//! What an inverter applies over a step: pulses, and the polynomial that stands for them.

use crate::number::Real;

/// When the upper device of each phase conducts, as shares of the step: begin and end of up to two pulses a phase. A pulse whose end
/// is its begin is none.
pub type Pulses<R> = [[[R; 2]; 2]; 3];

/// A voltage over a step in the two axes of the stator: its Legendre coefficients 0, 1 and 2. Any course of the voltage enters by
/// them: edges that a controller computed, edges that pins captured, or a duty, which is the mean alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Voltage<R> {
    /// By axis, then by degree.
    pub axes: [[R; 3]; 2],
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

impl<R: Real> Voltage<R> {
    /// A voltage that does not change.
    pub fn held(axes: [R; 2]) -> Self {
        let axes = axes.map(|mean| [mean, R::ZERO, R::ZERO]);
        Voltage { axes }
    }

    /// The voltage of an inverter fed with `supply` volts: exact moments, wherever the edges are.
    #[inline(always)]
    pub fn of_pulses(supply: R, pulses: &Pulses<R>) -> Self {
        let mut moments = [[R::ZERO; 3]; 3];
        for phase in 0..3 {
            for [begin, end] in pulses[phase] {
                let on = end - begin;
                // Integrals of 1, x and (3 x^2 - 1) / 2 over the pulse, x = 2 s - 1, without their common factor.
                let (x, y) = (begin + begin - R::ONE, end + end - R::ONE);
                moments[0][phase] += on;
                moments[1][phase] += on * (begin + end - R::ONE);
                moments[2][phase] += on * (x * x + x * y + y * y - R::ONE);
            }
        }
        let [mean, first, second] = moments.map(clarke);
        let (three, half_of_five) = (R::from_f64(3.0), R::from_f64(2.5));
        let (one, two) = (supply * three, supply * half_of_five);
        let axis = |k: usize| [mean[k] * supply, first[k] * one, second[k] * two];
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
