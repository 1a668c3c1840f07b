//! The matrices of a map, and what their rounding does.
//!
//! In a mode with eigenvalue mu of A, left and right eigenvectors l and r, all stages of a step from x see the same right-hand side
//! `f = A x + B u + b`, so that the method adds
//!
//! ```text
//! h Re( (sum b_i r_i) (sum l_i) (E - h mu A)^-1 f )
//! ```
//!
//! summed over the modes. Column by column that is D, Gamma and gamma.

use crate::linear::{Lu, Singular};
use crate::memory::visits;
use crate::method::{Collocation, Mode};
use crate::model::{Linear, MassMatrix, Matrix, Vector};
use crate::number::{Complex, Field, Real};
use crate::step::Error;
use core::hint::black_box;

/// Over how many steps errors add up before they count no more.
const HORIZON: f64 = 1e4;

/// `x + D x + Gamma u + gamma`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Matrices<R, const N: usize, const U: usize> {
    /// Gamma by columns.
    inputs: [[R; N]; U],
    /// gamma.
    constant: [R; N],
    /// The squares of what rounding does to a step, in units of the nominal magnitudes: that of states and inputs of size one, and of
    /// the constant.
    of_states: [R; N],
    of_inputs: [R; U],
    of_constant: R,
    /// D by columns. The last, so that the others are within reach of a load.
    states: [[R; N]; N],
}

impl<R: Real, const N: usize, const U: usize> Matrices<R, N, U> {
    /// The square of what rounding may do to a step, in units of the nominal magnitudes.
    #[inline(always)]
    pub fn rounding(&self, x: &[R; N], u: &[R; U]) -> R {
        let mut sum = self.of_constant;
        for j in 0..U {
            sum += self.of_inputs[j] * (u[j] * u[j]);
        }
        for n in 0..N {
            sum += self.of_states[n] * (x[n] * x[n]);
        }
        sum
    }

    /// `D x + Gamma u + gamma`, row by row: to return it would copy it.
    ///
    /// As many rows at a time as registers hold, and in the last block just those that are left.
    #[inline(always)]
    pub fn motion(&self, x: &[R; N], u: &[R; U], mut row: impl FnMut(usize, R)) {
        for block in 0..N / 16 {
            self.rows::<16>(16 * block, x, u, &mut row);
        }
        macro_rules! rest {
            ($($rows:literal)*) => {
                match N % 16 {
                    $($rows => self.rows::<$rows>(N - $rows, x, u, &mut row),)*
                    _ => {}
                }
            };
        }
        rest!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    }

    /// `B` of its rows.
    #[inline(always)]
    fn rows<const B: usize>(
        &self,
        at: usize,
        x: &[R; N],
        u: &[R; U],
        row: &mut impl FnMut(usize, R),
    ) {
        // Always true; said so that no bounds check can fail.
        if at + B > N {
            return;
        }
        let mut sum = [R::ZERO; B];
        for b in 0..B {
            sum[b] = self.constant[at + b];
        }
        for j in 0..U {
            for b in 0..B {
                sum[b] += self.inputs[j][at + b] * u[j];
            }
        }
        for (column, &x) in self.columns().iter().zip(x) {
            for b in 0..B {
                sum[b] += column[at + b] * x;
            }
        }
        for b in 0..B {
            row(at + b, sum[b]);
        }
    }

    /// D by columns. Where they begin and how many there are is hidden from the compiler unless they are few: it would load more of them
    /// ahead than registers hold, and compute each address from the beginning of the simulation.
    #[inline(always)]
    fn columns(&self) -> &[[R; N]] {
        if N <= 6 {
            &self.states
        } else {
            black_box(&self.states)
        }
    }

    /// Those of a model by a method.
    pub fn of<M, K, const S: usize>(model: &M, h: R, weights: &[R; N]) -> Result<Self, Error>
    where
        M: Linear<R, N, U>,
        K: Collocation<S>,
    {
        let mut exact = Exact::of(model);
        let rhs = exact;
        exact.clear();
        let (h, table) = (h.to_f64(), K::coefficients::<f64>());
        if S % 2 == 1 {
            exact.add::<R, M, f64, S>(model, h, &table.real, &table.b, &rhs)?;
        }
        for pair in &table.pairs[..S / 2] {
            exact.add::<R, M, Complex<f64>, S>(model, h, pair, &table.b, &rhs)?;
        }
        exact.rounded(weights)
    }
}

/// Columns in double precision: of the states, of the inputs, and the constant one.
#[derive(Clone, Copy)]
struct Exact<const N: usize, const U: usize> {
    states: [[f64; N]; N],
    inputs: [[f64; N]; U],
    constant: [f64; N],
}

impl<const N: usize, const U: usize> Exact<N, U> {
    /// A, B and b of a model.
    #[inline(never)]
    fn of<R: Real, M: Linear<R, N, U>>(model: &M) -> Self {
        let (x, u) = (Vector::from([R::ZERO; N]), Vector::from([R::ZERO; U]));
        let jacobian: Matrix<R, N, N> = model.jacobian(R::ZERO, &x, &u);
        let constant = double(&model.drive(R::ZERO, &u).data.0[0]);
        let mut inputs = [[0.0; N]; U];
        for j in 0..U {
            let mut one = u;
            one.data.0[0][j] = R::ONE;
            inputs[j] = double(&model.drive(R::ZERO, &one).data.0[0]);
            for n in 0..N {
                inputs[j][n] -= constant[n];
            }
        }
        let mut states = [[0.0; N]; N];
        for j in 0..N {
            states[j] = double(&jacobian.data.0[j]);
        }
        Exact {
            states,
            inputs,
            constant,
        }
    }

    fn clear(&mut self) {
        self.states = [[0.0; N]; N];
        self.inputs = [[0.0; N]; U];
        self.constant = [0.0; N];
    }

    /// Adds what a mode contributes to every column, of which `rhs` are the right-hand sides.
    #[inline(never)]
    fn add<R, M: Linear<R, N, U>, F: Field<Real = f64>, const S: usize>(
        &mut self,
        model: &M,
        h: f64,
        mode: &Mode<F, S>,
        b: &[f64; S],
        rhs: &Self,
    ) -> Result<(), Singular> {
        let mut mass = [[R::ZERO; N]; N];
        model.mass().add_to(&mut mass);
        let factor = mode.eigenvalue.scale(h);
        let mut lu = Lu::<F, N>::unit();
        lu.refactor(|rows| {
            for i in 0..N {
                for j in 0..N {
                    let e = F::ONE.scale(mass[i][j].to_f64());
                    rows[i][j] = e - factor.scale(rhs.states[j][i]);
                }
            }
        })?;
        let (mut left, mut right) = (F::ZERO, F::ZERO);
        for i in 0..S {
            left = left + mode.left[i];
            right = right + mode.right[i].scale(b[i]);
        }
        let weight = (left * right).scale(h);
        for j in 0..N {
            contribute(&lu, weight, &rhs.states[j], &mut self.states[j]);
        }
        for j in 0..U {
            contribute(&lu, weight, &rhs.inputs[j], &mut self.inputs[j]);
        }
        contribute(&lu, weight, &rhs.constant, &mut self.constant);
        Ok(())
    }

    /// Rounded to a number type, with what that does.
    #[inline(never)]
    fn rounded<R: Real>(&self, weights: &[R; N]) -> Result<Matrices<R, N, U>, Error> {
        let weights = double(weights);
        let ([one, many], unit) = (self.sizes(&weights)?, R::EPSILON.to_f64());
        let limit = 0.25 * R::EPSILON.sqrt().to_f64();
        if many.is_nan() || many * unit > limit {
            return Err(Error::Rounding);
        }
        // Of a sum of N products, and of the elements themselves.
        let most = 0.5 * unit * (N + U + 3) as f64;
        let square = |size: f64| R::from_f64((size * most) * (size * most));
        let mut map = Matrices {
            states: [[R::ZERO; N]; N],
            inputs: [[R::ZERO; N]; U],
            constant: single(&self.constant),
            of_states: [R::ZERO; N],
            of_inputs: [R::ZERO; U],
            of_constant: square(largest(&self.constant, &weights)),
        };
        for j in 0..N {
            map.states[j] = single(&self.states[j]);
            map.of_states[j] = square(one * weights[j]);
        }
        for j in 0..U {
            map.inputs[j] = single(&self.inputs[j]);
            map.of_inputs[j] = square(largest(&self.inputs[j], &weights));
        }
        Ok(map)
    }

    /// How large D is, in units of the nominal magnitudes: the largest row sum of |D|, and that of `|(1 / horizon - D)^-1| |D|`,
    /// by which errors of all steps within the horizon add up.
    fn sizes(&self, weights: &[f64; N]) -> Result<[f64; 2], Singular> {
        let mut sums = [0.0; N];
        for j in 0..N {
            for i in 0..N {
                sums[i] += self.states[j][i].size() / weights[j];
            }
        }
        let mut lu = Lu::<f64, N>::unit();
        lu.refactor(|rows| {
            for i in 0..N {
                for j in 0..N {
                    rows[i][j] = if i == j { 1.0 / HORIZON } else { 0.0 } - self.states[j][i];
                }
            }
        })?;
        let mut added = [0.0; N];
        for k in 0..N {
            let mut column = [0.0; N];
            column[k] = 1.0;
            lu.solve(&mut column);
            for i in 0..N {
                added[i] += column[i].size() * sums[k];
            }
        }
        Ok([largest(&sums, weights), largest(&added, weights)])
    }
}

/// Adds `Re(weight A^-1 rhs)`.
fn contribute<F: Field<Real = f64>, const N: usize>(
    lu: &Lu<F, N>,
    weight: F,
    rhs: &[f64; N],
    sum: &mut [f64; N],
) {
    let mut column = [F::ZERO; N];
    for n in 0..N {
        column[n] = F::ONE.scale(rhs[n]);
    }
    lu.solve(&mut column);
    for n in 0..N {
        sum[n] += (weight * column[n]).real_part();
    }
}

/// The largest of all elements, in units of one over the weights.
fn largest<const N: usize>(x: &[f64; N], weights: &[f64; N]) -> f64 {
    let mut largest = 0.0;
    for n in 0..N {
        let size = x[n].size() * weights[n];
        if size.is_nan() || size > largest {
            largest = size;
        }
    }
    largest
}

fn double<R: Real, const N: usize>(x: &[R; N]) -> [f64; N] {
    let mut double = [0.0; N];
    for n in 0..N {
        double[n] = x[n].to_f64();
    }
    double
}

fn single<R: Real, const N: usize>(x: &[f64; N]) -> [R; N] {
    let mut single = [R::ZERO; N];
    for n in 0..N {
        single[n] = R::from_f64(x[n]);
    }
    single
}

visits!(
    [R: Real, const N: usize, const U: usize] Matrices<R, N, U>:
    states, inputs, constant, of_states, of_inputs, of_constant
);
