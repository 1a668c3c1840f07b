//! The experiments of the papers: what they measure beside what was published, once for the tests, which must hold, and for
//! the report, which shows.
//!
//! | file | paper |
//! |---|---|
//! | [`lubich`] | Lubich, *Integration of stiff mechanical systems by Runge-Kutta methods* |
//! | [`schropp`] | Schropp, *Projected Runge-Kutta methods for index 3 differential-algebraic equations* |
//! | [`jay_petzold`] | Jay & Petzold, *Highly oscillatory systems and periodic-stability* |
//! | [`ariel`] | Ariel, Sanz-Serna & Tsai, on the iterated projection onto slow manifolds |
//! | [`wunderlich`] | Wunderlich, *Numerical solution of semi-explicit systems of second order differential-algebraic equations* |
//! | [`precision`] | none: single precision beside double |

pub mod ariel;
pub mod jay_petzold;
pub mod lubich;
pub mod precision;
pub mod schropp;
pub mod wunderlich;

use crate::figures::{Comparison, Grid, Tolerance};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A state that runs are compared with, from `states.toml`; not a number where there is none.
fn known<const N: usize>(plant: &str, at: &str) -> [f64; N] {
    type States = BTreeMap<String, BTreeMap<String, Vec<f64>>>;
    static STATES: LazyLock<States> =
        LazyLock::new(|| toml::from_str(include_str!("states.toml")).unwrap_or_default());
    let state = STATES.get(plant).and_then(|states| states.get(at));
    let state = state.and_then(|state| state.as_slice().try_into().ok());
    state.unwrap_or([f64::NAN; N])
}

/// The names of what a mechanism's errors are errors of.
pub const PARTS: [&str; 3] = ["q", "v", "lambda"];

/// Orders of convergence, from the errors of a step and of its half.
pub fn orders([coarse, fine]: [[f64; 3]; 2]) -> [f64; 3] {
    [0, 1, 2].map(|k| (coarse[k] / fine[k]).log2())
}

/// How a figure is compared.
type Compare = fn(String, f64, f64, Tolerance) -> Comparison;

/// One more row, of orders beside the expected ones.
fn order_row(
    table: &mut Grid,
    name: &str,
    observed: [f64; 3],
    expected: [f64; 3],
    (tolerance, compare): (Tolerance, Compare),
) {
    table.fill(name, &format!("{name}, order of "), |k, what| {
        compare(what, observed[k], expected[k], tolerance)
    });
}
