//! A segment: the state as a polynomial of time until the next edge, or until a diode's condition is zero.

use super::settle::{condition, dot};
use super::step::{Input, State, SwitchedError};
use super::tables::{Map, Mode, View};
use crate::number::Real;

/// A condition is violated at the end of a segment below minus this, in its nominal unit.
const TOLERANCE: f64 = 2e-6;

/// A condition that begins below minus this belongs to a mode that does not agree.
const BEGINNING: f64 = 2e-5;

/// The most iterations of a root.
const ROOT: u32 = 12;

/// The increments of the state as a polynomial: `theta (k[0] + theta (k[1] + ...))`.
type Polynomial<R, const N: usize, const K: usize> = [[R; N]; K];

/// `1 / (j + 1)`, all of them at once: a loop over constants is none, while a conversion within another loop would be done in
/// every step.
#[inline(always)]
fn inverses<R: Real, const K: usize>() -> [R; K] {
    let mut over = [R::ONE; K];
    for j in 0..K {
        over[j] = R::from_f64(1.0 / (j + 1) as f64);
    }
    over
}

impl<R: Real, const N: usize, const U: usize, const Y: usize> Mode<R, N, U, Y> {
    /// The rates of a state.
    #[inline(always)]
    fn rates(&self, x: &[R; N], u: &[R; U]) -> [R; N] {
        let mut rates = self.e;
        for i in 0..N {
            rates[i] = dot(&self.a[i], x) + (dot(&self.b[i], u) + self.e[i]);
        }
        rates
    }

    /// The increments of a state over `theta`: the sum of K terms of the Taylor series, each from the one before.
    #[inline(always)]
    fn increments<const K: usize>(
        &self,
        x: &[R; N],
        u: &[R; U],
        change: &[R; U],
        theta: R,
    ) -> [R; N] {
        let over = inverses::<R, K>();
        let mut last = self.rates(x, u).map(|rate| rate * theta);
        let mut dx = last;
        for j in 1..K {
            let factor = theta * over[j];
            let mut term = last;
            for i in 0..N {
                let mut value = dot(&self.a[i], &last);
                if j == 1 {
                    value += dot(&self.b[i], change) * theta;
                }
                term[i] = value * factor;
                dx[i] += term[i];
            }
            last = term;
        }
        dx
    }

    /// The Taylor polynomial of the increments of a state.
    #[inline(always)]
    fn polynomial<const K: usize>(
        &self,
        x: &[R; N],
        u: &[R; U],
        change: &[R; U],
    ) -> Polynomial<R, N, K> {
        let over = inverses::<R, K>();
        let mut last = self.rates(x, u);
        let mut k = [last; K];
        for j in 1..K {
            let mut next = last;
            for i in 0..N {
                let mut value = dot(&self.a[i], &last);
                if j == 1 {
                    value += dot(&self.b[i], change);
                }
                next[i] = value * over[j];
            }
            k[j] = next;
            last = next;
        }
        k
    }
}

/// The increments at `theta`.
#[inline(always)]
fn at<R: Real, const N: usize, const K: usize>(k: &Polynomial<R, N, K>, theta: R) -> [R; N] {
    let mut dx = [R::ZERO; N];
    for i in 0..N {
        let mut sum = R::ZERO;
        for j in (0..K).rev() {
            sum = sum * theta + k[j][i];
        }
        dx[i] = sum * theta;
    }
    dx
}

/// The sum of two vectors.
#[inline(always)]
fn sum<R: Real, const N: usize>(a: &[R; N], b: &[R; N]) -> [R; N] {
    let mut c = *a;
    for i in 0..N {
        c[i] += b[i];
    }
    c
}

impl<R: Real, const N: usize, const U: usize, const Y: usize, const K: usize>
    View<'_, R, N, U, Y, K>
{
    /// Advances to `until`, or to where a condition is zero first: the bit of that device, or 0.
    #[inline(always)]
    pub(super) fn segment(
        &self,
        state: &mut State<R, N>,
        input: &Input<R, U>,
        t: &mut R,
        until: R,
    ) -> u32 {
        let Some(mode) = self.mode(state) else {
            *t = until;
            return 0;
        };
        let u = input.at(*t);
        let length = until - *t;
        let dx = mode.increments::<K>(&state.x, &u, &input.change, length);
        let (x, u_end) = (sum(&state.x, &dx), input.at(until));
        let mut ended = 0_u32;
        for (row, conditions) in mode.rows().enumerate() {
            if condition(conditions, &x, &u_end) < -R::from_f64(TOLERANCE) {
                ended |= 1 << row;
            }
        }
        if ended != 0 {
            let (theta, device) = mode.event::<K>(state, &u, input, ended, length);
            if device != 0 {
                *t += theta;
                return device;
            }
        }
        state.add(&dx);
        *t = until;
        0
    }

    /// Finds the mode that follows after these devices have changed, at these inputs.
    ///
    /// A diode without a path for a current holds what floats. If another one takes over, both conduct at that instant without a current,
    /// and what flows from then on would flow backwards through the first: it lets go.
    #[inline(always)]
    pub(super) fn follow(
        &self,
        state: &mut State<R, N>,
        u: &[R; U],
        changed: u32,
    ) -> Result<(), SwitchedError> {
        let held = self.mode(state).map_or(0, |mode| mode.idle);
        self.settle(state, u, changed)?;
        if held & state.diodes == 0 {
            Ok(())
        } else {
            self.let_go(state, u, held)
        }
    }

    #[cold]
    #[inline(never)]
    fn let_go(&self, state: &mut State<R, N>, u: &[R; U], held: u32) -> Result<(), SwitchedError> {
        let back = held & self.mode(state).map_or(0, |mode| mode.opposed);
        state.diodes &= !back;
        self.settle(state, u, back)
    }

    /// Advances by maps, as long as no condition is violated after one. Until where a segment is to go on, or the time that is
    /// reached if nothing is left.
    #[inline(always)]
    pub(super) fn hop(
        &self,
        state: &mut State<R, N>,
        input: &Input<R, U>,
        t: &mut R,
        until: R,
    ) -> R {
        match self.mode(state) {
            Some(mode) if mode.levels > 0 => self.by_maps(mode, state, input, t, until),
            _ => until,
        }
    }

    #[inline(never)]
    fn by_maps(
        &self,
        mode: &Mode<R, N, U, Y>,
        state: &mut State<R, N>,
        input: &Input<R, U>,
        t: &mut R,
        until: R,
    ) -> R {
        let (half, quarter) = (R::from_f64(0.5), R::from_f64(0.25));
        let (mut length, mut finest) = (R::ONE, R::ONE);
        for _ in 0..mode.coarsest {
            length *= half;
        }
        for level in 0..mode.levels {
            let index = usize::from(mode.first) + usize::from(level);
            let Some(map) = self.maps.get(index) else {
                break;
            };
            while until - *t >= length {
                let mut next = *state;
                next.add(&map.increments(&state.x, &input.at(*t), &input.change));
                if mode.violated_at(&next.x, &input.at(*t + length)) {
                    break;
                }
                *state = next;
                *t += length;
            }
            finest = length;
            length *= quarter;
        }
        // From here on a polynomial serves.
        let end = *t + finest;
        if end < until { end } else { until }
    }
}

impl<R: Real, const N: usize, const U: usize> Map<R, N, U> {
    #[inline(always)]
    fn increments(&self, x: &[R; N], u: &[R; U], change: &[R; U]) -> [R; N] {
        let mut dx = self.s;
        for i in 0..N {
            dx[i] += dot(&self.phi[i], x) + (dot(&self.g[i], u) + dot(&self.r[i], change));
        }
        dx
    }
}

impl<R: Real, const N: usize, const U: usize, const Y: usize> Mode<R, N, U, Y> {
    #[inline(always)]
    fn violated_at(&self, x: &[R; N], u: &[R; U]) -> bool {
        let mut violated = false;
        for row in self.rows() {
            violated |= condition(row, x, u) < -R::from_f64(TOLERANCE);
        }
        violated
    }

    /// Advances to the first zero of the conditions that are violated at the end. When that is, and the bit of its device: 0 if
    /// there is none, and the state is as it was. The polynomial is computed for this alone: most segments have no event.
    #[inline(never)]
    fn event<const K: usize>(
        &self,
        state: &mut State<R, N>,
        u: &[R; U],
        input: &Input<R, U>,
        ended: u32,
        length: R,
    ) -> (R, u32) {
        let x = &state.x;
        let k: Polynomial<R, N, K> = self.polynomial(x, u, &input.change);
        let (mut first, mut which) = (length, 0);
        for (row, (c, d, o)) in self.rows().enumerate() {
            if ended & 1 << row == 0 {
                continue;
            }
            let begin = condition((c, d, o), x, u);
            let mut y = [R::ZERO; K];
            for j in 0..K {
                y[j] = dot(c, &k[j]);
            }
            if let Some(y) = y.first_mut() {
                *y += dot(d, &input.change);
            }
            let end = value(begin, &y, first);
            // What begins below zero by rounding, and rises, is no event.
            let rises = end >= begin && begin > -R::from_f64(BEGINNING);
            if rises || end >= R::ZERO {
                continue;
            }
            first = root(begin, &y, first, end);
            which = self.bit(row);
        }
        if which != 0 {
            state.add(&at(&k, first));
        }
        (first, which)
    }
}

/// `begin + theta (y[0] + theta (y[1] + ...))`.
#[inline(always)]
fn value<R: Real, const K: usize>(begin: R, y: &[R; K], theta: R) -> R {
    let mut sum = R::ZERO;
    for j in (0..K).rev() {
        sum = sum * theta + y[j];
    }
    sum * theta + begin
}

/// Where the polynomial is zero, negative at `end` as it is: the Illinois variant of false position.
#[inline(always)]
fn root<R: Real, const K: usize>(begin: R, y: &[R; K], end: R, at_end: R) -> R {
    let (half, small) = (R::from_f64(0.5), R::from_f64(1e-7));
    let (mut low, mut high) = ((R::ZERO, begin), (end, at_end));
    if begin <= R::ZERO {
        low = risen(begin, y, end);
        if low.1 <= R::ZERO {
            return R::ZERO;
        }
    }
    let mut side = 0;
    for _ in 0..ROOT {
        let theta = low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1));
        if theta <= low.0 || theta >= high.0 {
            break;
        }
        let at = value(begin, y, theta);
        if at < small && at > -small {
            return theta;
        }
        if at > R::ZERO {
            low = (theta, at);
            if side == 1 {
                high.1 *= half;
            }
            side = 1;
        } else {
            high = (theta, at);
            if side == 2 {
                low.1 *= half;
            }
            side = 2;
        }
    }
    high.0
}

/// Where a polynomial that begins at zero is positive, and what it is there: a diode that has just begun to conduct, and ends to within the segment.
/// Otherwise nothing positive.
#[cold]
#[inline(never)]
fn risen<R: Real, const K: usize>(begin: R, y: &[R; K], end: R) -> (R, R) {
    let mut at = (end, begin);
    if y.first().is_some_and(|rate| *rate > R::ZERO) {
        for _ in 0..ROOT {
            at.0 *= R::from_f64(0.5);
            at.1 = value(begin, y, at.0);
            if at.1 > R::ZERO {
                break;
            }
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{at, inverses, root, value};

    /// `1 - 4 t + 2 t^2 - t^3` from one on.
    const COURSE: [f64; 3] = [-4.0, 2.0, -1.0];

    /// Polynomials without their constant term, and with it.
    #[test]
    fn polynomials_are_evaluated_from_zero() {
        assert_eq!(value(1.0, &COURSE, 0.5), 1.0 - 2.0 + 0.5 - 0.125);
        assert_eq!(value(1.0, &COURSE, 0.0), 1.0);
        let both = [[-4.0, 3.0], [2.0, 0.0], [-1.0, 5.0]];
        assert_eq!(at(&both, 0.5), [-1.625, 1.5 + 0.625]);
        assert_eq!(inverses::<f64, 4>(), [1.0, 0.5, 1.0 / 3.0, 0.25]);
    }

    /// Where the course is zero, to 1e-7 of it; and the beginning, if it is there already.
    #[test]
    fn roots_are_found_within_the_segment() {
        for end in [0.3, 0.5, 1.0] {
            let found = root(1.0, &COURSE, end, value(1.0, &COURSE, end));
            assert!(value(1.0, &COURSE, found).abs() < 1e-7, "{end}: {found}");
            assert!(found > 0.28 && found < 0.29);
        }
        // Flat at first, then steep: one side moves again and again.
        let late = [0.0, 0.0, 0.0, 0.0, -8.0_f64];
        let found = root(0.1, &late, 1.0, -7.9);
        let exact = libm::pow(0.0125, 0.2);
        assert!(found > exact && found < exact + 0.005, "{found}");
        let early = [-30.0, 90.0, -90.0, 29.0_f64];
        let found = root(0.5, &early, 1.0, -0.5);
        assert!(value(0.5, &early, found).abs() < 1e-7, "{found}");
        assert_eq!(root(0.0, &COURSE, 1.0, -2.0), 0.0);
        assert_eq!(root(-1e-6, &COURSE, 1.0, -2.0), 0.0);
        // What begins at zero may rise first, and what begins below it by rounding, too.
        for begin in [0.0, -1e-9] {
            let found = root(begin, &[1.0, -4.0, 0.0_f64], 1.0, -3.0);
            assert!((found - 0.25).abs() < 1e-6, "{found}");
        }
    }
}
