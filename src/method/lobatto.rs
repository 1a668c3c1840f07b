//! Lobatto IIIA: symmetric, of order 2s - 2, P-stable as Gauss is, and stiffly accurate. Its first stage is the start of the
//! step and therefore explicit; the other s - 1 are solved for, with the matrix that remains of A without its first row and
//! column (Jay & Petzold, section 3).
//!
//! The nodes are the zeros of the Legendre combination `P_s - P_(s-2)` on [0, 1].

use super::tableau::{Coefficients, legendre_nodes};
use super::{Collocation, ExplicitFirst};

/// Lobatto IIIA with `S` = 2 (the trapezoidal rule) to 5 stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LobattoIIIA<const S: usize>;

/// One number of stages: `implicit` of them are solved for, which stable const generics cannot subtract themselves.
macro_rules! lobatto {
    ($($stages:literal $implicit:literal $name:literal),*) => {$(
        impl Collocation<$implicit> for LobattoIIIA<$stages> {
            const NAME: &'static str = $name;
            const ORDER: usize = 2 * $stages - 2;
            type Accuracy = ExplicitFirst;
            const TABLE: Coefficients<f64, $implicit> =
                Coefficients::explicit_first(legendre_nodes::<$stages>(0.0, -1.0));
        }
    )*};
}
lobatto!(2 1 "Lobatto IIIA 2", 3 2 "Lobatto IIIA 3", 4 3 "Lobatto IIIA 4", 5 4 "Lobatto IIIA 5");
