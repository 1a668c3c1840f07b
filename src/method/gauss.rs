//! Gauss: symmetric, symplectic, of order 2s. It keeps oscillations that Radau damps, whatever the step: P-stable (Jay &
//! Petzold). Its result is none of its stages, so rigid joints must be projected onto.
//!
//! The nodes are the zeros of the Legendre polynomial `P_s` on [0, 1].

use super::tableau::{Coefficients, legendre_nodes};
use super::{Collocation, Loose, Modes, Stages};

/// Gauss with `S` = 1 (the implicit midpoint rule) to 6 stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauss<const S: usize>;

impl<const S: usize> Collocation<S> for Gauss<S>
where
    Stages<S>: Modes,
{
    const NAME: &'static str = match S {
        1 => "Gauss 1",
        2 => "Gauss 2",
        3 => "Gauss 3",
        4 => "Gauss 4",
        5 => "Gauss 5",
        6 => "Gauss 6",
        _ => "Gauss",
    };
    const ORDER: usize = 2 * S;
    type Accuracy = Loose;
    const TABLE: Coefficients<f64, S> = Coefficients::collocation(legendre_nodes(0.0, 0.0));
}
