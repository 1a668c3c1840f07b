//! Single precision beside double: multipliers and energies of the stiff pendulum, and a thousand seconds on the rod.

use crate::figures::Tolerance::{AtLeast, AtMost, Excess, Factor, Figure};
use crate::figures::{Comparison, Grid};
use crate::pendulum::{TIGHT, level};
use nalgebra::{SMatrix, SVector, Vector2};
use stiffstep::method::Collocation;
use stiffstep::prelude::*;
use stiffstep::step::Convergence;
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};

/// eps, h, and the published errors of the multiplier over 20 seconds: with g evaluated directly in single precision, with
/// increments and compensated sums, and in double precision.
pub const TABLE: [(f64, f64, [f64; 3]); 5] = [
    (1e-2, 1e-2, [1.5e-2, 6.1e-4, 6.0e-4]),
    (1e-3, 1e-2, [0.11, 1.75e-4, 1.7e-4]),
    (1e-4, 1e-2, [0.14, 1.1e-4, 9.1e-5]),
    (1e-3, 1e-3, [4.9, 2.2e-3, 6.0e-6]),
    (1e-4, 1e-3, [10.4, 6.4e-5, 1.7e-6]),
];

/// A second-by-second account of a run: the largest error of the multiplier and of the energy so far.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Times.
    pub t: Vec<f64>,
    /// The largest distance so far of the tension over the length from the rigid pendulum's, `(|v|^2 - q_2) / r^2`.
    pub multiplier: Vec<f64>,
    /// The largest deviation so far of the energy.
    pub energy: Vec<f64>,
}

impl Account {
    /// The largest errors of all: of the multiplier and of the energy.
    pub fn largest(&self) -> [f64; 2] {
        let last = |all: &[f64]| all.last().copied().unwrap_or(f64::NAN);
        [last(&self.multiplier), last(&self.energy)]
    }

    /// Twenty seconds of a stiff pendulum. The energy takes the spring's from its force: in single precision its length says
    /// nothing.
    pub fn of<R, P, B>(mut pendulum: Simulation<P, B>, eps: f64) -> Result<Self, Error>
    where
        R: Real,
        P: Stepper<Real = R, State = Motion<R, 2, 1>>,
        B: Budget<R>,
    {
        let mut account = Account::default();
        let (mut multiplier, mut energy) = (0.0_f64, 0.0_f64);
        let mut next = 0.2;
        while pendulum.time().to_f64() < 20.0 {
            pendulum.step()?;
            let at = pendulum.state();
            let (q, v) = (at.q.map(R::to_f64), at.v.map(R::to_f64));
            let tension = at.lambda[0].to_f64();
            let rigid = (v.norm_squared() - q[1]) / q.norm_squared();
            multiplier = multiplier.max((tension / q.norm() - rigid).abs());
            let spring = 0.5 * (eps * tension).powi(2);
            energy = energy.max((0.5 * v.norm_squared() + q[1] + spring).abs());
            let t = pendulum.time().to_f64();
            if t >= next || t >= 20.0 {
                next += 0.2;
                account.t.push(t);
                account.multiplier.push(multiplier);
                account.energy.push(energy);
            }
        }
        Ok(account)
    }
}

/// The start at rest on the slow manifold: the spring is a little shorter than without load.
fn slow<R: Real>(eps: f64) -> (Vector<R, 2>, Vector<R, 2>) {
    let (mut q, v) = level();
    q[0] = R::from_f64(1.0 - 3.0 * eps.powi(4) - 90.0 * eps.powi(8));
    (q, v)
}

/// The stiff pendulum in double precision, but for its length, which is rounded to single precision.
struct Rounded(StiffPendulum<f64>);

impl Mechanical<f64, 2, 1, 0> for Rounded {
    type Joints = Elastic<f64, 1>;
    type Mass<T: Scalar<f64>> = Unit;
    fn joints(&self) -> Elastic<f64, 1> {
        self.0.joints()
    }
    fn force<T: Scalar<f64>>(
        &self,
        t: T,
        q: &Vector<T, 2>,
        v: &Vector<T, 2>,
        u: &Vector<f64, 0>,
    ) -> Vector<T, 2> {
        self.0.force(t, q, v, u)
    }
    fn constraint<T: Scalar<f64>>(&self, t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        let [stretch] = self.0.constraint(t, q).data.0[0];
        let length = stretch.value() + 1.0;
        [stretch + (f64::from(length as f32) - length)].into()
    }
}

/// Three iterations, whose result is taken as it is.
struct Anyhow;

impl Budget<f64> for Anyhow {
    fn another(&mut self, so_far: &Convergence<f64>) -> bool {
        so_far.iterations() < 3
    }
    fn tolerance(&self) -> f64 {
        1e3
    }
}

/// Runs of one eps and h: with a rounded constraint, in single and in double precision.
pub struct Precisions {
    /// The spring.
    pub eps: f64,
    /// The step.
    pub h: f64,
    /// With rounding of the constraint as the only thing that is single: multipliers are worthless.
    pub rounded: Account,
    /// Single precision as the library computes.
    pub single: Account,
    /// Double precision: the method's own error.
    pub double: Account,
}

/// A row of [`TABLE`].
pub fn precisions(eps: f64, h: f64) -> Result<Precisions, Error> {
    let model = StiffPendulum::<f32>::new(eps);
    let single = Simulation::new(model, Lean(RadauIIA::<3>), h as f32, slow(eps))?;
    let model = StiffPendulum::<f64>::new(eps);
    let double = Simulation::new(model, Lean(RadauIIA::<3>), h, slow(eps))?.with_budget(TIGHT);
    let model = Rounded(StiffPendulum::new(eps));
    let rounded = Simulation::new(model, Lean(RadauIIA::<3>), h, slow(eps))?.with_budget(Anyhow);
    Ok(Precisions {
        eps,
        h,
        rounded: Account::of(rounded, eps)?,
        single: Account::of(single, eps)?,
        double: Account::of(double, eps)?,
    })
}

/// All rows, and what is compared.
pub fn multipliers() -> Result<(Vec<Precisions>, Grid), Error> {
    let names = ["λ, f32", "λ, f64", "energy, f32", "λ, g rounded to f32"];
    let mut grid = Grid::new("eps, h", &names);
    let mut all = Vec::new();
    for (eps, h, [_, single, double]) in TABLE {
        let runs = precisions(eps, h)?;
        let at = format!("{eps:e}, {h:e}");
        let [multiplier, energy] = runs.single.largest();
        let (double_s, rounded) = (runs.double.largest()[0], runs.rounded.largest()[0]);
        grid.fill(&*at, &format!("eps, h = {at}: "), |k, what| match k {
            0 => Comparison::independent(what, multiplier, single, Excess(1.0)),
            1 => Comparison::independent(what, double_s, double, Figure),
            2 => Comparison::independent(what, energy, 5e-7, AtMost(0.0)),
            // Why all this: at least ten times worse.
            _ => Comparison::independent(what, rounded, 10.0 * single, AtLeast(0.0)),
        });
        all.push(runs);
    }
    Ok((all, grid))
}

/// The largest |g| and |G v| on the way through 1000 seconds of the rigid pendulum in steps of 0.01, with `g = |q|^2 - 1`, and the
/// energy at the end, which was zero.
pub fn long_run<R, P, B>(mut pendulum: Simulation<P, B>) -> Result<[f64; 3], Error>
where
    R: Real,
    P: Stepper<Real = R, Model = RigidPendulum, State = Motion<R, 2, 1>>,
    B: Budget<R>,
{
    let (mut g, mut rate, mut energy) = (0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..100_000 {
        pendulum.step()?;
        let at = pendulum.state();
        let (q, v) = (at.q.map(R::to_f64), at.v.map(R::to_f64));
        g = g.max((q.dot(&q) - 1.0).abs());
        rate = rate.max((2.0 * q.dot(&v)).abs());
        energy = 0.5 * v.norm_squared() + q[1];
    }
    Ok([g, rate, energy])
}

const LONG: [&str; 3] = ["|g|", "|G v|", "energy at the end"];

const PROJECTED: &str = "projected Radau IIA 3";

/// A thousand seconds in double precision keep to the rod.
pub fn long_double() -> Result<Grid, Error> {
    let mut grid = Grid::new("1000 s, h = 0.01", &LONG);
    let h = 0.01;
    let three = Simulation::new(RigidPendulum, Lean(RadauIIA::<3>), h, level())?.with_budget(TIGHT);
    let two = Simulation::new(RigidPendulum, Lean(RadauIIA::<2>), h, level())?.with_budget(TIGHT);
    let method = Projected(Lean(RadauIIA::<3>));
    let projected = Simulation::new(RigidPendulum, method, h, level())?.with_budget(TIGHT);
    let (three, two, [g, rate, energy]) = (long_run(three)?, long_run(two)?, long_run(projected)?);
    let projected = [g, rate, energy.abs()];
    for (name, ours, published, last) in [
        ("Radau IIA 3", three, [4e-16, 3.0e-7, -1.5e-9], Figure),
        ("Radau IIA 2", two, [4e-16, 5.9e-5, -1.1e-4], Figure),
        (PROJECTED, projected, [4e-16, 4e-16, 1.5e-9], AtMost(0.0)),
    ] {
        let (name, rules) = (format!("{name}, f64"), [Figure, Figure, last]);
        grid.fill(&*name, &format!("{name}, "), |k, what| {
            Comparison::independent(what, ours[k], published[k], rules[k])
        });
    }
    Ok(grid)
}

/// The same in single precision as a textbook has it: g evaluated where the stages are, and sums without compensation. Radau IIA 3
/// with a matrix from the start of the step and three iterations.
fn plain_single() -> Option<[f64; 3]> {
    let (t, h) = (RadauIIA::<3>::coefficients::<f32>(), 0.01_f32);
    let a2 = |i: usize, j: usize| (0..3).map(|k| t.a[i][k] * t.a[k][j]).sum::<f32>();
    let (mut q, mut v) = (Vector2::new(1.0_f32, 0.0), Vector2::new(0.0_f32, 0.0));
    let mut unknowns = SVector::<f32, 9>::zeros();
    let mut account = [0.0_f64; 3];
    for _ in 0..100_000 {
        let tension = unknowns[8];
        let matrix = SMatrix::<f32, 9, 9>::from_fn(|row, column| {
            let (i, n, j, m) = (row / 3, row % 3, column / 3, column % 3);
            let same = |yes: bool| if yes { 1.0 } else { 0.0 };
            match (n, m) {
                (2, 2) => 0.0,
                (2, m) => a2(i, j) * q[m],
                (n, 2) => same(i == j) * q[n],
                (n, m) => same(n == m) * (same(i == j) + h * h * a2(i, j) * tension),
            }
        });
        let lu = matrix.lu();
        let place = |unknowns: &SVector<f32, 9>, i: usize| {
            (0..3).fold(q + v * (t.c[i] * h), |place, j| {
                place + unknowns.fixed_rows::<2>(3 * j) * (h * h * a2(i, j))
            })
        };
        for _ in 0..3 {
            let mut residual = SVector::<f32, 9>::zeros();
            for i in 0..3 {
                let at = place(&unknowns, i);
                residual[3 * i] = unknowns[3 * i] + at[0] * unknowns[3 * i + 2];
                residual[3 * i + 1] = unknowns[3 * i + 1] + at[1] * unknowns[3 * i + 2] + 1.0;
                residual[3 * i + 2] = (at.norm_squared() - 1.0) / (2.0 * h * h);
            }
            unknowns -= lu.solve(&residual)?;
        }
        q = place(&unknowns, 2);
        v = (0..3).fold(v, |v, j| {
            v + unknowns.fixed_rows::<2>(3 * j) * (h * t.a[2][j])
        });
        let (q, v) = (q.map(f64::from), v.map(f64::from));
        account[0] = account[0].max((q.norm_squared() - 1.0).abs());
        account[1] = account[1].max((2.0 * q.dot(&v)).abs());
        account[2] = 0.5 * v.norm_squared() + q[1];
    }
    Some(account)
}

/// And in single precision, with two iterations a step: at rounding level, where the published run has rounding of its own.
pub fn long_single() -> Result<Grid, Error> {
    let mut grid = Grid::new("1000 s, h = 0.01", &LONG);
    let pendulum = Simulation::new(RigidPendulum, Lean(RadauIIA::<3>), 0.01_f32, level())?;
    let [g, rate, energy] = long_run(pendulum)?;
    let plain = plain_single().unwrap_or([f64::NAN; 3]);
    let name = "g evaluated directly, plain sums, f32";
    grid.fill(name, &format!("{name}, "), |k, what| {
        let published = [1.8e-7, 1.9e-4, 2.1e-4][k];
        Comparison::independent(what, plain[k].abs(), published, Factor(5.0))
    });
    grid.fill(
        "Radau IIA 3, f32",
        "Radau IIA 3, f32, ",
        |k, what| match k {
            0 => Comparison::independent(what, g, 2.0e-7, AtMost(0.0)),
            1 => Comparison::independent(what, rate, 4.6e-7, Excess(1.0)),
            _ => Comparison::independent(what, energy.abs(), 6e-7, AtMost(0.0)),
        },
    );
    Ok(grid)
}
