//! Starts: the values that a general linear method passes from step to step, from x and x' alone; and the first points of
//! multistep methods.

use super::GeneralLinearStepper;
use crate::method::{Collocation, GeneralLinear, Modes, OneStep, RadauIIA, Stages};
use crate::model::{Course, SecondOrder, Vector};
use crate::number::Real;
use crate::step::{Budget, Error, Report, Stepper, Until};

impl<R, M, G, const N: usize, const U: usize, const S: usize, const K: usize>
    GeneralLinearStepper<R, M, G, N, U, S, K>
where
    R: Real,
    M: SecondOrder<R, N, U>,
    G: GeneralLinear<S, K>,
    Stages<S>: Modes,
{
    /// The starting procedure, which the paper leaves open: one step of Radau IIA 5, which is of stage order 5, and the
    /// derivatives of its polynomials at the start. They are those of the accelerations, and for algebraic unknowns, which
    /// have none, of the unknowns themselves.
    pub(crate) fn start(&mut self, t: R, u: &Vector<R, U>) -> Result<(), Error> {
        let now = self.values.now;
        let mut starter = GeneralLinearStepper::<R, &M, OneStep<RadauIIA<5>>, N, U, 5, 3>::bare(
            &self.model,
            OneStep(RadauIIA),
            self.h,
            (now.x, now.v),
        )?;
        let matrices = <OneStep<RadauIIA<5>> as GeneralLinear<5, 3>>::matrices::<R>();
        let (w, _) = starter.solve(t, u, &mut exactly(), &matrices)?;
        let nodes = &<RadauIIA<5> as Collocation<5>>::coefficients::<f64>().c;
        let h = self.h.to_f64();
        for k in 1..K {
            let power = usize::from(G::matrices::<R>().powers[k]);
            for n in 0..N {
                let mut derivative = 0.0;
                if M::ALGEBRAIC[n] {
                    for i in 0..5 {
                        let value = starter.place(t, &matrices, &w, i).x[n];
                        derivative += value.to_f64() * at_zero(nodes, i, power);
                    }
                    for _ in 0..power {
                        derivative /= h;
                    }
                } else if k > 1 {
                    for i in 0..5 {
                        derivative += w[i][n].to_f64() * at_zero(nodes, i, power - 2);
                    }
                    for _ in 2..power {
                        derivative /= h;
                    }
                } else {
                    derivative = now.v.data.0[0][n].to_f64();
                }
                self.values.z[k][n] = R::from_f64(derivative);
            }
        }
        let (v, a) = (self.values.z[1], self.values.z[2]);
        if !v.iter().chain(a.iter()).all(|x| x.finite()) {
            return Err(Error::NonFinite);
        }
        (self.values.now.v, self.values.now.a) = (v.into(), a.into());
        Ok(())
    }
}

/// One step of Radau IIA, to start others: of 5 stages, or of 3 in single precision, where those of 5 amplify rounding eight
/// times as much.
pub(in crate::step) fn one_step<R, M, B, const N: usize, const U: usize>(
    model: &M,
    (t, h): (R, R),
    now: &Course<R, N>,
    u: &Vector<R, U>,
    budget: &mut B,
) -> Result<(Course<R, N>, Report<R>), Error>
where
    R: Real,
    M: SecondOrder<R, N, U>,
    B: Budget<R>,
{
    let start = (now.x, now.v);
    if R::EXACT_ENOUGH {
        let method = OneStep(RadauIIA::<5>);
        let mut starter =
            GeneralLinearStepper::<R, &M, _, N, U, 5, 3>::bare(model, method, h, start)?;
        starter.values.now.a = now.a;
        let report = starter.advance(t, u, budget)?;
        Ok((*starter.state(), report))
    } else {
        let method = OneStep(RadauIIA::<3>);
        let mut starter =
            GeneralLinearStepper::<R, &M, _, N, U, 3, 3>::bare(model, method, h, start)?;
        starter.values.now.a = now.a;
        let report = starter.advance(t, u, budget)?;
        Ok((*starter.state(), report))
    }
}

/// As exactly as it can be had.
fn exactly<R: Real>() -> Until<R> {
    Until {
        tolerance: R::EPSILON,
        max: 30,
    }
}

/// Derivative number `power` at 0 of the Lagrange polynomial of node i.
fn at_zero(nodes: &[f64; 5], i: usize, power: usize) -> f64 {
    let mut p = [1.0, 0.0, 0.0, 0.0, 0.0];
    for m in 0..5 {
        if m != i {
            let scale = 1.0 / (nodes[i] - nodes[m]);
            for k in (0..5).rev() {
                let lower = if k > 0 { p[k - 1] } else { 0.0 };
                p[k] = (lower - nodes[m] * p[k]) * scale;
            }
        }
    }
    let (mut derivative, mut factorial) = (p[0], 1.0);
    for k in 1..5 {
        factorial *= k as f64;
        if k == power {
            derivative = p[k] * factorial;
        }
    }
    derivative
}
