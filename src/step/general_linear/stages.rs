//! The stage equations of a step: where the stages are, where their iteration starts, and the iteration.

use super::GeneralLinearStepper;
use crate::linear::Lu;
use crate::method::general_linear::Nordsieck;
use crate::method::{Collocation, GeneralLinear, Mode, Modes, Stages};
use crate::model::{SecondOrder, Vector};
use crate::number::{Complex, Field, Real};
use crate::step::geometry::combine;
use crate::step::second_order::{Point, squares};
use crate::step::{Budget, Convergence, Error, Report};

/// The factorised matrices `F_a + h mu F_v + (h mu)^2 F_x`, one a mode.
#[derive(Clone, Copy)]
pub(super) struct Factors<R: Real, const N: usize, const S: usize>
where
    Stages<S>: Modes,
{
    pub real: <Stages<S> as Modes>::PerReal<Lu<R, N>>,
    pub pairs: <Stages<S> as Modes>::PerPair<Lu<Complex<R>, N>>,
}

impl<R, M, G, const N: usize, const U: usize, const S: usize, const K: usize>
    GeneralLinearStepper<R, M, G, N, U, S, K>
where
    R: Real,
    M: SecondOrder<R, N, U>,
    G: GeneralLinear<S, K>,
    Stages<S>: Modes,
{
    /// Whether one iteration is exact: for affine models, as long as the transformation to modes is good to rounding.
    const EXACT: bool = M::AFFINE && S <= 3;

    /// `h^p z` for every value.
    #[inline(always)]
    pub(super) fn scaled(&self, matrices: &Nordsieck<R, S, K>, k: usize) -> [R; N] {
        let mut value = self.values.z[k];
        for n in 0..N {
            for _ in 0..matrices.powers[k] {
                value[n] *= self.h;
            }
        }
        value
    }

    /// Where stage i is.
    #[inline(always)]
    pub(super) fn place(
        &self,
        t: R,
        matrices: &Nordsieck<R, S, K>,
        w: &[[R; N]; S],
        i: usize,
    ) -> Point<R, N> {
        let h = self.h;
        let (mut dx, mut dv) = (combine(&matrices.a2[i], w), combine(&matrices.a[i], w));
        for n in 0..N {
            dx[n] *= h * h;
            dv[n] *= h;
        }
        for k in 1..K {
            let value = self.scaled(matrices, k);
            for n in 0..N {
                // Zeros of the tables are structural: what they would multiply is not even computed.
                if matrices.u2[i][k] != R::ZERO {
                    dx[n] += matrices.u2[i][k] * value[n];
                }
                if k > 1 && matrices.u[i][k] != R::ZERO {
                    dv[n] += matrices.u[i][k] * value[n] / h;
                }
            }
        }
        for n in 0..N {
            dx[n] += self.values.z[0][n];
            dv[n] += self.values.z[1][n];
        }
        Point {
            t: t + matrices.c[i] * h,
            x: dx,
            v: dv,
            a: w[i],
        }
    }

    /// Where the iteration starts: the polynomial of the last step's accelerations, continued.
    #[inline(always)]
    fn predict(&mut self, c: &[R; S]) -> [[R; N]; S] {
        let before = self.values.before;
        if before == R::ZERO {
            return [self.values.now.a.data.0[0]; S];
        }
        let ratio = self.h / before;
        if ratio != self.ratio {
            self.ratio = ratio;
            for i in 0..S {
                for j in 0..S {
                    let mut weight = R::ONE;
                    for m in 0..S {
                        if m != j {
                            weight *= (R::ONE + ratio * c[i] - c[m]) / (c[j] - c[m]);
                        }
                    }
                    self.extrapolation[i][j] = weight;
                }
            }
        }
        let mut w = [[R::ZERO; N]; S];
        for i in 0..S {
            w[i] = combine(&self.extrapolation[i], &self.values.w);
        }
        w
    }

    /// Factorises the matrices of all modes, with the Jacobian at half the step.
    #[inline(always)]
    fn factor(&mut self, t: R, u: &Vector<R, U>, w: &[R; N]) -> Result<(), Error> {
        let (h, half) = (self.h, self.h * R::from_f64(0.5));
        let mut middle = Point {
            t: t + half,
            x: self.values.z[0],
            v: self.values.z[1],
            a: *w,
        };
        for n in 0..N {
            middle.x[n] += half * middle.v[n];
            if !M::ALGEBRAIC[n] {
                middle.v[n] += half * w[n];
            }
        }
        let model = &self.model;
        let matrix = |mu: R| middle.jacobian(model, u, [mu * mu, mu, R::ONE]);
        if let Some(diagonal) = G::DIAGONAL {
            for lu in self.factors.real.as_mut() {
                *lu = Lu::factor(matrix(h * R::from_f64(diagonal)))?;
            }
            return Ok(());
        }
        let coefficients = G::Modes::coefficients::<R>();
        for lu in self.factors.real.as_mut() {
            *lu = Lu::factor(matrix(h * coefficients.real.eigenvalue))?;
        }
        let pairs = self.factors.pairs.as_mut().iter_mut();
        for (lu, mode) in pairs.zip(&coefficients.pairs) {
            let mu = mode.eigenvalue.scale(h);
            let square = mu * mu;
            let re = middle.jacobian(model, u, [square.re, mu.re, R::ONE]);
            let im = middle.jacobian(model, u, [square.im, mu.im, R::ZERO]);
            let mut rows = [[Complex::ZERO; N]; N];
            for i in 0..N {
                for j in 0..N {
                    rows[i][j] = Complex {
                        re: re[i][j],
                        im: im[i][j],
                    };
                }
            }
            *lu = Lu::factor(rows)?;
        }
        Ok(())
    }

    /// One iteration; its increments.
    #[inline(always)]
    fn iterate(
        &self,
        t: R,
        u: &Vector<R, U>,
        matrices: &Nordsieck<R, S, K>,
        w: &mut [[R; N]; S],
    ) -> [[R; N]; S] {
        let mut dw = [[R::ZERO; N]; S];
        if G::DIAGONAL.is_some() {
            // A stage knows what the ones before it have become: for affine equations that is exact.
            for lu in self.factors.real.as_ref() {
                for i in 0..S {
                    let mut d = self.place(t, matrices, w, i).residual(&self.model, u);
                    lu.solve(&mut d);
                    for n in 0..N {
                        w[i][n] -= d[n];
                    }
                    dw[i] = d;
                }
            }
            return dw;
        }
        let mut residual = [[R::ZERO; N]; S];
        for i in 0..S {
            residual[i] = self.place(t, matrices, w, i).residual(&self.model, u);
        }
        let coefficients = G::Modes::coefficients::<R>();
        for lu in self.factors.real.as_ref() {
            contribute(&coefficients.real, lu, &residual, &mut dw);
        }
        for (lu, mode) in self.factors.pairs.as_ref().iter().zip(&coefficients.pairs) {
            contribute(mode, lu, &residual, &mut dw);
        }
        for i in 0..S {
            for n in 0..N {
                w[i][n] -= dw[i][n];
            }
        }
        dw
    }

    /// The stages' accelerations. Changes nothing but what is kept for the sake of speed.
    #[inline(always)]
    pub(super) fn solve<B: Budget<R>>(
        &mut self,
        t: R,
        u: &Vector<R, U>,
        budget: &mut B,
        matrices: &Nordsieck<R, S, K>,
    ) -> Result<([[R; N]; S], Report<R>), Error> {
        let h = self.h;
        let mut w = self.predict(&matrices.c);
        let predicted = w;
        if !(M::AFFINE && self.factored) {
            self.factored = false;
            self.factor(t, u, &w[S / 2])?;
            self.factored = true;
        }
        let amplification = G::Modes::coefficients::<R>().amplification;
        let floor = R::EPSILON * R::from_f64(32.0) * amplification / h;
        let mut convergence = Convergence::start(floor);
        while budget.another(&convergence) {
            let dw = self.iterate(t, u, matrices, &mut w);
            let mut sum = R::ZERO;
            for i in 0..S {
                sum += squares::<R, M, N, U>(&dw[i], &self.weights, h, h * h * h);
            }
            convergence.record(sum);
            if Self::EXACT {
                break;
            }
        }
        let report = convergence.verdict(budget.tolerance(), Self::EXACT)?;
        for i in 0..S {
            for n in 0..N {
                self.missed[i][n] = w[i][n] - predicted[i][n];
            }
        }
        Ok((w, report))
    }
}

/// Adds what a mode contributes to the stages' increments.
#[inline(always)]
fn contribute<R: Real, F: Field<Real = R>, const N: usize, const S: usize>(
    mode: &Mode<F, S>,
    lu: &Lu<F, N>,
    residual: &[[R; N]; S],
    dw: &mut [[R; N]; S],
) {
    let mut d = [F::ZERO; N];
    for n in 0..N {
        d[n] = mode.left[0].scale(residual[0][n]);
        for i in 1..S {
            d[n] = d[n] + mode.left[i].scale(residual[i][n]);
        }
    }
    lu.solve(&mut d);
    for i in 0..S {
        for n in 0..N {
            dw[i][n] += (mode.right[i] * d[n]).real_part();
        }
    }
}
