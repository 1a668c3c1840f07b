//! What all steps of second-order systems `F(t, x, x', x'') = 0` share: their Newton matrix by dual numbers, and the
//! measure of their increments.

use super::Each;
use super::controlled::all_positive;
use super::motion::cubic;
use crate::model::{Course, SecondOrder, Vector};
use crate::number::{Dual, Real, Scalar};

/// One for each unknown and each derivative, such as a tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EachOfCourse<R, const N: usize> {
    /// Of the unknowns.
    pub x: [R; N],
    /// Of their derivatives; of no meaning where an unknown is algebraic.
    pub v: [R; N],
}

impl<R: Real, const N: usize> Each for EachOfCourse<R, N> {
    fn positive(&self) -> bool {
        all_positive(self.x.iter().chain(&self.v))
    }
}

/// A point at which F is evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point<R, const N: usize> {
    pub t: R,
    pub x: [R; N],
    pub v: [R; N],
    pub a: [R; N],
}

impl<R: Real, const N: usize> Point<R, N> {
    /// F there.
    #[inline(always)]
    pub fn residual<M: SecondOrder<R, N, U>, const U: usize>(
        &self,
        model: &M,
        u: &Vector<R, U>,
    ) -> [R; N] {
        let (x, v, a) = (self.x.into(), self.v.into(), self.a.into());
        model.residual(self.t, &x, &v, &a, u).data.0[0]
    }

    /// Moves by the correction `-d`.
    #[inline(always)]
    pub fn correct<M: SecondOrder<R, N, U>, const U: usize>(
        &mut self,
        d: &[R; N],
        rate: R,
        curvature: R,
    ) {
        for n in 0..N {
            self.x[n] -= d[n];
            if !M::ALGEBRAIC[n] {
                self.v[n] -= rate * d[n];
                self.a[n] -= curvature * d[n];
            }
        }
    }

    /// As a state.
    #[inline(always)]
    pub fn course(&self) -> Course<R, N> {
        Course {
            x: self.x.into(),
            v: self.v.into(),
            a: self.a.into(),
        }
    }

    /// The rows of `factors[0] F_x + factors[1] F_v + factors[2] F_a`: one evaluation, in directions that move all three at
    /// once. The derivatives of an algebraic unknown do not move.
    #[inline(always)]
    pub fn jacobian<M: SecondOrder<R, N, U>, const U: usize>(
        &self,
        model: &M,
        u: &Vector<R, U>,
        factors: [R; 3],
    ) -> [[R; N]; N] {
        let along = |at: &[R; N], factor: R, derivative: bool| {
            let mut duals = [Dual::<R, N>::constant(R::ZERO); N];
            for n in 0..N {
                duals[n] = if derivative && M::ALGEBRAIC[n] {
                    Dual::constant(at[n])
                } else {
                    Dual::along(at[n], n, factor)
                };
            }
            Vector::from(duals)
        };
        let residual = model.residual(
            Dual::constant(self.t),
            &along(&self.x, factors[0], false),
            &along(&self.v, factors[1], true),
            &along(&self.a, factors[2], true),
            u,
        );
        let mut rows = [[R::ZERO; N]; N];
        for n in 0..N {
            rows[n] = residual.data.0[0][n].slope();
        }
        rows
    }
}

/// The course `by` before `now`: cubic through the last two points with their derivatives, and the derivatives of that.
/// Algebraic unknowns are interpolated linearly.
pub(crate) fn course_before<R, M: SecondOrder<R, N, U>, const N: usize, const U: usize>(
    (x, v): (&[R; N], &[R; N]),
    now: &Course<R, N>,
    (h, by): (R, R),
) -> Course<R, N> {
    let (y, mut at) = (-by / h, *now);
    let (two, three) = (R::from_f64(2.0), R::from_f64(3.0));
    for n in 0..N {
        let rise = now.x[n] - x[n];
        if M::ALGEBRAIC[n] {
            at.x[n] += y * rise;
            continue;
        }
        let [last, square, cube] = cubic(rise, h * v[n], h * now.v[n]);
        at.x[n] += y * (last + y * (square + y * cube));
        at.v[n] += y * (two * square + three * y * cube) / h;
        at.a[n] += three * two * y * cube / (h * h);
    }
    at
}

/// The squares of increments of x, measured as velocities: `rate dx` where there is a velocity. The multiplier of a
/// constraint changes by an acceleration's worth, so it counts `dx / rate`: with `rate ~ 1/h` rounding of a position then
/// shows alike in both.
#[inline(always)]
pub(crate) fn squares<R, M: SecondOrder<R, N, U>, const N: usize, const U: usize>(
    dx: &[R; N],
    weights: &[R; N],
    rate: R,
    period: R,
) -> [R; N] {
    let mut squares = [R::ZERO; N];
    for n in 0..N {
        let factor = if M::ALGEBRAIC[n] { period } else { rate };
        let d = dx[n] * factor * weights[n];
        squares[n] = d * d;
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::{Point, course_before, squares};
    use crate::model::{Course, SecondOrder, Vector};
    use crate::number::Scalar;

    /// Something with every derivative in it, and a variable that has none.
    struct Mixed;
    impl SecondOrder<f64, 2, 1> for Mixed {
        const ALGEBRAIC: [bool; 2] = [false, true];
        fn residual<T: Scalar<f64>>(
            &self,
            t: T,
            x: &Vector<T, 2>,
            v: &Vector<T, 2>,
            a: &Vector<T, 2>,
            u: &Vector<f64, 1>,
        ) -> Vector<T, 2> {
            let first = a[0] * 3.0 + v[0] * x[0] + x[1] * 5.0 + t - u[0];
            [first, x[0] * x[0] - x[1] * 7.0 + v[1] + a[1]].into()
        }
    }

    const POINT: Point<f64, 2> = Point {
        t: 1.0,
        x: [2.0, 3.0],
        v: [4.0, 5.0],
        a: [6.0, 7.0],
    };

    /// By hand: the partial derivatives times their factors; nothing by the derivatives of what is algebraic.
    #[test]
    fn a_point_has_residual_and_jacobian() {
        let u = Vector::from([10.0]);
        let residual = POINT.residual(&Mixed, &u);
        assert_eq!(
            residual,
            [18.0 + 8.0 + 15.0 + 1.0 - 10.0, 4.0 - 21.0 + 12.0]
        );
        let rows = POINT.jacobian(&Mixed, &u, [1.0, 10.0, 100.0]);
        assert_eq!(rows, [[4.0 + 10.0 * 2.0 + 100.0 * 3.0, 5.0], [4.0, -7.0]]);
        let mut point = POINT;
        point.correct::<Mixed, 1>(&[0.5, 0.25], 10.0, 100.0);
        assert_eq!(
            (point.x, point.v, point.a),
            ([1.5, 2.75], [-1.0, 5.0], [-44.0, 7.0])
        );
        let course = POINT.course();
        assert_eq!((course.x[1], course.v[0], course.a[1]), (3.0, 4.0, 7.0));
    }

    /// A cubic comes back as it was, with its derivatives, and what is algebraic on a straight line.
    #[test]
    fn courses_between_steps_are_cubics() {
        let x = |t: f64| 1.0 + t * (2.0 + t * (-3.0 + 4.0 * t));
        let v = |t: f64| 2.0 + t * (-6.0 + 12.0 * t);
        let a = |t: f64| -6.0 + 24.0 * t;
        let (from, h) = (0.25, 0.5);
        let end = from + h;
        let now = Course {
            x: [x(end), 9.0].into(),
            v: [v(end), 0.0].into(),
            a: [a(end), 0.0].into(),
        };
        for by in [0.0, 0.125, 0.375, 0.5, -0.25] {
            let begin = (&[x(from), 5.0], &[v(from), 0.0]);
            let at = course_before::<f64, Mixed, 2, 1>(begin, &now, (h, by));
            let t = end - by;
            assert!((at.x[0] - x(t)).abs() < 1e-14, "{by}");
            assert!((at.v[0] - v(t)).abs() < 1e-13, "{by}");
            assert!((at.a[0] - a(t)).abs() < 1e-12, "{by}");
            assert_eq!([at.x[1], at.v[1], at.a[1]], [9.0 - 8.0 * by, 0.0, 0.0]);
        }
    }

    /// Increments count as those of velocities; algebraic ones by the time that they last.
    #[test]
    fn increments_are_weighed_by_their_kind() {
        let s = squares::<f64, Mixed, 2, 1>(&[2.0, 3.0], &[5.0, 7.0], 10.0, 0.5);
        assert_eq!(s, [10_000.0, 110.25]);
    }
}
