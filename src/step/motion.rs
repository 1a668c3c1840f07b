//! What all steps of mechanisms do with a motion: start it from (q, v), keep it, and look back into the last step.

use super::prediction::Start;
use crate::geometry::{combine, plus};
use crate::memory::visits;
use crate::method::Coefficients;
use crate::model::{Motion, Vector};
use crate::number::Real;

/// Accelerations and multipliers of all stages.
#[derive(Clone, Copy, Debug)]
pub struct StageValues<R, const Q: usize, const L: usize, const S: usize> {
    pub(super) w: [[R; Q]; S],
    pub(super) lambda: [[R; L]; S],
}

impl<R: Real, const Q: usize, const L: usize, const S: usize> StageValues<R, Q, L, S> {
    /// The same acceleration and multipliers in all stages.
    #[inline(always)]
    pub(super) fn held(a: [R; Q], lambda: [R; L]) -> Self {
        StageValues {
            w: [a; S],
            lambda: [lambda; S],
        }
    }
}

/// What rounding left out of q and v, the last step's stages, and where the next iteration starts.
#[derive(Clone, Copy, Debug)]
pub struct Carry<R, const Q: usize, const L: usize, const S: usize> {
    pub(super) low_q: [R; Q],
    pub(super) low_v: [R; Q],
    pub(super) stages: StageValues<R, Q, L, S>,
    pub(super) start: Start,
}

impl<R: Real, const Q: usize, const L: usize, const S: usize> Carry<R, Q, L, S> {
    /// Stages at rest, which are continued.
    pub(super) const NOTHING: Self = Carry {
        low_q: [R::ZERO; Q],
        low_v: [R::ZERO; Q],
        stages: StageValues {
            w: [[R::ZERO; Q]; S],
            lambda: [[R::ZERO; L]; S],
        },
        start: Start::Continued,
    };

    /// Nothing was rounded off yet, and all stages are as the state is.
    pub(super) fn fresh(at: &Motion<R, Q, L>, start: Start) -> Self {
        Carry {
            low_q: [R::ZERO; Q],
            low_v: [R::ZERO; Q],
            stages: StageValues::held(at.a.data.0[0], at.lambda.data.0[0]),
            start,
        }
    }
}

visits!(
    [R: Real, const Q: usize, const L: usize, const S: usize] Carry<R, Q, L, S>:
    low_q, low_v, stages.w, stages.lambda, start
);

/// The motion `by` before `now`, on the polynomials of a step's accelerations and multipliers.
pub(super) fn motion_before<R: Real, const Q: usize, const L: usize, const S: usize>(
    table: &Coefficients<R, S>,
    StageValues { w, lambda }: &StageValues<R, Q, L, S>,
    now: &Motion<R, Q, L>,
    (h, by): (R, R),
) -> Motion<R, Q, L> {
    let x = R::ONE - by / h;
    let speed = combine(&table.integrals_to(x), w);
    let place = combine(&table.double_integrals_to(x), w);
    let weights = table.rises_to(x);
    let mut at = *now;
    for n in 0..Q {
        at.q.data.0[0][n] += h * h * place[n] - by * at.v.data.0[0][n];
        at.v.data.0[0][n] += h * speed[n];
    }
    plus(&mut at.a.data.0[0], R::ONE, &combine(&weights, w));
    plus(&mut at.lambda.data.0[0], R::ONE, &combine(&weights, lambda));
    at
}

/// The motion `by` before `now`, between that and the one a step of `h` before: cubic in positions and velocities, linear in
/// the rest. For methods whose stages are no polynomial.
pub(crate) fn between<R: Real, const Q: usize, const L: usize>(
    (last, now): (&Motion<R, Q, L>, &Motion<R, Q, L>),
    (h, by): (R, R),
) -> Motion<R, Q, L> {
    let x = R::ONE - by / h;
    let mut at = *now;
    at.q = hermite((&last.q, &last.v), (&now.q, &now.v), h, x);
    at.v = hermite((&last.v, &last.a), (&now.v, &now.a), h, x);
    at.a = now.a + (last.a - now.a) * (R::ONE - x);
    at.lambda = now.lambda + (last.lambda - now.lambda) * (R::ONE - x);
    at
}

/// The cubic through two values with their derivatives, at the part `x` of a step of `h`.
pub(super) fn hermite<R: Real, const N: usize>(
    (x0, v0): (&Vector<R, N>, &Vector<R, N>),
    (x1, v1): (&Vector<R, N>, &Vector<R, N>),
    h: R,
    x: R,
) -> Vector<R, N> {
    let y = x - R::ONE;
    let mut at = *x1;
    for n in 0..N {
        let [last, square, cube] = cubic(x1[n] - x0[n], h * v0[n], h * v1[n]);
        at[n] += y * (last + y * (square + y * cube));
    }
    at
}

/// The coefficients of y, its square and its cube in the cubic that rises by `rise` from y = -1 to its end at 0, with these slopes there.
pub(super) fn cubic<R: Real>(rise: R, first: R, last: R) -> [R; 3] {
    let (two, three) = (R::from_f64(2.0), R::from_f64(3.0));
    let square = two * last + first - three * rise;
    [last, square, first + last - two * rise]
}

/// Where a motion comes from if nothing is known of its past: `h` ago, with the acceleration that it has.
pub(crate) fn coasting<R: Real, const Q: usize, const L: usize>(
    now: &Motion<R, Q, L>,
    h: R,
) -> Motion<R, Q, L> {
    let mut last = *now;
    last.v -= now.a * h;
    last.q -= (now.v + last.v) * (h * R::from_f64(0.5));
    last
}

#[cfg(test)]
mod tests {
    use super::{between, coasting};
    use crate::model::Motion;

    /// A cubic course: place, velocity and acceleration at a time.
    fn cubic(t: f64) -> Motion<f64, 1, 1> {
        Motion {
            q: [1.0 + t * (2.0 + t * (-3.0 + 4.0 * t))].into(),
            v: [2.0 + t * (-6.0 + 12.0 * t)].into(),
            a: [-6.0 + 24.0 * t].into(),
            lambda: [5.0 - 8.0 * t].into(),
            turns: 0,
        }
    }

    /// A cubic comes back as it was, within the step, at its ends and beyond.
    #[test]
    fn between_two_motions_there_is_a_cubic() {
        let (last, now) = (cubic(0.25), cubic(0.75));
        for by in [0.0, 0.125, 0.3, 0.5, -0.25] {
            let (at, expected) = (between((&last, &now), (0.5, by)), cubic(0.75 - by));
            assert!((at.q[0] - expected.q[0]).abs() < 1e-14, "{by}");
            assert!((at.v[0] - expected.v[0]).abs() < 1e-14, "{by}");
            assert!((at.a[0] - expected.a[0]).abs() < 1e-14, "{by}");
            assert!((at.lambda[0] - expected.lambda[0]).abs() < 1e-14, "{by}");
        }
    }

    /// With a constant acceleration a step before was there.
    #[test]
    fn before_the_start_it_coasted() {
        let now = Motion::<f64, 1, 1> {
            q: [3.0].into(),
            v: [8.0].into(),
            a: [2.0].into(),
            lambda: [1.0].into(),
            turns: 4,
        };
        let last = coasting(&now, 0.5);
        assert_eq!((last.q[0], last.v[0]), (3.0 - 8.0 * 0.5 + 0.25, 7.0));
        assert_eq!((last.a[0], last.lambda[0], last.turns), (2.0, 1.0, 4));
    }
}
