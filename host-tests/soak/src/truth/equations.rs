//! The equations that a step solves, written down a second time: the stages of Radau IIA as the guide states them, in
//! double precision, with derivatives from dual numbers.

use super::solve::{Column, Equations, MOST};
use stiffstep::model::MassMatrix;
use stiffstep::number::Dual;
use stiffstep::prelude::*;

/// A method's coefficients: nodes are not needed, because no plant here depends on time.
#[derive(Clone, Copy)]
pub struct Tableau<const S: usize> {
    /// A.
    pub a: [[f64; S]; S],
    /// A squared.
    pub a2: [[f64; S]; S],
}

impl<const S: usize> Tableau<S> {
    fn new(a: [[f64; S]; S]) -> Self {
        let product = |i: usize, j: usize| (0..S).map(|k| a[i][k] * a[k][j]).sum();
        let row = |i: usize| core::array::from_fn(|j| product(i, j));
        let a2 = core::array::from_fn(row);
        Tableau { a, a2 }
    }
}

/// Radau IIA of two or three stages (Hairer & Wanner, tables IV.5.5 and IV.5.6).
pub fn radau<const S: usize>() -> Tableau<S> {
    let s = 6_f64.sqrt();
    let two = [[5.0 / 12.0, -1.0 / 12.0], [0.75, 0.25]];
    let three = [
        [
            (88.0 - 7.0 * s) / 360.0,
            (296.0 - 169.0 * s) / 1800.0,
            (-2.0 + 3.0 * s) / 225.0,
        ],
        [
            (296.0 + 169.0 * s) / 1800.0,
            (88.0 + 7.0 * s) / 360.0,
            (-2.0 - 3.0 * s) / 225.0,
        ],
        [(16.0 - s) / 36.0, (16.0 + s) / 36.0, 1.0 / 9.0],
    ];
    let a = |i: usize, j: usize| if S == 2 { two[i][j] } else { three[i][j] };
    Tableau::new(core::array::from_fn(|i| core::array::from_fn(|j| a(i, j))))
}

/// A step of a mechanism: unknowns are all stages' accelerations, then all stages' multipliers.
pub struct Mechanism<'a, M, const Q: usize, const L: usize, const U: usize, const S: usize> {
    /// The physics.
    model: &'a M,
    /// The method.
    tableau: Tableau<S>,
    /// The step.
    h: f64,
    /// The old point.
    q: [f64; Q],
    /// Its velocities.
    v: [f64; Q],
    /// The inputs.
    u: Vector<f64, U>,
    /// Compliance and relaxation time of each joint.
    joints: ([f64; L], [f64; L]),
    /// What the old point's own constraints lack: single precision works with increments of constraints, so that it stays.
    lacking: [f64; L],
    /// Nominal velocities and multipliers.
    nominal: ([f64; Q], [f64; L]),
    /// What one unit of each unknown is.
    units: Column,
}

/// A stage's equations of motion and of its joints.
type Stage<T, const Q: usize, const L: usize> = ([T; Q], [T; L]);

impl<'a, M, const Q: usize, const L: usize, const U: usize, const S: usize>
    Mechanism<'a, M, Q, L, U, S>
where
    M: Mechanical<f64, Q, L, U>,
{
    /// A step of h from a place with its velocities, with these inputs, compliances and relaxation times, and nominal velocities and
    /// multipliers; in double precision or, with `incremental`, in single, which carries over what the old point lacks with the
    /// multipliers it began with.
    pub fn new(
        model: &'a M,
        h: f64,
        (q, v): ([f64; Q], [f64; Q]),
        u: Vector<f64, U>,
        joints: ([f64; L], [f64; L]),
        nominal: ([f64; Q], [f64; L]),
        incremental: Option<&[f64; L]>,
    ) -> Self {
        let mut step = Mechanism {
            model,
            tableau: radau(),
            h,
            q,
            v,
            u,
            joints,
            lacking: [0.0; L],
            nominal,
            units: Self::everywhere(&nominal.0.map(|v| v / h), &nominal.1),
        };
        if let Some(lambda) = incremental {
            step.lacking = step.gap(&q, &v, lambda);
        }
        step
    }

    /// The same accelerations and multipliers in all stages.
    pub fn everywhere(w: &[f64; Q], lambda: &[f64; L]) -> Column {
        let mut all = [0.0; MOST];
        for i in 0..S {
            all[Self::w(i, 0)..][..Q].copy_from_slice(w);
            all[Self::lambda(i, 0)..][..L].copy_from_slice(lambda);
        }
        all
    }

    /// The acceleration of a coordinate in a stage.
    pub fn w(i: usize, n: usize) -> usize {
        i * Q + n
    }

    /// The multiplier of a joint in a stage.
    pub fn lambda(i: usize, j: usize) -> usize {
        S * Q + i * L + j
    }

    /// The distance of multipliers, all stages together, in units of their nominal magnitudes.
    pub fn forces(&self, dx: &Column) -> f64 {
        let all = (0..S * L).map(|k| (dx[S * Q + k] / self.nominal.1[k % L]).powi(2));
        all.sum::<f64>().sqrt()
    }

    /// The constraints and their Jacobian by rows.
    fn constraint<T: Scalar<f64>>(&self, q: &[T; Q]) -> ([T; L], [[T; Q]; L]) {
        let moving: [Dual<T, Q>; Q] = core::array::from_fn(|n| Dual::variable(q[n], n));
        let zero = Dual::constant(0.0);
        let g = self.model.constraint(zero, &Vector::from(moving)).data.0[0];
        (g.map(|g| g.value), g.map(|g| g.slope()))
    }

    /// `g + tau G v - C lambda`.
    fn gap<T: Scalar<f64>>(&self, q: &[T; Q], v: &[T; Q], lambda: &[T; L]) -> [T; L] {
        let (g, jacobian) = self.constraint(q);
        let (compliance, tau) = &self.joints;
        core::array::from_fn(|j| {
            let mut rate = T::constant(0.0);
            for n in 0..Q {
                rate += jacobian[j][n] * v[n];
            }
            g[j] + rate * tau[j] - lambda[j] * compliance[j]
        })
    }

    /// `M w - f + G^T lambda` and the gap, less what was lacking, over h^2.
    fn stage<T: Scalar<f64>>(
        &self,
        (q, v): (&[T; Q], &[T; Q]),
        (w, lambda): (&[T; Q], &[T; L]),
    ) -> Stage<T, Q, L> {
        let place = Vector::from(*q);
        let force = self
            .model
            .force(T::constant(0.0), &place, &Vector::from(*v), &self.u);
        let mass = self.model.mass(&place);
        let (_, jacobian) = self.constraint(q);
        let mut motion = force.data.0[0].map(|f| -f);
        for m in 0..Q {
            let column = mass.times(&unit(m));
            for n in 0..Q {
                motion[n] += column[n] * w[m];
            }
        }
        for n in 0..Q {
            for j in 0..L {
                motion[n] += jacobian[j][n] * lambda[j];
            }
        }
        let gap = self.gap(q, v, lambda);
        let gap = core::array::from_fn(|j| (gap[j] - self.lacking[j]) / (self.h * self.h));
        (motion, gap)
    }

    /// Where stage i is, given all accelerations.
    pub fn place<T: Scalar<f64>>(&self, x: &[T; MOST], i: usize) -> ([T; Q], [T; Q]) {
        let h = self.h;
        let sum = |row: &[f64; S], n: usize| {
            let mut sum = T::constant(0.0);
            for k in 0..S {
                sum += x[Self::w(k, n)] * row[k];
            }
            sum
        };
        let c: f64 = self.tableau.a[i].iter().sum();
        let q = |n| sum(&self.tableau.a2[i], n) * (h * h) + c * h * self.v[n] + self.q[n];
        let v = |n| sum(&self.tableau.a[i], n) * h + self.v[n];
        (core::array::from_fn(q), core::array::from_fn(v))
    }

    /// A stage's accelerations and multipliers.
    pub fn unknowns<T: Copy>(x: &[T; MOST], i: usize) -> Stage<T, Q, L> {
        (
            core::array::from_fn(|n| x[Self::w(i, n)]),
            core::array::from_fn(|j| x[Self::lambda(i, j)]),
        )
    }
}

/// A unit vector.
fn unit<const N: usize>(m: usize) -> [f64; N] {
    core::array::from_fn(|n| f64::from(u8::from(n == m)))
}

/// Constants that vary in no direction.
fn still<const N: usize, const D: usize>(x: &[f64; N]) -> [Dual<f64, D>; N] {
    x.map(Dual::constant)
}

/// Variables, one a direction.
fn varied<const N: usize>(x: &[f64; N]) -> [Dual<f64, N>; N] {
    core::array::from_fn(|n| Dual::variable(x[n], n))
}

impl<M, const Q: usize, const L: usize, const U: usize, const S: usize> Equations
    for Mechanism<'_, M, Q, L, U, S>
where
    M: Mechanical<f64, Q, L, U>,
{
    fn size(&self) -> usize {
        S * (Q + L)
    }
    fn units(&self) -> &Column {
        &self.units
    }

    fn residual<T: Scalar<f64>>(&self, x: &[T; MOST]) -> Column {
        let mut all = [0.0; MOST];
        for i in 0..S {
            let (q, v) = self.place(x, i);
            let (w, lambda) = Self::unknowns(x, i);
            let (motion, gap) = self.stage((&q, &v), (&w, &lambda));
            for n in 0..Q {
                all[Self::w(i, n)] = motion[n].value();
            }
            for j in 0..L {
                all[Self::lambda(i, j)] = gap[j].value();
            }
        }
        all
    }

    fn jacobian(&self, x: &Column) -> [Column; MOST] {
        let mut rows = [[0.0; MOST]; MOST];
        let (h, t) = (self.h, &self.tableau);
        for i in 0..S {
            let (q, v) = self.place(x, i);
            let (w, lambda) = Self::unknowns(x, i);
            let (dq, dv) = (varied(&q), varied(&v));
            let (wc, lc) = (still(&w), still(&lambda));
            let by_place = self.stage((&dq, &still(&v)), (&wc, &lc));
            let by_speed = self.stage((&still(&q), &dv), (&wc, &lc));
            for k in 0..S {
                let along = |place: &Dual<f64, Q>, speed: &Dual<f64, Q>, m: usize| {
                    h * h * t.a2[i][k] * place.slope()[m] + h * t.a[i][k] * speed.slope()[m]
                };
                for m in 0..Q {
                    let column = Self::w(k, m);
                    for n in 0..Q {
                        rows[Self::w(i, n)][column] = along(&by_place.0[n], &by_speed.0[n], m);
                    }
                    for j in 0..L {
                        rows[Self::lambda(i, j)][column] = along(&by_place.1[j], &by_speed.1[j], m);
                    }
                }
            }
            let mass = self.model.mass(&Vector::from(q));
            for m in 0..Q {
                let column = mass.times(&unit(m));
                for n in 0..Q {
                    rows[Self::w(i, n)][Self::w(i, m)] += column[n];
                }
            }
            let (_, jacobian) = self.constraint(&q);
            for j in 0..L {
                let at = Self::lambda(i, j);
                for n in 0..Q {
                    rows[Self::w(i, n)][at] = jacobian[j][n];
                }
                rows[at][at] = -self.joints.0[j] / (h * h);
            }
        }
        rows
    }

    fn norm(&self, dx: &Column) -> f64 {
        let all = (0..S * Q).map(|k| (dx[k] / self.units[k]).powi(2));
        all.sum::<f64>().sqrt()
    }
}

/// A step of a first-order model: unknowns are all stages' derivatives.
pub struct States<'a, M, const N: usize, const U: usize, const S: usize> {
    /// The physics.
    pub model: &'a M,
    /// The method.
    pub tableau: Tableau<S>,
    /// The step.
    pub h: f64,
    /// The old point.
    pub x: [f64; N],
    /// The inputs.
    pub u: Vector<f64, U>,
    /// Nominal magnitudes over h.
    pub units: Column,
}

impl<M, const N: usize, const U: usize, const S: usize> States<'_, M, N, U, S>
where
    M: FirstOrder<f64, N, U>,
{
    /// `E k - f(x)`.
    fn stage<T: Scalar<f64>>(&self, x: &[T; N], k: &[T; N]) -> [T; N] {
        let f = self
            .model
            .rhs(T::constant(0.0), &Vector::from(*x), &self.u)
            .data
            .0[0];
        let mass = self.model.mass();
        let mut all = f.map(|f| -f);
        for m in 0..N {
            let column = mass.times(&unit(m));
            for n in 0..N {
                all[n] += k[m] * column[n];
            }
        }
        all
    }

    /// Where stage i is, and its derivatives.
    pub fn place<T: Scalar<f64>>(&self, x: &[T; MOST], i: usize) -> ([T; N], [T; N]) {
        let sum = |n: usize| {
            let mut sum = T::constant(0.0);
            for k in 0..S {
                sum += x[k * N + n] * self.tableau.a[i][k];
            }
            sum
        };
        (
            core::array::from_fn(|n| sum(n) * self.h + self.x[n]),
            core::array::from_fn(|n| x[i * N + n]),
        )
    }
}

impl<M, const N: usize, const U: usize, const S: usize> Equations for States<'_, M, N, U, S>
where
    M: FirstOrder<f64, N, U>,
{
    fn size(&self) -> usize {
        S * N
    }
    fn units(&self) -> &Column {
        &self.units
    }

    fn residual<T: Scalar<f64>>(&self, x: &[T; MOST]) -> Column {
        let mut all = [0.0; MOST];
        for i in 0..S {
            let (place, k) = self.place(x, i);
            for (n, stage) in self.stage(&place, &k).into_iter().enumerate() {
                all[i * N + n] = stage.value();
            }
        }
        all
    }

    fn jacobian(&self, x: &Column) -> [Column; MOST] {
        let mut rows = [[0.0; MOST]; MOST];
        for i in 0..S {
            let (place, k) = self.place(x, i);
            let stage = self.stage(&varied(&place), &still(&k));
            for m in 0..N {
                let mass = self.model.mass().times(&unit(m));
                for n in 0..N {
                    for j in 0..S {
                        let along = self.h * self.tableau.a[i][j] * stage[n].slope()[m];
                        rows[i * N + n][j * N + m] = along;
                    }
                    rows[i * N + n][i * N + m] += mass[n];
                }
            }
        }
        rows
    }

    fn norm(&self, dx: &Column) -> f64 {
        let all = (0..S * N).map(|k| (dx[k] / self.units[k]).powi(2));
        all.sum::<f64>().sqrt()
    }
}
