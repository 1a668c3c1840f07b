//! Every method that the core offers.

use super::{Interval, Pair, StabilityFunction};
use crate::reference::Tableau;
use nalgebra::{Complex, DMatrix, DVector};
use stiffstep::method::{Collocation, Gauss, LobattoIIIA, LobattoPair, Modes, RadauIIA, Stages};
use stiffstep_plants::papers::RadauIA;

/// A method by its name.
#[derive(Clone, Debug)]
pub struct Offered {
    /// The name.
    pub name: String,
    /// The classical order.
    pub order: usize,
    /// The method.
    pub scheme: Scheme,
}

/// A method of either kind.
#[derive(Clone, Debug)]
pub enum Scheme {
    /// One tableau for everything.
    RungeKutta(StabilityFunction),
    /// One for positions, one for momenta.
    Partitioned(Pair),
}

/// The whole tableau of a method: what the core solves for, and the explicit first stage that it keeps apart.
pub fn tableau<K: Collocation<S>, const S: usize>() -> Tableau
where
    Stages<S>: Modes,
{
    let t = K::coefficients::<f64>();
    let skip = usize::from(K::EXPLICIT_FIRST);
    let n = S + skip;
    Tableau {
        a: DMatrix::from_fn(n, n, |i, j| {
            match (i.checked_sub(skip), j.checked_sub(skip)) {
                (None, _) => 0.0,
                (Some(i), None) => t.first[i],
                (Some(i), Some(j)) => t.a[i][j],
            }
        }),
        // An explicit first stage is there with stiffly accurate methods only: the weights are the last stage's.
        b: DVector::from_fn(n, |j, _| match j.checked_sub(skip) {
            None => t.first[S - 1],
            Some(j) => t.b[j],
        }),
        c: DVector::from_fn(n, |i, _| i.checked_sub(skip).map_or(0.0, |i| t.c[i])),
    }
}

fn collocation<K: Collocation<S>, const S: usize>(_method: K) -> Offered
where
    Stages<S>: Modes,
{
    Offered {
        name: K::NAME.to_owned(),
        order: K::ORDER,
        scheme: Scheme::RungeKutta(StabilityFunction::new(tableau::<K, S>())),
    }
}

/// Lobatto IIIA with Lobatto IIIB: Verlet and, with rigid joints, RATTLE for two stages.
fn pair<const S: usize>(pair: LobattoPair<S>) -> Offered {
    Offered {
        name: format!("Lobatto IIIA-IIIB {S}"),
        order: 2 * S - 2,
        scheme: Scheme::Partitioned(Pair::of(pair)),
    }
}

/// All of them.
pub fn catalogue() -> Vec<Offered> {
    vec![
        collocation(RadauIIA::<1>),
        collocation(RadauIIA::<2>),
        collocation(RadauIIA::<3>),
        collocation(RadauIIA::<5>),
        collocation(RadauIA::<3>),
        collocation(Gauss::<1>),
        collocation(Gauss::<2>),
        collocation(Gauss::<3>),
        collocation(Gauss::<4>),
        collocation(Gauss::<5>),
        collocation(Gauss::<6>),
        collocation(LobattoIIIA::<2>),
        collocation(LobattoIIIA::<3>),
        collocation(LobattoIIIA::<4>),
        collocation(LobattoIIIA::<5>),
        pair(LobattoPair::<2>),
        pair(LobattoPair::<3>),
    ]
}

impl Scheme {
    /// What remains of an oscillation's amplitude after a step of `h = mu / omega`; more than 1 if it grows.
    pub fn kept(&self, mu: f64) -> f64 {
        match self {
            Scheme::RungeKutta(function) => function.kept(mu),
            Scheme::Partitioned(pair) => pair.kept(mu),
        }
    }

    /// The angle, 0 to pi, by which a step turns the oscillation; mu if the step is small, and what is left of it when the
    /// step is larger than half a period. None where there is no oscillation any more.
    pub fn turn(&self, mu: f64) -> Option<f64> {
        match self {
            Scheme::RungeKutta(function) => Some(function.at(Complex::new(0.0, mu)).arg().abs()),
            Scheme::Partitioned(pair) => {
                let half = 0.5 * pair.matrix(mu).trace();
                (half.abs() <= 1.0).then(|| half.acos())
            }
        }
    }

    /// The steps, as `h omega`, with which every oscillation keeps its amplitude.
    pub fn periodicity(&self) -> Vec<Interval> {
        match self {
            Scheme::RungeKutta(function) if function.p_stable() => vec![Interval {
                from: 0.0,
                to: f64::INFINITY,
            }],
            Scheme::RungeKutta(_) => Vec::new(),
            Scheme::Partitioned(pair) => pair.periodicity(),
        }
    }
}
