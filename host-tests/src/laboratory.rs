//! Runge-Kutta steps of the stiff pendulum as the papers write them down: any tableau, with an invertible matrix or without, any
//! starting values and any matrix of the Newton iteration, and every number a power series in `eps^2` where that is wanted.
//!
//! The unknowns of a step are the stages' accelerations W and multipliers Lambda of
//!
//! ```text
//! W_i = (0, -1) - n(Y_i) Lambda_i,    |Y_i| - 1 = eps^2 Lambda_i,    Y = y + h c v + h^2 A^2 W,    n(Y) = Y / |Y|
//! ```
//!
//! With `eps^2` as the variable of a power series the terms are Lubich's differential-algebraic systems (2.25): that of
//! `eps^2k` is the Runge-Kutta solution of the one of index 2 k + 3.

use crate::reference::Tableau;
use nalgebra::{DMatrix, DVector, Vector2};
use std::ops::{Add, Mul, Sub};

/// A power series in `eps^2`, cut off after `K` terms, the constant first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Series<const K: usize>(pub [f64; K]);

impl<const K: usize> Series<K> {
    /// A number.
    pub fn constant(x: f64) -> Self {
        Self::from_fn(|k| if k == 0 { x } else { 0.0 })
    }

    fn from_fn(term: impl FnMut(usize) -> f64) -> Self {
        Series(std::array::from_fn(term))
    }

    /// The series times a number.
    fn times(self, x: f64) -> Self {
        Series(self.0.map(|term| term * x))
    }

    /// Its quotient by another, term by term.
    fn over(self, by: Self) -> Self {
        let mut quotient = [0.0; K];
        for k in 0..K {
            let known: f64 = (0..k).map(|j| quotient[j] * by.0[k - j]).sum();
            quotient[k] = (self.0[k] - known) / by.0[0];
        }
        Series(quotient)
    }

    /// Its root, term by term.
    fn root(self) -> Self {
        let mut root = [0.0; K];
        root[0] = self.0[0].sqrt();
        for k in 1..K {
            let known: f64 = (1..k).map(|j| root[j] * root[k - j]).sum();
            root[k] = (self.0[k] - known) / (2.0 * root[0]);
        }
        Series(root)
    }
}

impl<const K: usize> Add for Series<K> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::from_fn(|k| self.0[k] + other.0[k])
    }
}

impl<const K: usize> Sub for Series<K> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::from_fn(|k| self.0[k] - other.0[k])
    }
}

impl<const K: usize> Mul for Series<K> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::from_fn(|k| (0..=k).map(|j| self.0[j] * other.0[k - j]).sum())
    }
}

/// Position, velocity and multiplier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State<const K: usize> {
    /// The position.
    pub y: [Series<K>; 2],
    /// The velocity.
    pub v: [Series<K>; 2],
    /// The multiplier: the spring's force.
    pub lambda: Series<K>,
}

impl<const K: usize> State<K> {
    /// Level and at rest on the manifold of smooth motion: `y_1 = 1 - 3 eps^4 - 90 eps^8`, as far as the series goes.
    pub fn level() -> Self {
        let mut state = State::<K>::at([1.0, 0.0], [0.0; 2], 0.0);
        for (k, term) in [(2, -3.0), (4, -90.0)] {
            if k < K {
                state.y[0].0[k] = term;
            }
        }
        state
    }

    /// The same for a number eps, with the spring stretched by so much more.
    pub fn level_with(eps: f64, stretch: f64) -> Self {
        let e4 = eps.powi(4);
        let length = 1.0 - 3.0 * e4 - 90.0 * e4 * e4 + stretch;
        State::at([length, 0.0], [0.0; 2], (length - 1.0) / (eps * eps))
    }

    /// A state without terms in `eps^2`.
    pub fn at(y: [f64; 2], v: [f64; 2], lambda: f64) -> Self {
        State {
            y: y.map(Series::constant),
            v: v.map(Series::constant),
            lambda: Series::constant(lambda),
        }
    }

    /// The largest distances of the terms in `eps^2k`: of positions and of velocities.
    pub fn distance(&self, other: &Self, k: usize) -> [f64; 2] {
        let largest = |a: [Series<K>; 2], b: [Series<K>; 2]| {
            let apart = [0, 1].map(|n: usize| (a[n].0[k] - b[n].0[k]).abs());
            apart[0].max(apart[1])
        };
        [largest(self.y, other.y), largest(self.v, other.v)]
    }
}

/// With which matrix the iteration goes. It starts from Jay & Petzold's stages, (20).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iteration {
    /// Newton's own: with the Jacobian of every iterate.
    Full,
    /// Jay & Petzold's section 4: with the Jacobian of the projected point, where the multiplier is zero.
    Projected,
    /// The same with the multiplier of the state, which is the spring's force.
    OwnMultiplier,
}

/// A method with its step.
pub struct Laboratory {
    method: Tableau,
    h: f64,
    eps: f64,
    a2: DMatrix<f64>,
    /// The first stage is the state, and its multiplier that of the last step.
    explicit: bool,
    /// `b^T A^-1`, from which the multiplier follows: of the stages that are not explicit.
    closing: DVector<f64>,
}

/// The stages: accelerations, then the multiplier, of each.
type Stages<const K: usize> = Vec<[Series<K>; 3]>;

impl Laboratory {
    /// A method in steps of `h`. An `eps` of zero is the rod, or the series.
    pub fn new(method: Tableau, eps: f64, h: f64) -> Self {
        let s = method.stages();
        let explicit = method.a.row(0).amax() == 0.0;
        let accurate = (method.a.row(s - 1).transpose() - &method.b).amax() < 1e-12;
        let closing = if accurate || explicit {
            DVector::from_fn(s, |i, _| if i + 1 == s { 1.0 } else { 0.0 })
        } else {
            // Without an inverse there is no such formula, and nobody asks for the multiplier.
            let inverse = method.a.clone().try_inverse();
            inverse.map_or(DVector::zeros(s), |inverse| inverse.transpose() * &method.b)
        };
        Laboratory {
            a2: &method.a * &method.a,
            method,
            h,
            eps,
            explicit,
            closing,
        }
    }

    /// `eps^2`: a number, or the variable of the series.
    fn compliance<const K: usize>(&self) -> Series<K> {
        let mut compliance = Series::constant(self.eps * self.eps);
        if self.eps == 0.0 && K > 1 {
            compliance.0[1] = 1.0;
        }
        compliance
    }

    /// The stages' places.
    fn place<const K: usize>(&self, at: &State<K>, stages: &Stages<K>, i: usize) -> [Series<K>; 2] {
        [0, 1].map(|n| {
            let free = at.y[n] + at.v[n].times(self.method.c[i] * self.h);
            (0..stages.len()).fold(free, |sum, j| {
                sum + stages[j][n].times(self.h * self.h * self.a2[(i, j)])
            })
        })
    }

    /// What the equations lack, those of the constraint over `h^2`.
    fn residual<const K: usize>(&self, at: &State<K>, stages: &Stages<K>) -> Vec<Series<K>> {
        let mut all = Vec::new();
        for (i, &[w1, w2, lambda]) in stages.iter().enumerate() {
            let place = self.place(at, stages, i);
            let length = (place[0] * place[0] + place[1] * place[1]).root();
            let pull = lambda.over(length);
            let stretch = length - Series::constant(1.0) - self.compliance() * lambda;
            all.extend([
                w1 + pull * place[0],
                w2 + pull * place[1] + Series::constant(1.0),
                if i == 0 && self.explicit {
                    lambda - at.lambda
                } else {
                    stretch.times(1.0 / (self.h * self.h))
                },
            ]);
        }
        all
    }

    /// The derivative of the equations' constant terms, with a place and a multiplier for each stage.
    fn jacobian(&self, at: impl Fn(usize) -> (Vector2<f64>, f64)) -> DMatrix<f64> {
        let s = self.method.stages();
        let scale = self.h * self.h;
        let mut matrix = DMatrix::identity(3 * s, 3 * s);
        for i in 0..s {
            let (place, lambda) = at(i);
            let (r, n) = (place.norm(), place.normalize());
            let explicit = i == 0 && self.explicit;
            let compliance = -(self.eps * self.eps) / scale;
            matrix[(3 * i + 2, 3 * i + 2)] = if explicit { 1.0 } else { compliance };
            for k in 0..2 {
                matrix[(3 * i + k, 3 * i + 2)] = n[k];
            }
            for j in 0..s {
                let a2 = self.a2[(i, j)];
                for k in 0..2 {
                    for l in 0..2 {
                        let same = if k == l { 1.0 } else { 0.0 };
                        matrix[(3 * i + k, 3 * j + l)] +=
                            scale * a2 * lambda / r * (same - n[k] * n[l]);
                    }
                    if !explicit {
                        matrix[(3 * i + 2, 3 * j + k)] = a2 * n[k];
                    }
                }
            }
        }
        matrix
    }

    /// Jay & Petzold's starting values, (20): those of an infinitely stiff spring that is stretched as the state is.
    fn stages_from_projected<const K: usize>(&self, at: &State<K>) -> Stages<K> {
        let (y, v) = constants(at);
        let n = y.normalize();
        let (out, speed) = (y.norm() - 1.0, v.dot(&n));
        let s = self.method.stages();
        let skip = usize::from(self.explicit);
        let inner = self.method.a.view((skip, skip), (s - skip, s - skip));
        let inverse = inner.into_owned().try_inverse();
        let inverse = inverse.unwrap_or_else(|| DMatrix::zeros(s - skip, s - skip));
        let ones = DVector::repeat(s - skip, 1.0);
        // Without an explicit stage the column before the others is not there, and its products are zero.
        let column = if self.explicit {
            self.method.a.view((1, 0), (s - 1, 1)).into_owned()
        } else {
            DMatrix::zeros(s, 1)
        };
        let kept = -(&inverse * &column);
        let square = &inverse * &inverse;
        let place = &square * &ones * (out / (self.h * self.h));
        let pace = &square * (column.column(0) + inner * &ones) * (speed / self.h);
        (0..s)
            .map(|i| {
                let lambda = match i.checked_sub(skip) {
                    None => at.lambda.0[0],
                    Some(i) => kept[(i, 0)] * at.lambda.0[0] + place[i] + pace[i],
                };
                [-n[0] * lambda, -n[1] * lambda, lambda].map(Series::constant)
            })
            .collect()
    }

    /// A step, and the iterations that it took; none if they do not end.
    pub fn step<const K: usize>(&self, at: &State<K>, how: Iteration) -> Option<(State<K>, u32)> {
        let s = self.method.stages();
        let (y, _) = constants(at);
        let mut stages = self.stages_from_projected(at);
        let own = match how {
            Iteration::OwnMultiplier => at.lambda.0[0],
            _ => 0.0,
        };
        let frozen = self.jacobian(|_| (y.normalize(), own)).lu();
        let mut previous = f64::INFINITY;
        for iterations in 1..=60 {
            let residual = self.residual(at, &stages);
            let matrix = match how {
                Iteration::Full => {
                    let at = |i| (constant(self.place(at, &stages, i)), stages[i][2].0[0]);
                    &self.jacobian(at).lu()
                }
                Iteration::Projected | Iteration::OwnMultiplier => &frozen,
            };
            let mut size = 0.0_f64;
            for k in 0..K {
                let right = DVector::from_fn(3 * s, |n, _| -residual[n].0[k]);
                let change = matrix.solve(&right)?;
                size = size.max(change.amax());
                for n in 0..3 * s {
                    stages[n / 3][n % 3].0[k] += change[n];
                }
            }
            let small = size * self.h * self.h;
            // Rounding is as far as it goes: of the lengths, over h^2, and over h^2 once more with every term of a series.
            let rounding = match K {
                1 => small < 1e-9,
                _ => iterations > K as u32 + 3,
            };
            if small <= 1e-14 || size >= previous && rounding {
                let end = || (self.end(at, &stages), iterations);
                return small.is_finite().then(end);
            }
            previous = size;
        }
        None
    }

    /// Where the stages lead.
    fn end<const K: usize>(&self, at: &State<K>, stages: &Stages<K>) -> State<K> {
        let mut end = *at;
        let ab = self.method.a.transpose() * &self.method.b;
        for n in 0..2 {
            end.y[n] = end.y[n] + at.v[n].times(self.h);
            for (i, stage) in stages.iter().enumerate() {
                end.y[n] = end.y[n] + stage[n].times(self.h * self.h * ab[i]);
                end.v[n] = end.v[n] + stage[n].times(self.h * self.method.b[i]);
            }
        }
        let kept = 1.0 - self.closing.sum();
        let stages = stages.iter().enumerate();
        end.lambda = stages.fold(at.lambda.times(kept), |sum, (i, stage)| {
            sum + stage[2].times(self.closing[i])
        });
        end
    }

    /// The state after so many steps; none where an iteration does not end.
    pub fn run<const K: usize>(&self, from: &State<K>, steps: usize) -> Option<State<K>> {
        (0..steps).try_fold(*from, |at, _| Some(self.step(&at, Iteration::Full)?.0))
    }
}

/// The constant terms of position and velocity.
fn constants<const K: usize>(at: &State<K>) -> (Vector2<f64>, Vector2<f64>) {
    (constant(at.y), constant(at.v))
}

fn constant<const K: usize>(x: [Series<K>; 2]) -> Vector2<f64> {
    Vector2::new(x[0].0[0], x[1].0[0])
}
