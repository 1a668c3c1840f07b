//! Backward differentiation formulas for second-order systems, for steps and orders that change (Wunderlich, section 2.1,
//! after Sand).
//!
//! The velocity is the slope of the polynomial through the last k + 1 positions, (12). For the acceleration the ordinary
//! method takes the same formula once more, of the velocities; but those are off by amounts that depend on the steps and
//! orders with which each was computed, and a multiplier is off by their differences over h: an error that does not shrink
//! with h, after every change. The modified method (13)-(19) weighs the velocities so that the accelerations of all
//! polynomials of degree k + 1 come out exact, whatever the steps and orders have been. With steps and orders that have not
//! changed for a while both are the same.
//!
//! Coefficients are computed in double precision whatever the numbers of the model: a Vandermonde system in single precision
//! would have two digits left. They change only when a step or an order does.

use super::differences::{basis_slope, curvature, extrapolation, longer, rounded, slope};
use crate::linear::{Lu, Singular};
use crate::memory::{Memory, Words};
use crate::number::Real;

/// The highest order: from order 7 on the formulas are unstable.
pub const HIGHEST: usize = 6;
/// Values that the formula of the highest order combines.
pub(crate) const VALUES: usize = HIGHEST + 1;
/// Past steps that matter: the acceleration needs k velocities, each of which needed k positions.
pub(super) const STEPS: usize = 2 * HIGHEST;

/// Which backward differentiation formula, up to which order.
pub trait Backward: Copy {
    /// The method's name, for reports.
    const NAME: &'static str;
    /// The highest order that it goes to: from 1 upwards by one every step.
    const ORDER: usize;
    /// Whether the accelerations take notice of how the velocities were computed, (13)-(19).
    const MODIFIED: bool;
    /// Whether the first steps are those of a one-step method, see [`Started`].
    const STARTED: bool = false;
}

/// A formula whose first steps, until there are as many points as its order asks for, are taken by Radau IIA: it has its
/// full order from the first step on. Without it the order rises from 1 by one a step, as in the paper, which costs nothing
/// but leaves an error of order 2 in the momentum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Started<B>(pub B);

impl<B: Backward> Backward for Started<B> {
    const NAME: &'static str = B::NAME;
    const ORDER: usize = B::ORDER;
    const MODIFIED: bool = B::MODIFIED;
    const STARTED: bool = true;
}

/// The modified formulas up to order `K`, 1 to 6: for `F(t, x, x', x'') = 0`, variable in step and order without harm to
/// multipliers. Order 6 is stable in steps of one size and barely so when they change; use 5 at most if they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bdf<const K: usize>;

impl<const K: usize> Backward for Bdf<K> {
    const NAME: &'static str = match K {
        1 => "BDF 1",
        2 => "BDF 2",
        3 => "BDF 3",
        4 => "BDF 4",
        5 => "BDF 5",
        _ => "BDF 6",
    };
    const ORDER: usize = {
        assert!(1 <= K && K <= HIGHEST, "orders are 1 to 6");
        K
    };
    const MODIFIED: bool = true;
}

/// The coefficients of one step from the values before it. Those beyond its order are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Formula<R> {
    /// `v_n = sum velocity[i] x_(n-i)`.
    pub velocity: [R; VALUES],
    /// `a_n = sum acceleration[i] v_(n-i)`, or `a_n = sum acceleration[i] x_(n-i)` if it is `direct`.
    pub acceleration: [R; VALUES + 1],
    /// Whether the acceleration is that of the polynomial through k + 2 positions. It is as exact as the modified formula,
    /// and takes its place after steps for which that one has none, or none of reasonable size.
    pub direct: bool,
    /// The predictor: `x_n ~ sum prediction[i] x_(n-1-i)`.
    pub prediction: [R; VALUES],
}

/// The steps and formulas so far, from which the next formula follows.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Sizes of the steps taken, the last one first.
    steps: [f64; STEPS],
    /// How the velocity at the end of each was computed, in units of that step.
    slopes: [[f64; VALUES]; HIGHEST],
    /// The order of each; zero is a start, whose velocity is exact.
    orders: [u8; HIGHEST],
    /// Points known, as far as they matter.
    points: usize,
    /// How many steps before now had the size and the order of the last one.
    alike: usize,
}

impl Default for Grid {
    /// The start: one point.
    fn default() -> Self {
        Grid {
            steps: [1.0; STEPS],
            slopes: [[0.0; VALUES]; HIGHEST],
            orders: [0; HIGHEST],
            points: 1,
            alike: 0,
        }
    }
}

impl Memory for Grid {
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.steps.visit(words);
        self.slopes.visit(words);
        self.orders.visit(words);
        for count in [&mut self.points, &mut self.alike] {
            let mut word = *count as u32;
            word.visit(words);
            *count = word as usize;
        }
    }
}

impl Grid {
    /// Points known, the start included; not counted beyond what matters.
    #[inline(always)]
    pub fn points(&self) -> usize {
        self.points
    }

    /// The order of the last step; zero in a start.
    #[inline(always)]
    pub fn order(&self) -> usize {
        self.orders[0].into()
    }

    /// The order of the next step on the way to `target`: one more than the last one's, or, where velocities are exact, what
    /// the points allow.
    #[inline(always)]
    pub fn next(&self, target: usize) -> usize {
        let most = match self.order() {
            0 => self.points,
            last => self.points.min(last + 1),
        };
        target.min(most)
    }

    /// Whether a step of this size and order has the formula of the last one.
    #[inline(always)]
    pub fn settled<R: Real>(&self, h: R, order: usize) -> bool {
        self.alike >= 2 * order && self.same(h.to_f64(), order)
    }

    #[inline(always)]
    fn same(&self, h: f64, order: usize) -> bool {
        self.order() == order && self.steps[0] == h
    }

    /// The times of the points in units of `h`, relative to the end of a step of that size after the last point: 0, -1, ..
    fn times(&self, h: f64) -> [f64; STEPS + 2] {
        let mut times = [0.0; STEPS + 2];
        let mut t = -1.0;
        times[1] = t;
        for m in 0..STEPS {
            t -= self.steps[m] / h;
            times[m + 2] = t;
        }
        times
    }

    /// The formula of a step of size `h`; an order beyond the points that there are is lowered.
    pub fn formula<R: Real>(&self, h: R, order: usize, modified: bool) -> Formula<R> {
        let h = h.to_f64();
        let order = order.min(self.points).clamp(1, HIGHEST);
        let times = self.times(h);
        let velocity = slope(&times, order);
        let (acceleration, direct) = if modified {
            self.acceleration(&times, &velocity, order, h)
        } else {
            (longer(&velocity), false)
        };
        let mut known = [0.0; STEPS + 2];
        for m in 0..STEPS + 1 {
            known[m] = times[m + 1];
        }
        let prediction: [f64; VALUES] = extrapolation(&known, self.points.min(order + 1));
        Formula {
            velocity: rounded(&velocity, h),
            acceleration: rounded(&acceleration, if direct { h * h } else { h }),
            direct,
            prediction: rounded(&prediction, 1.0),
        }
    }

    /// The weights of the acceleration: the modified formula's, unless the steps happen to be such that its equations are
    /// singular, or nearly. (Of random ratios in [0.2, 2] one step in ten is: the velocities' errors, by which the weights are
    /// to tell polynomials apart, are then proportional to each other.) It is the size of the weights that says so, compared
    /// with those of the velocities, and the newest one, by which the others' rounding is divided.
    fn acceleration(
        &self,
        times: &[f64; STEPS + 2],
        velocity: &[f64; VALUES],
        order: usize,
        h: f64,
    ) -> ([f64; VALUES + 1], bool) {
        const REASONABLE: f64 = 2.5;
        let size = |weights: &[f64]| weights.iter().fold(0.0, |sum, x| sum + x.abs());
        match self.modified(times, velocity, order, h) {
            Ok(weights)
                if size(&weights) <= REASONABLE * size(velocity)
                    && weights[0] * REASONABLE >= velocity[0] =>
            {
                (longer(&weights), false)
            }
            // Right after the start there may be no position more: then the polynomial is of a degree less.
            _ => (curvature(times, (order + 1).min(self.points)), true),
        }
    }

    /// The oldest point that any of the velocities of a formula comes from.
    fn reach(&self, order: usize) -> usize {
        let mut reach = order;
        for j in 1..VALUES {
            if j <= order {
                reach = reach.max(j + usize::from(self.orders[j - 1]));
            }
        }
        reach
    }

    /// (17)-(19): the weights of the velocities that make accelerations exact for the polynomials
    /// `p_s = t (t - t_1) .. (t - t_s)`, s = 1 .. k, with times in units of h from the end of the step. (For constants and
    /// straight lines they are, because the weights sum to zero.) Powers of t would do as well but for their conditioning.
    fn modified(
        &self,
        times: &[f64; STEPS + 2],
        velocity: &[f64; VALUES],
        order: usize,
        h: f64,
    ) -> Result<[f64; VALUES], Singular> {
        let mut rows = [[0.0; HIGHEST]; HIGHEST];
        let mut weights = [0.0; HIGHEST];
        // p_s at the points, and with p_s = t q the value and the slope of q at t = 0, each from the ones before.
        let mut values = *times;
        let (mut q, mut dq) = (1.0, 0.0);
        let reach = self.reach(order);
        for row in 0..HIGHEST {
            if row >= order {
                rows[row][row] = 1.0;
                continue;
            }
            let last = times[row + 1];
            for m in 0..STEPS + 2 {
                if m <= reach {
                    values[m] *= times[m] - last;
                }
            }
            dq = q - dq * last;
            q *= -last;
            let mut now = 0.0;
            for i in (0..VALUES).filter(|i| *i <= order) {
                now += velocity[i] * values[i];
            }
            for j in 1..VALUES {
                if j > order {
                    break;
                }
                let own = usize::from(self.orders[j - 1]);
                let past = if own == 0 {
                    basis_slope(times, row + 1, times[j])
                } else {
                    let mut sum = 0.0;
                    for i in 0..VALUES {
                        if i <= own {
                            sum += self.slopes[j - 1][i] * values[j + i];
                        }
                    }
                    sum * h / self.steps[j - 1]
                };
                rows[row][j - 1] = past - now;
            }
            // p_s'' = 2 q' at t = 0.
            weights[row] = 2.0 * dq;
        }
        Lu::<f64, HIGHEST>::factor(rows)?.solve(&mut weights);
        let mut acceleration = [0.0; VALUES];
        for j in 0..HIGHEST {
            acceleration[j + 1] = weights[j];
            acceleration[0] -= weights[j];
        }
        Ok(acceleration)
    }

    /// Notes that a step was taken.
    #[inline(always)]
    pub fn push<R: Real>(&mut self, h: R, order: usize) {
        let h = h.to_f64();
        // Everything that matters is alike, and stays so.
        if !(self.alike >= STEPS && self.same(h, order)) {
            self.shift(h, order.min(self.points));
        }
    }

    /// Notes that a step was taken by another method: its velocity is taken to be exact.
    pub fn push_exact<R: Real>(&mut self, h: R) {
        self.shift(h.to_f64(), 0);
    }

    #[inline(never)]
    fn shift(&mut self, h: f64, order: usize) {
        let same = self.same(h, order);
        let velocity = if same && self.alike >= order {
            self.slopes[0]
        } else {
            slope(&self.times(h), order)
        };
        self.steps.copy_within(..STEPS - 1, 1);
        self.slopes.copy_within(..HIGHEST - 1, 1);
        self.orders.copy_within(..HIGHEST - 1, 1);
        (self.steps[0], self.slopes[0], self.orders[0]) = (h, velocity, order as u8);
        self.points = (self.points + 1).min(STEPS);
        self.alike = if same { self.alike + 1 } else { 0 };
    }

    /// The weights that continue the polynomial through so many points before the last one to the last one, and the size of
    /// the last step as a part of what they and it span: that part of the difference between prediction and result
    /// estimates the error of a step.
    pub fn deviation<R: Real>(&self, points: usize) -> ([R; VALUES], R) {
        let mut known = [0.0; STEPS + 2];
        let mut t = 0.0;
        for m in 0..STEPS {
            t -= self.steps[m] / self.steps[0];
            known[m] = t;
        }
        let weights: [f64; VALUES] = extrapolation(&known, points);
        let mut span = 1.0;
        for m in 0..VALUES {
            if m + 1 == points {
                span = -known[m];
            }
        }
        (rounded(&weights, 1.0), R::from_f64(1.0 / span))
    }
}
