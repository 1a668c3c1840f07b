//! Exact maps of modes that are too fast for a polynomial over the whole step.

use super::super::circuit::CircuitError;
use super::super::dense::{Matrix, cholesky, exponential_less_one, norm, product, solve, zero};
use super::super::network::{Equations, Network};
use super::{Map, Scale};
use crate::number::Real;

/// What a truncated Taylor series may leave out of a state, relative to its energy.
const REMAINDER: f64 = 1e-6;

/// How far an oscillation may turn in a map: conditions are looked at after each.
const TURN: f64 = 0.7;

/// Each map is `2^-SPACING` of the one before: with halves tables are twice as large, and steps not shorter.
const SPACING: u8 = 2;

/// The finest map is `2^-FINEST` of a step.
const FINEST: u8 = 24;

/// The transposed matrix of a mode's rates, a step, in coordinates whose squares add up to the energy, y = l^T x: lossless exchange is skew
/// there and losses are symmetric.
fn by_energy<const S: usize>(
    network: &Network<'_, S>,
    equations: &Equations<S>,
    step: f64,
) -> Option<Matrix<S>> {
    let n = network.states;
    let l = cholesky(&network.energy(), n)?;
    let mut upper = zero::<S>();
    for i in 0..n {
        for j in 0..n {
            upper[i][j] = l[j][i];
        }
    }
    let left = product(&upper, &equations.a, (n, n, n));
    // left upper^-1, by its transpose: l z = left^T.
    let mut transposed = zero::<S>();
    for i in 0..n {
        for j in 0..n {
            transposed[i][j] = left[j][i] * step;
        }
    }
    solve(&mut l.clone(), n, &mut transposed, n)?;
    Some(transposed)
}

/// Which maps a mode needs: the coarsest and how many, none if a polynomial serves the whole step.
pub(super) fn levels<'a, const S: usize>(
    network: &Network<'a, S>,
    equations: &Equations<S>,
    scale: Scale,
    degree: usize,
    index: usize,
) -> Result<(u8, u8), CircuitError<'a>> {
    let n = network.states;
    let rates = by_energy(network, equations, scale.step).ok_or(CircuitError::Singular(index))?;
    let mut power = rates;
    for k in 0..degree {
        power = product(&power, &rates, (n, n, n));
        power
            .iter_mut()
            .flatten()
            .for_each(|x| *x /= (k + 2) as f64);
    }
    let (mut remainder, mut finest) = (norm(&power, n), 0);
    while remainder > REMAINDER && finest < FINEST {
        remainder *= libm::exp2(-((degree + 1) as f64));
        finest += 1;
    }
    if finest == 0 {
        return Ok((0, 0));
    }
    let mut skew = zero::<S>();
    for i in 0..n {
        for j in 0..n {
            skew[i][j] = 0.5 * (rates[i][j] - rates[j][i]);
        }
    }
    let (mut turn, mut coarsest) = (norm(&skew, n), 0);
    while turn > TURN && coarsest < finest {
        turn *= 0.5;
        coarsest += 1;
    }
    let more = (finest - coarsest) / SPACING;
    Ok((finest - SPACING * more, more + 1))
}

/// The exact maps of a mode, from the coarsest on.
pub(super) fn maps<R: Real, const N: usize, const U: usize, const S: usize>(
    equations: &Equations<S>,
    step: f64,
    coarsest: u8,
    count: u8,
) -> impl Iterator<Item = Map<R, N, U>> {
    (0..count).map(move |level| {
        let share = libm::exp2(-f64::from(coarsest + SPACING * level));
        map(equations, step, share)
    })
}

/// The exact map over a share of a step; see [`Map`].
fn map<R: Real, const N: usize, const U: usize, const S: usize>(
    equations: &Equations<S>,
    step: f64,
    share: f64,
) -> Map<R, N, U> {
    let time = step * share;
    let mut big: Matrix<S> = zero();
    let one = N + 2 * U;
    for i in 0..N {
        for j in 0..N {
            big[i][j] = equations.a[i][j] * time;
        }
        for j in 0..U {
            big[i][N + j] = equations.b[i][j] * time;
        }
        big[i][one] = equations.b[i][U] * time;
    }
    for j in 0..U {
        big[N + j][N + U + j] = share;
    }
    let e = exponential_less_one(&big, one + 1);
    let mut map = blank_map();
    for i in 0..N {
        for j in 0..N {
            map.phi[i][j] = R::from_f64(e[i][j]);
        }
        for j in 0..U {
            map.g[i][j] = R::from_f64(e[i][N + j]);
            map.r[i][j] = R::from_f64(e[i][N + U + j]);
        }
        map.s[i] = R::from_f64(e[i][one]);
    }
    map
}

pub(super) fn blank_map<R: Real, const N: usize, const U: usize>() -> Map<R, N, U> {
    Map {
        phi: [[R::ZERO; N]; N],
        g: [[R::ZERO; U]; N],
        r: [[R::ZERO; U]; N],
        s: [R::ZERO; N],
    }
}
