//! The micro-integration: a short run of the stiff equations by Verlet's method, from a point into both directions of time, of
//! which only the weighted mean is kept.
//!
//! Everything is measured from where it starts: the micro-solution is `q_0 + d + t v + s(t)`, `v + e(t)`, where q_0 is the
//! point as the number type knows it, d what rounding left out of it, and s and e are small. Single precision then computes
//! the constraints as increments (see [`Increment`]), whose part linear in t v is the same for all steps and, because
//! the kernel is even, does not matter: the rounding of `g` itself, which a stiffness of 10^8 would make a force of 10, never
//! gets into the oscillation.

use crate::geometry::{Degenerate, combine, constraint_jacobian, constraint_rate, plus};
use crate::model::{MassFactor, MassMatrix, Mechanical, Motion, Vector};
use crate::number::{Increment, Real, Scalar, sum_compensated};

/// Where a micro-solution starts.
#[derive(Clone, Copy)]
pub(super) struct Point<R, const Q: usize> {
    /// Position, and what rounding left out of it.
    pub q: [R; Q],
    pub d: [R; Q],
    pub v: [R; Q],
}

impl<R: Real, const Q: usize> Point<R, Q> {
    /// Whether so much is left out that its own rounding begins to matter. (A point is not moved for less: the rounding of g
    /// is another one there, the spring's equilibrium with it, and two points could go on sending each other back.)
    #[inline(always)]
    pub fn strayed(&self, nominal: &[R; Q]) -> bool {
        let mut far = false;
        for n in 0..Q {
            let size = self.q[n].abs() + nominal[n];
            far |= self.d[n].abs() > size * R::EPSILON * R::from_f64(16.0);
        }
        far
    }

    /// The same point, seen from the nearest position that the number type has.
    #[inline(always)]
    pub fn rebased(&self) -> Self {
        let mut point = *self;
        for n in 0..Q {
            (point.q[n], point.d[n]) = sum_compensated(self.q[n], R::ZERO, self.d[n]);
        }
        point
    }
}

/// A model at a moment and a place, ready for micro-integration.
pub(super) struct Micro<'a, R, M, F, const Q: usize, const L: usize, const U: usize> {
    pub model: &'a M,
    pub t: R,
    pub u: &'a Vector<R, U>,
    pub stiffness: [R; L],
    /// The mass where the window starts. A mass that varies within it adds an error that is odd in time, or of the fourth
    /// order in the window's width: either is what the kernel does away with.
    pub mass: F,
    /// Where the micro-solution starts, with constraints and their rate as they are at `q`.
    pub start: Point<R, Q>,
    pub g: [R; L],
    pub rate: [R; L],
}

impl<'a, R, M, F, const Q: usize, const L: usize, const U: usize> Micro<'a, R, M, F, Q, L, U>
where
    F: MassFactor<R, Q>,
    M: Mechanical<R, Q, L, U>,
{
    /// The micro-solution from a point at time `t` with inputs `u`.
    pub fn at(
        model: &'a M,
        (t, u): (R, &'a Vector<R, U>),
        stiffness: [R; L],
        start: Point<R, Q>,
    ) -> Result<Self, Degenerate>
    where
        M::Mass<R>: MassMatrix<R, R, Q, Factor = F>,
    {
        let mass = model.mass(&Vector::from(start.q)).factor();
        let (g, rate) = constraint_rate(model, t, &start.q, &start.v);
        Ok(Micro {
            model,
            t,
            u,
            stiffness,
            mass: mass.map_err(Degenerate::mass)?,
            start,
            g,
            rate,
        })
    }

    /// Positions at `ahead`, with shifts `s` from free flight.
    #[inline(always)]
    fn place(&self, ahead: R, s: &[R; Q]) -> ([R; Q], [Increment<R>; Q]) {
        let start = &self.start;
        let (mut q, mut moving) = (start.q, [Increment::constant(R::ZERO); Q]);
        for n in 0..Q {
            moving[n] = Increment {
                x: start.q[n],
                p: ahead * start.v[n],
                r: start.d[n] + s[n],
            };
            q[n] = moving[n].end();
        }
        (q, moving)
    }

    /// How far the constraints have come by then, as single precision computes it.
    #[inline(always)]
    fn increments(&self, ahead: R, moving: [Increment<R>; Q]) -> [R; L] {
        let clock = Increment {
            x: self.t,
            p: ahead,
            r: R::ZERO,
        };
        let increments = self.model.constraint(clock, &Vector::from(moving)).data.0[0];
        let mut g = self.g;
        for j in 0..L {
            g[j] += ahead * self.rate[j] + increments[j].r;
        }
        g
    }

    /// The constraints at a point near the start, and their rate.
    #[inline(always)]
    pub fn constraints(&self, d: &[R; Q], v: &[R; Q]) -> ([R; L], [R; L]) {
        let mut s = *d;
        plus(&mut s, -R::ONE, &self.start.d);
        let (q, moving) = self.place(R::ZERO, &s);
        let (mut g, rate) = constraint_rate(self.model, self.t, &q, v);
        if !R::EXACT_ENOUGH {
            g = self.increments(R::ZERO, moving);
        }
        (g, rate)
    }

    /// The acceleration at `ahead`, with shifts `s` and velocities `e` beyond free flight.
    #[inline(always)]
    pub fn acceleration(&self, ahead: R, s: &[R; Q], e: &[R; Q]) -> [R; Q] {
        let time = self.t + ahead;
        let (q, moving) = self.place(ahead, s);
        let (mut lambda, jacobian) = constraint_jacobian(self.model, time, &q);
        if !R::EXACT_ENOUGH {
            lambda = self.increments(ahead, moving);
        }
        for j in 0..L {
            lambda[j] *= self.stiffness[j];
        }
        let pull = combine(&lambda, &jacobian);
        let mut v = self.start.v;
        plus(&mut v, R::ONE, e);
        let mut a = self
            .model
            .force(time, &Vector::from(q), &Vector::from(v), self.u)
            .data
            .0[0];
        plus(&mut a, -R::ONE, &pull);
        self.mass.solve(&mut a);
        a
    }

    /// The motion at a point near the start with these constraints and rates, and joints that relax with `tau`.
    pub fn motion(
        &self,
        at: &Point<R, Q>,
        (g, rate): ([R; L], [R; L]),
        tau: &[R; L],
    ) -> Motion<R, Q, L> {
        let (mut shift, mut kick) = (at.d, at.v);
        for n in 0..Q {
            shift[n] -= self.start.d[n];
            kick[n] -= self.start.v[n];
        }
        let mut lambda = g;
        for j in 0..L {
            lambda[j] = self.stiffness[j] * (g[j] + tau[j] * rate[j]);
        }
        let there = at.rebased();
        Motion {
            q: there.q.into(),
            v: there.v.into(),
            a: self.acceleration(R::ZERO, &shift, &kick).into(),
            lambda: lambda.into(),
            turns: 0,
        }
    }

    /// Filters the micro-solution with weights that belong to steps of size `h`: the point that it oscillates about.
    #[inline(always)]
    pub fn filtered<const N: usize>(&self, h: R, weights: &[R; N]) -> Point<R, Q> {
        let half = R::from_f64(0.5);
        let first = self.acceleration(R::ZERO, &[R::ZERO; Q], &[R::ZERO; Q]);
        let (mut shift, mut kick) = ([R::ZERO; Q], [R::ZERO; Q]);
        for h in [h, -h] {
            let (mut s, mut e, mut a) = ([R::ZERO; Q], [R::ZERO; Q], first);
            let mut steps = R::ZERO;
            for weight in weights.iter().skip(1) {
                steps += R::ONE;
                let mut expected = e;
                for n in 0..Q {
                    let gain = h * half * a[n];
                    e[n] += gain;
                    s[n] += h * e[n];
                    // The velocity that forces are told, to second order: an error of the first would not cancel.
                    expected[n] = e[n] + gain;
                }
                a = self.acceleration(steps * h, &s, &expected);
                for n in 0..Q {
                    e[n] += h * half * a[n];
                    shift[n] += *weight * s[n];
                    kick[n] += *weight * e[n];
                }
            }
        }
        let mut mean = self.start;
        for n in 0..Q {
            mean.d[n] += shift[n];
            mean.v[n] += kick[n];
        }
        mean
    }
}
