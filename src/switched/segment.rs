//! A segment: the state as a polynomial of time until the next edge, or until a diode's condition is zero.

use super::settle::dot;
use super::step::{Input, State};
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

/// `1 / (j + 1)`.
#[inline(always)]
fn inverse<R: Real>(j: usize) -> R {
    const OVER: [f64; 17] = {
        let mut over = [0.0; 17];
        let mut j = 0;
        while j < over.len() {
            over[j] = 1.0 / (j + 1) as f64;
            j += 1;
        }
        over
    };
    match OVER.get(j) {
        Some(over) => R::from_f64(*over),
        None => R::ZERO,
    }
}

impl<R: Real, const N: usize, const U: usize, const Y: usize> Mode<R, N, U, Y> {
    /// The Taylor polynomial of the increments from a state.
    #[inline(always)]
    fn polynomial<const K: usize>(
        &self,
        x: &[R; N],
        u: &[R; U],
        change: &[R; U],
    ) -> Polynomial<R, N, K> {
        let mut k = [[R::ZERO; N]; K];
        for j in 0..K {
            for i in 0..N {
                let value = match j {
                    0 => dot(&self.a[i], x) + dot(&self.b[i], u) + self.e[i],
                    1 => dot(&self.a[i], &k[0]) + dot(&self.b[i], change),
                    _ => dot(&self.a[i], &k[j - 1]),
                };
                k[j][i] = value * inverse(j);
            }
        }
        k
    }
}

/// The increments at `theta`.
#[inline(always)]
fn increments<R: Real, const N: usize, const K: usize>(
    k: &Polynomial<R, N, K>,
    theta: R,
) -> [R; N] {
    let mut dx = [R::ZERO; N];
    for j in (0..K).rev() {
        for i in 0..N {
            dx[i] = (dx[i] + k[j][i]) * theta;
        }
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
        let k: Polynomial<R, N, K> = mode.polynomial(&state.x, &u, &input.change);
        let length = until - *t;
        let dx = increments(&k, length);
        let (x, u_end) = (sum(&state.x, &dx), input.at(until));
        let mut ended = 0_u32;
        for (row, (c, d, o)) in mode.rows().enumerate() {
            let end = dot(c, &x) + dot(d, &u_end) + o;
            if end < -R::from_f64(TOLERANCE) {
                ended |= 1 << row;
            }
        }
        if ended != 0 {
            let (theta, device) = mode.first_root(&state.x, &u, input, &k, ended, length);
            if device != 0 {
                state.add(&increments(&k, theta));
                *t += theta;
                return device;
            }
        }
        state.add(&dx);
        *t = until;
        0
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
        let half = R::from_f64(0.5);
        let mut length = R::ONE;
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
            length *= half;
        }
        // The finest map was twice this long.
        let end = *t + length + length;
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
        for (c, d, o) in self.rows() {
            violated |= dot(c, x) + dot(d, u) + o < -R::from_f64(TOLERANCE);
        }
        violated
    }

    /// The first zero of the conditions that are violated at the end, and the bit of its device: 0 if none is.
    #[inline(always)]
    fn first_root<const K: usize>(
        &self,
        x: &[R; N],
        u: &[R; U],
        input: &Input<R, U>,
        k: &Polynomial<R, N, K>,
        ended: u32,
        length: R,
    ) -> (R, u32) {
        let (mut first, mut which) = (length, 0);
        for (row, (c, d, o)) in self.rows().enumerate() {
            if ended & 1 << row == 0 {
                continue;
            }
            let begin = dot(c, x) + dot(d, u) + o;
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
        (first, which)
    }
}

/// `begin + theta (y[0] + theta (y[1] + ...))`.
#[inline(always)]
fn value<R: Real, const K: usize>(begin: R, y: &[R; K], theta: R) -> R {
    let mut sum = R::ZERO;
    for j in (0..K).rev() {
        sum = (sum + y[j]) * theta;
    }
    sum + begin
}

/// Where the polynomial is zero, negative at `end` as it is: the Illinois variant of false position.
#[inline(always)]
fn root<R: Real, const K: usize>(begin: R, y: &[R; K], end: R, at_end: R) -> R {
    if begin <= R::ZERO {
        return R::ZERO;
    }
    let (half, small) = (R::from_f64(0.5), R::from_f64(1e-7));
    let (mut low, mut high) = ((R::ZERO, begin), (end, at_end));
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
