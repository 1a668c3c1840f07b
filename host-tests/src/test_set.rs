//! Published problems with known ends, run by the adaptive driver: how many digits a tolerance buys, and for how much.

use nalgebra::SVector;
use stiffstep::drive::{Controlled, Statistics};
use stiffstep::prelude::{Adaptive, Error, FirstOrder, Mechanical, Projected, RadauIIA};
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
    run: fn((f64, bool)) -> Outcome,
}

impl Problem {
    /// Correct digits at the end, of the states or of q, v and lambda, and what they cost at this tolerance with Radau IIA of
    /// three stages, or of `five`.
    pub fn run(&self, tolerance: f64, five: bool) -> Outcome {
        (self.run)((tolerance, five))
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
    (q, v): ([f64; Q], [f64; Q]),
    (end_time, end_q, end_v, end_lambda): (f64, [f64; Q], [f64; Q], [f64; L]),
    (tolerance, five): (f64, bool),
) -> Outcome
where
    M: Mechanical<f64, Q, L, 0>,
{
    let (start, first) = ((q.into(), v.into()), 1e-6);
    let absolute = EachOfMotion {
        q: [tolerance; Q],
        v: [tolerance; Q],
        lambda: [tolerance; L],
    };
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
        digits(&at.q, &end_q),
        digits(&at.v, &end_v),
        digits(&at.lambda, &end_lambda),
    ];
    Ok((digits, statistics))
}

const fn problem(
    name: &'static str,
    kind: &'static str,
    wanted: &'static [f64],
    run: fn((f64, bool)) -> Outcome,
) -> Problem {
    Problem {
        name,
        kind,
        wanted,
        run,
    }
}

/// The problems.
pub const PROBLEMS: [Problem; 7] = [
    problem("HIRES", "stiff ODE", &[9.0], |how| {
        let end = (hires::END_TIME, hires::END);
        first_order(hires::Hires, (hires::START, 1e-6, 1e-4), end, how)
    }),
    problem("Robertson", "stiff ODE", &[8.0], |how| {
        let end = (robertson::END_TIME, robertson::END);
        let start = (robertson::START, 1e-6, 1e-10);
        first_order(robertson::Robertson, start, end, how)
    }),
    problem("van der Pol", "stiff ODE", &[8.0], |how| {
        let end = (van_der_pol::END_TIME, van_der_pol::END);
        let start = (van_der_pol::START, 1e-6, 1e-3);
        first_order(van_der_pol::VanDerPol::published(), start, end, how)
    }),
    problem("chemical Akzo Nobel", "index-1 DAE", &[8.0], |how| {
        let end = (akzo_nobel::END_TIME, akzo_nobel::END);
        let start = (akzo_nobel::START, 1e-6, 1e-3);
        first_order(akzo_nobel::AkzoNobel, start, end, how)
    }),
    problem("transistor amplifier", "index-1 DAE", &[10.0], |how| {
        let end = (transistor_amplifier::END_TIME, transistor_amplifier::END);
        let start = (transistor_amplifier::START, 1e-8, 1.0);
        first_order(transistor_amplifier::TransistorAmplifier, start, end, how)
    }),
    problem("car axis", "index-3 DAE", &[9.0, 6.0, 5.0], |how| {
        use car_axis::{END_LAMBDA, END_Q, END_V, START};
        let end = (3.0, END_Q, END_V, END_LAMBDA);
        mechanism(CarAxis::default(), START, end, how)
    }),
    problem(
        "Andrews' squeezing mechanism",
        "index-3 DAE",
        &[9.0],
        |how| {
            use andrews::{END_LAMBDA, END_Q, END_V, START};
            let end = (0.03, END_Q, END_V, END_LAMBDA);
            mechanism(Andrews::default(), (START, [0.0; 7]), end, how)
        },
    ),
];
