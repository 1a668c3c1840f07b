//! The stage equations of a step: where the stages are, where their iteration starts, and the iteration.

use super::{Kept, OnGeneralLinear};
use crate::geometry::{combine, plus};
use crate::linear::Lu;
use crate::method::general_linear::Nordsieck;
use crate::method::{Collocation, GeneralLinear};
use crate::model::SecondOrder;
use crate::number::Complex;
use crate::step::modes::ModeFactors;
use crate::step::newton::{floor_at, newton};
use crate::step::scheme::Old;
use crate::step::second_order::{Point, squares};
use crate::step::{Budget, Error, Report};

/// The stages' accelerations, how far they are from what was predicted, and what is said of them.
pub(super) type Solved<R, const N: usize, const S: usize> = ([[R; N]; S], [[R; N]; S], Report<R>);

impl<R, M, G, const N: usize, const U: usize, const S: usize, const K: usize>
    Old<'_, OnGeneralLinear<R, M, G, N, U, S, K>>
where
    M: SecondOrder<R, N, U>,
    G: GeneralLinear<S, K>,
{
    /// `h^p z` for every value.
    #[inline(always)]
    pub(super) fn scaled(&self, matrices: &Nordsieck<R, S, K>, k: usize) -> [R; N] {
        let mut value = self.carry.z[k];
        for n in 0..N {
            for _ in 0..matrices.powers[k] {
                value[n] *= self.h;
            }
        }
        value
    }

    /// Where stage i is.
    #[inline(always)]
    pub(super) fn stage(
        &self,
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
            dx[n] += self.carry.z[0][n];
            dv[n] += self.carry.z[1][n];
        }
        Point {
            t: self.t + matrices.c[i] * h,
            x: dx,
            v: dv,
            a: w[i],
        }
    }

    /// Where the iteration starts: the polynomial of the last step's accelerations, continued.
    #[inline(always)]
    fn predict(&self, kept: &mut Kept<R, N, S>, c: &[R; S]) -> [[R; N]; S] {
        let before = self.carry.before;
        if before == R::ZERO {
            return [self.state.a.data.0[0]; S];
        }
        let ratio = self.h / before;
        if ratio != kept.ratio {
            kept.ratio = ratio;
            for i in 0..S {
                for j in 0..S {
                    let mut weight = R::ONE;
                    for m in 0..S {
                        if m != j {
                            weight *= (R::ONE + ratio * c[i] - c[m]) / (c[j] - c[m]);
                        }
                    }
                    kept.extrapolation[i][j] = weight;
                }
            }
        }
        let mut w = [[R::ZERO; N]; S];
        for i in 0..S {
            w[i] = combine(&kept.extrapolation[i], &self.carry.w);
        }
        w
    }

    /// Factorises the matrices `F_a + h mu F_v + (h mu)^2 F_x` of all modes, with the Jacobian at half the step.
    #[inline(always)]
    fn factor(&self, factors: &mut ModeFactors<R, N, S>, w: &[R; N]) -> Result<(), Error> {
        let (h, half) = (self.h, self.h * R::from_f64(0.5));
        let mut middle = Point {
            t: self.t + half,
            x: self.carry.z[0],
            v: self.carry.z[1],
            a: *w,
        };
        for n in 0..N {
            middle.x[n] += half * middle.v[n];
            if !M::ALGEBRAIC[n] {
                middle.v[n] += half * w[n];
            }
        }
        let (model, u) = (self.model, self.u);
        let real = |mu: R, lu: &mut Lu<R, N>| {
            lu.refactor(|rows| *rows = middle.jacobian(model, u, [mu * mu, mu, R::ONE]))
        };
        if let Some(diagonal) = G::DIAGONAL {
            for lu in factors.real.as_mut() {
                real(h * R::from_f64(diagonal), lu)?;
            }
            return Ok(());
        }
        factors.refactor(G::Modes::coefficients::<R>(), h, real, |mu, lu| {
            let square = mu * mu;
            let re = middle.jacobian(model, u, [square.re, mu.re, R::ONE]);
            let im = middle.jacobian(model, u, [square.im, mu.im, R::ZERO]);
            lu.refactor(|rows| {
                for i in 0..N {
                    for j in 0..N {
                        rows[i][j] = Complex {
                            re: re[i][j],
                            im: im[i][j],
                        };
                    }
                }
            })
        })?;
        Ok(())
    }

    /// One iteration; its increments.
    #[inline(always)]
    fn iterate(
        &self,
        factors: &ModeFactors<R, N, S>,
        matrices: &Nordsieck<R, S, K>,
        w: &mut [[R; N]; S],
    ) -> [[R; N]; S] {
        let mut dw = [[R::ZERO; N]; S];
        if G::DIAGONAL.is_some() {
            // A stage knows what the ones before it have become: for affine equations that is exact.
            for lu in factors.real.as_ref() {
                for i in 0..S {
                    let mut d = self.stage(matrices, w, i).residual(self.model, self.u);
                    lu.solve(&mut d);
                    plus(&mut w[i], -R::ONE, &d);
                    dw[i] = d;
                }
            }
            return dw;
        }
        let mut residual = [[R::ZERO; N]; S];
        for i in 0..S {
            residual[i] = self.stage(matrices, w, i).residual(self.model, self.u);
        }
        dw = factors.solve(&residual, G::Modes::coefficients::<R>());
        for i in 0..S {
            plus(&mut w[i], -R::ONE, &dw[i]);
        }
        dw
    }

    /// Solves the stage equations.
    #[inline(always)]
    pub(super) fn solve<B: Budget<R>>(
        &self,
        kept: &mut Kept<R, N, S>,
        budget: &mut B,
        matrices: &Nordsieck<R, S, K>,
    ) -> Result<Solved<R, N, S>, Error> {
        let h = self.h;
        let mut w = self.predict(kept, &matrices.c);
        let predicted = w;
        if !(M::AFFINE && kept.factored) {
            kept.factored = false;
            self.factor(&mut kept.factors, &w[S / 2])?;
            kept.factored = true;
        }
        let amplification = G::Modes::coefficients::<R>().amplification;
        let floor = floor_at(h, R::from_f64(32.0) * amplification);
        // For affine models, as long as the transformation to modes is good to rounding.
        let exact = M::AFFINE && S <= 3;
        let (_, report) = newton(budget, floor, exact, || {
            let mut dw = self.iterate(&kept.factors, matrices, &mut w);
            if exact {
                // A refinement measures what rounding left.
                dw = self.iterate(&kept.factors, matrices, &mut w);
            }
            let mut sums = [R::ZERO; N];
            for i in 0..S {
                let stage = squares::<R, M, N, U>(&dw[i], self.scales, h, h * h * h);
                plus(&mut sums, R::ONE, &stage);
            }
            Ok((sums, R::ZERO))
        })?;
        let mut missed = w;
        for i in 0..S {
            plus(&mut missed[i], -R::ONE, &predicted[i]);
        }
        Ok((w, missed, report))
    }
}
