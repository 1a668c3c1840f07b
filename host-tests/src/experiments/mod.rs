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
