//! Published problems with known ends, run by the adaptive driver: how many digits a tolerance buys, and for how much.

use nalgebra::SVector;
use stiffstep::drive::{Controlled, Statistics};
use stiffstep::prelude::{Adaptive, Error, FirstOrder, Mechanical, Projected, RadauIIA, Vector};
use stiffstep::step::EachOfMotion;
use stiffstep_plants::andrews::{self, Andrews};
use stiffstep_plants::car_axis::{self, CarAxis};
use stiffstep_plants::{akzo_nobel, hires, robertson, transistor_amplifier, van_der_pol};

/// Correct digits, and what they cost.
pub type Outcome = Result<(Vec<f64>, Statistics), Error>;

/// A published problem.
pub struct Problem {
    /// Its name.
    pub name: &'static str,
    /// What kind of problem it is.
    pub kind: &'static str,
    /// The digits that a good code reaches: of the states, or of q, v and lambda.
    pub wanted: &'static [f64],
    run: fn(f64, bool) -> Outcome,
}

impl Problem {
    /// Correct digits at the end, of the states or of q, v and lambda, and what they cost at this tolerance with Radau IIA of
    /// three stages, or of `five`.
    pub fn run(&self, tolerance: f64, five: bool) -> Outcome {
        (self.run)(tolerance, five)
    }
}

/// `-log10` of the largest relative error.
fn digits<const N: usize>(state: &SVector<f64, N>, exact: &[f64; N]) -> f64 {
    let errors = state.iter().zip(exact).map(|(x, y)| ((x - y) / y).abs());
    -errors.fold(0.0, f64::max).log10()
}

/// A problem of first order. Components as small as `smallest` count.
fn first_order<M, const N: usize>(
    model: M,
    (start, first, smallest): ([f64; N], f64, f64),
    (end_time, end): (f64, [f64; N]),
    (tolerance, five): (f64, bool),
) -> Outcome
where
    M: FirstOrder<f64, N, 0>,
{
    let absolute = [tolerance * smallest; N].into();
    let start = start.into();
    let (state, statistics) = if five {
        let run = Adaptive::new(model, RadauIIA::<5>, tolerance, first, start)?;
        finish(run.with_absolute(absolute)?, end_time)?
    } else {
        let run = Adaptive::new(model, RadauIIA::<3>, tolerance, first, start)?;
        finish(run.with_absolute(absolute)?, end_time)?
    };
    Ok((vec![digits(&state, &end)], statistics))
}

/// Runs to the end.
fn finish<P>(mut run: Adaptive<P>, end: f64) -> Result<(P::State, Statistics), Error>
where
    P: Controlled<Real = f64, State: Copy>,
{
    run.run_to(end)?;
    Ok((*run.state(), run.statistics()))
}

/// A mechanism, projected.
fn mechanism<M, const Q: usize, const L: usize>(
    model: M,
    (start, first, absolute): (
        (Vector<f64, Q>, Vector<f64, Q>),
        f64,
        EachOfMotion<f64, Q, L>,
    ),
    (end_time, q, v, lambda): (f64, [f64; Q], [f64; Q], [f64; L]),
    (tolerance, five): (f64, bool),
) -> Outcome
where
    M: Mechanical<f64, Q, L, 0>,
{
    let (at, statistics) = if five {
        let method = Projected(RadauIIA::<5>);
        let run = Adaptive::new(model, method, tolerance, first, start)?;
        finish(run.with_absolute(absolute)?, end_time)?
    } else {
        let method = Projected(RadauIIA::<3>);
        let run = Adaptive::new(model, method, tolerance, first, start)?;
        finish(run.with_absolute(absolute)?, end_time)?
    };
    let digits = vec![
        digits(&at.q, &q),
        digits(&at.v, &v),
        digits(&at.lambda, &lambda),
    ];
    Ok((digits, statistics))
}

/// The problems.
pub const PROBLEMS: [Problem; 7] = [
    Problem {
        name: "HIRES",
        kind: "stiff ODE",
        wanted: &[9.0],
        run: |tolerance, five| {
            let end = (hires::END_TIME, hires::END);
            first_order(
                hires::Hires,
                (hires::START, 1e-6, 1e-4),
                end,
                (tolerance, five),
            )
        },
    },
    Problem {
        name: "Robertson",
        kind: "stiff ODE",
        wanted: &[8.0],
        run: |tolerance, five| {
            let end = (robertson::END_TIME, robertson::END);
            let start = (robertson::START, 1e-6, 1e-10);
            first_order(robertson::Robertson, start, end, (tolerance, five))
        },
    },
    Problem {
        name: "van der Pol",
        kind: "stiff ODE",
        wanted: &[8.0],
        run: |tolerance, five| {
            let model = van_der_pol::VanDerPol::published();
            let end = (van_der_pol::END_TIME, van_der_pol::END);
            first_order(
                model,
                (van_der_pol::START, 1e-6, 1e-3),
                end,
                (tolerance, five),
            )
        },
    },
    Problem {
        name: "chemical Akzo Nobel",
        kind: "index-1 DAE",
        wanted: &[8.0],
        run: |tolerance, five| {
            let end = (akzo_nobel::END_TIME, akzo_nobel::END);
            let start = (akzo_nobel::START, 1e-6, 1e-3);
            first_order(akzo_nobel::AkzoNobel, start, end, (tolerance, five))
        },
    },
    Problem {
        name: "transistor amplifier",
        kind: "index-1 DAE",
        wanted: &[10.0],
        run: |tolerance, five| {
            let model = transistor_amplifier::TransistorAmplifier;
            let end = (transistor_amplifier::END_TIME, transistor_amplifier::END);
            let start = (transistor_amplifier::START, 1e-8, 1.0);
            first_order(model, start, end, (tolerance, five))
        },
    },
    Problem {
        name: "car axis",
        kind: "index-3 DAE",
        wanted: &[9.0, 6.0, 5.0],
        run: |tolerance, five| {
            let (q, v) = car_axis::START;
            let absolute = EachOfMotion {
                q: [tolerance; 4],
                v: [tolerance; 4],
                lambda: [tolerance; 2],
            };
            let start = ((q.into(), v.into()), 1e-6, absolute);
            let (q, v, lambda) = (car_axis::END_Q, car_axis::END_V, car_axis::END_LAMBDA);
            mechanism(
                CarAxis::default(),
                start,
                (3.0, q, v, lambda),
                (tolerance, five),
            )
        },
    },
    Problem {
        name: "Andrews' squeezing mechanism",
        kind: "index-3 DAE",
        wanted: &[9.0],
        run: |tolerance, five| {
            let absolute = EachOfMotion {
                q: [tolerance; 7],
                v: [tolerance; 7],
                lambda: [tolerance; 6],
            };
            let start = ((andrews::START.into(), [0.0; 7].into()), 1e-6, absolute);
            let (q, v, lambda) = (andrews::END_Q, andrews::END_V, andrews::END_LAMBDA);
            mechanism(
                Andrews::default(),
                start,
                (0.03, q, v, lambda),
                (tolerance, five),
            )
        },
    },
];
