//! What all steps of mechanisms do with a motion: start it from (q, v), keep it, and look back into the last step.

use crate::geometry::combine;
use crate::method::Coefficients;
use crate::model::{Motion, Vector};
use crate::number::Real;

/// The motion `by` before `now`, on the polynomials of a step's accelerations and multipliers.
pub(super) fn motion_before<R: Real, const Q: usize, const L: usize, const S: usize>(
    table: &Coefficients<R, S>,
    (w, lambda): (&[[R; Q]; S], &[[R; L]; S]),
    now: &Motion<R, Q, L>,
    (h, by): (R, R),
) -> Motion<R, Q, L> {
    let x = R::ONE - by / h;
    let speed = combine(&table.integrals_to(x), w);
    let place = combine(&table.double_integrals_to(x), w);
    let weights = table.values_at(x);
    let mut at = *now;
    for n in 0..Q {
        at.q.data.0[0][n] += h * h * place[n] - by * at.v.data.0[0][n];
        at.v.data.0[0][n] += h * speed[n];
    }
    at.a = combine(&weights, w).into();
    at.lambda = combine(&weights, lambda).into();
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
        let (rise, first, last) = (x1[n] - x0[n], h * v0[n], h * v1[n]);
        // From the end: x1 + y (last + y (2 last + first - 3 rise + y (first + last - 2 rise))).
        let two = R::from_f64(2.0);
        let square = two * last + first - R::from_f64(3.0) * rise;
        let cube = first + last - two * rise;
        at[n] += y * (last + y * (square + y * cube));
    }
    at
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
