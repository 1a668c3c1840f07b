//! Starts: the values that a general linear method passes from step to step, from x and x' alone; and the first points of
//! multistep methods.

use super::{Kept, OnGeneralLinear};
use crate::method::{Collocation, GeneralLinear, Modes, OneStep, RadauIIA, Stages};
use crate::model::{Course, SecondOrder, Vector};
use crate::step::scheme::{Now, Old, Place, Scheme};
use crate::step::{Budget, Error, Report, Until, checked_state, inverse_magnitudes};

/// A collocation method of `S` stages, to start others.
type Starter<R, M, const N: usize, const U: usize, const S: usize> =
    OnGeneralLinear<R, M, OneStep<RadauIIA<S>>, N, U, S, 3>;

/// The starting procedure, which the paper leaves open: one step of Radau IIA 5, which is of stage order 5, and the
/// derivatives of its polynomials at the start. They are those of the accelerations, and for algebraic unknowns, which
/// have none, of the unknowns themselves. These keep the values of a start that a user gave, and get others where a run begins `anew`, because they
/// jump as inputs do.
pub(crate) fn begin<R, M, G, const N: usize, const U: usize, const S: usize, const K: usize>(
    at: &Place<'_, OnGeneralLinear<R, M, G, N, U, S, K>>,
    now: &mut Now<OnGeneralLinear<R, M, G, N, U, S, K>>,
    anew: bool,
) -> Result<(), Error>
where
    M: SecondOrder<R, N, U>,
    G: GeneralLinear<S, K>,
{
    let bare = Starter::<R, M, N, U, 5>::bare(&now.state, at.h);
    let weights = inverse_magnitudes(&at.model.nominal(), 0)?;
    let place = Place::new((), at.model, at.h, (at.t, at.u));
    let old = Old::new(place, &bare, &weights);
    let matrices = <OneStep<RadauIIA<5>> as GeneralLinear<5, 3>>::matrices::<R>();
    let mut exactly = Until {
        tolerance: R::EPSILON,
        max: 30,
    };
    let (w, _, _) = old.solve(&mut Kept::<R, N, 5>::none(), &mut exactly, &matrices)?;
    let nodes = &<RadauIIA<5> as Collocation<5>>::coefficients::<f64>().c;
    let h = at.h.to_f64();
    for k in 0..K {
        let power = usize::from(G::matrices::<R>().powers[k]);
        for n in 0..N {
            if k == 0 && !(anew && M::ALGEBRAIC[n]) {
                continue;
            }
            if k == 0 {
                now.carry.low[0][n] = R::ZERO;
            }
            let mut derivative = 0.0;
            if M::ALGEBRAIC[n] {
                for i in 0..5 {
                    let value = old.stage(&matrices, &w, i).x[n];
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
                derivative = now.state.v.data.0[0][n].to_f64();
            }
            now.carry.z[k][n] = R::from_f64(derivative);
        }
    }
    let (x, v, a) = (now.carry.z[0], now.carry.z[1], now.carry.z[2]);
    (now.state.x, now.state.v, now.state.a) = (x.into(), v.into(), a.into());
    checked_state(v.iter().chain(&a))
}

/// One step of Radau IIA, to start others: of 5 stages, or of 3 in single precision, where those of 5 amplify rounding eight
/// times as much.
pub(in crate::step) fn one_step<R, M: SecondOrder<R, N, U>, const N: usize, const U: usize>(
    model: &M,
    (t, h): (R, R),
    now: &Course<R, N>,
    u: &Vector<R, U>,
    budget: &mut impl Budget<R>,
) -> Result<(Course<R, N>, Report<R>), Error> {
    if R::EXACT_ENOUGH {
        step_of::<R, M, N, U, 5>(model, (t, h), now, u, budget)
    } else {
        step_of::<R, M, N, U, 3>(model, (t, h), now, u, budget)
    }
}

/// One step of Radau IIA of `S` stages from a state.
fn step_of<R, M: SecondOrder<R, N, U>, const N: usize, const U: usize, const S: usize>(
    model: &M,
    (t, h): (R, R),
    now: &Course<R, N>,
    u: &Vector<R, U>,
    budget: &mut impl Budget<R>,
) -> Result<(Course<R, N>, Report<R>), Error>
where
    Stages<S>: Modes,
{
    let mut bare = Starter::<R, M, N, U, S>::bare(now, h);
    bare.state.a = now.a;
    let weights = inverse_magnitudes(&model.nominal(), 0)?;
    let old = Old::new(Place::new((), model, h, (t, u)), &bare, &weights);
    let (end, report) = Starter::attempt(&old, &mut Kept::<R, N, S>::none(), budget)?;
    Ok((end.state, report))
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
