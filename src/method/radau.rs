//! Radau IIA: stiffly accurate, L-stable, of order 2s - 1 with stage order s. The method for plants whose fast motions
//! should die out, and for everything with algebraic equations.
//!
//! The nodes are the zeros of the Legendre combination `P_s - P_(s-1)` on [0, 1] (Hairer & Wanner II, section IV.5).

use super::tableau::{Coefficients, legendre_nodes};
use super::{Collocation, Embedded, Modes, Stages, StifflyAccurate};

/// Radau IIA with `S` = 1 (implicit Euler), 2, 3 or 5 stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RadauIIA<const S: usize>;

impl<const S: usize> Collocation<S> for RadauIIA<S>
where
    Stages<S>: Modes,
{
    const NAME: &'static str = match S {
        1 => "Radau IIA 1",
        2 => "Radau IIA 2",
        3 => "Radau IIA 3",
        _ => "Radau IIA 5",
    };
    const ORDER: usize = 2 * S - 1;
    type Accuracy = StifflyAccurate;
    const TABLE: Coefficients<f64, S> = {
        assert!(S <= 3 || S == 5, "Radau IIA comes with 1, 2, 3 or 5 stages");
        Coefficients::collocation(legendre_nodes(-1.0, 0.0))
    };
}

impl Embedded<3> for RadauIIA<3> {}
impl Embedded<5> for RadauIIA<5> {}
