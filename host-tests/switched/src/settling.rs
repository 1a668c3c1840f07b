//! Modes from random states: is one found, how soon, and does it agree?

use crate::cases::Case;
use crate::library::tables;
use crate::scenario::Gates;
use crate::with_sizes;
use fastrand::Rng;
use stiffstep::number::Real;
use stiffstep::switched::{Switched, SwitchedError};

/// What a campaign found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settling {
    /// Searches from a state in which the circuit can be, with new gates.
    pub consistent: u64,
    /// Those that found none.
    pub failed: u64,
    /// Those that found one which does not agree.
    pub wrong: u64,
    /// By the number of modes that were tried beyond the first.
    pub by_iterations: [u64; 32],
    /// Searches from any state, possible or not.
    pub any: u64,
    /// Those with an error.
    pub refused: u64,
    /// Those that found a mode which does not agree.
    pub any_wrong: u64,
    /// In which a current without a path was cut off.
    pub interrupted: u64,
}

impl Settling {
    /// The most modes that a search from a possible state tried beyond the first.
    pub fn most(&self) -> usize {
        self.by_iterations
            .iter()
            .rposition(|count| *count > 0)
            .unwrap_or(0)
    }
}

fn gates(random: &mut Rng, gates: Gates) -> u32 {
    match gates {
        Gates::None => 0,
        Gates::One { .. } => random.u32(0..2),
        Gates::Legs { legs, .. } => (0..legs).fold(0, |gates, leg| {
            gates | [0, 1 << leg, 1 << (legs + leg)][random.usize(0..3)]
        }),
    }
}

/// States of all signs; supplies, and capacitors of one gate or none, are positive.
fn state<R: Real, const N: usize, const U: usize>(
    random: &mut Rng,
    case: &Case,
) -> ([R; N], [R; U]) {
    let coils = case.net.parts.iter();
    let coils = coils
        .filter(|part| matches!(part.kind, crate::net::Kind::Coil(_)))
        .count();
    let bridge = matches!(case.gates, Gates::Legs { .. });
    let x = std::array::from_fn(|i| {
        let signed = 2.0 * random.f64() - 1.0;
        let current = case.keep[i] < coils;
        let value = match (current, bridge) {
            (true, _) if random.f64() < 0.3 => 0.0,
            (true, _) => signed * case.scale.current,
            (false, true) => signed * case.scale.voltage,
            (false, false) => (0.75 + 0.75 * signed) * case.scale.voltage,
        };
        R::from_f64(value)
    });
    let u = std::array::from_fn(|i| {
        let phase = case.gates == Gates::None || bridge && i > 0;
        let share = if phase {
            2.0 * random.f64() - 1.0
        } else {
            0.5 + random.f64()
        };
        R::from_f64(share * case.scale.voltage)
    });
    (x, u)
}

fn campaign<
    R: Real,
    const N: usize,
    const U: usize,
    const Y: usize,
    const M: usize,
    const L: usize,
    const K: usize,
>(
    case: &Case,
    trials: u64,
    seed: u64,
) -> Result<Settling, String> {
    let tables = tables::<R, N, U, Y, M, L, K>(case)?;
    let mut random = Rng::with_seed(seed);
    let mut found = Settling::default();
    for _ in 0..trials {
        let (x, u) = state::<R, N, U>(&mut random, case);
        found.any += 1;
        let first = gates(&mut random, case.gates);
        let start = Switched::new(tables.view(), x, u).and_then(|mut switched| {
            switched
                .set_gates(first, &u)
                .map(|report| (switched, report))
        });
        let mut switched = match start {
            Ok((switched, report)) => {
                found.interrupted += u64::from(report.interrupted);
                switched
            }
            Err(SwitchedError::NoMode) => {
                found.refused += 1;
                continue;
            }
            Err(error) => return Err(format!("{}: {error}", case.name)),
        };
        found.any_wrong += u64::from(!switched.agrees(&u));
        found.consistent += 1;
        let before = *switched.state();
        match switched.set_gates(gates(&mut random, case.gates), &u) {
            Ok(report) => {
                found.by_iterations[usize::from(report.iterations).min(31)] += 1;
                found.wrong += u64::from(!switched.agrees(&u));
            }
            Err(_) => {
                found.failed += 1;
                if *switched.state() != before {
                    return Err(format!("{}: an error changed the state", case.name));
                }
            }
        }
    }
    Ok(found)
}

/// Runs a campaign on a case, in single precision.
pub fn settling(case: &Case, trials: u64, seed: u64) -> Result<Settling, String> {
    with_sizes!(case.name, campaign, f32, case, trials, seed)
}
